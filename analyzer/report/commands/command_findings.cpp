// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/commands/command_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "analyzer/base/saturated_sum.h"
#include "analyzer/report/commands/command_words.h"
#include "analyzer/report/commands/status_findings.h"
#include "analyzer/report/sessions/unanswered_findings.h"
#include "analyzer/vocabulary/slow_commands.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// Why a command was slow, as far as the capture tells.
enum class Cause : uint8_t {
    timeout,
    loss,
    late,
    closed_window,
    sender_held_back,
    order,
    target,
    target_or_path,
    initiator,
    initiator_or_path,
    slow_start,
    transfer,
    not_known
};
constexpr size_t causes = 13;

constexpr int64_t seen_by_anyone_ns = 100'000'000;
// A busy host may let any program wait for some milliseconds.
constexpr int64_t longer_than_hosts_pause_ns = 30'000'000;
constexpr uint64_t least_slow = 3;
constexpr double noticeable_share = 0.10;

int64_t moved_ns(const CommandRow& row) {
    return elapsed_ns(first_data_began_ns(row), row.last_data_ns);
}

bool took_long_to_move(const SlowCommand& slow) {
    return moved_ns(*slow.row) >= slow.excess_ns() / 2;
}

// As service_time(); also of a command without data, whose answer stands in the target's socket like that to a read.
ServiceTime time_at_target(const ResultStore& store, const SlowCommand& slow, const ConnectionWaits& waits) {
    const CommandRow& row = *slow.row;
    ServiceTime time = service_time(store, CommandNumber(slow.number), row, waits);
    if (time.retried || time.status_ns != no_time || first_data_began_ns(row) != no_time) return time;
    time.status_ns = served_ns(in_order_ns(CommandNumber(slow.number), row, waits), row.response_ns, waits,
                               waits.before_read_data, waits.longer_rtt_ns);
    return time;
}

// What a command's time budget says of the causes; all 0 where there is none, or it leaves all open.
struct BudgetSays {
    bool anything = false;
    int64_t unknown_ns = 0;
    int64_t target_ns = 0;  // and what it took to ask for data
    int64_t tcp_ns = 0;     // what TCP held back, or the path carried for this one and others
};

BudgetSays budget_says(const SlowCommand& slow, const ConnectionWaits& waits) {
    using enum BudgetPart;
    if (waits.budgets == nullptr) return {};
    const CommandBudget budget = waits.budgets->of(CommandNumber(slow.number));
    if (budget[unknown] >= slow.row->turnaround_ns()) return {};
    BudgetSays says{
        .anything = true, .unknown_ns = budget[unknown], .target_ns = budget[target] + budget[r2t_wait]};
    for (const BudgetPart part : {cwnd, recovery, timeout, receiver_window, pacing, behind_others, wire})
        says.tcp_ns += budget[part];
    return says;
}

// The least of its time at the target: the rest may be the path's, or that of other commands.
int64_t surely_at_target_ns(const ServiceTime& time, const BudgetSays& says) {
    const int64_t sure_ns = time.whole_ns() - std::max(time.unproven_ns, says.unknown_ns);
    return std::max<int64_t>(0, says.anything ? std::min(sure_ns, says.target_ns) : sure_ns);
}

// "20.1 ms to 31.0 ms"; one figure where the two hardly differ.
std::string service_words(int64_t least_ns, int64_t most_ns) {
    constexpr int64_t much = 10;
    if (most_ns - least_ns < most_ns / much) return human_duration(most_ns);
    return fmt::format("{} to {}", human_duration(least_ns), human_duration(most_ns));
}

bool begins_in_capture(const ConnectionRow& row) {
    return row.out.syns > 0 || row.in.syns > 0;
}

