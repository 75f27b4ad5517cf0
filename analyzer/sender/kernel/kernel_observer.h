// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What the replayed kernel finds out that no variable of it keeps, for whoever makes rows of it. Called where something
// out of the ordinary happened, never for each packet.
class KernelObserver {
  public:
    // tcp_set_ca_state(), where the state is another than before.
    virtual void on_transition(CaState from, CaState to, const char* cause) = 0;
    // A D-SACK (RFC 2883) of bytes that were sent again.
    virtual void on_dsack(Serial32 begin, Serial32 end) = 0;
    // A duplicate ACK that tells nothing new though SACK is in use, neither of a gap nor of the window.
    virtual void on_unasked_ack(int64_t time_ns) = 0;
    // The echo of a segment that was sent again is older than that: the original had arrived (RFC 3522).
    virtual void on_spurious_retransmission(const SendQueue::Segment& segment) = 0;
    // A tail loss probe that repeats what ends there repaired nothing: probe and original arrived (RFC 8985 §7.4).
    virtual void on_needless_probe(Serial32 end) = 0;
    // A timeout was undone: what it had sent again had arrived.
    virtual void on_timeout_undone() = 0;
    // A segment was delivered that the tap saw late, or that the receiver got after higher ones (`on_path`).
    virtual void on_reordered_delivery(const SendQueue::Segment& segment, bool on_path) = 0;

  protected:
    ~KernelObserver() = default;
};

}  // namespace sanscope
