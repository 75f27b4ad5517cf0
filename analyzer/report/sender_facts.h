// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/time_spans.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// A stretch of time and the packet that shows it.
struct Spell {
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    PacketNumber packet = 0;

    int64_t length_ns() const { return elapsed_ns(begin_ns, end_ns); }
};

// Spells of one kind: all of them, and the longest.
struct Spells {
    uint64_t count = 0;
    int64_t total_ns = 0;
    Spell longest;
    TimeSpans spans;

    void add(const Spell& spell);
};

// What the findings rest on of the data of one side of a connection.
struct SenderFacts {
    const SenderSummary* summary = nullptr;
    const ConnectionRow* connection = nullptr;
    uint32_t number = 0;  // of the connection
    bool is_initiator = false;
    bool wants_spans = false;  // of a wanted connection: `repairs` and `held_back` are filled

    // Of the table `losses` where it is kept, else of the summary.
    std::array<uint64_t, loss_kinds> losses{};
    std::array<PacketNumber, loss_kinds> first_loss{};
    uint64_t lost_bytes = 0;  // sent again because the network lost them
    Spell burst;  // the most segments sent again in a row: losses follow each other within a round trip
    uint64_t burst_losses = 0;
    TimeSpans repairs;  // from a lost segment until it was sent again, and recovery

    // Of the table `windows`; nothing of the following where that is not kept.
    bool has_windows = false;
    std::array<TimeProfile, send_limits> limited;
    TimeSpans held_back;  // by anything but its application
    Spells timeouts;      // no progress at all, ended by what a retransmission timeout sent
    Spells stalls;        // before a closed window
    TimeProfile queued;   // the round trip was twice its minimum and more: data wait in a queue on the path
    int64_t queued_ns = 0;
    double queued_bytes = 0;           // acknowledged in that time
    int64_t queued_srtt_ns = no_time;  // the mean of that time
    uint32_t widest_window = 0;        // the receiver offered while it was what limited
    // Bytes in flight, by time: a tenth, the half, nine tenths of it had no more than this.
    uint32_t in_flight_p10 = 0;
    uint32_t in_flight_p50 = 0;
    uint32_t in_flight_p90 = 0;
    uint64_t ecn_reductions = 0;  // where ca_transitions are kept

    uint64_t bytes() const { return is_initiator ? connection->bytes_out : connection->bytes_in; }
    bool is_bulk() const;
    int64_t observed_ns() const { return summary->observed_ns(); }
    int64_t limited_ns(SendLimit limit) const { return summary->limited_ns(limit); }
    double limited_share(SendLimit limit) const { return share_of(limited_ns(limit), observed_ns()); }
    double queued_share() const { return share_of(queued_ns, observed_ns()); }
    // Data waited in a queue on the path for most of the time, and in earnest: the path is the bottleneck.
    bool queues_on_path() const;
    double queued_rate() const;  // bytes a second meanwhile
    // Segments the network lost, each repaired once.
    uint64_t repaired() const;
    int64_t held_back_ns() const;
    int64_t rtt_min_ns() const;
    uint32_t mss() const;

    // "target 192.0.2.2:3260"
    std::string name() const;
    std::string other_name() const;
    // A finding about this sender.
    Finding finding(Finding::Kind kind, Finding::Severity severity) const;
};

// The facts of the senders worth telling of: those most held back, those with the most losses, those with the most data,
// and those of the `wanted` connections (numbers). Empty if stopped.
std::vector<SenderFacts> find_sender_facts(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                           const Stop& stop);

}  // namespace sanscope
