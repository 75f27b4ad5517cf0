// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/report/capture/capture_findings.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/capture/clock_findings.h"
#include "analyzer/report/capture/connections_twice.h"
#include "analyzer/report/capture/kernel_comparison.h"
#include "analyzer/report/capture/offload_findings.h"
#include "analyzer/report/capture/out_of_order.h"
#include "analyzer/report/capture_clocks.h"
#include "analyzer/report/command_facts.h"
#include "analyzer/report/commands/command_findings.h"
#include "analyzer/report/commands/ending_words.h"
#include "analyzer/report/finding_causes.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/load/head_of_line_findings.h"
#include "analyzer/report/load/incast_findings.h"
#include "analyzer/report/load/load_findings.h"
#include "analyzer/report/load/path_skew_findings.h"
#include "analyzer/report/load/pdu_size_findings.h"
#include "analyzer/report/load/service_times.h"
#include "analyzer/report/load/split_findings.h"
#include "analyzer/report/load/stalling_findings.h"
#include "analyzer/report/senders/find_sender_facts.h"
#include "analyzer/report/senders/mtu_findings.h"
#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/report/senders/sender_findings.h"
#include "analyzer/report/sessions/address_findings.h"
#include "analyzer/report/sessions/connection_findings.h"
#include "analyzer/report/sessions/digest_findings.h"
#include "analyzer/report/sessions/error_ladder_findings.h"
#include "analyzer/report/sessions/initiator_name_findings.h"
#include "analyzer/report/sessions/login_findings.h"
#include "analyzer/report/sessions/negotiation_findings.h"
#include "analyzer/report/sessions/ping_findings.h"
#include "analyzer/report/sessions/session_findings.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr size_t least_signs_of_problem = 2;

constexpr std::array<std::string_view, 3> severity_names = {"problem", "notice", "information"};
constexpr std::array<std::string_view, 6> side_names = {"", "initiator", "target", "path", "both", "capture"};
constexpr std::array<std::string_view, 3> confidence_names = {"possible", "likely", "firm"};

constexpr std::array kind_names = {
#define FINDING(kind) std::string_view(#kind),
#include "analyzer/report/finding_kinds.def"
#undef FINDING
};

bool is_failure(Kind kind) {
    return kind <= Kind::connection_reset;
}

bool is_about_capture(Kind kind) {
    return kind >= Kind::no_packets;
}

// What failed, or that nothing did; what was slow; how it was used; and then what the capture lacks.
int rank_of(const Finding& finding) {
    if (is_failure(finding.kind) || finding.kind == Kind::nothing_wrong) return 0;
    // What TCP and the load show comes before what it did to commands.
    if (finding.kind == Kind::slow_commands || finding.kind == Kind::slow_command) return 2;
    // Any load of a given queue depth over a long path shows that, whatever else is the matter.
    if (finding.kind == Kind::shallow_queue) return 3;
    return is_about_capture(finding.kind) ? 4 : 1;
}

// Costs are estimates: of findings that cost about the same, one of two captures of the same thing would have this first and
// the other that. Those that cost half of the costliest and more stand in the order of their kinds.
void order_like_costs(std::span<Finding> of_rank) {
    while (!of_rank.empty()) {
        const int64_t most_ns = of_rank.front().cost_ns;
        const auto less = std::ranges::find_if(of_rank.subspan(1),
                                               [=](const Finding& one) { return one.cost_ns < most_ns / 2; });
        const auto alike = static_cast<size_t>(less - of_rank.begin());
        std::ranges::stable_sort(of_rank.first(alike), {}, &Finding::kind);
        of_rank = of_rank.subspan(alike);
    }
}

void sort_by_weight(FindingList& list) {
    std::ranges::stable_sort(list, [](const Finding& a, const Finding& b) {
        return std::tuple(a.severity, rank_of(a), -a.cost_ns) <
               std::tuple(b.severity, rank_of(b), -b.cost_ns);
    });
    for (auto begin = list.begin(); begin != list.end();) {
        const auto end = std::find_if(begin, list.end(), [&](const Finding& one) {
            return one.severity != begin->severity || rank_of(one) != rank_of(*begin);
        });
        order_like_costs({begin, end});
        begin = end;
    }
}

