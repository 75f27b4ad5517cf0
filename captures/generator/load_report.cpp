// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/generator/load_report.h"

#include <cmath>
#include <fmt/core.h>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/json_string.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

std::string_view kind_name(LoadKind kind) {
    return kind == LoadKind::read ? "reads" : "writes";
}

std::string turnaround_text(const LogHistogram& turnaround) {
    return fmt::format(
        "p50 {}, p90 {}, p99 {}, p99.9 {}, max {}; mean {}, SD {}",
        human_duration(turnaround.percentile_ns(0.5)), human_duration(turnaround.percentile_ns(0.9)),
        human_duration(turnaround.percentile_ns(0.99)), human_duration(turnaround.percentile_ns(0.999)),
        human_duration(turnaround.max_ns()), human_duration(static_cast<int64_t>(turnaround.mean_ns())),
        human_duration(static_cast<int64_t>(turnaround.standard_deviation_ns())));
}

std::string negotiated_text(const LoginOutcome& outcome) {
    return fmt::format(
        "MaxRecvDataSegmentLength {} here, {} at the target; MaxBurstLength {}, FirstBurstLength {};\n"
        "               digests of headers {}, of data {}; InitialR2T {}, ImmediateData {}",
        human_binary_bytes(outcome.max_recv_data_segment_length_initiator),
        human_binary_bytes(outcome.max_recv_data_segment_length_target),
        human_binary_bytes(outcome.max_burst_length), human_binary_bytes(outcome.first_burst_length),
        outcome.header_digest ? "CRC32C" : "None", outcome.data_digest ? "CRC32C" : "None",
        outcome.initial_r2t ? "Yes" : "No", outcome.immediate_data ? "Yes" : "No");
}

// The members of an object: `"name":value`, with commas between them.
class JsonObject {
  public:
    explicit JsonObject(BlockWriter& out) : out_(out) { out_.append('{'); }

    void number(std::string_view name, uint64_t value) {
        begin(name);
        out_.append(fmt::format("{}", value));
    }
    void number(std::string_view name, double value, int decimals) {
        begin(name);
        out_.append(fmt::format("{:.{}f}", value, decimals));
    }
    void text(std::string_view name, std::string_view value) {
        begin(name);
        append_json_string(value, out_);
    }
    void boolean(std::string_view name, bool value) {
        begin(name);
        out_.append(value ? std::string_view("true") : std::string_view("false"));
    }
    // The value is to be written next.
    void begin(std::string_view name) {
        if (!first_) out_.append(',');
        first_ = false;
        append_json_string(name, out_);
        out_.append(':');
    }
    void end() { out_.append('}'); }

  private:
    BlockWriter& out_;
    bool first_ = true;
};

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

// The names are those of the table `sessions`.
void write_negotiated(const LoginOutcome& outcome, BlockWriter& out) {
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

}  // namespace

std::string failures_text(const LoadAccount& account) {
    std::string text;
    for (size_t i = 0; i < load_failures; ++i) {
        const auto failure = static_cast<LoadFailure>(i);
        const uint64_t count = account.failed(failure);
        if (count == 0) continue;
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count), load_failure_name(failure));
    }
    return text;
}

std::string running_line(const LoadAccount& second, double at_seconds, uint64_t in_flight) {
    const LogHistogram turnaround = second.turnaround();
    const bool any = turnaround.count() > 0;
    const std::string failures = failures_text(second);
    return fmt::format("{:6.0f} s  {:>9}/s  {:>7} commands/s  p50 {:>7}  p99 {:>7}  {:>4} in flight{}{}",
                       at_seconds, human_bytes(second.bytes_per_second()),
                       human_count(static_cast<uint64_t>(std::llround(second.commands_per_second()))),
                       any ? human_duration(turnaround.percentile_ns(0.5)) : "-",
                       any ? human_duration(turnaround.percentile_ns(0.99)) : "-", in_flight,
                       failures.empty() ? "" : "  ", failures);
}

