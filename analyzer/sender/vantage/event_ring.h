// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyzer/base/bare_array.h"
#include "analyzer/base/partition_index.h"

namespace sanscope {

// A queue whose entries keep their Index while others come and go. Its memory grows to the longest it ever was and is
// used again: nothing is allocated once warm.
template <class T>
class EventRing {
  public:
    using Index = uint64_t;

    bool empty() const { return head_ == tail_; }
    size_t size() const { return static_cast<size_t>(tail_ - head_); }
    Index first() const { return head_; }
    Index end() const { return tail_; }  // one past the last
    T& operator[](Index i) { return ring_[i & mask_]; }
    const T& operator[](Index i) const { return ring_[i & mask_]; }
    T& front() { return (*this)[head_]; }
    T& back() { return (*this)[tail_ - 1]; }
    const T& front() const { return (*this)[head_]; }
    const T& back() const { return (*this)[tail_ - 1]; }

    void push_back(const T& entry) {
        if (size() == ring_.size()) grow();
        ring_[tail_++ & mask_] = entry;
    }
    // One more, to be filled: it holds what once stood there.
    T& add_back() {
        if (size() == ring_.size()) grow();
        return ring_[tail_++ & mask_];
    }
    // What is popped may be looked at until something is added.
    void pop_front() { ++head_; }
    void pop_back() { --tail_; }
    // Before entry `i`, whose Index, as that of all behind it, grows by one. Takes time in proportion to those.
    void insert(Index i, const T& entry) {
        push_back(entry);
        for (Index j = tail_ - 1; j > i; --j) std::swap((*this)[j], (*this)[j - 1]);
    }

    // The first entry for which `is_beyond` holds, where it holds for all behind such a one too; end() if none. Mostly
    // it is one of the ends.
    template <class Predicate>
    Index find_first(Predicate is_beyond) const {
        if (empty() || is_beyond((*this)[head_])) return head_;
        if (!is_beyond((*this)[tail_ - 1])) return tail_;
        return partition_index(head_ + 1, tail_ - 1, [&](Index i) { return !is_beyond((*this)[i]); });
    }

  private:
    void grow() {
        const size_t capacity = ring_.size() == 0 ? 16 : ring_.size() * 2;
        BareArray<T> larger(capacity);
        for (Index i = head_; i != tail_; ++i) larger[i & (capacity - 1)] = (*this)[i];
        ring_ = std::move(larger);
        mask_ = capacity - 1;
    }

    BareArray<T> ring_;
    Index mask_ = 0;
    Index head_ = 0;
    Index tail_ = 0;
};

}  // namespace sanscope