// Keeps the first few of each kind; the last one tells of those left out.
void limit_kinds(FindingList& list, size_t most_of_a_kind) {
    std::map<Kind, size_t> counts;
    for (const Finding& finding : list) ++counts[finding.kind];
    std::map<Kind, size_t> kept;
    std::erase_if(list, [&](Finding& finding) {
        const size_t number = ++kept[finding.kind];
        if (number == most_of_a_kind && counts[finding.kind] > most_of_a_kind) {
            finding.explanation +=
                fmt::format(" And {} more like this.", counts[finding.kind] - most_of_a_kind);
        }
        return number > most_of_a_kind;
    });
}

// Titles that begin with what a host is.
void begin_with_capital(std::string& text) {
    for (const std::string_view role : {"target ", "initiator ", "host "}) {
        if (text.starts_with(role)) text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
}

// The connections with the most slow commands, in order: only of these need it be told what TCP did meanwhile.
std::vector<uint32_t> connections_with_slow(const CommandFacts& commands) {
    std::map<uint32_t, uint64_t> counts;
    for (const SlowCommand& slow : commands.slow) ++counts[slow.row->connection];
    std::vector<std::pair<uint64_t, uint32_t>> order;
    order.reserve(counts.size());
    for (const auto& [connection, count] : counts) order.emplace_back(count, connection);
    constexpr size_t most = 64;
    const size_t kept = std::min(order.size(), most);
    std::ranges::partial_sort(order, order.begin() + static_cast<ptrdiff_t>(kept), std::greater());
    order.resize(kept);
    std::vector<uint32_t> connections;
    connections.reserve(order.size());
    for (const auto& [count, connection] : order) connections.push_back(connection);
    std::ranges::sort(connections);
    return connections;
}

// A command that was under way when the clock moved did not take that long.
void leave_out_clock_jumps(CommandFacts& commands, const ResultStore& store,
                           std::span<const HostPairSpans> jumps) {
    if (jumps.empty()) return;
    commands.leave_out_slow([&](const SlowCommand& slow) {
        if (slow.row->connection == 0 || slow.row->connection > store.connections().size()) return false;
        const TimeSpans* const jumped = spans_between(jumps, store.connection(slow.row->connection));
        return jumped != nullptr && jumped->overlap_ns(slow.row->request_ns, slow.row->response_ns) > 0;
    });
}

// A problem has to earn its colour: one sign alone can be something else.
void judge(Finding& finding) {
    const size_t signs = finding.evidence.size();
    if (finding.severity == Severity::problem && signs < least_signs_of_problem)
        finding.severity = Severity::notice;
    if (finding.severity == Severity::information) return;
    if (signs < least_signs_of_problem && !is_about_capture(finding.kind))
        finding.confidence = std::min(finding.confidence, Finding::Confidence::likely);
}

// What may have lasted for another time than the capture's clock says, and then have had another cause.
constexpr std::array of_waits = {Kind::lost_segments, Kind::retransmission_timeout};

// Of a capture whose clock was set back, or whose clocks are apart or coarse: what rests on how long something took may be
// said of the clock. Where it was set back more often than a clock is set, how TCP recovered rests on it, too.
void doubt_durations(FindingList& list, CaptureClocks clocks, bool often) {
    constexpr std::array of_durations = {Kind::slow_commands, Kind::slow_command, Kind::send_buffer,
                                         Kind::saturated,     Kind::head_of_line, Kind::delayed_ack,
                                         Kind::pacing,        Kind::path_queue,   Kind::stalling_command};
    const bool order_in_doubt = clocks == CaptureClocks::apart || often;
    for (Finding& finding : list) {
        if (std::ranges::find(of_durations, finding.kind) != of_durations.end()) {
            finding.severity = Severity::information;
            finding.confidence = Finding::Confidence::possible;
            finding.explanation +=
                fmt::format(" {}: how long things took is in doubt.", capture_clocks_words(clocks));
        } else if (order_in_doubt &&
                   (finding.kind == Kind::reordering || finding.kind == Kind::needless_retransmission)) {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation += fmt::format(" {}: packets may be out of order in the capture alone.",
                                               capture_clocks_words(clocks));
        } else if (often && std::ranges::find(of_waits, finding.kind) != of_waits.end()) {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation +=
                " The capture's times go back again and again: how long recovery took, and what began it, is "
                "in doubt.";
        }
    }
}

// Of what a TCP, or a host, waited for, less in all than the clock of its connection can tell (ConnectionRow::least_comparable_ns()).
void doubt_short_waits(FindingList& list, const ResultStore& store) {
    constexpr std::array of_short_waits = {Kind::retransmission_timeout,
                                           Kind::path_stall,
                                           Kind::zero_window_stall,
                                           Kind::receiver_window,
                                           Kind::delayed_ack,
                                           Kind::congestion_window,
                                           Kind::pacing,
                                           Kind::path_queue,
                                           Kind::ping_timeout,
                                           Kind::error_recovery,
                                           Kind::unanswered_commands};
    for (Finding& finding : list) {
        if (std::ranges::find(of_short_waits, finding.kind) == of_short_waits.end()) continue;
        if (finding.connection == 0 || finding.connection > store.connections().size()) continue;
        const ConnectionRow& row = store.connection(finding.connection);
        if (finding.cost_ns <= 0 || finding.cost_ns >= row.least_comparable_ns()) continue;
        finding.confidence = Finding::Confidence::possible;
        finding.explanation +=
            fmt::format(" The capture's times may be wrong by {}: how long that took is in doubt.",
                        human_duration(row.time_error_ns()));
    }
}

// Of connections in whose life the clock may have jumped: a timeout that holds that time may be none, and what lasted across it is
// not as long.
void doubt_waits(FindingList& list, const ResultStore& store, std::span<const HostPairSpans> jumps) {
    for (Finding& finding : list) {
        if (std::ranges::find(of_waits, finding.kind) == of_waits.end()) continue;
        if (finding.connection == 0 || finding.connection > store.connections().size()) continue;
        const ConnectionRow& row = store.connection(finding.connection);
        const TimeSpans* const jumped = spans_between(jumps, row);
        if (jumped == nullptr) continue;
        const int64_t doubted_ns = jumped->overlap_ns(row.start_ns, row.end_ns);
        if (doubted_ns <= 0) continue;
        finding.confidence = std::min(finding.confidence, Finding::Confidence::likely);
        finding.explanation += fmt::format(
            " In doubt are {} of it, in which the capture's clock may have jumped ahead, and a timeout in "
            "that time.",
            human_duration(doubted_ns));
    }
}

// "10.0.0.1:50001 -> 10.0.0.2:3260, LUN 1"
std::string place_of(const Finding& finding, const ResultStore& store) {
    std::string place;
    if (finding.connection != 0 && finding.connection <= store.connections().size()) {
        const ConnectionRow& row = store.connection(finding.connection);
        const bool from_target = finding.sender == Finding::Sender::target;
        const Endpoint& from = from_target ? row.target : row.initiator;
        const Endpoint& to = from_target ? row.initiator : row.target;
        place = format_endpoint(from.address, from.port) + " -> " + format_endpoint(to.address, to.port);
    } else if (finding.session != 0) {
        place = fmt::format("session {}", finding.session);
    }
    if (finding.lun != unknown<uint64_t>)
        place += fmt::format("{}LUN {}", place.empty() ? "" : ", ", finding.lun);
    return place;
}

void judge_and_place(Finding& finding, const ResultStore& store) {
    judge(finding);
    if (finding.place.empty()) finding.place = place_of(finding, store);
}

// The longest time without a request in a connection that was not captured at the initiator, where the load makes no such pauses
// otherwise; 0: none stands out. Requests that were lost, or held on their way to the tap, leave nothing else there.
int64_t request_silence_ns(const ResultStore& store) {
    constexpr int64_t least_silence_ns = 100'000'000;
    constexpr uint64_t least_requests = 50;
    constexpr int64_t many_times = 20;
    constexpr size_t ordinary = 3;  // so many make it a habit of the load
    std::map<uint32_t, int64_t> last_ns;
    LogHistogram gaps;
    std::vector<int64_t> long_gaps;
    for (const CommandRow& row : store.commands()) {
        if (row.connection == 0 || row.request_ns == no_time) continue;
        const Vantage vantage = store.connection(row.connection).vantage;
        if (vantage != Vantage::target && vantage != Vantage::middle) continue;
        const auto [last, first] = last_ns.try_emplace(row.connection, row.request_ns);
        const int64_t gap_ns = elapsed_ns(last->second, row.request_ns);
        last->second = std::max(last->second, row.request_ns);
        if (first) continue;
        gaps.add(gap_ns);
        if (gap_ns >= least_silence_ns) long_gaps.push_back(gap_ns);
    }
    if (gaps.count() < least_requests || long_gaps.empty()) return 0;
    const int64_t longest_ns = std::ranges::max(long_gaps);
    const auto alike = static_cast<size_t>(
        std::ranges::count_if(long_gaps, [=](int64_t gap_ns) { return gap_ns >= longest_ns / 2; }));
    return longest_ns >= many_times * gaps.percentile_ns(0.9) && alike < ordinary ? longest_ns : 0;
}

// Reads and writes of blocks that ended with GOOD and yet did not move what they were asked for: fewer bytes, or more than the initiator
// had room for (the residual of RFC 7143 §11.4.5).
uint64_t moved_otherwise(const ResultStore& store) {
    uint64_t count = 0;
    for (const CommandRow& row : store.commands()) {
        const bool of_blocks = row.lba != unknown<uint64_t> && (is_read(row) || is_write(row));
        if (of_blocks && row.status == 0 && row.residual != 0 && row.residual != unknown<int64_t>) ++count;
    }
    return count;
}

// The longest of its kind stands out, though nothing tells why.
bool has_one_that_stands_out(const LogHistogram& took) {
    constexpr uint64_t least_commands = 50;
    constexpr int64_t least_ns = 50'000'000;
    constexpr int64_t many_times = 20;
    return took.count() >= least_commands && took.max_ns() >= least_ns &&
           took.max_ns() >= many_times * took.percentile_ns(0.5);
}

// Of the commands that moved most half take long beside a round trip, and no queue of a link that is full makes them: 0, or what
// half of them take at the least.
int64_t unexplained_wait_ns(const LogHistogram& took, std::span<const SenderFacts> senders, double rate) {
    constexpr int64_t long_ns = 20'000'000;  // any user feels that
    constexpr int64_t many_round_trips = 4;
    constexpr uint64_t least_commands = 20;
    constexpr double half_of_a_link = 62.5e6;  // of 1 Gbit/s
    const int64_t half_ns = took.percentile_ns(0.5);
    if (took.count() < least_commands || half_ns < long_ns || rate >= half_of_a_link) return 0;
    int64_t rtt_ns = no_time;
    for (const SenderFacts& sender : senders) {
        if (sender.connection->iscsi) rtt_ns = std::max(rtt_ns, sender.loaded_rtt_ns());
    }
    return rtt_ns != no_time && half_ns >= many_round_trips * rtt_ns ? half_ns : 0;
}

// By TCP, for a share of the time that is worth telling of.
struct HeldBack {
    bool surely = false;
    bool perhaps = false;
};

HeldBack held_back_by_tcp(std::span<const SenderFacts> senders) {
    constexpr double noticeable_share = 0.1;
    HeldBack held_back;
    for (const SenderFacts& sender : senders) {
        if (!sender.connection->iscsi) continue;
        held_back.surely |= share_of(sender.held_back_ns(), sender.judged_ns()) >= noticeable_share;
        held_back.perhaps |= share_of(sender.limit_unknown_ns, sender.judged_ns()) >= noticeable_share;
    }
    return held_back;
}

// With the figures of the kind that moved most.
Finding nothing_wrong(const FindingsInput& input, const CommandFacts& commands,
                      std::span<const SenderFacts> senders, const HeldBack& held_back, bool slow_are_told) {
    Finding finding;
    finding.kind = Kind::nothing_wrong;
    const Summary& summary = input.store.summary();
    const std::pair<const Summary::GroupKey, Summary::Group>* largest = nullptr;
    uint64_t bytes = 0;
    for (const auto& group : summary.groups()) {
        if (group.second.turnaround.count() == 0) continue;
        if (largest == nullptr || group.second.bytes > largest->second.bytes) largest = &group;
    }
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
    bool all_bytes_known = true;
    const uint64_t untimed = summary.untimed();
    for (const Summary::SessionLoad& load : summary.sessions()) {
        all_bytes_known = all_bytes_known && load.all_bytes_known && load.hidden == 0;
        bytes += load.bytes_read + load.bytes_written;
        if (load.first_ns == no_time) continue;
        first_ns = first_ns == no_time ? load.first_ns : std::min(first_ns, load.first_ns);
        last_ns = std::max(last_ns, load.last_ns);
    }
    uint64_t unanswered = 0;
    for (const auto& [connection, like] : commands.unanswered) unanswered += like.count;
    const bool bytes_missing = input.issues[Issue::holes_not_captured].count > 0;
    const CaptureClocks clocks = capture_clocks(input.issues, input.store);
    const bool in_order = clocks == CaptureClocks::in_order;
    const int64_t silence_ns = request_silence_ns(input.store);
    const bool one_stands_out = largest != nullptr && has_one_that_stands_out(largest->second.turnaround);
    const int64_t took_ns = elapsed_ns(first_ns, last_ns) - gaps_between_ns(input.totals, first_ns, last_ns);
    const double rate = took_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(took_ns) : 0;
    const int64_t wait_ns =
        largest != nullptr && in_order ? unexplained_wait_ns(largest->second.turnaround, senders, rate) : 0;
    const uint64_t moved_other = moved_otherwise(input.store);
    const bool all_known = moved_other == 0 && commands.unknown_statuses == 0 && untimed == 0 &&
                           !bytes_missing && in_order && silence_ns == 0 && !one_stands_out && wait_ns == 0;
    finding.title = fmt::format("Nothing wrong {} {}", all_known ? "with" : "is seen of",
                                counted(summary.commands(), "command"));
    if (clocks != CaptureClocks::set_back && took_ns > 0) {
        finding.title += fmt::format(" in {}, {}{}", human_duration(took_ns),
                                     all_bytes_known ? "" : "at least ", human_rate(rate));
    }
    finding.begin_ns = first_ns;
    finding.end_ns = last_ns;
    if (largest != nullptr) {
        const auto& [key, group] = *largest;
        constexpr uint64_t enough_for_p99 = 1000;
        const LogHistogram& took = group.turnaround;
        const bool many = took.count() >= enough_for_p99;
        finding.explanation =
            fmt::format("Of {} {} {}half took {} or less, {} {}. ", human_count(took.count()), key.first,
                        untimed == 0 ? "" : "whose times are known ", human_duration(took.percentile_ns(0.5)),
                        many ? "all but one in a hundred" : "the longest",
                        human_duration(many ? took.percentile_ns(0.99) : took.max_ns()));
    }
    if (!all_known) finding.confidence = Finding::Confidence::possible;
    if (commands.unknown_statuses != 0) {
        finding.explanation +=
            fmt::format("How {} of them ended is not in the capture: whether they failed is not known. ",
                        human_count(commands.unknown_statuses));
    }
    if (moved_other > 0) {
        finding.explanation += fmt::format(
            "{} with the status GOOD did not move all that was asked for, or had more to move, by {} "
            "residual: whether the host noticed is not known. ",
            counted(moved_other, "transfer"), moved_other == 1 ? "its" : "their");
    }
    if (untimed > 0) {
        finding.explanation +=
            fmt::format("{} {} answered, or may have been, {}: of how long {} took nothing is said. ",
                        human_count(untimed), untimed == 1 ? "was" : "were", unseen_ending_words(clocks),
                        untimed == 1 ? "it" : "they");
    }
    if (bytes_missing)
        finding.explanation += "Bytes of iSCSI are missing from the capture: of them nothing is known. ";
    if (unanswered > 0) {
        finding.explanation += fmt::format("All {}commands but {}, under way at the end, were answered",
                                           untimed == 0 ? "" : "other ", human_count(unanswered));
    } else {
        finding.explanation += untimed == 0 ? "All commands were answered" : "All others were answered";
    }
    if (!in_order) {
        finding.explanation +=
            fmt::format(". {}: whether the target or the path made them wait is not judged.",
                        capture_clocks_words(clocks));
        return finding;
    }
    if (one_stands_out || silence_ns > 0) {
        finding.explanation += !one_stands_out ? "."
                               : slow_are_told ? ". The longest stood out."
                                               : ". What held up the longest is not known.";
        if (silence_ns > 0) {
            finding.explanation += fmt::format(
                " No request came for {} once: whether the initiator paused, or requests were lost or held "
                "on "
                "their way, a capture that was not taken at the initiator does not tell.",
                human_duration(silence_ns));
        }
        return finding;
    }
    finding.explanation +=
        slow_are_told ? ", some after several times the usual time" : " and none stood out";
    if (wait_ns > 0) {
        finding.explanation +=
            ". Nothing that was found explains why the usual one takes so many round trips.";
    } else if (held_back.surely && bytes_missing) {
        finding.explanation +=
            ". Whether TCP held data back is not known: acknowledgements may be missing as well.";
    } else if (held_back.surely) {
        finding.explanation +=
            ". TCP held data back for part of the time, as it does on any path that is used in full.";
    } else if (held_back.perhaps) {
        finding.explanation += ". Whether TCP held data back the capture does not tell for part of the time.";
    } else {
        finding.explanation +=
            slow_are_told ? ". TCP did not hold data back for long." : ". TCP did not hold them back.";
    }
    return finding;
}

}  // namespace

