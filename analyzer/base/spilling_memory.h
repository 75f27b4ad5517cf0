// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {

// Memory for tables that grow as long as a capture does. Pieces of 64 KiB and more beyond the first `most_in_memory` bytes of
// them lie in a temporary file (unnamed_file()), mapped; keep_within() takes them out of the process's memory now and then,
// and whoever looks at one has the kernel bring it back. Room in the file is taken before it is used. Where there is no file, or its disk
// would have less than a gigabyte left, memory is taken from the heap as ever. Any thread may call.
class SpillingMemory final : public std::pmr::memory_resource {
  public:
    static constexpr size_t least_spilled = size_t{64} * 1024;

    explicit SpillingMemory(size_t most_in_memory) : most_in_memory_(most_in_memory) {}
    // Whatever was taken must have been given back.
    ~SpillingMemory() override;

    void set_aside();
    // Sets aside where more than this of mapped files is in the process's memory: to be called some times a second.
    void keep_within(size_t most_resident);
    // Of the file, as far as it was ever given out.
    size_t bytes_in_file() const { return bytes_in_file_.load(std::memory_order_relaxed); }

  private:
    struct Extent {
        std::byte* begin;
        size_t size;
    };

    void* do_allocate(size_t bytes, size_t alignment) override;
    void do_deallocate(void* piece, size_t bytes, size_t alignment) override;
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
    void* take_from_file(size_t bytes);
    bool add_extent(size_t least);
    bool in_file(const void* piece) const;

    const size_t most_in_memory_;
    mutable std::mutex mutex_;
    size_t in_memory_ = 0;
    bool no_more_file_ = false;
    FileDescriptor file_;
    size_t file_size_ = 0;
    std::vector<Extent> extents_;
    std::byte* next_ = nullptr;  // what is left of the last extent
    size_t left_ = 0;
    std::multimap<size_t, void*> given_back_;
    std::atomic<size_t> bytes_in_file_ = 0;
};

}  // namespace sanscope
