// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_report.h"

#include <cmath>
#include <fmt/core.h>

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
        fmt::format("{} in {}: {}/s, {}/s\n", counted(account.done(), "command"),
                    human_duration(static_cast<int64_t>(account.seconds() * 1e9)),
                    human_count(static_cast<uint64_t>(std::llround(account.commands_per_second()))),
                    human_bytes(account.bytes_per_second()));
    for (const LoadKind kind : {LoadKind::read, LoadKind::write}) {
        const LoadAccount::OfKind& one = account.of(kind);
        if (one.sent == 0) continue;
        text += fmt::format("  {:<11}  {}, {}", kind_name(kind), counted(one.done, "command"),
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
        text += fmt::format("  {:<11}  {}, still in flight\n", "unknown",
                            counted(account.in_flight(), "command"));
    }
    if (account.connections_lost() > 0) {
        text += fmt::format("  {:<11}  {} lost, {} logged in again\n", "connections",
                            account.connections_lost(), counted_exactly(account.reconnected(), "time"));
    }
    if (account.done() > 0) {
        text += fmt::format("  {:<11}  {}; {} a GB, {} a command\n", "processor",
                            human_duration(static_cast<int64_t>(account.cpu_seconds() * 1e9)),
                            human_duration(static_cast<int64_t>(account.cpu_seconds_per_gigabyte() * 1e9)),
                            human_duration(static_cast<int64_t>(account.cpu_seconds() * 1e9 /
                                                                static_cast<double>(account.done()))));
    }
    text += fmt::format("  {:<11}  {}\n", "negotiated", negotiated_text(summary.negotiated));
    for (const std::string& one : summary.tcp_differences) text += fmt::format("  {:<11}  {}\n", "TCP", one);
    return text;
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
