// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/memory_backing.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "captures/iscsi_peer/target/target_settings.h"

namespace sanscope {

Result<MemoryBacking> MemoryBacking::make(Backing kind, uint32_t luns, uint64_t size) {
    uint64_t bytes = most_zeros;
    if (kind == Backing::ram && __builtin_mul_overflow(size, uint64_t{luns}, &bytes))
        return Error{"the logical units are larger than any memory"};
    // What nobody wrote to is, page for page, the one page of zeros that the kernel has: it stays in the processor's
    // cache.
    const int protection = kind == Backing::ram ? PROT_READ | PROT_WRITE : PROT_READ;
    void* const base = ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return Error{fmt::format("no room for {} bytes of logical units: {}", bytes, std::strerror(errno))};
    if (kind == Backing::null) ::madvise(base, bytes, MADV_NOHUGEPAGE);
    return MemoryBacking(kind, size, static_cast<uint8_t*>(base), bytes);
}

MemoryBacking::MemoryBacking(MemoryBacking&& other) noexcept
    : kind_(other.kind_),
      size_(other.size_),
      base_(std::exchange(other.base_, nullptr)),
      mapped_(other.mapped_) {}

MemoryBacking::~MemoryBacking() {
    if (base_ != nullptr) ::munmap(base_, mapped_);
}

void MemoryBacking::write(uint32_t lun, uint64_t offset, std::span<const uint8_t> bytes) {
    if (keeps()) std::memcpy(base_ + lun * size_ + offset, bytes.data(), bytes.size());
}

bool MemoryBacking::equals(uint32_t lun, uint64_t offset, std::span<const uint8_t> bytes) const {
    if (keeps()) return std::memcmp(base_ + lun * size_ + offset, bytes.data(), bytes.size()) == 0;
    return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

void MemoryBacking::discard(uint32_t lun, uint64_t offset, uint64_t bytes) {
    if (!keeps() || bytes == 0) return;
    static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    const uint64_t begin = lun * size_ + offset;
    const uint64_t end = begin + bytes;
    const uint64_t pages_begin = (begin + page - 1) / page * page;
    const uint64_t pages_end = end / page * page;
    const bool has_pages = pages_begin < pages_end;
    // Pages of such a mapping are zeros when they come again.
    if (!has_pages || ::madvise(base_ + pages_begin, pages_end - pages_begin, MADV_DONTNEED) != 0) {
        std::memset(base_ + begin, 0, bytes);
        return;
    }
    std::memset(base_ + begin, 0, pages_begin - begin);
    std::memset(base_ + pages_end, 0, end - pages_end);
}

std::optional<size_t> MemoryBacking::compare_and_write(uint32_t lun, uint64_t offset,
                                                       std::span<const uint8_t> expected,
                                                       std::span<const uint8_t> bytes) {
    const std::lock_guard lock(comparing_);
    const std::span<const uint8_t> there = read(lun, offset, expected.size());
    const auto differs = std::ranges::mismatch(expected, there).in1;
    if (differs != expected.end()) return static_cast<size_t>(differs - expected.begin());
    write(lun, offset, bytes);
    return std::nullopt;
}

}  // namespace sanscope
