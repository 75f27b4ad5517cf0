// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/budget/time_budgets.h"
#include "analyzer/report/command_facts.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// What commands of one connection wait for that is not the target: both TCPs, and data of other commands.
struct ConnectionWaits {
    TimeSpans timeouts;
    TimeSpans repairs;
    TimeSpans unseen_losses;  // of the target: when retransmissions came whose originals were not captured
    TimeSpans stalls;
    TimeSpans stood_still;       // a host, the path or the clock did, and nobody can tell which (SenderFacts)
    TimeSpans before_read_data;  // the target's data flowed, or its TCP held them back
    TimeSpans before_write_data;    // the initiator's data flowed, or its TCP held them back
    TimeSpans before_write_status;  // read data flowed before it, or a TCP stood
    TimeSpans silences;             // of either sender (SenderFacts)
    TimeSpans unproven;  // the target's TCP had not reported yet that it has requests or data (SenderFacts)
    const TimeSpans* beside = nullptr;  // read data of any connection between the same hosts flowed
    bool loses_before_tap = false;      // data of the target are lost, and were not captured at the target
    uint64_t losses_before_tap = 0;     // segments of either side that were, likewise
    bool request_times_known = false;   // it is known when the target's TCP had what it was asked
    bool is_at_initiator = false;       // the capture was taken there
    const SenderFacts* initiator = nullptr;
    const SenderFacts* target = nullptr;
    int64_t rtt_ns = 0;             // of the path, of which each command takes one
    int64_t least_rtt_ns = 0;       // likewise, as the initiator's TCP saw it
    int64_t rtt_behind_tap_ns = 0;  // what of it the capture does not see
    int64_t longer_rtt_ns =
        0;  // what the longest path of the session's connections takes longer (join_connections())
    const TimeBudgets* budgets = nullptr;  // nullptr where the store keeps none

    // What the command waited for that came over other connections of its session; nullptr where it waited for none.
    const CommandOrder::Wait* order_of(CommandNumber command) const {
        return budgets == nullptr ? nullptr : budgets->order_of(command);
    }
    // Nobody knows what it waited for.
    bool order_in_doubt(CommandNumber command) const {
        return budgets != nullptr && budgets->order_in_doubt(command);
    }
};

// From when something was sent to the target until it had answered: for how long of it nothing shows that the target had it. Others
// that were sent later and not acknowledged tell nothing of it.
int64_t unproven_ns(int64_t sent_ns, int64_t answered_ns, const ConnectionWaits& waits);

// What holds of all connections between two hosts, at which times.
struct HostPairSpans {
    IpAddress initiator;
    IpAddress target;
    TimeSpans spans;
};
// When data of any of them, which share the path, flowed from the target.
std::vector<HostPairSpans> shared_flows(std::span<const SenderFacts> senders);
// When the capture's clock jumped ahead, or both hosts stood still: one connection shows it, and it holds of all.
std::vector<HostPairSpans> shared_clock_jumps(std::span<const SenderFacts> senders);
// Nothing where there are none between the hosts of that connection.
const TimeSpans* spans_between(std::span<const HostPairSpans> all, const ConnectionRow& connection);

// `flows` and `budgets`, which may be nullptr, must outlive what is returned; `jumps` need not.
std::map<uint32_t, ConnectionWaits> waits_of(std::span<const SenderFacts> senders,
                                             std::span<const HostPairSpans> flows,
                                             std::span<const HostPairSpans> jumps,
                                             const TimeBudgets* budgets);

// When the first data of a command's came; no_time where that is not known, or there were none.
inline int64_t first_data_began_ns(const CommandRow& row) {
    return row.first_byte_ns != no_time ? row.first_byte_ns : row.first_data_ns;
}

// Of the time between what was sent and its answer: what is neither the path's nor, in `others`, TCP's or that of other commands.
// `not_before_ns`: so much longer it may have taken until it could be carried out.
int64_t served_ns(int64_t begin_ns, int64_t end_ns, const ConnectionWaits& waits, const TimeSpans& others,
                  int64_t not_before_ns = 0);

