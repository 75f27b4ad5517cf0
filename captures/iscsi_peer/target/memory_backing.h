// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "captures/iscsi_peer/target/target_settings.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The bytes behind all logical units of a target. RAM takes memory page by page as it is written. Threads may use it at
// once; of what they write to the same place at the same time, any mixture stays.
class MemoryBacking {
  public:
    // An Error where the system gives no such room of addresses.
    static Result<MemoryBacking> make(Backing kind, uint32_t luns, uint64_t size);
    MemoryBacking(MemoryBacking&& other) noexcept;
    MemoryBacking& operator=(MemoryBacking&&) = delete;
    ~MemoryBacking();

    bool keeps() const { return kind_ == Backing::ram; }

    // Of logical unit `lun`, from `offset`; they must lie within its size. Good for as long as the backing is. Of the
    // null backing, at most `most_zeros` at once.
    static constexpr size_t most_zeros = size_t{16} * 1024 * 1024;
    std::span<const uint8_t> read(uint32_t lun, uint64_t offset, size_t bytes) const {
        return {base_ + (keeps() ? lun * size_ + offset : 0), bytes};
    }
    void write(uint32_t lun, uint64_t offset, std::span<const uint8_t> bytes);
    bool equals(uint32_t lun, uint64_t offset, std::span<const uint8_t> bytes) const;
    // From here on they read as zeros; what memory they took is given back, page by page.
    void discard(uint32_t lun, uint64_t offset, uint64_t bytes);
    // Where they are as `expected`, they become `bytes`, of the same length; no other call of this comes between. Else
    // the place of the first that differs.
    std::optional<size_t> compare_and_write(uint32_t lun, uint64_t offset, std::span<const uint8_t> expected,
                                            std::span<const uint8_t> bytes);

  private:
    MemoryBacking(Backing kind, uint64_t size, uint8_t* base, uint64_t mapped)
        : kind_(kind), size_(size), base_(base), mapped_(mapped) {}

    Backing kind_;
    uint64_t size_;
    uint8_t* base_;
    uint64_t mapped_;
    std::mutex comparing_;
};

}  // namespace sanscope
