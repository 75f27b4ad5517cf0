// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace sanscope {

// First in, first out. Unlike std::deque it takes no memory while nothing was ever in it, so that there may be very many.
template <class T>
class WaitingQueue {
  public:
    bool empty() const { return head_ == items_.size(); }
    size_t size() const { return items_.size() - head_; }
    const T& front() const { return items_[head_]; }
    void push(const T& item) { items_.push_back(item); }
    void pop() {
        if (++head_ == items_.size()) {
            items_.clear();
            head_ = 0;
        } else if (head_ * 2 > items_.size()) {
            // Each item is moved at most once for one that was taken out.
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
    }

  private:
    std::vector<T> items_;
    size_t head_ = 0;
};

}  // namespace sanscope
