// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// From here on a share is the greater part.
constexpr double most = 0.5;
// Fewer commands make no load to judge.
constexpr uint64_t least_transfers = 20;
// What a link of 1 Gbit/s carries: load that could do more than this is not short of commands.
constexpr double plenty = 125e6;
// Half of what that link could carry leaves nothing to complain of.
constexpr double half_of_plenty = 0.5 * plenty;
// A target that takes less is as fast as flash, or as fast as a busy host wakes a program; that is no wait.
constexpr int64_t least_wait_ns = 2'000'000;
// What memory and a bus of a target move in a second: large commands may take that much longer.
constexpr double target_bus = 500e6;
// Any user of a target feels that.
constexpr int64_t long_wait_ns = 20'000'000;
// One more round trip for each write matters where it is this share of its time.
constexpr double noticeable_share = 0.2;
// Below, R2Ts are what writes larger than FirstBurstLength need anyway.
constexpr double least_r2t_share = 0.35;
// On a shorter path, round trips are none of anyone's trouble.
constexpr int64_t least_long_path_ns = 2'000'000;
// An initiator that waits longer than this part of its time before it asks again has nothing to gain from asking at once.
constexpr double busy_enough = 0.7;
// That long nothing but a queue makes commands wait that move at a reasonable pace.
constexpr int64_t saturated_ns = 100'000'000;

// As much under way half of the time is a flow.
constexpr uint32_t flowing_segments = 8;

class OfSession {
  public:
    OfSession(FindingList& list, const SessionFacts& session, const SessionRow& row,
              const SenderFacts& sender, const TimeParts& parts, bool reads)
        : list_(list), session_(session), row_(row), sender_(sender), parts_(parts), reads_(reads) {
        const int64_t least_ns = sender.rtt_min_ns();
        rtt_ns_ = least_ns == no_time ? 0 : least_ns;
        // At the target a round trip of each command's time is behind the tap.
        const bool at_target = sender.connection->vantage == Vantage::target;
        behind_tap_ns_ = at_target ? rtt_ns_ : 0;
        if (at_target && sender.queues_on_path()) behind_tap_ns_ = std::max(rtt_ns_, sender.queued_srtt_ns);
        turnaround_ns_ = parts.turnaround.percentile_ns(0.5) + behind_tap_ns_;
        size_ = static_cast<double>(parts.bytes) / static_cast<double>(parts.count());
        busy_ns_ = session.busy_ns;
        throughput_ =
            busy_ns_ > 0 ? static_cast<double>(session.bytes()) * 1e9 / static_cast<double>(busy_ns_) : 0;
        throughput_ *= session.for_each_known();
        depth_ = session.depth(0.5);
        if (at_target && busy_ns_ > 0) {
            // The requests and answers under way on the path count as well (Little's law).
            const double taken_ns = parts.turnaround.mean_ns() + static_cast<double>(behind_tap_ns_);
            const double mean_depth = session.for_each_known() * static_cast<double>(session.transfers()) *
                                      taken_ns / static_cast<double>(busy_ns_);
            depth_ = std::max(depth_, static_cast<uint32_t>(std::lround(std::min(mean_depth, 1e6))));
        }
    }

    void add(bool host_is_slow) {
        add_what_limits(host_is_slow);
        command_window();
    }

  private:
    void add_what_limits(bool host_is_slow) {
        const bool waits_for_r2ts = r2t_waits();
        // Where most commands are hidden, nobody knows the load.
        constexpr double least_known = 0.5;
        if (host_is_slow || session_.for_each_known() * least_known > 1) return;
        // What follows is about senders that had nothing to send.
        if (sender_.limited_share(SendLimit::application) < most) return;
        // Where the queue's rate tells of a bottleneck, it follows from that (path_queue).
        if (sender_.queues_on_path()) {
            constexpr double nearly_all = 0.9;
            const bool at_work = sender_.limited_share(SendLimit::application) >= nearly_all;
            if (at_work) saturated();
            return;
        }
        if (waits_for_r2ts || shallow_queue() || send_buffer()) return;
        // It may be a window of its TCP that holds so much.
        const bool window_is_known = sender_.widest_offered > 0;
        if (!window_is_known && is_filled_to_one_amount()) return;
        saturated();
    }

    Finding begin(Kind kind, Severity severity, int64_t cost_ns) const {
        Finding finding = sender_.finding(kind, severity);
        finding.session = session_.session;
        finding.cost_ns = cost_ns;
        return finding;
    }
    std::string_view noun() const { return reads_ ? "read" : "write"; }
    std::string size() const { return human_binary_bytes(static_cast<uint64_t>(std::llround(size_))); }

