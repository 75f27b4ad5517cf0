// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/send_buffer_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// As much under way half of the time is a flow.
constexpr uint32_t flowing_segments = 8;

// Of the commands under way at once, those whose data this sender has.
double depth_of_sender(const SessionLoad& load) {
    return load.sender_share * load.depth;
}

// Bytes that are in flight or wait to be sent: of a read nothing does while its request is on the way.
double bytes_to_send(const SessionLoad& load) {
    const double outstanding = depth_of_sender(load) * load.mean_bytes;
    if (!load.reads) return outstanding;
    // Captured at the target, it is not under way before.
    const auto on_the_way = static_cast<double>(std::max<int64_t>(load.rtt_ns - load.behind_tap_ns, 0)) / 2;
    return outstanding * std::max(0.0, 1 - on_the_way / load.parts.turnaround.mean_ns());
}

// Bytes a second of a buffer's worth each round trip.
double rate_of_buffer(const SessionLoad& load) {
    return static_cast<double>(load.sender.in_flight_p90) * 1e9 / static_cast<double>(load.rtt_ns);
}

}  // namespace

// As much as something holds is always in flight, though more waits: whatever is acknowledged is replaced at once, no more.
bool is_filled_to_one_amount(const SessionLoad& load) {
    // What an R2T asked for is all that may be under way.
    if (!load.reads && 2 * load.parts.r2ts >= load.parts.count()) return false;
    const uint32_t in_flight = load.sender.in_flight_p50;
    constexpr double steady = 0.7;
    constexpr double seldom_less = 0.25;
    const bool is_steady = load.sender.in_flight_p50 >= steady * load.sender.in_flight_p90 &&
                           load.sender.in_flight_p10 >= seldom_less * load.sender.in_flight_p90;
    if (!load.sender.has_windows || !is_steady || !load.sender.is_bulk()) return false;
    if (in_flight < flowing_segments * load.sender.mss() || load.rtt_ns < SessionLoad::least_long_path_ns / 2)
        return false;
    // What waits must be more than what is under way.
    if (bytes_to_send(load) < 2.0 * in_flight || load.throughput >= SessionLoad::plenty) return false;
    // What is acknowledged is replaced: a buffer's worth each round trip.
    return load.sender_share * load.throughput >= SessionLoad::most * rate_of_buffer(load);
}

// It is the send buffer that holds so much.
bool add_send_buffer(const SessionLoad& load) {
    if (!is_filled_to_one_amount(load)) return false;
    const uint32_t in_flight = load.sender.in_flight_p50;
    constexpr double well_below = 0.75;
    const uint32_t cwnd = load.sender.summary->cwnd_max();
    // Nor may the receiver's window be what is full: where that is not known, nothing is.
    const bool is_below_window = cwnd != unknown<uint32_t> &&
                                 load.sender.in_flight_p90 <= well_below * cwnd &&
                                 load.sender.in_flight_p90 <= well_below * load.sender.widest_offered;
    if (!is_below_window) return false;
    Finding finding = load.begin(Kind::send_buffer, Finding::Severity::notice,
                                 load.sender.limited_ns(SendLimit::application));
    finding.side = load.reads ? Finding::Side::target : Finding::Side::initiator;
    // An application that sends at that pace does the same.
    finding.confidence = Finding::Confidence::likely;
    // Seen from afar, a congestion window that losses keep small looks the same: how far it had grown is an estimate.
    const bool at_sender =
        load.sender.connection->vantage == (load.reads ? Vantage::target : Vantage::initiator);
    if (!at_sender && load.sender.repaired() > 0) finding.confidence = Finding::Confidence::possible;
    finding.title = fmt::format(
        "{} never has much more than {} in flight, with {} of {} outstanding", load.sender.name(),
        human_bytes(in_flight),
        counted(static_cast<uint64_t>(std::llround(depth_of_sender(load))), load.noun()), load.size());
    finding.explanation = fmt::format(
        "It looks like a send buffer of no more than {}, which allows {} with a round-trip time of {}; "
        "{} were moved. Let its sockets have larger ones (tcp_wmem on Linux, SO_SNDBUF). Or it reads its "
        "data at just that pace.",
        human_bytes(load.sender.in_flight_p90), human_rate(rate_of_buffer(load)), human_duration(load.rtt_ns),
        human_rate(load.throughput));
    finding.add_sign(fmt::format("at most {} in flight half of the time, at most {} nine tenths of it",
                                 human_bytes(load.sender.in_flight_p50),
                                 human_bytes(load.sender.in_flight_p90)));
    finding.add_sign(fmt::format("its congestion window had grown to {}, and limited it {} of the time",
                                 human_bytes(cwnd),
                                 human_percent(load.sender.limited_share(SendLimit::congestion))));
    load.list.push_back(std::move(finding));
    return true;
}

}  // namespace sanscope
