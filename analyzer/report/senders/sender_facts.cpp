// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/sender_facts.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sanscope {
namespace {

constexpr double nearly_half = 0.35;  // of the bytes, copies included: of all there are two

}  // namespace

bool SenderFacts::is_bulk() const {
    constexpr uint64_t least_bulk = 500'000;  // some hundred segments
    return bytes() >= least_bulk;
}

bool SenderFacts::queues_on_path() const {
    return has_windows && is_bulk() && queued_share() >= 0.5 && in_flight_p50 >= queue_segments * mss();
}

double SenderFacts::rate() const {
    return judged_ns() > 0 ? static_cast<double>(bytes()) * 1e9 / static_cast<double>(judged_ns()) : 0;
}

int64_t SenderFacts::loaded_rtt_ns() const {
    return has_bottleneck() ? std::max(queued_srtt_ns, rtt_min_ns()) : rtt_min_ns();
}

bool SenderFacts::is_half_captured() const {
    return connection->packets_out == 0 || connection->packets_in == 0;
}

bool SenderFacts::is_not_judged() const {
    return is_half_captured() || !connection->tcp_is_judged();
}

bool SenderFacts::is_all_twice() const {
    constexpr uint64_t least_copies = 10;
    const uint64_t copies = losses[static_cast<size_t>(LossKind::duplicate)];
    const uint64_t needless = losses[static_cast<size_t>(LossKind::spurious)];
    // So late, it is none (RFC 6298 §2.4).
    const uint64_t again = repaired() - losses[static_cast<size_t>(LossKind::rto)] + needless;
    // Each one has its copy, what was sent again too.
    constexpr double nearly_all = 0.9;
    if (2 * static_cast<double>(copied_bytes) >= nearly_all * static_cast<double>(captured_bytes()))
        return false;
    // Farther apart than a round trip all of the copies look needless. A TCP that sends half of its data so is in Loss for it.
    constexpr uint64_t many = 100;
    if (needless >= many && needless >= 9 * repaired() && summary->in_state_ns(CaState::loss) == 0) {
        return static_cast<double>(copies + again) * mss() >=
               nearly_half * static_cast<double>(captured_bytes());
    }
    // Where nearly all copies are known, what is left was sent again.
    if (copies < least_copies || 4 * again < copies) return false;
    return static_cast<double>(copies + again) * mss() >= nearly_half * static_cast<double>(captured_bytes());
}

bool SenderFacts::is_mirrored() const {
    const uint64_t copies = losses[static_cast<size_t>(LossKind::duplicate)];
    return copies > 0 &&
           static_cast<double>(copies) * mss() >= nearly_half * static_cast<double>(captured_bytes());
}

bool SenderFacts::captured_at_sender() const {
    return connection->vantage == (is_initiator ? Vantage::initiator : Vantage::target);
}

bool SenderFacts::has_bottleneck() const {
    constexpr uint64_t least_stretches = 16;
    // Any port that somebody would call slow: not a link of 1 Gbit/s that is nearly full, nor a host at its limit.
    constexpr double slow_link = 50e6;
    constexpr int64_t least_queue_ns = 1'000'000;
    if (!queues_on_path() || queued_srtt_ns - rtt_min_ns() < least_queue_ns) return false;
    if (queued_rate() <= 0 || queued_rate() >= slow_link) return false;
    // A burst that came faster than all that the path is said to carry shows that it carries more.
    constexpr double clearly_faster = 1.3;
    if (queued_burst_rate > clearly_faster * (queued_rate() + beside_rate)) return false;
    return queued_stretches >= least_stretches && 3 * queued_stretches_alike >= 2 * queued_stretches;
}

double SenderFacts::queued_rate() const {
    return queued_ns > 0 ? queued_bytes * 1e9 / static_cast<double>(queued_ns) : 0;
}

uint64_t SenderFacts::repaired() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < loss_kinds; ++i) {
        if (is_repair(static_cast<LossKind>(i))) sum += losses[i];
    }
    return sum;
}

int64_t SenderFacts::held_back_ns() const {
    return limited_ns(SendLimit::receiver) + limited_ns(SendLimit::congestion) +
           limited_ns(SendLimit::pacing) + limited_ns(SendLimit::recovery);
}

int64_t SenderFacts::rtt_min_ns() const {
    const int64_t of_connection_ns = connection->rtt_min_ns;
    int64_t least_ns = summary->rtt_min_ns() != no_time ? summary->rtt_min_ns() : of_connection_ns;
    // From afar it is reckoned by what echoes and acknowledgements tell, and may come out too small. Both sides have one path,
    // whose round trip the capture itself shows.
    if (!captured_at_sender() && of_connection_ns != no_time) least_ns = std::max(least_ns, of_connection_ns);
    return least_ns == no_time ? no_time : round_trip_ns(least_ns);
}

uint32_t SenderFacts::mss() const {
    constexpr uint32_t usual = 1460;
    return connection->mss == unknown<uint32_t> || connection->mss == 0 ? usual : connection->mss;
}

bool SenderFacts::mss_is_agreed() const {
    const bool known = connection->mss != unknown<uint32_t> && connection->mss != 0;
    return known && connection->out.syns > 0 && connection->in.syns > 0;
}

std::string SenderFacts::name() const {
    const Endpoint& end = connection->endpoint(summary->side());
    const std::string_view role = !connection->iscsi ? "host " : is_initiator ? "initiator " : "target ";
    return std::string(role) + format_endpoint(end.address, end.port);
}

std::string SenderFacts::other_name() const {
    const Endpoint& end = connection->endpoint(other_side(summary->side()));
    const std::string_view role = !connection->iscsi ? "host " : is_initiator ? "target " : "initiator ";
    return std::string(role) + format_endpoint(end.address, end.port);
}

std::string SenderFacts::queue_title(double bytes_per_second) const {
    return fmt::format("Data of {} queued on the path at {}: round-trip time {} under load, {} without",
                       name(), human_rate(bytes_per_second), human_duration(queued_srtt_ns),
                       human_duration(rtt_min_ns()));
}

std::string SenderFacts::queue_sign() const {
    return fmt::format("the smoothed round-trip time (SRTT) was {} on average under load, the minimum {}",
                       human_duration(queued_srtt_ns), human_duration(rtt_min_ns()));
}

Finding SenderFacts::finding(Finding::Kind kind, Finding::Severity severity) const {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.connection = number;
    finding.session = connection->session;
    finding.sender = is_initiator ? Finding::Sender::initiator : Finding::Sender::target;
    return finding;
}

}  // namespace sanscope