    bool shallow_queue() {
        if (rtt_ns_ < least_long_path_ns || depth_ == 0 || turnaround_ns_ == 0) return false;
        const double path_share = share_of(rtt_ns_, turnaround_ns_);
        const double most_possible = depth_ * size_ * 1e9 / static_cast<double>(rtt_ns_);
        if (path_share < most || most_possible >= half_of_plenty) return false;
        // Where it did much less than the path allows, something else is the matter; and more is no limit.
        if (throughput_ < most * most_possible || throughput_ > most_possible) return false;
        // Nor is it short of commands at once where it does not ask most of the time.
        if (session_.busy_share() < busy_enough) return false;
        // Nor where it goes deeper at times: its requests come when they are wanted, whatever is still under way.
        constexpr double nearly_all = 0.95;
        if (session_.depth(nearly_all) > 2 * depth_) return false;
        const double enough = std::ceil(plenty * static_cast<double>(rtt_ns_) / 1e9 / size_);
        const double shut_share = command_window_shut_share();
        // At the target a window is seen shut only as long as commands are served, though the initiator cannot send.
        const bool all_under_way = row_.command_window <= depth_;
        const bool target_allows_no_more =
            row_.command_window != unknown<uint32_t> &&
            (all_under_way || (row_.command_window <= 2 * depth_ && shut_share >= most));
        Finding finding =
            begin(target_allows_no_more ? Kind::command_window : Kind::shallow_queue, Severity::notice,
                  static_cast<int64_t>(static_cast<double>(busy_ns_) * path_share));
        finding.add_sign(fmt::format("the minimum round-trip time, {}, is {} of the median {}'s time ({})",
                                     human_duration(rtt_ns_), human_percent(std::min(path_share, 1.0)),
                                     noun(), human_duration(turnaround_ns_)));
        if (target_allows_no_more) {
            finding.side = Finding::Side::target;
            finding.title = fmt::format(
                "Command window of session {}: the target allows {} at once (MaxCmdSN), at most {} over a "
                "round trip of {}",
                session_.session, counted(row_.command_window, "command"), human_rate(most_possible),
                human_duration(rtt_ns_));
            finding.explanation = fmt::format(
                "Its command window stays closed until a command is answered. Raise the queue depth of the "
                "target (MaxQueueCmd, default_cmdsn_depth or the like): {} of {} fill 1 Gbit/s. A greater "
                "depth at the initiator cannot help.",
                counted(static_cast<uint64_t>(enough), noun()), size());
            if (shut_share >= most) {
                finding.add_sign(
                    fmt::format("the command window, {} at the widest, was closed {} of the time",
                                counted(row_.command_window, "command"), human_percent(shut_share)));
            } else {
                finding.confidence = Finding::Confidence::likely;
                finding.add_sign(
                    fmt::format("the command window is {} at the widest, and the median queue depth {}",
                                counted(row_.command_window, "command"), depth_));
            }
        } else {
            finding.side = Finding::Side::initiator;
            finding.title = fmt::format("{} of {} at queue depth {} over a round trip of {}: at most {}",
                                        reads_ ? "Reads" : "Writes", size(), depth_, human_duration(rtt_ns_),
                                        human_rate(most_possible));
            finding.explanation = fmt::format(
                "Session {} moved {}, and no TCP window limited it. Larger requests, or more of them at "
                "once, would move more: {} of this size fill 1 Gbit/s.",
                session_.session, human_rate(throughput_), human_count(static_cast<uint64_t>(enough)));
            finding.add_sign(
                fmt::format("the median queue depth is {}, and commands were outstanding {} of the time",
                            depth_, human_percent(session_.busy_share())));
            finding.add_sign(fmt::format("the sender of the data was application-limited {} of that",
                                         human_percent(sender_.limited_share(SendLimit::application))));
        }
        list_.push_back(std::move(finding));
        return true;
    }

    // What the target opens again reaches the initiator half a round trip later, and the next command comes as late.
    double command_window_shut_share() const {
        const bool at_target = sender_.connection->vantage == Vantage::target;
        const auto shuts = static_cast<int64_t>(std::min<uint64_t>(row_.command_window_shuts, 1 << 20));
        const int64_t shut_ns = row_.command_window_shut_ns + (at_target ? shuts * rtt_ns_ : 0);
        return std::min(share_of(shut_ns, session_.lasted_ns()), 1.0);
    }

