// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/perf_ring.h"

#include <algorithm>
#include <cstring>
#include <linux/perf_event.h>
#include <unistd.h>

namespace sanscope {

PerfRing::PerfRing(int event, size_t bytes) : joined_(max_record_bytes) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    mapping_ = SharedMapping(event, page + bytes, PROT_READ | PROT_WRITE);
    if (!mapping_) return;
    control_ = static_cast<perf_event_mmap_page*>(mapping_.get());
    data_ = {static_cast<const uint8_t*>(mapping_.get()) + page, bytes};
}

uint64_t PerfRing::head() const {
    return __atomic_load_n(&control_->data_head, __ATOMIC_ACQUIRE);
}

void PerfRing::release(uint64_t tail) {
    tail_ = tail;
    __atomic_store_n(&control_->data_tail, tail, __ATOMIC_RELEASE);
}

std::span<const uint8_t> PerfRing::record_at(uint64_t at, uint64_t end) {
    // Records begin at multiples of 8, so that a header is never in two parts.
    const size_t offset = at & (data_.size() - 1);
    perf_event_header header;
    if (end - at < sizeof header) return {};
    std::memcpy(&header, data_.data() + offset, sizeof header);
    if (header.size < sizeof header || header.size > end - at) return {};
    const size_t before_end = std::min<size_t>(header.size, data_.size() - offset);
    if (before_end == header.size) return data_.subspan(offset, header.size);
    std::memcpy(joined_.data(), data_.data() + offset, before_end);
    std::memcpy(joined_.data() + before_end, data_.data(), header.size - before_end);
    return std::span<const uint8_t>(joined_).first(header.size);
}

}  // namespace sanscope
