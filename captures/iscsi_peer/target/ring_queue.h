// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sanscope {

// First in, first out. Takes memory only where it becomes longer than it ever was, and keeps it; but no more than for
// `kept` once it is empty.
template <class T, size_t kept>
class RingQueue {
  public:
    bool empty() const { return begin_ == end_; }
    size_t size() const { return end_ - begin_; }

    void push(T value) {
        if (size() == items_.size()) grow();
        at(end_++) = std::move(value);
    }
    T& front() { return at(begin_); }
    const T& front() const { return items_[begin_ & (items_.size() - 1)]; }
    void pop() {
        at(begin_++) = T();
        if (!empty() || items_.size() <= kept) return;
        items_ = {};
        begin_ = end_ = 0;
    }
    size_t bytes() const { return size() * sizeof(T); }

  private:
    T& at(size_t place) { return items_[place & (items_.size() - 1)]; }
    void grow() {
        constexpr size_t least = 16;
        std::vector<T> larger(items_.empty() ? least : items_.size() * 2);
        const size_t count = size();
        for (size_t i = 0; i < count; ++i) larger[i] = std::move(at(begin_ + i));
        items_ = std::move(larger);
        begin_ = 0;
        end_ = count;
    }

    std::vector<T> items_;  // a power of two of them
    size_t begin_ = 0;
    size_t end_ = 0;
};

}  // namespace sanscope