    // Whatever else commands wait for: no more of them could be sent. How much faster more would have been, nobody knows; nor
    // whether the initiator would have sent them, whose own queue may be just as deep.
    void command_window() {
        constexpr uint64_t least_shuts = 20;
        if (row_.command_window == unknown<uint32_t> || row_.command_window_shuts < least_shuts) return;
        if (row_.command_window_shut_ns <= 0 || command_window_shut_share() < most) return;
        const bool told = std::ranges::any_of(list_, [&](const Finding& finding) {
            return finding.kind == Kind::command_window && finding.session == session_.session;
        });
        if (told) return;
        Finding finding = begin(Kind::command_window, Severity::notice, 0);
        finding.side = Finding::Side::target;
        finding.confidence = Finding::Confidence::likely;
        finding.title = fmt::format("Command window of session {}: the target allows {} at once (MaxCmdSN)",
                                    session_.session, counted(row_.command_window, "command"));
        finding.explanation =
            "All that it allows were under way, and when one was answered the next came at once: the "
            "initiator "
            "may have had more to send. Raise the queue depth of the target (MaxQueueCmd, "
            "default_cmdsn_depth "
            "or the like); if the initiator's own queue is as deep, raise that as well.";
        finding.add_sign(fmt::format("the command window, {} at the widest, was closed {} of the time",
                                     counted(row_.command_window, "command"),
                                     human_percent(command_window_shut_share())));
        finding.add_sign(
            fmt::format("{} it was shut, the next command came within a round trip of its opening",
                        counted(row_.command_window_shuts, "time")));
        list_.push_back(std::move(finding));
    }

    // As much as something holds is always in flight, though more waits: whatever is acknowledged is replaced at once, no more.
    bool is_filled_to_one_amount() const {
        // What an R2T asked for is all that may be under way.
        if (!reads_ && 2 * parts_.r2ts >= parts_.count()) return false;
        const uint32_t in_flight = sender_.in_flight_p50;
        constexpr double steady = 0.7;
        constexpr double seldom_less = 0.25;
        const bool is_steady = sender_.in_flight_p50 >= steady * sender_.in_flight_p90 &&
                               sender_.in_flight_p10 >= seldom_less * sender_.in_flight_p90;
        if (!sender_.has_windows || !is_steady || !sender_.is_bulk()) return false;
        if (in_flight < flowing_segments * sender_.mss() || rtt_ns_ < least_long_path_ns / 2) return false;
        // What waits must be more than what is under way.
        if (depth_ * size_ < 2.0 * in_flight || throughput_ >= plenty) return false;
        // What is acknowledged is replaced: a buffer's worth each round trip.
        const double of_buffer =
            static_cast<double>(sender_.in_flight_p90) * 1e9 / static_cast<double>(rtt_ns_);
        return throughput_ >= most * of_buffer;
    }

    // It is the send buffer that holds so much.
    bool send_buffer() {
        if (!is_filled_to_one_amount()) return false;
        const uint32_t in_flight = sender_.in_flight_p50;
        constexpr double well_below = 0.75;
        const uint32_t cwnd = sender_.summary->cwnd_max();
        // Nor may the receiver's window be what is full: where that is not known, nothing is.
        const bool is_below_window = cwnd != unknown<uint32_t> &&
                                     sender_.in_flight_p90 <= well_below * cwnd &&
                                     sender_.in_flight_p90 <= well_below * sender_.widest_offered;
        if (!is_below_window) return false;
        Finding finding =
            begin(Kind::send_buffer, Severity::notice, sender_.limited_ns(SendLimit::application));
        finding.side = reads_ ? Finding::Side::target : Finding::Side::initiator;
        // Seen from afar, a congestion window that losses keep small looks the same: how far it had grown is an estimate.
        const bool at_sender = sender_.connection->vantage == (reads_ ? Vantage::target : Vantage::initiator);
        if (!at_sender && sender_.repaired() > 0) finding.confidence = Finding::Confidence::possible;
        finding.title = fmt::format("{} never has much more than {} in flight, with {} of {} outstanding",
                                    sender_.name(), human_bytes(in_flight), counted(depth_, noun()), size());
        finding.explanation = fmt::format(
            "It looks like a send buffer of no more than {}, which allows {} with a round-trip time of {}: "
            "let its sockets have larger ones (tcp_wmem on Linux, SO_SNDBUF). Or it reads its data at just "
            "that pace.",
            human_bytes(sender_.in_flight_p90), human_rate(throughput_), human_duration(rtt_ns_));
        finding.add_sign(fmt::format("at most {} in flight half of the time, at most {} nine tenths of it",
                                     human_bytes(sender_.in_flight_p50), human_bytes(sender_.in_flight_p90)));
        finding.add_sign(fmt::format("its congestion window had grown to {}, and limited it {} of the time",
                                     human_bytes(cwnd),
                                     human_percent(sender_.limited_share(SendLimit::congestion))));
        list_.push_back(std::move(finding));
        return true;
    }

