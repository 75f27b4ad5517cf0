// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sanscope {

// A file descriptor that is closed with its owner; -1 is none.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

  private:
    int number_;
};

// A stretch of memory mapped from a descriptor, shared with the kernel; unmapped with its owner.
class SharedMapping {
  public:
    SharedMapping() = default;
    // Maps `bytes` from the start; none, with errno set, where that fails.
    SharedMapping(int descriptor, size_t bytes, int protection)
        : start_(::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0)), bytes_(bytes) {}
    SharedMapping(SharedMapping&& other) noexcept
        : start_(std::exchange(other.start_, MAP_FAILED)), bytes_(other.bytes_) {}
    SharedMapping& operator=(SharedMapping&& other) noexcept {
        std::swap(start_, other.start_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~SharedMapping() {
        if (*this) ::munmap(start_, bytes_);
    }
    void* get() const { return start_; }
    explicit operator bool() const { return start_ != MAP_FAILED; }

  private:
    void* start_ = MAP_FAILED;
    size_t bytes_ = 0;
};

}  // namespace sanscope
