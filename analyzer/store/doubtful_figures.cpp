// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/doubtful_figures.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope {
namespace {

void leave_out_times(CommandRow& row, int64_t least_ns) {
    const int64_t turnaround_ns = row.turnaround_ns();
    if (turnaround_ns != no_time && turnaround_ns < least_ns) row.response_ns = no_time;
    for (int64_t* const time_ns : {&row.first_byte_ns, &row.first_data_ns, &row.last_data_ns}) {
        if (*time_ns != no_time && row.request_ns != no_time && *time_ns - row.request_ns < least_ns)
            *time_ns = no_time;
    }
}

void leave_out_round_trips(ConnectionRow& row) {
    row.vantage = Vantage::unknown;
    row.rtt_min_ns = no_time;
    row.rtt_to_initiator_ns = no_time;
    row.rtt_to_target_ns = no_time;
}

// Mean and deviation are told where the times of one command in a hundred are missing at most, as LogHistogram has it.
bool moments_hold(const Moments& times, uint64_t missing) {
    return static_cast<double>(missing) * 99 <= times.weight();
}

void leave_out_moments(ConnectionRow& row) {
    if (!moments_hold(row.read_turnaround, row.untimed_reads)) row.read_turnaround = {};
    if (!moments_hold(row.write_turnaround, row.untimed_writes)) row.write_turnaround = {};
    if (row.time_error_ns() == 0) return;
    const auto least_ns = static_cast<double>(row.least_comparable_ns());
    for (Moments* const times : {&row.read_turnaround, &row.write_turnaround}) {
        if (times->mean() < least_ns) *times = {};
    }
}

void leave_out_state(WindowRow& row) {
    row.srtt_ns = no_time;
    row.cwnd = row.cwnd_low = row.cwnd_high = unknown<uint32_t>;
    row.ssthresh = unknown<uint32_t>;
    row.limit = SendLimit::unknown;
    row.ca_state_known = false;
}

void leave_out_commands(const ChunkedRows<ConnectionRow>& connections, ChunkedRows<CommandRow>& commands,
                        Summary& summary) {
    std::vector<bool> apart;  // by session number
    for (const ConnectionRow& row : connections) {
        if (row.clocks_apart_ns() == 0 || row.session == 0) continue;
        if (row.session >= apart.size()) apart.resize(row.session + size_t{1});
        apart[row.session] = true;
    }
    for (CommandRow& row : commands) {
        if (row.session < apart.size() && apart[row.session]) row.queue_depth = unknown<uint32_t>;
        if (row.connection != 0)
            leave_out_times(row, connections[row.connection - size_t{1}].least_comparable_ns());
    }
    for (uint32_t session = 1; session < apart.size(); ++session) {
        if (apart[session]) summary.leave_out_depths(session);
    }
}

}  // namespace

bool leave_out_doubtful(ChunkedRows<ConnectionRow>& connections, ChunkedRows<CommandRow>& commands,
                        StoredRows<WindowRow>& windows, Summary& summary) {
    int64_t least_ns = 0;
    bool all_judged = true;
    for (ConnectionRow& row : connections) {
        all_judged = all_judged && row.tcp_is_judged();
        leave_out_moments(row);
        if (row.lacks_pure_acks()) leave_out_round_trips(row);
        if (row.time_error_ns() == 0) continue;
        least_ns = std::max(least_ns, row.least_comparable_ns());
        if (row.round_trip_in_doubt()) leave_out_round_trips(row);
    }
    if (!all_judged) {
        windows.change_each([&](WindowRow& row) {
            if (connections[row.connection - size_t{1}].tcp_is_judged()) return false;
            leave_out_state(row);
            return true;
        });
    }
    if (least_ns == 0) return false;
    leave_out_commands(connections, commands, summary);
    return summary.leave_out_times_below(least_ns);
}

}  // namespace sanscope
