// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/command_order.h"
#include "analyzer/budget/kind_medians.h"
#include "analyzer/budget/path_jitter.h"
#include "analyzer/budget/path_queues.h"
#include "analyzer/budget/sender_time.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Where the time of a capture's commands went. Of a store to which nothing is added any more and which keeps budgets, commands
// and losses; it outlives this. A connection's senders are passed over once, when the first of its commands is asked for, or one of
// another's that may have stood behind its packets. One
// thread at a time; commands are best asked for in order, or one connection's after another's.
class TimeBudgets {
  public:
    explicit TimeBudgets(const ResultStore& store);

    // The parts of a command that has a turnaround, all zero of one that has none. Constant time but for searches.
    CommandBudget of(CommandNumber command) const;

    // What a command waited for that came over other connections of its session; nullptr where it waited for none. Good for as
    // long as this is.
    const CommandOrder::Wait* order_of(CommandNumber command) const;
    // Nobody knows what it waited for.
    bool order_in_doubt(CommandNumber command) const;

  private:
    // The two senders of a connection; nullptr for one that sent nothing.
    struct Senders {
        const SendTrack* initiator_track = nullptr;
        const SendTrack* target_track = nullptr;
        std::unique_ptr<SenderTime> initiator;
        std::unique_ptr<SenderTime> target;
        // When the capture's clock jumped, or both hosts stood still, as TCP timestamps tell: of all connections between the two
        // hosts.
        TimeSpans jumps;
        bool passed_over = false;
    };
    const Senders& senders_of(ConnectionNumber connection) const;
    std::unique_ptr<SenderTime> pass_over(const SendTrack* track) const;
    TimeSpans jumps_of(ConnectionNumber connection) const;
    const CommandOrder& order() const;
    bool may_come_over_several(const CommandRow& row) const;
    bool is_slow(const CommandRow& row) const;
    int64_t others_queued_ns(const CommandRow& row) const;
    int64_t jitter_ns(const CommandRow& row) const;

    const ResultStore* store_;
    std::map<std::pair<uint32_t, Side>, std::vector<const LossRow*>> losses_;
    mutable std::vector<Senders> senders_;  // by connection number - 1
    mutable std::optional<KindMedians> kind_medians_;
    mutable std::optional<PathQueues> path_queues_;
    mutable std::optional<PathJitter> jitter_;
    mutable std::optional<CommandOrder> order_;
};

}  // namespace sanscope
