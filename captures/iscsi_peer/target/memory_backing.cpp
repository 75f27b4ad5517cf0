// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/memory_backing.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/mman.h>
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

}  // namespace sanscope