    // Little's law: so many at once at that rate take so long each, wherever they wait. Where they do, says who is at its limit:
    // in a queue on the path, or at the sender of the data, which TCP does not hold back.
    void saturated() {
        constexpr uint32_t least_depth = 4;
        if (turnaround_ns_ < saturated_ns || depth_ < least_depth || throughput_ >= plenty ||
            throughput_ <= 0)
            return;
        if (session_.busy_share() < busy_enough) return;
        const double expected_ns = depth_ * size_ * 1e9 / throughput_;
        const double ratio = expected_ns / static_cast<double>(turnaround_ns_);
        constexpr double agrees = 1.5;
        if (ratio > agrees || ratio < 1 / agrees) return;
        const std::string law =
            fmt::format("Little's law: {} × {} at {} are {} each", depth_, size(), human_rate(throughput_),
                        human_duration(static_cast<int64_t>(std::min(expected_ns, 1e15))));
        if (sender_.queues_on_path()) return queue_of_commands(law);
        Finding finding = begin(Kind::saturated, Severity::notice, 0);
        // The law holds of any steady load; that it was the target, only the absence of all else shows.
        finding.confidence = Finding::Confidence::likely;
        finding.side = Finding::Side::target;
        finding.title =
            fmt::format("{} of {} at once took {} each: {} gave no more than {}", counted(depth_, noun()),
                        size(), human_duration(turnaround_ns_),
                        reads_ ? "the target" : "the path or the target", human_rate(throughput_));
        finding.explanation =
            "More at once only wait longer. Find out what limits that rate: disks of the target, its "
            "processor, what else it serves. Fewer commands at once would each be faster at the same rate.";
        finding.add_sign(law);
        finding.add_sign(fmt::format(
            "the sender of the data was application-limited {} of the time, with a round-trip time of {}",
            human_percent(sender_.limited_share(SendLimit::application)), human_duration(rtt_ns_)));
        list_.push_back(std::move(finding));
    }

    // The queue that a steady rate tells of (SenderFacts::has_bottleneck()), where the rate is not steady enough to tell of it:
    // other connections may have had part of it.
    void queue_of_commands(const std::string& law) {
        if (sender_.has_bottleneck()) return;
        Finding finding = begin(Kind::path_queue, Severity::notice, sender_.queued_ns);
        finding.side = Finding::Side::path;
        finding.confidence = Finding::Confidence::likely;
        finding.title = sender_.queue_title(throughput_);
        finding.explanation =
            "More commands at once only wait longer. Find out what limits that rate: a slow port, shaping, "
            "other traffic, or a host that is at its limit. Fewer commands at once would each be faster at "
            "the same rate.";
        finding.add_sign(sender_.queue_sign());
        // At the target the queue depth is counted with what the round trip takes, and the law proves nothing.
        const bool at_target = sender_.connection->vantage == Vantage::target;
        finding.add_sign(at_target ? fmt::format("at least {} in flight half of the time",
                                                 human_bytes(sender_.in_flight_p50))
                                   : law);
        list_.push_back(std::move(finding));
    }

    bool r2t_waits() {
        if (reads_ || rtt_ns_ < least_long_path_ns || turnaround_ns_ == 0) return false;
        // The usual write must have had some: what a few large ones waited for is no share of the others' time.
        if (2 * parts_.with_r2ts < parts_.count()) return false;
        const auto count = static_cast<double>(parts_.count());
        const double r2ts = static_cast<double>(parts_.r2ts) / count;
        // RFC 7143 §13.17: as many may be outstanding at once, and cost one round trip together; 1 where nothing was agreed on.
        const bool at_once_known = row_.max_outstanding_r2t != unknown<uint32_t>;
        const uint32_t at_once = at_once_known ? std::max(row_.max_outstanding_r2t, 1u) : 1;
        const double rounds = std::max(r2ts / at_once, static_cast<double>(parts_.with_r2ts) / count);
        // Of the usual one: a few that took very long say nothing of R2Ts.
        const auto usual_ns = static_cast<double>(turnaround_ns_);
        const double share =
            usual_ns > 0 ? std::min(rounds * static_cast<double>(rtt_ns_) / usual_ns, 1.0) : 0;
        if (share < least_r2t_share) return false;
        Finding finding = begin(Kind::r2t_waits, Severity::notice,
                                static_cast<int64_t>(static_cast<double>(busy_ns_) * share));
        finding.side = Finding::Side::both;
        finding.title = fmt::format("Writes of session {} waited for {:.1f} R2Ts each: {} of their time",
                                    session_.session, r2ts, human_percent(share));
        if (!at_once_known) finding.confidence = Finding::Confidence::likely;
        const bool never_at_once = row_.initial_r2t == Ternary::yes && row_.immediate_data == Ternary::no;
        finding.explanation = fmt::format(
            "{} a round trip ({}) before {} data may be sent. {}",
            at_once > 1 ? fmt::format("R2Ts, up to {} at once (MaxOutstandingR2T), cost", at_once)
                        : "Each R2T costs",
            human_duration(rtt_ns_), at_once > 1 ? "their" : "its",
            never_at_once ? "Let data go along with the command: ImmediateData=Yes, InitialR2T=No, a "
                            "FirstBurstLength that holds a write; both ends must offer them."
                          : "Let more data go along with the command (ImmediateData=Yes, InitialR2T=No, a "
                            "larger FirstBurstLength), and let each R2T ask for more (MaxBurstLength).");
        finding.add_sign(
            fmt::format("{} for {}", counted(parts_.r2ts, "R2T"), counted(parts_.count(), "write")));
        if (row_.initial_r2t != Ternary::unknown) {
            finding.add_sign(fmt::format("negotiated: InitialR2T={}, ImmediateData={}, FirstBurstLength {}",
                                         row_.initial_r2t == Ternary::yes ? "Yes" : "No",
                                         row_.immediate_data == Ternary::yes ? "Yes" : "No",
                                         row_.first_burst_length == unknown<uint32_t>
                                             ? "?"
                                             : human_binary_bytes(row_.first_burst_length)));
        }
        finding.add_sign(fmt::format("the median write takes {}, the minimum round-trip time is {}",
                                     human_duration(static_cast<int64_t>(usual_ns)),
                                     human_duration(rtt_ns_)));
        list_.push_back(std::move(finding));
        return true;
    }