// By what both TCPs and other commands did while it was under way; of its time budget only what doubts the target counts.
Cause likely_cause(const ResultStore& store, const SlowCommand& slow, const CommandFacts& commands,
                   const ConnectionWaits& waits, const BudgetSays& says) {
    const CommandRow& row = *slow.row;
    // Asked before anything of a new connection had been answered, all at once: its window had yet to grow.
    const bool is_known = row.connection != 0 && row.connection <= commands.first_transfer_ns.size();
    const bool among_first = is_known && begins_in_capture(store.connection(row.connection)) &&
                             commands.first_transfer_ns[row.connection - 1] != no_time &&
                             row.request_ns < commands.first_transfer_ns[row.connection - 1];
    const int64_t half_ns = slow.excess_ns() / 2;
    const auto within = [&](const TimeSpans& spans) {
        return spans.overlap_ns(row.request_ns, row.response_ns);
    };
    if (within(waits.timeouts) >= half_ns) return Cause::timeout;
    if (within(waits.repairs) >= half_ns) {
        uint64_t lost = 0;
        uint64_t needless = 0;
        for (const SenderFacts* side : {waits.initiator, waits.target}) {
            if (side == nullptr) continue;
            lost += side->repaired();
            needless += side->losses[static_cast<size_t>(LossKind::spurious)];
        }
        return lost == 0 && needless > 0 ? Cause::late : Cause::loss;
    }
    if (within(waits.stalls) >= half_ns) return Cause::closed_window;
    const SenderFacts* sender = is_write(row) ? waits.initiator : waits.target;
    if (sender != nullptr && within(sender->held_back) >= half_ns) return Cause::sender_held_back;
    if (in_order_ns(CommandNumber(slow.number), row, waits) - row.request_ns >= half_ns) return Cause::order;
    const ServiceTime at_target = time_at_target(store, slow, waits);
    if (at_target.whole_ns() >= half_ns) {
        // An answer that was lost on its way to the capture, with nothing behind it, comes when a timer has run out.
        constexpr int64_t least_timeout_ns = 200'000'000;  // TCP_RTO_MIN
        const bool may_be_lost = (waits.loses_before_tap && slow.excess_ns() >= least_timeout_ns / 2) ||
                                 answer_may_have_been_lost(row, waits);
        const bool order_in_doubt = waits.order_in_doubt(CommandNumber(slow.number));
        const bool proven =
            !may_be_lost && !order_in_doubt && surely_at_target_ns(at_target, says) >= half_ns;
        return proven ? Cause::target : Cause::target_or_path;
    }
    if (at_target.initiator_ns >= half_ns) {
        const bool lost_before = waits.initiator != nullptr && waits.initiator->unseen_losses.overlap_ns(
                                                                   row.request_ns, row.response_ns) > 0;
        return waits.is_at_initiator && !lost_before ? Cause::initiator : Cause::initiator_or_path;
    }
    const SenderFacts* const either = waits.target != nullptr ? waits.target : waits.initiator;
    const bool is_judged = either == nullptr || !either->is_not_judged();
    if (!is_judged && !took_long_to_move(slow)) return Cause::not_known;
    if (among_first && is_judged) return Cause::slow_start;
    // With nothing else under way, there is nothing to wait behind.
    const bool was_alone = row.queue_depth == 1;
    return was_alone && !took_long_to_move(slow) ? Cause::not_known : Cause::transfer;
}

// Why it was slow: nothing that its time budget contradicts.
Cause cause_of(const ResultStore& store, const SlowCommand& slow, const CommandFacts& commands,
               const std::map<uint32_t, ConnectionWaits>& by_connection) {
    const auto found = by_connection.find(slow.row->connection);
    if (found == by_connection.end()) return Cause::not_known;
    const BudgetSays says = budget_says(slow, found->second);
    const Cause cause = likely_cause(store, slow, commands, found->second, says);
    const int64_t half_ns = slow.excess_ns() / 2;
    if (!says.anything || says.tcp_ns >= half_ns) return cause;
    switch (cause) {
        case Cause::timeout:
        case Cause::loss:
        case Cause::late:
        case Cause::closed_window:
        case Cause::sender_held_back:
            return says.target_ns >= half_ns ? Cause::target_or_path : cause;
        case Cause::slow_start:
        case Cause::transfer:
            if (says.target_ns >= half_ns) return Cause::target_or_path;
            return cause == Cause::transfer && took_long_to_move(slow) ? cause : Cause::not_known;
        default:
            return cause;
    }
}

