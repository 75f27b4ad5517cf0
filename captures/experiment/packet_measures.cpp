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

namespace sanscope::lab {
namespace {

constexpr int64_t rate_step_ns = 100'000'000;
constexpr int64_t steps_of_highest = 10;
// Of the time from the first command on: what is before shows how connections begin, not how they go on.
constexpr int64_t settling_part = 10;

struct Span {
    int64_t begin_ns = std::numeric_limits<int64_t>::max();
    int64_t end_ns = std::numeric_limits<int64_t>::min();
};

// READ(6), READ(10), READ(12), READ(16): not what an initiator asks of a LUN before its load.
bool is_read(const CommandRow& command) {
    return is_read_opcode(command.opcode) && command.request_ns != no_time;
}

void add_windows(const ResultStore& store, const Span& span, Measurement& measured) {
    std::vector<WindowChange> changes;
    for (const WindowRow& row : store.windows()) {
        const ConnectionRow& connection = store.connection(row.connection);
        const bool of_target = !connection.is_initiator(row.sender);
        if (of_target && connection.iscsi && row.cwnd != unknown<uint32_t> && row.time_ns <= span.end_ns)
            changes.push_back({row.time_ns, row.connection, static_cast<double>(row.cwnd)});
    }
    const auto window =
        aggregate_window(std::move(changes), span.begin_ns + (span.end_ns - span.begin_ns) / settling_part);
    if (!window) return;
    constexpr double percent = 100;
    measured[Measure::window_mean_bytes] = window->mean;
    measured[Measure::window_sd_bytes] = window->deviation;
    if (window->mean > 0) measured[Measure::window_sd_percent] = percent * window->deviation / window->mean;
}

// By what the initiator acknowledged: headers of PDUs that begin within a packet may be beyond what was recorded of it.
void add_rise(const ResultStore& store, const Span& span, Measurement& measured) {
    std::vector<DataArrival> arrivals;
    std::map<uint32_t, uint32_t> acknowledged;
    for (const WindowRow& row : store.windows()) {
        const ConnectionRow& connection = store.connection(row.connection);
        if (connection.is_initiator(row.sender) || !connection.iscsi) continue;
        const auto [before, first] = acknowledged.try_emplace(row.connection, row.snd_una);
        const uint32_t more = row.snd_una - before->second;
        constexpr uint32_t backwards = 1u << 31;  // RFC 9293 §3.4: sequence numbers are compared modulo 2^32
        if (first || more == 0 || more >= backwards) continue;
        arrivals.push_back({row.time_ns, more});
        before->second = row.snd_una;
    }
    if (const auto half = rise_to(0.5, arrivals, span.begin_ns, rate_step_ns, steps_of_highest)) {
        measured[Measure::to_half_ns] = static_cast<double>(half->time_ns);
        measured[Measure::bytes_to_half] = static_cast<double>(half->bytes);
    }
    if (const auto ninety = rise_to(0.9, arrivals, span.begin_ns, rate_step_ns, steps_of_highest)) {
        measured[Measure::to_ninety_ns] = static_cast<double>(ninety->time_ns);
        measured[Measure::bytes_to_ninety] = static_cast<double>(ninety->bytes);
    }
}

}  // namespace

Result<std::monostate> add_packet_measures(const std::string& capture, Measurement& measured) {
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
        if (!is_read(command)) continue;
        span.begin_ns = std::min(span.begin_ns, command.request_ns);
    }
    for (const WindowRow& row : store.windows()) span.end_ns = std::max(span.end_ns, row.time_ns);
    if (span.begin_ns >= span.end_ns) return Error{"the recording holds no reads"};
    uint64_t retransmissions = 0;
    for (const ConnectionRow& connection : store.connections()) {
        if (connection.iscsi) retransmissions += connection.retransmissions_in;
    }
    measured[Measure::retransmissions] = static_cast<double>(retransmissions);
    add_windows(store, span, measured);
    add_rise(store, span, measured);
    return std::monostate{};
}

}  // namespace sanscope::lab
