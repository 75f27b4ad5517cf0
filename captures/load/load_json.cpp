// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_json.h"

#include <cstdint>

#include "captures/load/json_object.h"

#include "analyzer/export/json_string.h"

namespace sanscope {
namespace {

void write_turnaround(const LogHistogram& turnaround, BlockWriter& out) {
    JsonObject object(out);
    const auto percentile = [&](double fraction) {
        return static_cast<uint64_t>(turnaround.percentile_ns(fraction));
    };
    object.number("p50", percentile(0.5));
    object.number("p90", percentile(0.9));
    object.number("p99", percentile(0.99));
    object.number("p999", percentile(0.999));
    object.number("max", static_cast<uint64_t>(turnaround.max_ns()));
    object.number("mean", turnaround.mean_ns(), 1);
    object.number("stddev", turnaround.standard_deviation_ns(), 1);
    object.number("min", static_cast<uint64_t>(turnaround.min_ns()));
    object.end();
}

void write_kind(const LoadAccount::OfKind& kind, BlockWriter& out) {
    JsonObject object(out);
    object.number("sent", kind.sent);
    object.number("commands", kind.done);
    object.number("bytes", kind.bytes);
    object.number("errors", kind.failed);
    object.begin("turnaround_ns");
    write_turnaround(kind.turnaround, out);
    object.end();
}

void write_failures(const LoadAccount& account, BlockWriter& out) {
    JsonObject object(out);
    for (size_t i = 0; i < load_failures; ++i) {
        const auto failure = static_cast<LoadFailure>(i);
        object.number(load_failure_key(failure), account.failed(failure));
    }
    object.end();
}

}  // namespace

// The names are those of the table `sessions`.
void append_negotiated_object(const LoginOutcome& outcome, BlockWriter& out) {
    JsonObject object(out);
    object.text("header_digest", outcome.header_digest ? "CRC32C" : "None");
    object.text("data_digest", outcome.data_digest ? "CRC32C" : "None");
    object.number("max_recv_data_segment_length_initiator",
                  uint64_t{outcome.max_recv_data_segment_length_initiator});
    object.number("max_recv_data_segment_length_target",
                  uint64_t{outcome.max_recv_data_segment_length_target});
    object.number("max_burst_length", uint64_t{outcome.max_burst_length});
    object.number("first_burst_length", uint64_t{outcome.first_burst_length});
    object.boolean("initial_r2t", outcome.initial_r2t);
    object.boolean("immediate_data", outcome.immediate_data);
    object.number("max_outstanding_r2t", uint64_t{outcome.max_outstanding_r2t});
    object.number("error_recovery_level", uint64_t{outcome.error_recovery_level});
    object.number("max_connections", uint64_t{outcome.max_connections});
    object.number("tsih", uint64_t{outcome.tsih});
    object.text("target_alias", outcome.target_alias);
    object.text("target_portal_group_tag", outcome.target_portal_group_tag);
    object.end();
}

void append_json_array(const std::vector<std::string>& texts, BlockWriter& out) {
    out.append('[');
    for (size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) out.append(',');
        append_json_string(texts[i], out);
    }
    out.append(']');
}

void append_load_object(const LoadSummary& summary, BlockWriter& out) {
    const LoadAccount& account = summary.account;
    JsonObject object(out);
    object.number("seconds", account.seconds(), 9);
    object.number("commands", account.done());
    object.number("bytes", account.bytes());
    object.number("errors", account.failed());
    object.number("bytes_per_second", account.bytes_per_second(), 1);
    object.number("commands_per_second", account.commands_per_second(), 3);
    object.number("cpu_seconds", account.cpu_seconds(), 9);
    object.begin("turnaround_ns");
    write_turnaround(account.turnaround(), out);
    object.begin("negotiated");
    append_negotiated_object(summary.negotiated, out);
    object.number("sent", account.sent());
    object.number("in_flight", account.in_flight());
    object.begin("errors_by_kind");
    write_failures(account, out);
    object.begin("reads");
    write_kind(account.of(LoadKind::read), out);
    object.begin("writes");
    write_kind(account.of(LoadKind::write), out);
    if (summary.at_a_rate) {
        object.begin("since_due_ns");
        write_turnaround(account.since_due(), out);
    }
    object.number("cpu_seconds_per_gigabyte", account.cpu_seconds_per_gigabyte(), 6);
    object.number("connections_lost", account.connections_lost());
    object.number("reconnected", account.reconnected());
    object.number("sessions", uint64_t{summary.sessions});
    object.number("connections", uint64_t{summary.connections});
    object.number("queue_depth", uint64_t{summary.queue_depth});
    object.number("request_bytes", summary.request_bytes);
    object.begin("targets");
    append_json_array(summary.targets, out);
    object.begin("tcp_differences");
    append_json_array(summary.tcp_differences, out);
    object.end();
}

bool write_load_json(const LoadSummary& summary, ByteSink& sink) {
    BlockWriter out(sink);
    append_load_object(summary, out);
    out.append('\n');
    return out.finish();
}

}  // namespace sanscope
