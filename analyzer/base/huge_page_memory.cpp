// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/huge_page_memory.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <utility>

namespace sanscope {
namespace {

size_t rounded_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HugePageMemory::~HugePageMemory() {
    for (const Region& region : regions_) ::munmap(region.begin, region.size);
}

// What was given back is given out again where at most an eighth of it would lie idle.
void* HugePageMemory::take(size_t bytes) {
    constexpr size_t page = 4096;
    const size_t size = rounded_up(bytes, page);
    const auto found = given_back_.lower_bound(size);
    if (found != given_back_.end() && found->first <= size + size / 8) {
        void* const piece = found->second;
        given_back_.erase(found);
        return piece;
    }
    if (left_ < size && !add_region(size)) return nullptr;
    left_ -= size;
    return std::exchange(next_, next_ + size);
}

bool HugePageMemory::give_back(void* piece, size_t bytes) {
    const auto* const at = static_cast<const std::byte*>(piece);
    const bool ours = std::ranges::any_of(regions_, [&](const Region& region) {
        return at >= region.begin && at < region.begin + region.size;
    });
    constexpr size_t page = 4096;
    if (ours) given_back_.emplace(rounded_up(bytes, page), piece);
    return ours;
}

// Aligned to huge pages. All but the first ask for them: that one may stay nearly empty.
bool HugePageMemory::add_region(size_t least) {
    const size_t size = std::max(rounded_up(least, huge_page), next_size_);
    void* const mapped = ::mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    auto* const begin = static_cast<std::byte*>(mapped);
    const size_t before = (huge_page - reinterpret_cast<uintptr_t>(begin) % huge_page) % huge_page;
    if (before > 0) ::munmap(begin, before);
    ::munmap(begin + before + size, huge_page - before);
    if (!regions_.empty()) ::madvise(begin + before, size, MADV_HUGEPAGE);
    if (left_ > 0) given_back_.emplace(left_, next_);
    regions_.push_back({begin + before, size});
    next_ = begin + before;
    left_ = size;
    next_size_ = std::min(2 * size, largest_region);
    return true;
}

}  // namespace sanscope
