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
// A target that takes less is as fast as flash; that is no wait.
constexpr int64_t least_wait_ns = 1'000'000;
// One more round trip for each write matters where it is this share of its time.
constexpr double noticeable_share = 0.2;

// As much under way half of the time is a flow.
constexpr uint32_t flowing_segments = 8;

class OfSession {
  public:
    OfSession(FindingList& list, const SessionFacts& session, const SenderFacts& sender,
              const TimeParts& parts, bool reads)
        : list_(list), session_(session), sender_(sender), parts_(parts), reads_(reads) {
        const int64_t least_ns = sender.rtt_min_ns();
        rtt_ns_ = least_ns == no_time ? 0 : least_ns;
        // At the target a round trip of each command's time is behind the tap.
        const bool at_target = sender.connection->vantage == Vantage::target;
        turnaround_ns_ = parts.turnaround.percentile_ns(0.5) + (at_target ? rtt_ns_ : 0);
        size_ = static_cast<double>(parts.bytes) / static_cast<double>(parts.count());
        busy_ns_ = session.busy_ns;
        throughput_ =
            busy_ns_ > 0 ? static_cast<double>(session.bytes()) * 1e9 / static_cast<double>(busy_ns_) : 0;
        depth_ = session.depth(0.5);
        if (at_target && busy_ns_ > 0) {
            // The requests and answers under way on the path count as well (Little's law).
            const double taken_ns = parts.turnaround.mean_ns() + static_cast<double>(rtt_ns_);
            const double mean_depth =
                static_cast<double>(session.transfers()) * taken_ns / static_cast<double>(busy_ns_);
            depth_ = std::max(depth_, static_cast<uint32_t>(std::lround(std::min(mean_depth, 1e6))));
        }
    }

    void add() {
        r2t_waits();
        // What follows is about senders that had nothing to send.
        if (sender_.queues_on_path() || sender_.limited_share(SendLimit::application) < most) return;
        if (shallow_queue() || send_buffer()) return;
        if (reads_) target_wait();
    }

  private:
    Finding begin(Kind kind, Severity severity, int64_t cost_ns) const {
        Finding finding = sender_.finding(kind, severity);
        finding.session = session_.session;
        finding.cost_ns = cost_ns;
        return finding;
    }
    std::string_view direction() const { return reads_ ? "reads" : "writes"; }
    std::string size() const { return human_binary_bytes(static_cast<uint64_t>(std::llround(size_))); }

    bool shallow_queue() {
        if (rtt_ns_ == 0 || depth_ == 0 || turnaround_ns_ == 0) return false;
        const double path_share = share_of(rtt_ns_, turnaround_ns_);
        const double most_possible = depth_ * size_ * 1e9 / static_cast<double>(rtt_ns_);
        if (path_share < most || most_possible >= plenty) return false;
        // Where it did much less than the path allows, something else is the matter.
        if (throughput_ < most * most_possible) return false;
        const double enough = std::ceil(plenty * static_cast<double>(rtt_ns_) / 1e9 / size_);
        Finding finding = begin(Kind::shallow_queue, Severity::notice,
                                static_cast<int64_t>(static_cast<double>(busy_ns_) * path_share));
        finding.title =
            fmt::format("{} of {} at queue depth {} over {}: at most {}", reads_ ? "Reads" : "Writes", size(),
                        depth_, human_duration(rtt_ns_), human_rate(most_possible));
        finding.explanation = fmt::format(
            "Session {} moved {}; the path's round trip is {} of a command's time, and no TCP window stood "
            "in the way. Larger requests or more of them at once would move more: to fill 1 Gbit/s, {} of "
            "this size.",
            session_.session, human_rate(throughput_), human_percent(std::min(path_share, 1.0)),
            human_count(static_cast<uint64_t>(enough)));
        list_.push_back(std::move(finding));
        return true;
    }

    // As much as the send buffer holds is always in flight: whatever is acknowledged is replaced at once, no more.
    bool send_buffer() {
        const uint32_t in_flight = sender_.in_flight_p50;
        constexpr double steady = 0.4;
        constexpr double well_below = 0.75;
        const uint32_t cwnd = sender_.summary->cwnd_max();
        const bool is_steady = sender_.in_flight_p10 >= steady * sender_.in_flight_p90;
        const bool is_below_window = cwnd != unknown<uint32_t> && sender_.in_flight_p90 <= well_below * cwnd;
        if (!sender_.has_windows || !is_steady || !is_below_window) return false;
        if (in_flight < flowing_segments * sender_.mss()) return false;
        // What waits must be more than what is under way.
        if (depth_ * size_ < 2.0 * in_flight) return false;
        Finding finding =
            begin(Kind::send_buffer, Severity::notice, sender_.limited_ns(SendLimit::application));
        finding.title =
            fmt::format("{} keeps about {} under way, never much more, though {} of {} wait", sender_.name(),
                        human_bytes(in_flight), counted(depth_, reads_ ? "read" : "write"), size());
        finding.explanation = fmt::format(
            "No TCP window held it there. So it looks like a send buffer of no more than {}, good for {} "
            "over {}: let its sockets have larger ones (tcp_wmem on Linux, SO_SNDBUF). Or it reads its data "
            "at just that pace.",
            human_bytes(sender_.in_flight_p90), human_rate(throughput_), human_duration(rtt_ns_));
        list_.push_back(std::move(finding));
        return true;
    }