// How long the target itself took for a command, and the initiator where it was asked for data, without the path's round trips, and
// without the time in which data of other commands flowed or TCP held them up.
struct ServiceTime {
    int64_t first_r2t_ns = 0;     // of a write: until the target asked for data (RFC 7143 §11.8) …
    int64_t status_ns = no_time;  // … and from its last data to the status; of a read: until its first data
    int64_t initiator_ns = 0;     // from the first R2T until the initiator sent the first data
    bool retried = false;         // the initiator sent its request again: all of it is not known
    bool r2t_answered = false;    // the first data came behind an R2T
    int64_t unproven_ns = 0;  // of the target's: its TCP had not acknowledged yet what the target was asked

    // no_time where it cannot be known.
    int64_t whole_ns() const { return status_ns == no_time ? no_time : first_r2t_ns + status_ns; }
};
// From when on the target may have carried the command out, by the tap's clock, its way not counted: when it was sent, or, where those
// before it in the order of CmdSNs came later over other connections (RFC 7143 §4.2.2.1), as much later.
int64_t in_order_ns(CommandNumber number, const CommandRow& row, const ConnectionWaits& waits);
// `number` is the row's in the store.
ServiceTime service_time(const ResultStore& store, CommandNumber number, const CommandRow& row,
                         const ConnectionWaits& waits);
// "from the last data to the status": what of the two a write's service time consists of.
std::string_view write_service_words(int64_t first_r2t_ns, int64_t whole_ns);

// Of a read that took long from its first data to its last: how long of that, at least, the target had nothing on its way and could
// have sent, as its time budget tells. 0 where it keeps none.
int64_t data_pauses_ns(CommandNumber number, const CommandRow& row, const ConnectionRow& connection,
                       const ConnectionWaits& waits);

// Until the answer came, the target sent something again that had been lost before the capture: that may be what waited. By RACK
// or a tail loss probe (RFC 8985) it comes long before a timer of 200 ms.
bool answer_may_have_been_lost(const CommandRow& row, const ConnectionWaits& waits);

// The reads, or the writes, of one logical unit in one session.
struct ServiceTimes {
    uint32_t session = 0;
    uint64_t lun = unknown<uint64_t>;
    bool writes = false;
    LogHistogram service;
    LogHistogram
        alone;  // of those that found few others under way: what the target takes without a queue before it
    LogHistogram by_initiator;  // of writes that waited for an R2T: until the initiator answered it
    LogHistogram turnaround;
    LogHistogram
        undisturbed;  // of reads: the part of the service time in which no data of other connections flowed
    LogHistogram data_pauses;  // of reads: data_pauses_ns()
    double service_sum_ns = 0;
    double data_pauses_sum_ns = 0;
    double by_initiator_sum_ns = 0;
    double first_r2t_sum_ns = 0;  // of it: until the first R2Ts of writes
    uint64_t proven =
        0;  // of the greater part of their time it is sure that the target had what it was asked
    double turnaround_sum_ns = 0;
    uint64_t bytes = 0;
    uint64_t slowest_command = 0;  // row
    const CommandRow* slowest = nullptr;
    uint64_t latest_answer_command = 0;  // row: the one whose R2T the initiator took longest to answer
    const CommandRow* latest_answer = nullptr;
    uint64_t longest_pauses_command = 0;  // row: the read with the longest pauses between its data
    const CommandRow* longest_pauses = nullptr;
    uint32_t connection = 0;     // of the first one
    int64_t first_ns = no_time;  // from the first request …
    int64_t last_ns = no_time;   // … to the last answer

    // For half of this one's time and more, the other was there as well.
    bool is_meanwhile(const ServiceTimes& other) const {
        const int64_t both_ns =
            elapsed_ns(std::max(first_ns, other.first_ns), std::min(last_ns, other.last_ns));
        return 2 * both_ns >= elapsed_ns(first_ns, last_ns);
    }
    uint64_t count() const { return service.count(); }
    double mean_bytes() const { return static_cast<double>(bytes) / static_cast<double>(count()); }
};

// One pass over the commands. Empty if stopped.
std::vector<ServiceTimes> find_service_times(const ResultStore& store, const CommandFacts& commands,
                                             const std::map<uint32_t, ConnectionWaits>& waits,
                                             const Stop& stop);

}  // namespace sanscope
