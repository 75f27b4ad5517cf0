// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "analyzer/budget/budget_groups.h"

namespace sanscope {
namespace {

// Bytes of a file that names thousands of targets.
constexpr size_t longest_names = 1000;

void add_commands(const ResultStore& store, CaptureRow& row) {
    const Summary& summary = store.summary();
    row.commands = summary.commands();
    for (const auto& [ending, count] : summary.errors()) row.errors += count;
    row.unanswered = 0;
    for (size_t i = 0; i < outcomes; ++i) {
        const Outcome outcome{static_cast<uint8_t>(i)};
        if (outcome == Outcome::unanswered || ended_without_answer(outcome))
            row.unanswered += summary.outcomes(outcome);
    }

    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    bool bytes_known = true;
    for (const Summary::SessionLoad& load : summary.sessions()) {
        bytes_read += load.bytes_read;
        bytes_written += load.bytes_written;
        bytes_known = bytes_known && load.all_bytes_known;
    }
    if (bytes_known) {
        row.bytes_read = bytes_read;
        row.bytes_written = bytes_written;
    }

    Summary::Group all;
    for (const auto& [key, group] : summary.groups()) {
        all.count += group.count;
        all.untimed += group.untimed;
        all.turnaround.add(group.turnaround);
    }
    if (all.percentile_is_known(0.5)) row.turnaround_p50_ns = all.turnaround.percentile_ns(0.5);
    if (all.percentile_is_known(0.99)) row.turnaround_p99_ns = all.turnaround.percentile_ns(0.99);
}

void add_budgets(const ResultStore& store, CaptureRow& row) {
    if (!store.finished() || !store.keeps_budgets()) return;
    for (const SessionBudget& session : session_budgets(store, TimeBudgets(store))) {
        row.budgets_known = row.budgets_known || session.commands > 0;
        for (size_t part = 0; part < budget_parts; part++) row.budgets_ns[part] += session.sums_ns[part];
    }
}

void add_network(const ResultStore& store, CaptureRow& row) {
    row.connections = static_cast<uint32_t>(store.connections().size());
    row.sessions = static_cast<uint32_t>(store.sessions().size());
    for (const ConnectionRow& connection : store.connections())
        row.retransmissions += connection.retransmissions_out + connection.retransmissions_in;
    std::set<std::string_view> names;
    for (const SessionRow& session : store.sessions()) {
        if (session.target_name.empty() || !names.insert(session.target_name).second) continue;
        if (row.target_names.size() > longest_names) break;
        if (!row.target_names.empty()) row.target_names += ',';
        row.target_names += session.target_name;
    }
}

void add_findings(std::span<const Finding> found, CaptureRow& row) {
    for (const Finding& finding : found) {
        if (finding.severity == Finding::Severity::information) continue;
        (finding.severity == Finding::Severity::problem ? row.problems : row.notices)++;
        if (!row.finding.empty()) continue;
        row.finding = finding_kind_name(finding.kind);
        row.finding_title = finding.title;
        if (finding.cost_ns > 0) row.finding_cost_ns = finding.cost_ns;
        row.finding_packet = finding.packet;
    }
}

}  // namespace

CaptureRow summarise_capture(std::string file, const FindingsInput& input, std::span<const Finding> found) {
    CaptureRow row;
    row.file = std::move(file);
    row.packets = input.totals.packets;
    row.wire_bytes = input.totals.wire_bytes;
    row.start_ns = input.totals.first_ns;
    row.end_ns = input.totals.last_ns;
    // Of several interfaces all must tell.
    const bool tells_dropped =
        !input.interfaces.empty() && std::ranges::all_of(input.interfaces, &CaptureInterface::tells_dropped);
    if (tells_dropped) {
        row.dropped = 0;
        for (const CaptureInterface& interface : input.interfaces) row.dropped += interface.dropped;
    }
    add_network(input.store, row);
    add_commands(input.store, row);
    add_budgets(input.store, row);
    add_findings(found, row);
    for (const Damage& damage : input.damage) {
        if (!row.damage.empty()) row.damage += "; ";
        row.damage += damage_text(damage);
    }
    return row;
}

CaptureRow unreadable_capture(std::string file, std::string why) {
    CaptureRow row;
    row.file = std::move(file);
    row.damage = std::move(why);
    return row;
}

}  // namespace sanscope
