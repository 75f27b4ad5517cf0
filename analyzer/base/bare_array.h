// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace sanscope {

// Room for so many entries, none of which is made: memory that is never used is never touched. An entry is written whole
// before it is read.
template <class T>
class BareArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    BareArray() = default;
    explicit BareArray(size_t size) : entries_(std::allocator<T>().allocate(size)), size_(size) {}
    BareArray(const BareArray&) = delete;
    BareArray& operator=(const BareArray&) = delete;
    BareArray(BareArray&& other) noexcept
        : entries_(std::exchange(other.entries_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    BareArray& operator=(BareArray&& other) noexcept {
        std::swap(entries_, other.entries_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~BareArray() {
        if (entries_ != nullptr) std::allocator<T>().deallocate(entries_, size_);
    }

    size_t size() const { return size_; }
    T& operator[](size_t i) { return entries_[i]; }
    const T& operator[](size_t i) const { return entries_[i]; }

  private:
    T* entries_ = nullptr;
    size_t size_ = 0;
};

}  // namespace sanscope
