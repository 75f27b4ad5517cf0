// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/sender/kernel/kernel_observer.h"

namespace sanscope {

// Counts what a replayed kernel reports.
class RecordingObserver final : public KernelObserver {
  public:
    std::vector<CaState> states;
    std::vector<std::string> causes;
    int dsacks = 0;
    int spurious = 0;
    int unasked_acks = 0;
    int needless_probes = 0;
    int timeouts_undone = 0;
    int reordered = 0;  // on the path

    void on_transition(CaState /*from*/, CaState to, const char* cause) override {
        states.push_back(to);
        causes.emplace_back(cause);
    }
    void on_dsack(Serial32 /*begin*/, Serial32 /*end*/) override { ++dsacks; }
    void on_unasked_ack(int64_t /*time_ns*/) override { ++unasked_acks; }
    void on_spurious_retransmission(const SendQueue::Segment& /*segment*/) override { ++spurious; }
    void on_needless_probe(Serial32 /*end*/) override { ++needless_probes; }
    void on_timeout_undone() override { ++timeouts_undone; }
    void on_reordered_delivery(const SendQueue::Segment& /*segment*/, bool on_path) override {
        if (on_path) ++reordered;
    }
};

}  // namespace sanscope
