// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/packet_measures.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "captures/experiment/time_series.h"

#include "analyzer/engine/analysis.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/store/window_aggregate.h"

namespace sanscope::lab {
namespace {

// Of the time from the first command on: what is before shows how connections begin, not how they go on.
constexpr int64_t settling_part = 10;

struct Span {
    int64_t begin_ns = std::numeric_limits<int64_t>::max();
    int64_t end_ns = std::numeric_limits<int64_t>::min();
};

// Reads or writes: not what an initiator asks of a LUN before its load. One that writes reads before, to see what it would
// destroy.
bool is_of_load(const CommandRow& command, Operation operation) {
    return command.request_ns != no_time &&
           (operation == Operation::read ? is_read_opcode(command.opcode) : is_write_opcode(command.opcode));
}

bool sends_data(const ConnectionRow& connection, Side side, Operation operation) {
    return connection.iscsi && connection.is_initiator(side) == (operation == Operation::write);
}

// By index: a discovery session's carries windows, too.
std::vector<bool> connections_of_load(const ResultStore& store, Operation operation) {
    std::vector<bool> carries(store.connections().size());
    for (const CommandRow& command : store.commands()) {
        if (is_of_load(command, operation) && command.connection != 0)
            carries.at(command.connection.index()) = true;
    }
    return carries;
}

// In order of time.
std::vector<WindowChange> changes_of_windows(const ResultStore& store, const Span& span,
                                             Operation operation) {
    const std::vector<bool> of_load = connections_of_load(store, operation);
    std::vector<WindowChange> changes;
    for (const WindowRow& row : store.windows()) {
        const ConnectionRow& connection = store.connection(row.connection);
        if (of_load.at(row.connection.index()) && sends_data(connection, row.sender, operation) &&
            row.cwnd != unknown<uint32_t> && row.time_ns <= span.end_ns)
            changes.push_back({row.time_ns, row.connection, static_cast<double>(row.cwnd)});
    }
    std::ranges::stable_sort(changes, {}, &WindowChange::time_ns);
    return changes;
}

void add_windows(const std::vector<WindowChange>& changes, const Span& span, Measurement& measured) {
    if (changes.empty()) return;
    std::map<uint32_t, size_t> places;
    for (const WindowChange& change : changes) places.try_emplace(change.connection, places.size());
    WindowAggregate windows(places.size(), span.begin_ns + (span.end_ns - span.begin_ns) / settling_part);
    for (const WindowChange& change : changes)
        windows.set(change.time_ns, places[change.connection], change.bytes);
    windows.finish(span.end_ns);
    if (!windows.sum().known()) return;
    measured[Measure::window_mean_bytes] = windows.sum().mean();
    measured[Measure::window_sd_bytes] = windows.sum().standard_deviation();
    if (windows.sum().mean() > 0) measured[Measure::window_sd_percent] = windows.sum().percent_deviation();
    measured[Measure::window_difference_mean_bytes] = windows.difference_mean();
    measured[Measure::window_difference_sd_bytes] = windows.difference_deviation();
}

void add_retransmissions(const ResultStore& store, const Span& span, Operation operation,
                         Measurement& measured) {
    const bool reads = operation == Operation::read;
    uint64_t retransmissions = 0;
    uint64_t needless = 0;
    for (const ConnectionRow& connection : store.connections()) {
        if (!connection.iscsi) continue;
        retransmissions += reads ? connection.retransmissions_in : connection.retransmissions_out;
        needless += reads ? connection.spurious_retransmissions_in : connection.spurious_retransmissions_out;
    }
    measured[Measure::retransmissions] = static_cast<double>(retransmissions);
    measured[Measure::needless_retransmissions] = static_cast<double>(needless);
    constexpr double giga = 1e9;
    const auto& rate = measured[Measure::bytes_per_second];
    const double seconds = static_cast<double>(span.end_ns - span.begin_ns) / giga;
    if (rate && *rate * seconds > 0) {
        measured[Measure::retransmissions_per_gigabyte] =
            static_cast<double>(retransmissions) / (*rate * seconds / giga);
    }
}

// By what was acknowledged: headers of PDUs that begin within a packet may be beyond what was recorded of it.
void add_rise_of(const ResultStore& store, const Span& span, Operation operation, Measurement& measured) {
    std::vector<DataArrival> arrivals;
    std::map<uint32_t, uint32_t> acknowledged;
    for (const WindowRow& row : store.windows()) {
        const ConnectionRow& connection = store.connection(row.connection);
        if (!sends_data(connection, row.sender, operation)) continue;
        const auto [before, first] = acknowledged.try_emplace(row.connection, row.snd_una);
        const uint32_t more = row.snd_una - before->second;
        constexpr uint32_t backwards = 1u << 31;  // RFC 9293 §3.4: sequence numbers are compared modulo 2^32
        if (first || more == 0 || more >= backwards) continue;
        arrivals.push_back({row.time_ns, more});
        before->second = row.snd_una;
    }
    add_rise(arrivals, span.begin_ns, measured);
}

}  // namespace

Result<RecordedWindows> add_packet_measures(const std::string& capture, Operation operation,
                                            Measurement& measured) {
    auto source = open_captures({capture});
    if (!source) return source.error();
    auto keep = ResultStore::Keep::nothing();
    keep.commands = keep.windows = true;
    Engine engine(keep);
    analyse(**source, engine, {});
    if (!(*source)->damage().empty())
        return Error{fmt::format("the recording is damaged: {}", (*source)->damage().front().message)};
    const ResultStore& store = engine.store();
    Span span;
    for (const CommandRow& command : store.commands()) {
        if (!is_of_load(command, operation)) continue;
        span.begin_ns = std::min(span.begin_ns, command.request_ns);
    }
    for (const WindowRow& row : store.windows()) span.end_ns = std::max(span.end_ns, row.time_ns);
    if (span.begin_ns >= span.end_ns) return Error{"the recording holds no commands of the load"};
    add_retransmissions(store, span, operation, measured);
    RecordedWindows windows{changes_of_windows(store, span, operation), span.begin_ns, span.end_ns};
    add_windows(windows.changes, span, measured);
    add_rise_of(store, span, operation, measured);
    return windows;
}

}  // namespace sanscope::lab