    FindingList& list_;
    const SessionFacts& session_;
    const SessionRow& row_;
    const SenderFacts& sender_;
    const TimeParts& parts_;
    bool reads_;
    int64_t rtt_ns_ = 0;
    int64_t behind_tap_ns_ = 0;  // what a command's time is longer for the initiator than the capture shows
    int64_t turnaround_ns_ = 0;
    int64_t busy_ns_ = 0;
    uint32_t depth_ = 0;  // half of the requests found so much or less under way
    double size_ = 0;
    double throughput_ = 0;
};

std::string of_unit(const ServiceTimes& one) {
    return one.lun == unknown<uint64_t> ? "" : fmt::format(" of LUN {}", one.lun);
}

// As one session sees it.
bool is_same_unit(const ServiceTimes& a, const ServiceTimes& b) {
    return a.session == b.session && a.lun == b.lun;
}

// A target is slow where it takes long for a command that found no queue before it, or where even a command's share of the
// time that a queue takes is long.
bool is_slow(const ServiceTimes& one, const ServiceTimes* faster, uint32_t depth, int64_t rtt_ns,
             bool queues) {
    const int64_t wait_ns = one.service.percentile_ns(0.5);
    // A few commands tell nothing, unless each of them took long.
    constexpr uint64_t least_slow = 5;
    const bool each_is_slow = one.count() >= least_slow && one.service.min_ns() >= long_wait_ns &&
                              one.service.min_ns() >= wait_ns / 2;
    if (one.count() < least_transfers && !each_is_slow) return false;
    const auto size_ns = static_cast<int64_t>(one.mean_bytes() * 1e9 / target_bus);
    if (wait_ns < least_wait_ns + size_ns) return false;
    const double share = share_of(wait_ns, one.turnaround.percentile_ns(0.5));
    if (share < most) {
        // Over a long path a target may be slow and yet take the smaller part of a command's time: the round trip is the
        // rest, or much of it. Jitter and queues do not delay nearly all commands alike; where not even the target's TCP
        // acknowledged the request, less so.
        constexpr int64_t much_of_it = 4;
        constexpr double nearly_all = 0.1;
        const int64_t least_ns = one.service.percentile_ns(nearly_all);
        const bool proven = 2 * one.proven >= one.count();
        const int64_t rest_ns = one.turnaround.percentile_ns(0.5) - wait_ns;
        if (queues || rtt_ns < rest_ns / much_of_it || share < noticeable_share ||
            least_ns < least_wait_ns + size_ns || least_ns < rtt_ns / (proven ? 8 : 4))
            return false;
    }
    if (wait_ns / std::max(depth, 1u) >= least_wait_ns + size_ns) return true;
    // Where what else is asked of the same logical unit at the same time is served at once, there is no queue before it.
    if (faster != nullptr && is_same_unit(*faster, one) && one.is_meanwhile(*faster)) return true;
    return one.alone.count() > 0 &&
           one.alone.percentile_ns(0.5) >= std::max(wait_ns / 3, least_wait_ns + size_ns);
}

bool shares_its_path(uint32_t connection, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& sender) {
        if (sender.number != connection || sender.is_initiator) return false;
        constexpr double little = 0.25;  // of its own, both of the time that the connection was there
        const int64_t life_ns = elapsed_ns(sender.connection->start_ns, sender.connection->end_ns);
        return life_ns > 0 && sender.beside_rate > little * static_cast<double>(sender.bytes()) * 1e9 /
                                                       static_cast<double>(life_ns);
    });
}

