// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/sender_findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyzer/report/senders/black_hole_findings.h"
#include "analyzer/report/senders/congestion_findings.h"
#include "analyzer/report/senders/loss_findings.h"
#include "analyzer/report/senders/of_sender.h"
#include "analyzer/report/senders/pause_findings.h"
#include "analyzer/report/senders/receive_window_findings.h"
#include "analyzer/report/senders/reordering_findings.h"
#include "analyzer/report/senders/sender_capture_findings.h"
#include "analyzer/report/senders/timeout_findings.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// All of one sender, in this order. Some look at what those before them told.
void add_all(const OfSender& sender, bool acks_do_not_arrive) {
    // Without the other direction nobody knows what was acknowledged.
    if (sender.facts.is_not_judged()) return;
    if (add_captured_twice(sender)) return;
    add_clock_jump(sender);
    if (add_black_hole(sender, acks_do_not_arrive)) return;
    add_timeouts(sender);
    add_lost_acknowledgements(sender);
    add_losses(sender);
    add_needless(sender);
    add_reordering(sender);
    add_window_stalls(sender);
    add_receiver_window(sender);
    add_congestion(sender);
    add_ack_waits(sender);
    add_pacing(sender);
}

// The other side sends the same again and again since nothing of this sender's was acknowledged any more: its small packets, the
// acknowledgements, are lost as well.
bool acks_do_not_arrive(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    const SentDataRow& data = facts.is_initiator ? facts.connection->out : facts.connection->in;
    if (data.acknowledged_ns == no_time) return false;
    constexpr int64_t least_repeats = 2;
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        if (other.number != facts.number || &other == &facts) return false;
        const auto again = std::ranges::count_if(other.repeats, [&](const NeedlessRepeat& repeat) {
            return repeat.time_ns != no_time && repeat.time_ns > data.acknowledged_ns;
        });
        const bool stood_still =
            other.timeouts.spans.overlap_ns(data.acknowledged_ns, facts.connection->end_ns) > 0;
        return again >= least_repeats ||
               (stood_still && other.losses[static_cast<size_t>(LossKind::rto)] >= least_repeats);
    });
}

// Both sides of a connection stand still at once when the path does: the longer silence tells of both.
bool other_side_tells_timeouts(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        if (other.number != facts.number || &other == &facts) return false;
        if (other.timeouts.total_ns != facts.timeouts.total_ns) {
            return other.timeouts.total_ns > facts.timeouts.total_ns;
        }
        return &other < &facts && other.timeouts.count > 0;
    });
}

// A queue makes the round trip longer for both sides, whose data are in it: those that move more.
bool other_side_queues_more(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        return other.number == facts.number && &other != &facts && other.queues_on_path() &&
               other.queued_rate() > facts.queued_rate();
    });
}

// Which way the path stood still is told by what was sent twice meanwhile by the side that is far from the capture.
void add_direction(Finding& finding, const SenderFacts& facts, std::span<const SenderFacts> senders) {
    for (const SenderFacts& far : senders) {
        if (far.number != facts.number || far.repeats_came == RepeatsCame::unknown) continue;
        const bool held = far.repeats_came == RepeatsCame::held;
        finding.sender = far.is_initiator == held ? Finding::Sender::initiator : Finding::Sender::target;
        finding.add_sign(
            held ? fmt::format(
                       "segments that {} retransmitted had not reached the capture until the stall was over",
                       far.name())
                 : fmt::format("segments that {} retransmitted had reached the capture before: the "
                               "acknowledgements to it were held",
                               far.name()));
    }
}

// A path that loses segments loses acknowledgements, too, and of the last ones nothing else shows. One sender alone that stands
// still tells no more than that; nor do several, while data of others move.
bool acks_may_have_been_lost(const Finding& stall, const SenderFacts& facts) {
    constexpr uint64_t loses_some = 3;
    return facts.repaired() >= loses_some && (!facts.others_stood_still || facts.others_moved_on) &&
           stall.sender == Finding::Sender::unknown;
}

bool both_sides_stood_still(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        return other.number == facts.number && &other != &facts && other.timeouts.count > 0;
    });
}

}  // namespace

void add_sender_findings(FindingList& list, std::span<const SenderFacts> senders) {
    for (const SenderFacts& facts : senders) {
        FindingList own;
        add_all({own, facts}, acks_do_not_arrive(facts, senders));
        const bool told_by_other = other_side_tells_timeouts(facts, senders);
        for (Finding& finding : own) {
            const bool of_timeout =
                finding.kind == Kind::retransmission_timeout || finding.kind == Kind::path_stall;
            const bool of_queue = finding.kind == Kind::path_queue;
            if (finding.kind == Kind::path_stall) {
                add_direction(finding, facts, senders);
                if (facts.others_moved_on) {
                    finding.add_sign(
                        "data of another connection between the two hosts moved meanwhile: the path as a "
                        "whole "
                        "did not stand still");
                }
                if (both_sides_stood_still(facts, senders)) {
                    finding.add_sign("data of both sides stood still at once");
                } else if (acks_may_have_been_lost(finding, facts)) {
                    finding.severity = std::max(finding.severity, Finding::Severity::notice);
                    finding.confidence = Finding::Confidence::possible;
                    finding.explanation +=
                        " Or only acknowledgements were lost: this path loses segments as well.";
                }
            }
            if (of_queue && other_side_queues_more(facts, senders)) continue;
            if (!of_timeout || !told_by_other) list.push_back(std::move(finding));
        }
    }
}

}  // namespace sanscope
