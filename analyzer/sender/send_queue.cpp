// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/send_queue.h"

#include <utility>

namespace sanscope {

SendQueue::Segment& SendQueue::push_back() {
    const Index i = tail_++;
    (*this)[i] = Segment{};
    join_time_order(i);
    return (*this)[i];
}

void SendQueue::pop_front() {
    leave_time_order(head_);
    ++head_;
}

void SendQueue::clear() {
    head_ = tail_;
    oldest_ = none;
    newest_ = none;
}

SendQueue::Index SendQueue::find(Serial32 seq) const {
    Index low = head_;
    Index high = tail_;
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (seq.before((*this)[middle].end)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void SendQueue::resent(Index i) {
    leave_time_order(i);
    join_time_order(i);
}

void SendQueue::join_time_order(Index i) {
    Segment& segment = (*this)[i];
    segment.in_time_order = true;
    segment.newer = none;
    segment.older = newest_;
    if (newest_ != none) (*this)[newest_].newer = i;
    newest_ = i;
    if (oldest_ == none) oldest_ = i;
}

void SendQueue::leave_time_order(Index i) {
    Segment& segment = (*this)[i];
    if (!segment.in_time_order) return;
    segment.in_time_order = false;
    if (segment.older != none) (*this)[segment.older].newer = segment.newer;
    if (segment.newer != none) (*this)[segment.newer].older = segment.older;
    if (oldest_ == i) oldest_ = segment.newer;
    if (newest_ == i) newest_ = segment.older;
    segment.newer = none;
    segment.older = none;
}

bool SendQueue::grow() {
    const size_t capacity = ring_.empty() ? 16 : ring_.size() * 2;
    if (!budget_.take(capacity - ring_.size())) return false;
    std::vector<Segment> larger(capacity);
    const Index larger_mask = capacity - 1;
    for (Index i = head_; i != tail_; ++i) larger[i & larger_mask] = (*this)[i];
    ring_ = std::move(larger);
    mask_ = larger_mask;
    return true;
}

}  // namespace sanscope