// Data of another connection between the same hosts, either way, stood in a queue on the path as long as half of that: what
// waited there is not known to have waited for the target.
bool path_queues_beside(const ServiceTimes& one, int64_t wait_ns, const ResultStore& store,
                        std::span<const SenderFacts> senders) {
    const ConnectionRow& own = store.connection(one.connection);
    return std::ranges::any_of(senders, [&](const SenderFacts& sender) {
        const ConnectionRow& row = *sender.connection;
        const bool beside = sender.number != one.connection &&
                            row.initiator.address == own.initiator.address &&
                            row.target.address == own.target.address;
        if (!beside || !sender.queues_on_path()) return false;
        const int64_t both_ns =
            elapsed_ns(std::max(row.start_ns, one.first_ns), std::min(row.end_ns, one.last_ns));
        if (2 * both_ns < elapsed_ns(one.first_ns, one.last_ns)) return false;
        return elapsed_ns(sender.rtt_min_ns(), sender.queued_srtt_ns) >= wait_ns / 2;
    });
}

// What the one is asked for comes from the same host, over the same path, as what the other is.
bool is_between_same_hosts(const ServiceTimes& one, const ServiceTimes& other, const ResultStore& store) {
    const ConnectionRow& a = store.connection(one.connection);
    const ConnectionRow& b = store.connection(other.connection);
    return a.initiator.address == b.initiator.address && a.target.address == b.target.address;
}

void add_target_waits(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                      std::span<const SenderFacts> senders, std::span<const ServiceTimes> services) {
    for (const ServiceTimes& one : services) {
        const SessionFacts* session = commands.session(one.session);
        if (session == nullptr) continue;
        const uint32_t depth = std::max(session->depth(0.5), 1u);
        int64_t rtt_ns = no_time;
        double free_share = 0;
        bool queues = false;
        for (const SenderFacts& sender : senders) {
            if (sender.number != one.connection) continue;
            queues = queues || sender.queues_on_path();
            if (sender.is_initiator != one.writes) continue;
            rtt_ns = sender.rtt_min_ns();
            free_share = sender.limited_share(SendLimit::application);
        }
        double all_ns = 0;
        const ServiceTimes* faster = nullptr;  // what else the same target serves sooner
        for (const ServiceTimes& other : services) {
            if (other.session == one.session) all_ns += other.turnaround_sum_ns;
            const bool comparable = &other != &one && is_between_same_hosts(one, other, store) &&
                                    other.count() >= least_transfers &&
                                    other.service.percentile_ns(0.5) < one.service.percentile_ns(0.5) / 3;
            if (!comparable) continue;
            const bool nearer = faster == nullptr || is_same_unit(other, one);
            if (nearer) faster = &other;
        }
        if (!is_slow(one, faster, depth, std::max<int64_t>(rtt_ns, 0), queues)) continue;
        const double share = all_ns > 0 ? std::min(one.service_sum_ns / all_ns, 1.0) : 0;
        if (share < noticeable_share / 2) continue;
        const int64_t wait_ns = one.service.percentile_ns(0.5);
        const std::string_view noun = one.writes ? "writes" : "reads";
        Finding finding;
        finding.kind = Kind::target_wait;
        // That the target's TCP had what it was asked, long before it answered, is the sign that tells it from the path.
        const bool proven = 2 * one.proven >= one.count();
        finding.severity = wait_ns >= long_wait_ns && proven ? Severity::problem : Severity::notice;
        if (!proven) finding.confidence = Finding::Confidence::likely;
        // Where several connections share the path, what waits on one may have waited behind the data of another; but a
        // logical unit that is slow while another is fast is not the path's doing.
        const bool other_unit = faster != nullptr && faster->lun != one.lun;
        // Nor did what came while nothing flowed from the target's host at all wait in a queue.
        const bool was_silent = one.undisturbed.percentile_ns(0.5) >= std::max(least_wait_ns, wait_ns / 2);
        if (!proven && !(other_unit && one.is_meanwhile(*faster)) &&
            path_queues_beside(one, wait_ns, store, senders))
            continue;
        if (!proven && !other_unit && !was_silent && shares_its_path(one.connection, senders))
            finding.severity = Severity::information;
        finding.side = Finding::Side::target;
        finding.sender = Finding::Sender::target;
        finding.session = one.session;
        finding.connection = one.connection;
        finding.lun = one.lun;
        finding.cost_ns = static_cast<int64_t>(static_cast<double>(session->busy_ns) * share);
        if (one.slowest != nullptr) {
            finding.command = one.slowest_command;
            finding.packet = one.slowest->request_packet;
            finding.begin_ns = one.slowest->request_ns;
            finding.end_ns = one.slowest->response_ns;
        }
        finding.title = fmt::format("Half of the {}{} wait {} or more for the target", noun, of_unit(one),
                                    human_duration(wait_ns));
        if (faster != nullptr) {
            // By another session a LUN of the same number may be another unit.
            const bool other_session = faster->session != one.session && faster->lun == one.lun;
            finding.title += fmt::format(", {}{}{} {}", faster->writes ? "writes" : "reads",
                                         is_same_unit(*faster, one) ? "" : of_unit(*faster),
                                         other_session ? fmt::format(" in session {}", faster->session) : "",
                                         human_duration(faster->service.percentile_ns(0.5)));
        }
        finding.add_sign(fmt::format(
            "{} wait {} {}, not counting the round trip, TCP's delays and data of other commands: {} of "
            "their time",
            noun, human_duration(wait_ns),
            one.writes ? write_service_words(static_cast<int64_t>(one.first_r2t_sum_ns),
                                             static_cast<int64_t>(one.service_sum_ns))
                       : "from the request to the first data",
            human_percent(share_of(wait_ns, one.turnaround.percentile_ns(0.5)))));
        if (rtt_ns != no_time) {
            finding.add_sign(
                fmt::format("the minimum round-trip time is {}, and the sender was application-limited for "
                            "{} of the time",
                            human_duration(rtt_ns), human_percent(free_share)));
        }
        if (one.alone.count() > 0 && depth > 1) {
            finding.add_sign(fmt::format("commands that found few others outstanding wait {}",
                                         human_duration(one.alone.percentile_ns(0.5))));
        }
        const bool only_writes =
            one.writes && faster != nullptr && !faster->writes && is_same_unit(*faster, one);
        finding.explanation =
            fmt::format("At queue depth {}. Look at the target: {}.", depth,
                        only_writes ? "only writes are slow, so its write cache, journal, RAID or replication"
                        : faster != nullptr && faster->lun != one.lun
                            ? "the disks behind this logical unit, for others are faster"
                            : "its disks, its cache, what else it serves");
        list.push_back(std::move(finding));
    }
}