void Finding::add_sign(std::string_view sign) {
    evidence.emplace_back(sign);
}

std::string_view finding_severity_name(Finding::Severity severity) {
    return severity_names[static_cast<size_t>(severity)];
}

std::string_view finding_side_name(Finding::Side side) {
    return side_names[static_cast<size_t>(side)];
}

std::string_view finding_confidence_name(Finding::Confidence confidence) {
    return confidence_names[static_cast<size_t>(confidence)];
}

std::string_view finding_kind_name(Finding::Kind kind) {
    return kind_names[static_cast<size_t>(kind)];
}

std::vector<Finding> findings(const FindingsInput& input) {
    const Stop stop(input.stop, input.between);
    FindingList list;
    // Otherwise times do not tell what lasted how long.
    const CaptureClocks clocks = capture_clocks(input.issues, input.store);
    const bool in_order = clocks == CaptureClocks::in_order;
    CommandFacts commands = find_command_facts(input.store, in_order, stop);
    if (stop.asked()) return {};
    for (SessionFacts& session : commands.sessions)
        session.gaps_ns = gaps_between_ns(input.totals, session.first_ns, session.last_ns);
    const std::vector<SenderFacts> senders =
        find_sender_facts(input.store, connections_with_slow(commands), commands.busy, stop);
    if (stop.asked()) return {};
    const std::vector<HostPairSpans> jumps = shared_clock_jumps(senders);
    leave_out_clock_jumps(commands, input.store, jumps);
    const std::vector<HostPairSpans> flows = shared_flows(senders);
    std::optional<TimeBudgets> budgets;
    if (input.store.keeps_budgets() && input.store.finished()) budgets.emplace(input.store);
    const std::map<uint32_t, ConnectionWaits> waits =
        waits_of(senders, flows, jumps, budgets ? &*budgets : nullptr);
    std::vector<ServiceTimes> services;
    if (in_order) services = find_service_times(input.store, commands, waits, stop);
    if (stop.asked()) return {};
    add_sender_findings(list, senders);
    // Time between files is no jump of the clock.
    std::erase_if(list, [&](const Finding& finding) {
        return finding.doubts_durations &&
               gaps_between_ns(input.totals, finding.begin_ns, finding.end_ns) > 0;
    });
    add_mtu_findings(list, input, senders, stop);
    add_command_findings(list, input, commands, waits, stop);
    add_load_findings(list, input.store, commands, senders, waits, services);
    add_session_findings(list, input, commands);
    add_connection_findings(list, input, commands);
    add_negotiation_findings(list, input, senders);
    add_pdu_size_findings(list, input, senders, stop);
    add_offload_findings(list, input);
    add_login_findings(list, input, commands);
    add_initiator_name_findings(list, input);
    add_address_findings(list, input);
    add_ping_findings(list, input, senders);
    add_error_ladders(list, input, senders, stop);
    add_digest_findings(list, input);
    add_incast_findings(list, input.store, senders, stop);
    add_stalling_findings(list, input.store, waits, stop);
    add_split_findings(list, input.store, stop);
    add_head_of_line(list, input.store, stop);
    if (in_order) add_path_skew(list, input.store, senders, stop);
    add_kernel_findings(list, input.store);
    add_capture_findings(list, input, stop);
    const std::vector<ConnectionTwice> twice = connections_twice(input.store, stop);
    if (stop.asked()) return {};
    add_connections_twice(list, twice);
    doubt_what_is_twice(list, input.store, twice);
    const std::vector<bool> out_of_order = find_out_of_order(input.store);
    doubt_out_of_order(list, input, out_of_order);
    if (!in_order) doubt_durations(list, clocks, input.issues[Issue::times_set_back].count > most_set_back);
    doubt_waits(list, input.store, jumps);
    doubt_short_waits(list, input.store);
    put_causes_first(list);
    // These follow from nothing else.
    add_clock_findings(list, input);
    for (Finding& finding : list) judge_and_place(finding, input.store);
    FindingList of_order;
    add_out_of_order(of_order, input, out_of_order);
    for (Finding& finding : of_order) judge_and_place(finding, input.store);
    const bool is_well = std::ranges::all_of(list, [](const Finding& finding) {
        return finding.severity == Finding::Severity::information || is_about_capture(finding.kind);
    });
    const bool in_part = std::ranges::any_of(senders, [](const SenderFacts& sender) {
        return sender.connection->iscsi &&
               (sender.is_half_captured() || sender.connection->lacks_pure_acks() || sender.is_all_twice());
    });
    const bool slow_are_told = std::ranges::any_of(list, [](const Finding& finding) {
        return finding.kind == Kind::slow_commands || finding.kind == Kind::slow_command;
    });
    if (is_well && !in_part && twice.empty() && out_of_order.empty() && input.store.summary().commands() > 0)
        list.push_back(nothing_wrong(input, commands, senders, held_back_by_tcp(senders), slow_are_told));
    for (Finding& finding : list) {
        begin_with_capital(finding.title);
        begin_with_capital(finding.explanation);
    }
    sort_by_weight(list);
    // It puts in doubt what is told behind it.
    for (Finding& finding : of_order) {
        const auto behind =
            std::ranges::find_if(list, [&](const Finding& one) { return one.severity >= finding.severity; });
        list.insert(behind, std::move(finding));
    }
    limit_kinds(list, input.most_of_a_kind);
    return list;
}

}  // namespace sanscope
