// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/sampled_budgets.h"

#include <memory>
#include <set>
#include <utility>

#include "analyzer/budget/command_cut.h"
#include "analyzer/budget/command_order.h"
#include "analyzer/budget/kind_medians.h"
#include "analyzer/budget/path_jitter.h"
#include "analyzer/budget/path_queues.h"
#include "analyzer/budget/sender_time.h"
#include "analyzer/vocabulary/slow_commands.h"

namespace sanscope {
namespace {

using Losses = std::map<std::pair<uint32_t, Side>, std::vector<const LossRow*>>;

// Both ends of a connection that commands of the sample use.
struct Senders {
    std::unique_ptr<SenderTime> initiator;
    std::unique_ptr<SenderTime> target;
};

std::unique_ptr<SenderTime> pass_over(const CommandSample& sample, const Losses& losses, uint32_t number,
                                      const ConnectionRow& connection, Side side) {
    const auto track = sample.tracks().find({number, side});
    if (track == sample.tracks().end()) return nullptr;
    const auto lost = losses.find({number, side});
    return std::make_unique<SenderTime>(
        track->second, lost == losses.end() ? std::span<const LossRow* const>() : lost->second,
        sender_path(connection));
}

// Sessions of which the sample has commands of several connections.
std::set<uint32_t> sessions_over_several(const CommandSample& sample) {
    std::map<uint32_t, ConnectionNumber> first;
    std::set<uint32_t> several;
    for (const CommandSample::Command& command : sample.commands()) {
        const CommandRow& row = command.row;
        if (!command.ended || row.session == 0) continue;
        const auto [found, is_new] = first.emplace(row.session, row.connection);
        if (!is_new && found->second != row.connection) several.insert(row.session);
    }
    return several;
}

}  // namespace

std::vector<SampledCommand> cut_sample(const CommandSample& sample,
                                       const std::map<uint32_t, ConnectionRow>& connections) {
    Losses losses;
    for (const LossRow& row : sample.losses()) losses[{row.connection, row.sender}].push_back(&row);
    std::map<uint32_t, Senders> senders;
    PathQueues queues;
    for (const auto& [key, track] : sample.tracks()) {
        const auto& [number, side] = key;
        const auto connection = connections.find(number);
        if (connection == connections.end()) continue;
        const ConnectionRow& row = connection->second;
        Senders& both = senders[number];
        std::unique_ptr<SenderTime>& sender = row.is_initiator(side) ? both.initiator : both.target;
        sender = pass_over(sample, losses, number, row, side);
        queues.add(row, ConnectionNumber(number), sender.get());
    }
    queues.finish();
    KindMedians medians;
    PathJitter jitter;
    CommandOrder order;
    const std::set<uint32_t> several = sessions_over_several(sample);
    uint64_t number = 0;  // of a command, in the sample
    for (const CommandSample::Command& command : sample.commands()) {
        const CommandRow& row = command.row;
        ++number;
        if (!command.ended) continue;
        medians.add(row);
        const auto connection = connections.find(row.connection);
        if (connection == connections.end() || row.inferred || row.turnaround_ns() <= 0) continue;
        const Senders& both = senders[row.connection];
        const CutInput input{row,
                             command.marks,
                             connection->second,
                             sample.permission_waits(),
                             both.initiator.get(),
                             both.target.get()};
        jitter.add(row.connection, answer_delay_ns(input));
        if (!command.marks.immediate && several.contains(row.session))
            order.add(number, row, request_arrival(input));
    }
    jitter.finish();
    order.finish();
    number = 0;
    std::vector<SampledCommand> cut;
    cut.reserve(sample.commands().size());
    for (const CommandSample::Command& command : sample.commands()) {
        const CommandRow& row = command.row;
        const int64_t turnaround_ns = row.turnaround_ns();
        ++number;
        if (!command.ended || turnaround_ns == no_time || turnaround_ns <= 0) continue;
        SampledCommand& one = cut.emplace_back(SampledCommand{row.connection, row.lun, row.opcode, {}});
        const auto connection = connections.find(row.connection);
        if (connection == connections.end() || row.inferred) {
            one.budget[BudgetPart::unknown] = turnaround_ns;
            continue;
        }
        const auto& [initiator, target] = senders[row.connection];
        if (initiator == nullptr || target == nullptr) {  // there was no room for what they sent
            one.budget[BudgetPart::unknown] = turnaround_ns;
            continue;
        }
        const ConnectionRow& of = connection->second;
        const bool is_slow = medians.is_slow(row, behind_tap_ns(of));
        one.budget =
            cut_turnaround({row, command.marks, of, sample.permission_waits(), initiator.get(), target.get(),
                            is_slow, queues.longest_of_others_ns(row, of), jitter.of(row.connection),
                            order.of(number), order.is_in_doubt(row.session)});
    }
    return cut;
}

}  // namespace sanscope