// The counterpart of add_target_waits(): the target had asked for data, TCP could have sent them, and none came.
void add_initiator_waits(FindingList& list, const CommandFacts& commands,
                         const std::map<uint32_t, ConnectionWaits>& waits,
                         std::span<const ServiceTimes> services) {
    for (const ServiceTimes& one : services) {
        const SessionFacts* const session = commands.session(one.session);
        const auto found = waits.find(one.connection);
        if (session == nullptr || found == waits.end() || one.latest_answer == nullptr) continue;
        if (one.by_initiator.count() < least_transfers) continue;
        const int64_t wait_ns = one.by_initiator.percentile_ns(0.5);
        const auto size_ns = static_cast<int64_t>(one.mean_bytes() * 1e9 / target_bus);
        const double share = one.by_initiator_sum_ns / one.turnaround_sum_ns;
        if (wait_ns < least_wait_ns + size_ns || share < noticeable_share) continue;
        // Elsewhere the R2T, or the data, may have been held on the path.
        const bool at_initiator = found->second.is_at_initiator;
        Finding finding;
        finding.kind = Kind::initiator_wait;
        finding.severity = wait_ns >= long_wait_ns && at_initiator ? Severity::problem : Severity::notice;
        finding.confidence = at_initiator ? Finding::Confidence::likely : Finding::Confidence::possible;
        finding.side = at_initiator ? Finding::Side::initiator : Finding::Side::none;
        finding.sender = Finding::Sender::initiator;
        finding.session = one.session;
        finding.connection = one.connection;
        finding.lun = one.lun;
        finding.cost_ns = static_cast<int64_t>(static_cast<double>(session->busy_ns) * std::min(share, 1.0));
        finding.command = one.latest_answer_command;
        finding.packet = one.latest_answer->request_packet;
        finding.begin_ns = one.latest_answer->request_ns;
        finding.end_ns = one.latest_answer->response_ns;
        finding.title =
            fmt::format("Half of the writes{} wait {} or more for the initiator's data{}", of_unit(one),
                        human_duration(wait_ns), at_initiator ? "" : ", or on the path");
        finding.add_sign(fmt::format("from the first R2T to the first Data-Out PDU {}: {} of their time",
                                     human_duration(wait_ns), human_percent(share)));
        finding.add_sign("the initiator's TCP had nothing else to send then, and could have sent");
        finding.explanation =
            at_initiator
                ? "The target had asked for the data. Look at the initiator: whether its processors are "
                  "busy, and how its iSCSI threads are scheduled."
                : "The target had asked for the data. Capture at the initiator too: that shows whether the "
                  "R2T came to it in time.";
        list.push_back(std::move(finding));
    }
}

// The sender of a session's data in one direction: of the connection that carried most.
const SenderFacts* sender_of(uint32_t session, bool initiator, std::span<const SenderFacts> senders) {
    const SenderFacts* busiest = nullptr;
    for (const SenderFacts& sender : senders) {
        if (sender.connection->session != session || sender.is_initiator != initiator) continue;
        if (busiest == nullptr || sender.bytes() > busiest->bytes()) busiest = &sender;
    }
    return busiest;
}

