// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/spells.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Bytes sent again that the receiver had: shown by D-SACK, timestamps, or an acknowledgement that the capture has before.
struct NeedlessRepeat {
    PacketNumber original = 0;  // 0 where it is not known
    PacketNumber packet = 0;
    int64_t time_ns = no_time;   // at the sender
    int64_t delay_ns = no_time;  // since the original, there
};

// Sent again because the network lost it.
constexpr bool is_repair(LossKind kind) {
    return kind == LossKind::fast_retransmit || kind == LossKind::rto || kind == LossKind::tlp;
}

// What came of data that were sent twice in a stall.
enum class RepeatsCame : uint8_t {
    unknown,
    held,    // the first was held up on its way to the capture until the stall was over
    in_time  // the first had come before: it was what came back that did not reach the sender
};

// What the findings rest on of the data of one side of a connection.
struct SenderFacts {
    // A queue is in earnest where the path has this many segments in flight half of the time: below, a delayed
    // acknowledgement alone doubles a round trip.
    static constexpr uint32_t queue_segments = 8;
    // What is reckoned with where none is known.
    static constexpr int64_t default_round_ns = 1'000'000;

    const SenderSummary* summary = nullptr;
    const ConnectionRow* connection = nullptr;
    uint32_t number = 0;  // of the connection
    bool is_initiator = false;
    // When commands of its connection were under way: what an initiator waits for. Empty where commands are not known.
    const TimeSpans* busy = nullptr;

    // Of the table `losses` where it is kept, else of the summary.
    std::array<uint64_t, loss_kinds> losses{};
    std::array<PacketNumber, loss_kinds> first_loss{};
    uint64_t lost_bytes = 0;    // sent again because the network lost them
    uint64_t copied_bytes = 0;  // in the capture once more, of packets captured twice
    Spell burst;  // the most segments sent again in a row: losses follow each other within a round trip
    uint64_t burst_losses = 0;
    TimeSpans repairs;        // from a lost segment until it was sent again, and recovery
    TimeSpans lost;           // from a lost segment until it was sent again
    TimeSpans unseen_losses;  // when a retransmission came whose original was lost before the capture

    // Of the table `windows`; nothing of the following where that is not kept.
    bool has_windows = false;
    int64_t busy_ns = 0;  // of the time observed, a command was under way
    std::array<int64_t, send_limits> limited_busy_ns{};
    int64_t limit_unknown_ns = 0;  // of busy_ns, with data in flight
    std::array<TimeProfile, send_limits> limited;
    TimeSpans held_back;  // by anything but its application
    TimeSpans flowing;    // its data passed one upon another, in the capture's time
    Spells timeouts;      // no progress at all, ended by what a retransmission timeout sent
    uint64_t timeouts_answered =
        0;  // of those: what the timer sent was answered a round trip later, as if it were wanted
    bool stands_still_at_end = false;  // the last of `timeouts` was not over when its rows ended
    // Another sender between the same two hosts made no progress for most of the longest of them.
    bool others_stood_still = false;
    // Data of another connection between the two flowed in the midst of it.
    bool others_moved_on = false;
    // Commands were under way in `timeouts` or `repeats_after_ack`, and each took no longer than others of its kind.
    bool delayed_no_command = false;
    std::vector<NeedlessRepeat> repeats;              // in order of packets
    RepeatsCame repeats_came = RepeatsCame::unknown;  // of a sender far from the capture
    Spells
        repeats_after_ack;  // silence until it sent again what the capture shows acknowledged before, commands under way
    // Silence with data outstanding, longer than any retransmission timer, and no retransmission behind it: no TCP does that, so
    // it was the clock that moved, or both hosts that stood still. Or silence that was none by the TCP timestamps of both hosts.
    Spells clock_jumps;
    bool clocks_stood_still =
        false;  // the longest of them was none by the TCP timestamps of both hosts, either
    // The same for shorter than that, but longer than any delayed acknowledgement and the least timer: the other host, the path
    // or the clock stood still, and nobody can tell which.
    TimeSpans silences;
    Spells stalls;  // before a closed window
    // Its data were acknowledged later than a round trip, by a packet without data: the path or a host's TCP had them. Of an
    // initiator whose data were not captured at the target.
    TimeSpans late_acks;
    // … or by a packet with data, or as late as a delayed acknowledgement may be: nobody can tell the path from the program
    // that answered.
    TimeSpans unproven_acks;
    Spells ack_waits;  // little was outstanding, and with its acknowledgement the rest of a PDU came at once
    uint64_t pdu_pauses =
        0;  // of 30 ms and more within PDUs that had begun, whatever ended them: ack_waits among them
    // Of ack_waits, the time in which no command was under way: what waited was the rest of a request.
    int64_t ack_waits_idle_ns = 0;
    int64_t ack_wait_p50_ns = 0;
    // Of ack_waits, those as long as half of them, within a quarter: a timer's.
    uint64_t ack_waits_alike = 0;
    // Of ack_waits, those in which the congestion window had no room for another segment.
    uint64_t ack_waits_for_cwnd = 0;
    TimeProfile queued;  // the round trip was twice its minimum and more: data wait in a queue on the path
    int64_t queued_ns = 0;
    double queued_bytes = 0;           // acknowledged in that time
    int64_t queued_srtt_ns = no_time;  // the mean of that time
    // Of stretches of that time, the bytes a second that were acknowledged: what a bottleneck gives is the same in most.
    uint64_t queued_stretches = 0;
    uint64_t queued_stretches_alike = 0;  // within a quarter of what half of them had at the most
    // Bytes a second within bursts of half a flight: three quarters of them had no more. No port gives more than its rate,
    // however short the burst; what an application paces comes at the rate of the link.
    double queued_burst_rate = 0;
    double beside_rate =
        0;  // bytes a second of other connections the same way at the same time, which share the path
    uint32_t widest_window = 0;   // the receiver offered while it was what limited
    uint32_t widest_offered = 0;  // … and at any time
    // Of the time limited by the receiver: before windows that later grew by half and more, as autotuning makes them
    // (tcp_rcv_space_adjust() of Linux).
    int64_t receiver_growing_ns = 0;
    // … and before windows much smaller than it had offered already: it did not read.
    int64_t receiver_shrunk_ns = 0;
    uint32_t receiver_rounds = 0;  // round trips limited by the receiver since its window last grew
    bool cwnd_was_wider = false;   // at a moment limited by the receiver, the congestion window allowed more
    uint32_t outstanding_at_limit = 0;  // bytes not acknowledged then, at the most
    // Bytes in flight while data were in flight and commands under way, by time: a tenth, the half, nine tenths of it had no
    // more than this.
    uint32_t in_flight_p10 = 0;
    uint32_t in_flight_p50 = 0;
    uint32_t in_flight_p90 = 0;
    // How far the smoothed round trip goes with what is in flight then: RoundTripGrowth::correlation().
    double round_trip_growth = 0;
    uint64_t ecn_reductions = 0;  // where ca_transitions are kept
    // Into Disorder and back without a retransmission: what the receiver had reported to be missing came by itself.
    uint64_t holes_that_filled = 0;
    uint64_t disorders = 0;  // into Disorder, whatever came of it
    // After silence the window began anew (RFC 5681 §4.1), without a loss.
    uint64_t idle_restarts = 0;
    uint64_t idle_restarts_disproved =
        0;                          // of these, behind which more was sent at once than the window allowed
    uint32_t cwnd_before_idle = 0;  // the largest
    uint32_t cwnd_after_idle = unknown<uint32_t>;