// "because …", of one command.
std::string reason(const ResultStore& store, Cause cause, const SlowCommand& slow,
                   const std::map<uint32_t, ConnectionWaits>& waits) {
    const CommandRow& row = *slow.row;
    switch (cause) {
        case Cause::timeout:
            return "its connection waited for a retransmission timeout (RTO)";
        case Cause::loss:
            return "segments of its connection were lost and had to be retransmitted";
        case Cause::late:
            return "TCP took segments of its connection for lost that were only late";
        case Cause::closed_window:
            return "a receive window of its connection was closed";
        case Cause::sender_held_back:
            return "the sender of its data was limited by TCP windows";
        case Cause::order: {
            const auto found = waits.find(row.connection);
            const CommandOrder::Wait* const order =
                found == waits.end() ? nullptr : found->second.order_of(CommandNumber(slow.number));
            return fmt::format(
                "commands before it in the order of CmdSNs came {} later over another connection of its "
                "session{}",
                human_duration(order == nullptr ? 0 : order->late_ns),
                order != nullptr && order->repaired ? ", which had lost segments" : "");
        }
        case Cause::target: {
            const auto found = waits.find(row.connection);
            const ServiceTime time =
                found == waits.end() ? ServiceTime{}
                                     : service_time(store, CommandNumber(slow.number), row, found->second);
            const int64_t service_ns = time.whole_ns();
            if (service_ns == no_time) return "the target took that long to answer";
            const int64_t least_ns = surely_at_target_ns(time, budget_says(slow, found->second));
            const std::string took = service_words(least_ns, service_ns);
            if (!is_write(row)) {
                const bool none_came = first_data_began_ns(row) == no_time;
                return fmt::format("the target took {} to {}", took,
                                   none_came ? "answer" : "send the first data");
            }
            return fmt::format("the target took {} {}", took,
                               write_service_words(time.first_r2t_ns, service_ns));
        }
        case Cause::target_or_path:
            return "it waited for the target, or on the path";
        case Cause::initiator: {
            const auto found = waits.find(row.connection);
            if (found == waits.end()) return "the initiator took that long to answer an R2T";
            return fmt::format(
                "the initiator took {} to send the first data that an R2T asked for",
                human_duration(
                    service_time(store, CommandNumber(slow.number), row, found->second).initiator_ns));
        }
        case Cause::initiator_or_path:
            return "it waited for the data that an R2T had asked the initiator for, or on the path";
        case Cause::slow_start:
            return "it was among the first of its connection, whose congestion window was still growing";
        case Cause::not_known:
            return "the capture does not tell what held it up";
        case Cause::transfer:
            break;
    }
    if (!took_long_to_move(slow)) return "it waited behind other commands";
    return fmt::format("its data took {} from first to last", human_duration(moved_ns(row)));
}

constexpr std::array<std::string_view, causes> cause_words = {
    "held up by a retransmission timeout (RTO)",
    "waiting for retransmissions of lost segments",
    "waiting while TCP took segments for lost that were only late",
    "waiting for a closed receive window",
    "waiting for TCP windows",
    "waiting for commands before them (CmdSN) on other connections of their session",
    "waiting for the target",
    "waiting for the target or on the path",
    "waiting for the initiator to answer an R2T",
    "waiting for the initiator to answer an R2T, or on the path",
    "among the first of a connection, whose congestion window was still growing",
    "waiting behind other commands, or slow while their data were transferred",
    "held up by what the capture does not tell",
};

// What TCP tells of a slow command's time that is not already its reason.
std::string meanwhile(Cause cause, const SlowCommand& slow,
                      const std::map<uint32_t, ConnectionWaits>& waits) {
    const auto found = waits.find(slow.row->connection);
    if (found == waits.end() || cause != Cause::target) return "";
    const CommandRow& row = *slow.row;
    const int64_t held_ns = found->second.before_read_data.overlap_ns(row.request_ns, row.response_ns);
    return fmt::format("TCP delayed it by {} of that, and the round-trip time is {}", human_duration(held_ns),
                       human_duration(found->second.rtt_ns));
}

// On a path that loses segments, those that stand last in a burst leave no gap behind them: a tail loss probe (RFC 8985) sends
// them again within milliseconds, and what comes then looks like the original; of acknowledgements that are lost nothing shows at
// all. While no more commands waited than that may have happened to, none of them was held up by the target for sure.
// Those of which that is so, in the order of `slow`.
std::vector<bool> doubt_where_segments_are_lost(std::vector<Cause>& found,
                                                const std::vector<SlowCommand>& slow,
                                                const std::map<uint32_t, ConnectionWaits>& waits) {
    std::vector<bool> doubted(found.size());
    std::map<uint32_t, uint64_t> by_target;  // by connection
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i] == Cause::target) ++by_target[slow[i].row->connection];
    }
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i] != Cause::target) continue;
        const uint32_t connection = slow[i].row->connection;
        const auto of_connection = waits.find(connection);
        if (of_connection == waits.end() || !of_connection->second.loses_before_tap) continue;
        // Of two segments one is acknowledged by itself, or more.
        if (by_target[connection] > 2 * of_connection->second.losses_before_tap) continue;
        found[i] = Cause::target_or_path;
        doubted[i] = true;
    }
    return doubted;
}