// Connections of one session share its commands; where they do not, all but one are idle.
void add_imbalance(FindingList& list, const ResultStore& store, const CommandFacts& commands) {
    struct Load {
        uint64_t connections = 0;
        uint64_t all = 0;
        uint64_t greatest = 0;
        uint64_t least = UINT64_MAX;
        uint32_t busiest = 0;
        // When all of them were there: a connection that takes the place of another shares nothing with it.
        int64_t together_from_ns = INT64_MIN;
        int64_t together_until_ns = INT64_MAX;
        int64_t longest_ns = 0;
    };
    std::map<uint32_t, Load> loads;
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0 || store.session(connection.session).connections < 2) continue;
        Load& load = loads[connection.session];
        if (number > commands.of_connection.size()) break;  // it came while others were looked at
        const uint64_t count = commands.of_connection[number - 1];
        ++load.connections;
        load.all += count;
        load.least = std::min(load.least, count);
        if (count > load.greatest) load.busiest = number;
        load.greatest = std::max(load.greatest, count);
        load.together_from_ns = std::max(load.together_from_ns, connection.start_ns);
        load.together_until_ns = std::min(load.together_until_ns, connection.end_ns);
        load.longest_ns = std::max(load.longest_ns, elapsed_ns(connection.start_ns, connection.end_ns));
    }
    constexpr uint64_t least_commands = 100;
    constexpr uint64_t tolerable = 3;
    for (const auto& [session, load] : loads) {
        if (load.connections < 2 || load.all < least_commands) continue;
        if (load.greatest < tolerable * std::max<uint64_t>(load.least, 1)) continue;
        if (share_of(elapsed_ns(load.together_from_ns, load.together_until_ns), load.longest_ns) < most)
            continue;
        Finding finding;
        finding.kind = Kind::connection_imbalance;
        finding.severity = Severity::notice;
        finding.side = Finding::Side::initiator;
        finding.session = session;
        finding.connection = load.busiest;
        finding.add_sign(fmt::format("{} on one connection, {} on another", counted(load.greatest, "command"),
                                     counted(load.least, "command")));
        finding.title = fmt::format(
            "One of {} connections of session {} carried {} of its commands", load.connections, session,
            human_percent(static_cast<double>(load.greatest) / static_cast<double>(load.all)));
        finding.explanation = fmt::format(
            "The least used one carried {}. Look at how the initiator spreads commands, and whether the "
            "others were slower or came later.",
            counted(load.least, "command"));
        list.push_back(std::move(finding));
    }
}

double command_time_ns(const SessionFacts& session) {
    const auto of = [](const TimeParts& parts) {
        return parts.turnaround.mean_ns() * static_cast<double>(parts.turnaround.count());
    };
    return of(session.reads) + of(session.writes);
}

// What a session of little load could do better keeps nobody waiting: a look at a logical unit before the load proper, say.
void judge_by_load(std::span<Finding> of_session, double share) {
    constexpr double little = 0.1;
    if (share >= little) return;
    for (Finding& finding : of_session) {
        if (finding.kind != Kind::shallow_queue) continue;
        finding.severity = Severity::information;
        finding.explanation +=
            fmt::format(" Its commands took {} of the time of all commands.", human_percent(share));
    }
}

}  // namespace

void add_load_findings(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                       std::span<const SenderFacts> senders, const std::map<uint32_t, ConnectionWaits>& waits,
                       std::span<const ServiceTimes> services) {
    const size_t before = list.size();
    add_target_waits(list, store, commands, senders, services);
    add_initiator_waits(list, commands, waits, services);
    double all_ns = 0;
    for (const SessionFacts& session : commands.sessions) all_ns += command_time_ns(session);
    for (const SessionFacts& session : commands.sessions) {
        // A host that is slow needs no other explanation of few data.
        const bool host_is_slow =
            std::any_of(list.begin() + static_cast<ptrdiff_t>(before), list.end(),
                        [&](const Finding& one) { return one.session == session.session; });
        // The direction with the more data is the session's load.
        for (const bool reads : {true, false}) {
            const TimeParts& parts = reads ? session.reads : session.writes;
            const TimeParts& others = reads ? session.writes : session.reads;
            if (parts.count() < least_transfers || parts.bytes < others.bytes) continue;
            const SenderFacts* sender = sender_of(session.session, !reads, senders);
            if (sender != nullptr && !sender->is_not_judged()) {
                const size_t known = list.size();
                OfSession(list, session, store.session(session.session), *sender, parts, reads)
                    .add(host_is_slow);
                judge_by_load(std::span(list).subspan(known),
                              all_ns > 0 ? command_time_ns(session) / all_ns : 1);
            }
            break;
        }
    }
    if (!store.commands().empty()) add_imbalance(list, store, commands);
}

}  // namespace sanscope
