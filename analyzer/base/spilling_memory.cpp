// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/spilling_memory.h"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "analyzer/base/unnamed_file.h"

namespace sanscope {
namespace {

constexpr size_t page = size_t{64} * 1024;  // or a part of it, on every machine
constexpr size_t extent_bytes = size_t{64} << 20;
// Of the first pieces of each table, most are never filled.
constexpr size_t least_faulted_in = size_t{4} << 20;

// What needs no alignment of its own.
bool may_spill(size_t bytes, size_t alignment) {
    return bytes >= SpillingMemory::least_spilled && alignment <= alignof(std::max_align_t);
}

size_t in_pages(size_t bytes) {
    return (bytes + page - 1) / page * page;
}

// Pages that are about to be written one after another: given all at once they cost a quarter less than with a fault each
// (madvise(2), since Linux 5.14). Where that cannot be, each is given when it is touched.
void fault_in(std::byte* piece, size_t bytes) {
    static const auto page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<uintptr_t>(piece) + page_bytes - 1) & ~(page_bytes - 1);
    const auto end = (reinterpret_cast<uintptr_t>(piece) + bytes) & ~(page_bytes - 1);
    if (begin < end)
        ::madvise(piece + (begin - reinterpret_cast<uintptr_t>(piece)), end - begin, MADV_POPULATE_WRITE);
}

// The process's, what it shares with others (programs, libraries) included.
size_t resident_of_files() {
    size_t all = 0;
    size_t resident = 0;
    size_t shared = 0;
    std::ifstream("/proc/self/statm") >> all >> resident >> shared;
    return shared * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

SpillingMemory::~SpillingMemory() {
    for (const Extent& extent : extents_) ::munmap(extent.begin, extent.size);
}

// Takes a while where it is much; whoever needs memory meanwhile does not wait.
void SpillingMemory::set_aside() {
    std::vector<Extent> extents;
    {
        const std::lock_guard lock(mutex_);
        extents = extents_;
    }
    for (const Extent& extent : extents) ::madvise(extent.begin, extent.size, MADV_DONTNEED);
}

void SpillingMemory::keep_within(size_t most_resident) {
    if (bytes_in_file() > 0 && resident_of_files() > most_resident) set_aside();
}

void* SpillingMemory::do_allocate(size_t bytes, size_t alignment) {
    bool is_one_of_many = false;
    if (may_spill(bytes, alignment)) {
        const std::lock_guard lock(mutex_);
        if (in_memory_ + bytes > most_in_memory_) {
            if (void* const piece = take_from_file(in_pages(bytes))) return piece;
        }
        in_memory_ += bytes;
        is_one_of_many = in_memory_ > least_faulted_in;
    }
    void* const piece = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    if (is_one_of_many) fault_in(static_cast<std::byte*>(piece), bytes);
    return piece;
}

void SpillingMemory::do_deallocate(void* piece, size_t bytes, size_t alignment) {
    if (may_spill(bytes, alignment)) {
        const std::lock_guard lock(mutex_);
        if (in_file(piece)) {
            given_back_.emplace(in_pages(bytes), piece);
            return;
        }
        in_memory_ -= bytes;
    }
    std::pmr::new_delete_resource()->deallocate(piece, bytes, alignment);
}

// What was given back is given out again where at most an eighth of it would lie idle: the rest of it is lost until then.
void* SpillingMemory::take_from_file(size_t bytes) {
    const auto found = given_back_.lower_bound(bytes);
    if (found != given_back_.end() && found->first <= bytes + bytes / 8) {
        void* const piece = found->second;
        given_back_.erase(found);
        return piece;
    }
    if (left_ < bytes && !add_extent(bytes)) return nullptr;
    left_ -= bytes;
    bytes_in_file_.fetch_add(bytes, std::memory_order_relaxed);
    return std::exchange(next_, next_ + bytes);
}

bool SpillingMemory::add_extent(size_t least) {
    if (no_more_file_) return false;
    no_more_file_ = true;  // unless all goes well
    if (file_.get() < 0) {
        auto file = unnamed_file();
        if (!file) return false;
        file_ = std::move(*file);
    }
    const size_t size = std::max(least, extent_bytes);
    const auto offset = static_cast<off_t>(file_size_);
    if (!disk_has_room(file_.get(), size)) return false;
    // A mapped page for which the disk has no room would end the process when written to.
    if (::fallocate(file_.get(), 0, offset, static_cast<off_t>(size)) != 0) return false;
    void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), offset);
    if (begin == MAP_FAILED) return false;
    if (left_ >= least_spilled) given_back_.emplace(left_, next_);
    file_size_ += size;
    extents_.push_back({static_cast<std::byte*>(begin), size});
    next_ = static_cast<std::byte*>(begin);
    left_ = size;
    no_more_file_ = false;
    return true;
}

bool SpillingMemory::in_file(const void* piece) const {
    const auto* const at = static_cast<const std::byte*>(piece);
    return std::ranges::any_of(extents_, [&](const Extent& extent) {
        return at >= extent.begin && at < extent.begin + extent.size;
    });
}

}  // namespace sanscope