std::string load_text(const LoadSummary& summary) {
    const LoadAccount& account = summary.account;
    std::string text =
        fmt::format("{} commands in {}: {}/s, {}/s\n", human_count(account.done()),
                    human_duration(static_cast<int64_t>(account.seconds() * 1e9)),
                    human_count(static_cast<uint64_t>(std::llround(account.commands_per_second()))),
                    human_bytes(account.bytes_per_second()));
    for (const LoadKind kind : {LoadKind::read, LoadKind::write}) {
        const LoadAccount::OfKind& one = account.of(kind);
        if (one.sent == 0) continue;
        text += fmt::format("  {:<11}  {} commands, {}", kind_name(kind), human_count(one.done),
                            human_bytes(static_cast<double>(one.bytes)));
        if (one.failed > 0) text += fmt::format("; {} failed", human_count(one.failed));
        text += '\n';
        if (one.done > 0)
            text += fmt::format("  {:<11}  turnaround {}\n", "", turnaround_text(one.turnaround));
    }
    if (summary.at_a_rate && account.since_due().count() > 0)
        text += fmt::format("  {:<11}  {}\n", "since due", turnaround_text(account.since_due()));
    if (account.failed() > 0) text += fmt::format("  {:<11}  {}\n", "failed", failures_text(account));
    if (account.in_flight() > 0) {
        text += fmt::format("  {:<11}  {} commands, still in flight\n", "unknown",
                            human_count(account.in_flight()));
    }
    if (account.connections_lost() > 0) {
        text += fmt::format("  {:<11}  {} lost, {} times logged in again\n", "connections",
                            account.connections_lost(), account.reconnected());
    }
    if (account.done() > 0) {
        text += fmt::format("  {:<11}  {}; {} a GB, {} a command\n", "processor",
                            human_duration(static_cast<int64_t>(account.cpu_seconds() * 1e9)),
                            human_duration(static_cast<int64_t>(account.cpu_seconds_per_gigabyte() * 1e9)),
                            human_duration(static_cast<int64_t>(account.cpu_seconds() * 1e9 /
                                                                static_cast<double>(account.done()))));
    }
    text += fmt::format("  {:<11}  {}\n", "negotiated", negotiated_text(summary.negotiated));
    return text;
}

bool write_load_json(const LoadSummary& summary, ByteSink& sink) {
    const LoadAccount& account = summary.account;
    BlockWriter out(sink);
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
    write_negotiated(summary.negotiated, out);
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
    out.append('[');
    for (size_t i = 0; i < summary.targets.size(); ++i) {
        if (i > 0) out.append(',');
        append_json_string(summary.targets[i], out);
    }
    out.append(']');
    object.end();
    out.append('\n');
    return out.finish();
}

std::string_view load_csv_header() {
    return "seconds,commands,reads,writes,bytes,errors,bytes_per_second,commands_per_second,p50_ns,p90_ns,"
           "p99_ns,"
           "p999_ns,max_ns,mean_ns,in_flight,cpu_seconds\n";
}

std::string load_csv_row(const LoadAccount& second, double at_seconds, uint64_t in_flight) {
    const LogHistogram turnaround = second.turnaround();
    const auto cell = [&](auto value) {
        return turnaround.count() == 0 ? std::string() : fmt::format("{}", value);
    };
    return fmt::format("{:.3f},{},{},{},{},{},{:.1f},{:.3f},{},{},{},{},{},{},{},{:.6f}\n", at_seconds,
                       second.done(), second.of(LoadKind::read).done, second.of(LoadKind::write).done,
                       second.bytes(), second.failed(), second.bytes_per_second(),
                       second.commands_per_second(), cell(turnaround.percentile_ns(0.5)),
                       cell(turnaround.percentile_ns(0.9)), cell(turnaround.percentile_ns(0.99)),
                       cell(turnaround.percentile_ns(0.999)), cell(turnaround.max_ns()),
                       cell(static_cast<int64_t>(turnaround.mean_ns())), in_flight, second.cpu_seconds());
}

}  // namespace sanscope
