// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace sanscope {

// A block of memory for file bytes: page-aligned, which is what the kernel copies into fastest, and never
// zeroed, which would cost as much again as reading.
class ByteBuffer {
  public:
    ByteBuffer() = default;
    explicit ByteBuffer(size_t size) { reallocate(size); }

    uint8_t* data() { return bytes_.get(); }
    const uint8_t* data() const { return bytes_.get(); }
    size_t size() const { return size_; }

    // Makes the buffer `size` bytes large; what was in it is lost.
    void reallocate(size_t size) {
        bytes_.reset();
        size_ = (size + page - 1) / page * page;
        bytes_.reset(static_cast<uint8_t*>(std::aligned_alloc(page, size_)));
        if (!bytes_ && size_ != 0) throw std::bad_alloc();
    }

    static constexpr size_t page = 4096;

  private:
    struct Free {
        void operator()(uint8_t* bytes) const { std::free(bytes); }
    };

    std::unique_ptr<uint8_t, Free> bytes_;
    size_t size_ = 0;
};

}  // namespace sanscope