    void target_wait() {
        const LogHistogram& before = parts_.before_data;
        if (before.count() < least_transfers) return;
        // Where data flow all the time, commands wait for those before them, not for the target to find theirs.
        if (sender_.in_flight_p50 >= flowing_segments * sender_.mss()) return;
        const bool at_initiator = sender_.connection->vantage != Vantage::target;
        const int64_t wait_ns = before.percentile_ns(0.5) - (at_initiator ? rtt_ns_ : 0);
        if (wait_ns < least_wait_ns || share_of(wait_ns, turnaround_ns_) < most) return;
        Finding finding =
            begin(Kind::target_wait, Severity::notice,
                  static_cast<int64_t>(static_cast<double>(busy_ns_) * share_of(wait_ns, turnaround_ns_)));
        finding.title = fmt::format("Half of the reads of session {} waited {} or more for the target",
                                    session_.session, human_duration(wait_ns));
        finding.explanation = fmt::format(
            "That is {} of their time, at queue depth {}; the path's round trip is {}, and TCP held nothing "
            "back. Look at the target: its disks, its cache, what else it serves.",
            human_percent(share_of(wait_ns, turnaround_ns_)), depth_,
            rtt_ns_ > 0 ? human_duration(rtt_ns_) : "not known");
        list_.push_back(std::move(finding));
    }

    void r2t_waits() {
        if (reads_ || rtt_ns_ == 0 || turnaround_ns_ == 0) return;
        const double rounds = static_cast<double>(parts_.r2ts) / static_cast<double>(parts_.count());
        const double mean_ns = parts_.turnaround.mean_ns();
        const double share = mean_ns > 0 ? std::min(rounds * static_cast<double>(rtt_ns_) / mean_ns, 1.0) : 0;
        if (share < noticeable_share) return;
        Finding finding = begin(Kind::r2t_waits, Severity::notice,
                                static_cast<int64_t>(static_cast<double>(busy_ns_) * share));
        finding.title = fmt::format("Writes of session {} waited for {:.1f} R2Ts each: {} of their time",
                                    session_.session, rounds, human_percent(share));
        finding.explanation = fmt::format(
            "Each R2T costs a round trip ({}) before the data may go. Let data go along with the command: "
            "ImmediateData=Yes, InitialR2T=No, a larger FirstBurstLength; and fewer R2Ts: a larger "
            "MaxBurstLength.",
            human_duration(rtt_ns_));
        list_.push_back(std::move(finding));
    }

    FindingList& list_;
    const SessionFacts& session_;
    const SenderFacts& sender_;
    const TimeParts& parts_;
    bool reads_;
    int64_t rtt_ns_ = 0;
    int64_t turnaround_ns_ = 0;
    int64_t busy_ns_ = 0;
    uint32_t depth_ = 0;  // half of the requests found so much or less under way
    double size_ = 0;
    double throughput_ = 0;
};

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
    };
    std::map<uint32_t, Load> loads;
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0 || store.sessions()[connection.session - 1].connections < 2) continue;
        Load& load = loads[connection.session];
        if (number > commands.of_connection.size()) break;  // it came while others were looked at
        const uint64_t count = commands.of_connection[number - 1];
        ++load.connections;
        load.all += count;
        load.least = std::min(load.least, count);
        if (count > load.greatest) load.busiest = number;
        load.greatest = std::max(load.greatest, count);
    }
    constexpr uint64_t least_commands = 100;
    constexpr uint64_t tolerable = 3;
    for (const auto& [session, load] : loads) {
        if (load.connections < 2 || load.all < least_commands) continue;
        if (load.greatest < tolerable * std::max<uint64_t>(load.least, 1)) continue;
        Finding finding;
        finding.kind = Kind::connection_imbalance;
        finding.severity = Severity::notice;
        finding.session = session;
        finding.connection = load.busiest;
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

}  // namespace

void add_load_findings(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                       std::span<const SenderFacts> senders) {
    for (const SessionFacts& session : commands.sessions) {
        // The direction with the more data is the session's load.
        for (const bool reads : {true, false}) {
            const TimeParts& parts = reads ? session.reads : session.writes;
            const TimeParts& others = reads ? session.writes : session.reads;
            if (parts.count() < least_transfers || parts.bytes < others.bytes) continue;
            const SenderFacts* sender = sender_of(session.session, !reads, senders);
            if (sender != nullptr) OfSession(list, session, *sender, parts, reads).add();
            break;
        }
    }
    if (!store.commands().empty()) add_imbalance(list, store, commands);
}

}  // namespace sanscope