struct OfCause {
    uint64_t count = 0;
    int64_t excess_ns = 0;
    const SlowCommand* worst = nullptr;
    bool worst_may_be_lost = false;  // doubt_where_segments_are_lost()
    // The logical unit of all of them; unknown where they are of several.
    uint64_t lun = unknown<uint64_t>;
    bool several_luns = false;
};

// Of one that waited for the target, or on the path: " Nothing shows …".
std::string why_in_doubt(const ResultStore& store, const SlowCommand& slow, bool may_be_lost,
                         const std::map<uint32_t, ConnectionWaits>& by_connection) {
    const auto found = by_connection.find(slow.row->connection);
    if (found == by_connection.end()) return "";
    const ConnectionWaits& waits = found->second;
    const std::string_view advice =
        store.connection(ConnectionNumber(slow.row->connection)).vantage == Vantage::target
            ? ""
            : " Capture at the target too.";
    if (may_be_lost) {
        return fmt::format(
            " The path loses segments, and no more commands waited: one that is lost with none behind it "
            "comes late, and nothing shows it.{}",
            advice);
    }
    const BudgetSays says = budget_says(slow, waits);
    if (2 * says.unknown_ns >= slow.excess_ns()) {
        return fmt::format(" Nothing shows whose time {} of it were (`unknown` in its time budget).{}",
                           human_duration(says.unknown_ns), advice);
    }
    const ServiceTime time = time_at_target(store, slow, waits);
    if (2 * time.unproven_ns >= slow.excess_ns() || answer_may_have_been_lost(*slow.row, waits)) {
        return fmt::format(
            " The target's TCP acknowledged the request only with the answer, or sent the answer again: "
            "nothing shows whose time that was.{}",
            advice);
    }
    return fmt::format(
        " Data of others moved meanwhile, or TCP held them back: whether the target was slow or waited for "
        "those, nothing shows.{}",
        advice);
}