    uint64_t captured_bytes() const { return is_initiator ? connection->bytes_out : connection->bytes_in; }
    // Sent, retransmissions included.
    uint64_t bytes() const { return captured_bytes() - std::min(copied_bytes, captured_bytes()); }
    bool is_bulk() const;
    int64_t observed_ns() const { return summary->observed_ns(); }
    // While commands were under way, where they are known: what a sender with nothing to send waits for costs nobody.
    bool knows_busy() const { return busy != nullptr && busy_ns > 0; }
    int64_t judged_ns() const { return knows_busy() ? busy_ns : observed_ns(); }
    int64_t limited_ns(SendLimit limit) const {
        return knows_busy() ? limited_busy_ns[static_cast<size_t>(limit)] : summary->limited_ns(limit);
    }
    double limited_share(SendLimit limit) const { return share_of(limited_ns(limit), judged_ns()); }
    double queued_share() const { return share_of(queued_ns, judged_ns()); }
    double rate() const;  // bytes a second while commands were under way
    // Data waited in a queue on the path for most of the time, and in earnest: the path is the bottleneck.
    bool queues_on_path() const;
    double queued_rate() const;  // bytes a second meanwhile
    // And the path gave the same all the time, less than a fast link: what limits is there.
    bool has_bottleneck() const;
    // Segments the network lost, each repaired once.
    uint64_t repaired() const;
    int64_t held_back_ns() const;
    int64_t rtt_min_ns() const;
    // What a round trip took while its data queued on the path; the least one where they did not.
    int64_t loaded_rtt_ns() const;
    // One direction of the connection is not in the capture: nothing is known of what its TCP heard.
    bool is_half_captured() const;
    // What its TCP did is not known: of a direction nothing was captured, or the two were stamped by clocks that are apart.
    bool is_not_judged() const;
    // Of nearly all it sent there are two packets, too far apart for all the copies to be known as such.
    bool is_all_twice() const;
    // So much of it is known to be there twice that any other segment which looks sent again may be a copy too.
    bool is_mirrored() const;
    // What it sends passes the capture before the path.
    bool captured_at_sender() const;
    uint32_t mss() const;  // the usual one where it is not known
    // Both SYNs were seen, so that mss() is what the two agreed on.
    bool mss_is_agreed() const;

    // "target 192.0.2.2:3260"
    std::string name() const;
    std::string other_name() const;
    // Of a queue on the path.
    std::string queue_title(double bytes_per_second) const;
    std::string queue_sign() const;
    // A finding about this sender.
    Finding finding(Finding::Kind kind, Finding::Severity severity) const;
};

}  // namespace sanscope
