// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/result_store.h"

namespace sanscope {

// Where the replay of one side writes: its rows in the store, named after it.
class SenderLog {
  public:
    SenderLog(ResultStore& store, uint32_t connection, bool from_a)
        : store_(store), summary_(store.add_sender(connection, from_a)) {}

    void window(WindowRow row) {
        row.connection = summary_.connection();
        row.from_a = summary_.from_a();
        store_.add_window(summary_, row);
    }
    void transition(PacketNumber packet, int64_t time_ns, CaState from, CaState to, const char* cause) {
        CaTransitionRow row;
        row.packet = packet;
        row.time_ns = time_ns;
        row.from = from;
        row.to = to;
        row.cause = cause;
        row.connection = summary_.connection();
        row.from_a = summary_.from_a();
        store_.add_ca_transition(summary_, row);
    }
    uint64_t loss(LossRow row) {
        row.connection = summary_.connection();
        row.from_a = summary_.from_a();
        return store_.add_loss(summary_, row);
    }
    void reclassify(uint64_t loss, LossKind before, LossKind now) {
        store_.reclassify_loss(summary_, loss, before, now);
    }
    SenderSummary& summary() { return summary_; }

  private:
    ResultStore& store_;
    SenderSummary& summary_;
};

}  // namespace sanscope