// One finding for each cause that made commands wait, but for those that TCP's own findings tell of.
void add_slow(FindingList& list, const ResultStore& store, const CommandFacts& commands,
              const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop) {
    if (commands.slow.empty()) return;
    std::vector<Cause> found;
    found.reserve(commands.slow.size());
    for (size_t i = 0; i < commands.slow.size(); ++i) {
        if (stop.asked_at(i)) return;
        found.push_back(cause_of(store, commands.slow[i], commands, waits));
    }
    const std::vector<bool> may_be_lost = doubt_where_segments_are_lost(found, commands.slow, waits);
    std::array<OfCause, causes> by_cause{};
    for (size_t i = 0; i < commands.slow.size(); ++i) {
        const SlowCommand& slow = commands.slow[i];
        OfCause& alike = by_cause[static_cast<size_t>(found[i])];
        if (alike.count++ == 0) alike.lun = slow.row->lun;
        alike.several_luns = alike.several_luns || alike.lun != slow.row->lun;
        alike.excess_ns = saturated_sum(alike.excess_ns, slow.excess_ns());
        if (alike.worst != nullptr && slow.excess_ns() <= alike.worst->excess_ns()) continue;
        alike.worst = &slow;
        alike.worst_may_be_lost = may_be_lost[i];
    }
    std::vector<std::pair<int64_t, size_t>> order;
    for (size_t i = 0; i < causes; ++i) {
        if (by_cause[i].count > 0) order.emplace_back(by_cause[i].worst->excess_ns(), i);
    }
    std::ranges::sort(order, std::greater());
    int64_t busy_ns = 0;
    for (const SessionFacts& session : commands.sessions) busy_ns += session.busy_ns;
    const bool costs_much = share_of(commands.slow_time_ns, busy_ns) >= noticeable_share;

    const uint64_t count = commands.slow.size();
    int64_t longest_ns = 0;
    bool several_luns = false;
    for (const SlowCommand& slow : commands.slow) {
        longest_ns = std::max(longest_ns, slow.row->turnaround_ns());
        several_luns = several_luns || slow.row->lun != commands.slow.front().row->lun;
    }
    const std::string of_all = several_luns ? "" : lun_words(commands.slow.front().row->lun);
    bool first = true;
    for (const auto& [excess_ns, place] : order) {
        const Cause cause{static_cast<uint8_t>(place)};
        const OfCause& of_cause = by_cause[place];
        const SlowCommand& worst = *of_cause.worst;
        const bool seen = excess_ns >= seen_by_anyone_ns;
        const bool several =
            of_cause.count >= least_slow && costs_much && excess_ns >= longer_than_hosts_pause_ns;
        Finding finding;
        finding.kind = first ? Kind::slow_commands : Kind::slow_command;
        // A few milliseconds now and then are what any storage does.
        finding.severity = seen ? Severity::problem : several ? Severity::notice : Severity::information;
        // Without a sign of who is to blame, only what anyone would have felt is worth a look.
        const bool unexplained = cause == Cause::late || cause == Cause::target_or_path ||
                                 cause == Cause::initiator_or_path || cause == Cause::transfer ||
                                 cause == Cause::slow_start || cause == Cause::not_known;
        if (unexplained) finding.severity = seen ? Severity::notice : Severity::information;
        // Every connection begins so; and a window that is full is a window at work. Where it is too small, or kept small by
        // losses, TCP's own findings say so.
        if (cause == Cause::slow_start || cause == Cause::sender_held_back)
            finding.severity = Severity::information;
        finding.side = cause == Cause::target      ? Finding::Side::target
                       : cause == Cause::initiator ? Finding::Side::initiator
                                                   : Finding::Side::none;
        // What the capture shows is that nothing was sent, not why.
        if (cause == Cause::initiator) finding.confidence = Finding::Confidence::likely;
        // Of many at once each waited, but the time passed once.
        finding.cost_ns = first ? commands.slow_time_ns : std::min(of_cause.excess_ns, commands.slow_time_ns);
        place_at(finding, worst.number, *worst.row);
        finding.lun = of_cause.several_luns ? unknown<uint64_t> : of_cause.lun;
        const std::string of_lun = lun_words(finding.lun);
        const std::string because = reason(store, cause, worst, waits);
        const std::string slowest = words_for(*worst.row);
        if (first) {
            finding.title = fmt::format(
                "{} of {} commands took over {} times the median of their kind, {} at the longest{}",
                human_count(count), human_count(commands.compared), slow_factor, human_duration(longest_ns),
                of_all.empty() ? "" : (count > 1 ? ", all on " : ", on ") + of_all);
        } else {
            finding.title = fmt::format(
                "{}{} took {}, usually {}: {}", slowest, of_lun.empty() ? "" : " on " + of_lun,
                human_duration(worst.row->turnaround_ns()), human_duration(worst.usual_ns), because);
        }
        std::string why;
        if (first && order.size() > 1) {
            for (const auto& [excess, other] : order) {
                why += fmt::format("{}{} {}", why.empty() ? "" : ", ", human_count(by_cause[other].count),
                                   cause_words[other]);
            }
            why += ". ";
        } else if (of_cause.count > 1) {
            why = fmt::format("{} {}. ", first ? "All were" : human_count(of_cause.count) + " were",
                              cause_words[place]);
        }
        finding.explanation = fmt::format("{}The slowest, {}, usually takes {}: {}.", why, slowest,
                                          human_duration(worst.usual_ns), because);
        finding.add_sign(fmt::format("{} took {}, the median of its kind {}", slowest,
                                     human_duration(worst.row->turnaround_ns()),
                                     human_duration(worst.usual_ns)));
        finding.add_sign(because);
        if (std::string more = meanwhile(cause, worst, waits); !more.empty())
            finding.add_sign(std::move(more));
        if (unexplained) {
            finding.evidence.pop_back();
            finding.confidence = Finding::Confidence::possible;
        }
        const auto of_connection = waits.find(worst.row->connection);
        if (cause == Cause::target_or_path && of_connection != waits.end() &&
            of_connection->second.order_in_doubt(CommandNumber(worst.number))) {
            finding.explanation +=
                " Or commands before it in the order of CmdSNs came later over another connection of its "
                "session, which is not in "
                "the capture, or whose times are of another clock.";
        } else if (cause == Cause::target_or_path) {
            finding.explanation += why_in_doubt(store, worst, of_cause.worst_may_be_lost, waits);
        } else if (of_connection != waits.end()) {
            const BudgetSays says = budget_says(worst, of_connection->second);
            const bool of_tcp = cause == Cause::timeout || cause == Cause::loss ||
                                cause == Cause::closed_window || cause == Cause::sender_held_back;
            if (of_tcp && says.anything && says.tcp_ns < excess_ns / 2)
                finding.confidence = Finding::Confidence::possible;
        }
        // What TCP did is told by a finding of its own, of which this is a consequence.
        list.push_back(std::move(finding));
        first = false;
    }
}

}  // namespace

void add_command_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands,
                          const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop) {
    add_slow(list, input.store, commands, waits, stop);
    add_status_findings(list, commands);
    add_unanswered_findings(list, input, commands);
}

}  // namespace sanscope
