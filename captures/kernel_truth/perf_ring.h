// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "captures/kernel_truth/file_handles.h"

struct perf_event_mmap_page;

namespace sanscope {

// One processor's ring of perf events, shared with the kernel (perf_event_open(2), "MMAP layout").
class PerfRing {
  public:
    // Largest record that perf events have.
    static constexpr size_t max_record_bytes = 64u << 10;

    // Maps `bytes` of records, a power of two of whole pages. None, with errno set, where that fails.
    PerfRing(int event, size_t bytes);
    explicit operator bool() const { return static_cast<bool>(mapping_); }

    // The records that were there when it was called, each with its header, in order. `take(record)` must not keep the
    // span.
    template <class Take>
    void read(const Take& take) {
        const uint64_t end = head();
        uint64_t at = tail_;
        while (at < end) {
            const std::span<const uint8_t> record = record_at(at, end);
            if (record.empty()) {
                at = end;  // what is there makes no sense; it is left
                break;
            }
            take(record);
            at += record.size();
        }
        release(at);
    }

  private:
    uint64_t head() const;
    void release(uint64_t tail);
    // Empty where no record can be there.
    std::span<const uint8_t> record_at(uint64_t at, uint64_t end);

    SharedMapping mapping_;
    perf_event_mmap_page* control_ = nullptr;
    std::span<const uint8_t> data_;
    std::vector<uint8_t> joined_;  // a record that begins at the end of the ring and ends at its start
    uint64_t tail_ = 0;
};

}  // namespace sanscope
