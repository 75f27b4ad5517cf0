// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/send_queue.h"

#include <utility>

#include "analyzer/base/partition_index.h"

namespace sanscope {

void SendQueue::clear() {
    head_ = tail_;
    oldest_ = none;
    newest_ = none;
}

SendQueue::Index SendQueue::find(Serial32 seq) const {
    return partition_index(head_, tail_, [&](Index i) { return !seq.before((*this)[i].end); });
}

void SendQueue::resent(Index i) {
    leave_time_order(i);
    join_time_order(i);
}

bool SendQueue::grow() {
    const size_t capacity = ring_.size() == 0 ? 16 : ring_.size() * 2;
    if (!budget_.take(capacity - ring_.size())) return false;
    BareArray<Segment> larger(capacity);
    const Index larger_mask = capacity - 1;
    for (Index i = head_; i != tail_; ++i) larger[i & larger_mask] = (*this)[i];
    ring_ = std::move(larger);
    mask_ = larger_mask;
    return true;
}

}  // namespace sanscope
