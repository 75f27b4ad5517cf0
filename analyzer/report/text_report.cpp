// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/text_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iterator>
#include <map>
#include <span>

#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/report/budget_section.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/capture/issue_words.h"
#include "analyzer/report/capture/kernel_comparison.h"
#include "analyzer/report/capture/passed_over_words.h"
#include "analyzer/report/capture_clocks.h"
#include "analyzer/report/commands/ending_words.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/finding_rows.h"
#include "analyzer/report/human_units.h"
#include "analyzer/report/senders/sender_report.h"
#include "analyzer/report/sessions/reject_words.h"
#include "analyzer/report/sessions/session_words.h"
#include "analyzer/report/sessions/unknown_sessions.h"
#include "analyzer/vocabulary/outcome_names.h"

namespace sanscope {
namespace {

constexpr size_t max_connections_listed = 20;
constexpr size_t max_sessions_listed = 20;
constexpr size_t max_commands_listed = 10;

class Report {
  public:
    explicit Report(const ReportInput& input) : input_(input), store_(input.store) {}

    std::string write() {
        capture();
        text_ += what_is_wrong_section(input_.findings, input_.colour);
        text_ += input_.where_the_time_went != nullptr
                     ? *input_.where_the_time_went
                     : where_the_time_went_section(input_.rows != nullptr ? *input_.rows : store_);
        doubts();
        text_ += held_back_section(store_, input_.issues[Issue::bytes_not_captured].count == 0);
        disorder();
        sessions();
        connections();
        text_ += senders_section(store_);
        disorder();
        text_ += kernel_section(store_);
        commands();
        slowest();
        errors();
        unanswered();
        what_lacks();
        return std::move(text_);
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += '\n';
    }
    void heading(std::string_view title) { line("\n{}", title); }

    void capture();
    void doubts();
    void disorder();
    int64_t doubted_between_ns(int64_t first_ns, int64_t last_ns) const;
    void sessions();
    void session(uint32_t number, const SessionRow& row);
    void session_windows(std::string_view end, const SessionWindowsRow& row, bool one_connection);
    void connections();
    void commands();
    void group_lines(std::string_view name);
    uint64_t may_be_of(const Summary::Group& group) const;
    void slowest();
    void errors();
    void unanswered();
    void what_lacks();
    std::string since_start(int64_t time_ns) const;

    const ReportInput& input_;
    const ResultStore& store_;
    const std::vector<uint32_t> may_be_one_ = sessions_that_may_be_one(store_);
    std::string text_;
};

std::string bytes_or_unknown(uint32_t value) {
    return value == unknown<uint32_t> ? "?" : human_binary_bytes(value);
}

template <class Number>
std::string number_or_unknown(Number value) {
    return value == unknown<Number> ? "?" : fmt::format("{}", value);
}

std::string text_or_unknown(std::string_view text) {
    return text.empty() ? "?" : cleaned_line(text);
}

std::string_view yes_no(Ternary value) {
    return value == Ternary::unknown ? "?" : value == Ternary::yes ? "Yes" : "No";
}

std::string endpoint(const Endpoint& end) {
    return format_endpoint(end.address, end.port);
}

std::string name_of(const CommandRow& row) {
    if (*row.name != '\0') return row.name;
    return row.opcode == unknown<uint16_t> ? "(not seen)" : fmt::format("opcode 0x{:02x}", row.opcode);
}

// "LBA 1234 + 8" or nothing.
std::string place_of(const CommandRow& row) {
    if (row.lba == unknown<uint64_t>) return "";
    if (row.blocks == unknown<uint64_t>) return fmt::format("LBA {}", row.lba);
    return fmt::format("LBA {} + {}", row.lba, row.blocks);
}

std::string Report::since_start(int64_t time_ns) const {
    const int64_t start = input_.totals.first_ns;
    return time_ns == no_time || start == no_time
               ? "?"
               : fmt::format("{:.6f} s", static_cast<double>(time_ns - start) / 1e9);
}

void Report::capture() {
    const Engine::Totals& totals = input_.totals;
    constexpr size_t most_names = 12;
    const size_t named = input_.files.size() <= most_names ? input_.files.size() : most_names / 2;
    std::string names;
    for (const std::string& file : std::span(input_.files).first(named))
        names += (names.empty() ? "" : ", ") + (file == "-" ? "standard input" : cleaned_line(file));
    if (named < input_.files.size()) names += fmt::format(" and {} more", input_.files.size() - named);
    line("{}", names);
    for (const auto& [file, format] : input_.source.read_by_wireshark()) {
        line("{}: {}, read by Wireshark's reader", file == "-" ? "standard input" : cleaned_line(file),
             cleaned_line(format));
    }
    if (totals.packets == 0) {
        line("no packets");
        return;
    }
    line("{}, {} on the wire, {} from {}", counted(totals.packets, "packet"),
         human_bytes(static_cast<double>(totals.wire_bytes)),
         human_duration(totals.last_ns - totals.first_ns), utc_time(totals.first_ns));
    if (const int64_t gaps_ns = gaps_between_ns(totals, totals.first_ns, totals.last_ns); gaps_ns > 0) {
        line("{} of that time {} between the files: of what passed then nothing is known",
             human_duration(gaps_ns), totals.gaps.size() == 1 ? "lies" : "lie");
    }
    uint64_t dropped = 0;
    for (const auto& interface : input_.source.interfaces()) dropped += interface.dropped;
    if (totals.data_not_kept) {
        line("data segments with users' data were not kept, as the file says: {} {} behind the headers",
             counted(totals.cut_packets, "packet"), totals.cut_packets == 1 ? "ends" : "end");
    } else if (totals.cut_packets > 0) {
        line("{} {} cut at {} (snap length)", counted(totals.cut_packets, "packet"),
             totals.cut_packets == 1 ? "was" : "were", counted_exactly(totals.cut_at, "byte"));
    }
    if (dropped != 0) {
        line("{} {} dropped by the capturing host, as the file says", counted(dropped, "packet"),
             dropped == 1 ? "was" : "were");
    }
}

// Of the times above.
void Report::doubts() {
    for (const Finding& finding : input_.findings) {
        if (!finding.doubts_durations) continue;
        line("  The time from {:.6f} s on, {} long, may be none: what was outstanding then is in doubt.",
             static_cast<double>(finding.begin_ns - input_.totals.first_ns) / 1e9,
             human_duration(finding.end_ns - finding.begin_ns));
        return;
    }
}

// Of what is told of senders above.
void Report::disorder() {
    const uint64_t times = input_.issues[Issue::times_set_back].count;
    if (times > most_set_back && !store_.senders().empty()) {
        line("  The capture's times go back {}: round trips, states and limits of senders are in doubt.",
             counted(times, "time"));
    }
    if (std::ranges::any_of(input_.findings, &Finding::doubts_durations))
        line("  Time that may be none, for a jump of the capture's clock, is in round trips and limits.");
    if (std::ranges::any_of(input_.findings, &Finding::doubts_connection))
        line("  Of senders whose segments are in the capture twice, all of it is in doubt.");
}

int64_t Report::doubted_between_ns(int64_t first_ns, int64_t last_ns) const {
    int64_t doubted_ns = 0;
    for (const Finding& finding : input_.findings) {
        if (!finding.doubts_durations) continue;
        const int64_t both_ns =
            elapsed_ns(std::max(first_ns, finding.begin_ns), std::min(last_ns, finding.end_ns));
        doubted_ns = std::max(doubted_ns, both_ns);  // each connection may show the same one
    }
    return doubted_ns;
}

void Report::sessions() {
    if (store_.sessions().empty()) {
        heading("No iSCSI in this capture.");
        return;
    }
    heading("Sessions");
    uint32_t number = 0;
    for (const SessionRow& row : store_.sessions()) {
        if (++number > max_sessions_listed) break;
        session(number, row);
    }
    if (store_.sessions().size() > max_sessions_listed) {
        line("  … and {} more", store_.sessions().size() - max_sessions_listed);
    }
}

void Report::session(uint32_t number, const SessionRow& row) {
    if (row.initiator_name.empty() && row.target_name.empty()) {
        line("  {:>3}  {}", number, unnamed_session(row));
    } else {
        line("  {:>3}  {} -> {}", number, cleaned_line(row.initiator_name),
             row.target_name.empty() ? "(discovery)" : cleaned_line(row.target_name));
    }
    if (row.isid != unknown<uint64_t>) {
        line("       ISID 0x{:012x}, TSIH {}, {} connection{}", row.isid, number_or_unknown(row.tsih),
             row.connections, row.connections == 1 ? "" : "s");
    }
    if (!row.header_digest.empty() || !row.data_digest.empty()) {
        line("       digests: header {}, data {}; MaxRecvDataSegmentLength: initiator {}, target {}",
             text_or_unknown(row.header_digest), text_or_unknown(row.data_digest),
             bytes_or_unknown(row.max_recv_data_segment_length_initiator),
             bytes_or_unknown(row.max_recv_data_segment_length_target));
    }
    if (row.max_burst_length != unknown<uint32_t> || row.first_burst_length != unknown<uint32_t>) {
        line(
            "       MaxBurstLength {}, FirstBurstLength {}, InitialR2T {}, ImmediateData {}, "
            "MaxOutstandingR2T {}, "
            "ErrorRecoveryLevel {}",
            bytes_or_unknown(row.max_burst_length), bytes_or_unknown(row.first_burst_length),
            yes_no(row.initial_r2t), yes_no(row.immediate_data), number_or_unknown(row.max_outstanding_r2t),
            number_or_unknown(row.error_recovery_level));
    }
    const bool one_connection = row.connections == 1;
    session_windows("initiator", row.windows_out, one_connection);
    session_windows("target", row.windows_in, one_connection);
    if (row.connections > 1 && !store_.keeps_windows()) {
        line(
            "       cwnd of its connections, summed: not known of a stream, which is kept in bounded memory");
    }
    const auto& loads = store_.summary().sessions();
    if (number > loads.size() || loads[number - 1].commands == 0) return;
    const Summary::SessionLoad& load = loads[number - 1];
    const int64_t gaps_ns = gaps_between_ns(input_.totals, load.first_ns, load.last_ns);
    const int64_t lasted_ns = load.last_ns - load.first_ns - gaps_ns;
    const double seconds = static_cast<double>(lasted_ns) / 1e9;
    const auto rate = [&](uint64_t n) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; };
    const std::string depth =
        load.depths_are_known() && gaps_ns == 0
            ? fmt::format("{:.1f} on average, {} at most", load.mean_depth(), load.max_depth)
            : "not known";
    const bool elsewhere = load.hidden > 0 && std::ranges::binary_search(may_be_one_, number);
    std::string hidden;
    if (load.hidden > 0) {
        hidden = fmt::format(" and {} {} (by CmdSN)", human_count(load.hidden),
                             elsewhere ? "on other connections, or not captured" : "not captured");
    }
    if (load.may_hide) hidden += " and perhaps more that were not captured";
    if (!input_.issues.times_in_order()) {
        line("       {}{}, in what time is not known; {}read {}, written {}; queue depth {}",
             counted(load.commands, "command"), hidden, load.all_bytes_known ? "" : "at least ",
             human_bytes(static_cast<double>(load.bytes_read)),
             human_bytes(static_cast<double>(load.bytes_written)), depth);
        return;
    }
    const int64_t doubted_ns = doubted_between_ns(load.first_ns, load.last_ns);
    const std::string doubted =
        doubted_ns == 0 ? "" : fmt::format(", of which {} may be none", human_duration(doubted_ns));
    line("       {}{} in {}{} ({}{:.0f}/s); {}read {} ({}/s), written {} ({}/s); queue depth {}",
         counted(load.commands, "command"), hidden, human_duration(lasted_ns), doubted,
         load.may_hide || elsewhere ? "at least " : "", rate(load.commands + (elsewhere ? 0 : load.hidden)),
         load.all_bytes_known ? "" : "at least ", human_bytes(static_cast<double>(load.bytes_read)),
         human_bytes(rate(load.bytes_read)), human_bytes(static_cast<double>(load.bytes_written)),
         human_bytes(rate(load.bytes_written)), depth);
}

void Report::session_windows(std::string_view end, const SessionWindowsRow& row, bool one_connection) {
    if (row.cwnd_mean != unknown<uint64_t>) {
        line("       cwnd of the {}{}: {} on average, SD {} ({} %), by time; inferred for {} % of it", end,
             one_connection ? "" : ", summed", human_bytes(static_cast<double>(row.cwnd_mean)),
             human_bytes(static_cast<double>(row.cwnd_sd)), row.cwnd_sd_percent, row.cwnd_known_percent);
    }
    if (row.cwnd_difference_sd != unknown<uint64_t>) {
        const auto difference = static_cast<double>(row.cwnd_difference_sd);
        const std::string segments =
            row.mss == unknown<uint32_t> || row.mss == 0
                ? ""
                : fmt::format(" ({:.2f} segments)", difference / static_cast<double>(row.mss));
        line("       … difference between its connections: SD {}{} over time", human_bytes(difference),
             segments);
    }
    std::string shares;
    const auto add = [&](std::string_view of, uint32_t permille) {
        if (permille == unknown<uint32_t>) return;
        shares += fmt::format("{}{} {:.3f}", shares.empty() ? "" : ", ", of, permille / 1000.0);
    };
    add("throughput", row.jain_throughput_permille);
    add("mean cwnd", row.jain_cwnd_permille);
    if (!shares.empty()) line("       … Jain's index over the {}'s connections: {}", end, shares);
}

void Report::connections() {
    std::vector<std::pair<uint32_t, const ConnectionRow*>> iscsi;
    uint64_t others = 0;
    uint32_t number = 0;
    for (const ConnectionRow& row : store_.connections()) {
        ++number;
        if (row.iscsi) {
            iscsi.emplace_back(number, &row);
        } else {
            ++others;
        }
    }
    if (!iscsi.empty()) {
        heading("Connections");
        line("       {:<48} {:>8} {:>10} {:>10} {:>10} {:>16} {:>9} {:>8}", "initiator -> target", "packets",
             "bytes out", "bytes in", "duration", "retransmissions", "spurious", "session");
        std::stable_sort(iscsi.begin(), iscsi.end(), [](const auto& a, const auto& b) {
            return a.second->bytes_out + a.second->bytes_in > b.second->bytes_out + b.second->bytes_in;
        });
    }
    size_t listed = 0;
    for (const auto& [connection, row] : iscsi) {
        if (++listed > max_connections_listed) break;
        line("  {:>3}  {:<48} {:>8} {:>10} {:>10} {:>10} {:>16} {:>9} {:>8}", connection,
             endpoint(row->initiator) + " -> " + endpoint(row->target),
             human_count(row->packets_out + row->packets_in),
             human_bytes(static_cast<double>(row->bytes_out)),
             human_bytes(static_cast<double>(row->bytes_in)),
             row->end_ns < row->start_ns ? "-" : human_duration(row->end_ns - row->start_ns),
             fmt::format("{} / {}", row->retransmissions_out, row->retransmissions_in),
             fmt::format("{} / {}", row->spurious_retransmissions_out, row->spurious_retransmissions_in),
             row->session.value());
    }
    if (iscsi.size() > max_connections_listed) line("  … and {} more", iscsi.size() - max_connections_listed);
    if (others > 0) line("  {} TCP connection{} without iSCSI", human_count(others), others == 1 ? "" : "s");
}

// ", 2 rejected, 1 terminated"; where there are any.
std::string also_ended(const Summary& summary) {
    std::string text;
    for (const Outcome outcome : {Outcome::rejected, Outcome::terminated}) {
        const uint64_t count = summary.outcomes(outcome);
        if (count > 0) {
            text += fmt::format(", {} {}", human_count(count), outcome_names[static_cast<size_t>(outcome)]);
        }
    }
    return text;
}

void Report::commands() {
    const Summary& summary = store_.summary();
    if (summary.commands() == 0) return;
    heading("Commands");
    const uint64_t not_known = summary.outcomes(Outcome::unknown);
    line("  {} in all: {} completed, {} unanswered, {} aborted, {} answered without their request captured{}",
         human_count(summary.commands()), human_count(summary.outcomes(Outcome::completed)),
         human_count(summary.outcomes(Outcome::unanswered)), human_count(summary.outcomes(Outcome::aborted)),
         human_count(summary.outcomes(Outcome::response_only)),
         also_ended(summary) +
             (not_known == 0 ? "" : fmt::format(", of {} it is not known", human_count(not_known))));
    line("\n  {:<24} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8}",
         "turnaround by size", "", "commands", "p50", "p90", "p99", "p99.9", "max", "mean", "SD", "%SD",
         "bytes", "not GOOD");

    std::map<std::string_view, uint64_t> by_name;
    for (const auto& [key, group] : summary.groups()) by_name[key.first] += group.count;
    std::vector<std::pair<uint64_t, std::string_view>> order;
    order.reserve(by_name.size());
    for (const auto& [name, count] : by_name) order.emplace_back(count, name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, name] : order) group_lines(name);
    const uint64_t untimed = summary.untimed();
    doubts();
    if (untimed == 0) return;
    line("  left out of the times: {} that {} answered, or may have been, {}", counted(untimed, "command"),
         untimed == 1 ? "was" : "were", unseen_ending_words(capture_clocks(input_.issues, store_)));
    line("  (- is a figure that these could change)");
}

// Of the commands of unknown times whose requests were not seen, the group's share: nobody knows what they were.
uint64_t Report::may_be_of(const Summary::Group& group) const {
    uint64_t not_seen = 0;
    uint64_t seen = 0;
    for (const auto& [key, other] : store_.summary().groups()) {
        const bool is_seen = key.first != Summary::request_not_seen;
        (is_seen ? seen : not_seen) += is_seen ? other.count : other.untimed;
    }
    const double share = static_cast<double>(group.count) / static_cast<double>(std::max<uint64_t>(seen, 1));
    return static_cast<uint64_t>(static_cast<double>(not_seen) * share);
}

void Report::group_lines(std::string_view name) {
    const auto& groups = store_.summary().groups();
    std::string shown(name);
    for (auto it = groups.lower_bound({name, 0}); it != groups.end() && it->first.first == name; ++it) {
        const Summary::Group& group = it->second;
        const LogHistogram& t = group.turnaround;
        const uint64_t others = may_be_of(group);
        const bool known = group.moments_are_known(others);
        const auto at = [&](double fraction) {
            return group.percentile_is_known(fraction, others) ? human_duration(t.percentile_ns(fraction))
                                                               : std::string("-");
        };
        const auto rounded = [&](double time_ns) {
            return known ? human_duration(std::llround(time_ns)) : std::string("-");
        };
        line("  {:<24} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8}", shown,
             human_size_class(it->first.second), human_count(group.count), at(0.5), at(0.9), at(0.99),
             at(0.999), known ? human_duration(t.max_ns()) : "-", rounded(t.mean_ns()),
             rounded(t.standard_deviation_ns()),
             known ? fmt::format("{:.0f}", t.moments().percent_deviation()) : "-",
             human_bytes(static_cast<double>(group.bytes)), group.not_good);
        shown.clear();
    }
}

void Report::slowest() {
    const Summary& summary = store_.summary();
    const auto& slowest = summary.slowest();
    if (slowest.empty()) return;
    const uint64_t untimed = summary.untimed();
    heading(untimed == 0 ? "Slowest commands"
                         : fmt::format("Slowest commands of those whose times are known ({} are not)",
                                       human_count(untimed)));
    for (size_t i = 0; i < std::min(slowest.size(), max_commands_listed); ++i) {
        const CommandRow& row = slowest[i].row;
        line("  {:>9}  {:<20} LUN {:<4} {:<24} request in packet {} at {}, status in packet {}{}",
             human_duration(row.turnaround_ns()), name_of(row), number_or_unknown(row.lun), place_of(row),
             row.request_packet, since_start(row.request_ns), row.response_packet,
             row.inferred ? ", inferred" : "");
    }
}

void Report::errors() {
    const auto& errors = store_.summary().errors();
    if (errors.empty()) return;
    heading("Commands that were answered otherwise than with GOOD");
    for (const auto& [kind, count] : errors) {
        line("  {:>8}  {}", human_count(count), ending_words(kind));
    }
    for (size_t i = 0; i < std::min(store_.summary().not_good().size(), max_commands_listed); ++i) {
        const CommandRow& row = store_.summary().not_good()[i].row;
        line("            {:<20} {:<24} request in packet {}, {}", name_of(row), place_of(row),
             row.request_packet,
             row.response_packet == 0 ? "answer where is not known"
                                      : fmt::format("answer in packet {}", row.response_packet));
    }
}

// "rejected by the target: invalid PDU field"
std::string how_it_ended(const ResultStore& store, uint64_t command, const CommandRow& row) {
    if (row.outcome == Outcome::terminated)
        return "its task terminated by the target (Async Message, event 5)";
    if (row.outcome != Outcome::rejected) return row.outcome == Outcome::aborted ? "aborted" : "unanswered";
    const auto& events = store.session_events().first_ones();
    const auto reject = std::ranges::find_if(events, [&](const SessionEvent& event) {
        return Opcode{event.opcode} == Opcode::reject && event.command == command &&
               event.packet == row.aborted_packet;
    });
    return reject == events.end() ? std::string("rejected by the target")
                                  : fmt::format("rejected by the target: {}", reject_words(reject->code));
}

void Report::unanswered() {
    std::vector<Summary::Listed> listed = store_.summary().unanswered();
    std::ranges::stable_sort(listed, {}, [](const Summary::Listed& one) { return one.row.request_packet; });
    if (listed.empty()) return;
    const Summary& summary = store_.summary();
    const uint64_t other = summary.outcomes(Outcome::rejected) + summary.outcomes(Outcome::terminated);
    const uint64_t all = summary.outcomes(Outcome::unanswered) + summary.outcomes(Outcome::aborted) + other;
    heading(other == 0 ? "Unanswered and aborted commands" : "Commands that ended without an answer");
    for (const auto& [number, row] : listed) {
        const std::string tag = row.itt == unknown<uint32_t> ? "?" : fmt::format("0x{:08x}", row.itt);
        line("  {:<20} {:<24} ITT {}, {}, request in packet {} at {}", name_of(row), place_of(row), tag,
             how_it_ended(store_, number, row), row.request_packet, since_start(row.request_ns));
    }
    if (all > listed.size()) line("  … and {} more", human_count(all - listed.size()));
}

void Report::what_lacks() {
    const Issues& issues = input_.issues;
    bool any = !input_.source.damage().empty();
    for (size_t i = 0; i < issue_infos.size(); ++i) any = any || issues[static_cast<Issue>(i)].count > 0;
    const std::vector<PassedOver::Row> passed_over =
        worth_telling(input_.totals.passed_over, input_.totals.wire_bytes);
    if (!any && passed_over.empty()) return;
    heading("What is wrong or missing in the capture");
    for (const Damage& damage : input_.source.damage())
        line("  {}: {}", cleaned_line(damage.file), damage_text(damage));
    for (size_t i = 0; i < issue_infos.size(); ++i) {
        const Issues::Count& count = issues[static_cast<Issue>(i)];
        if (count.count == 0) continue;
        line("  {:>8}  {}{}", human_count(count.count), issue_words(static_cast<Issue>(i), count.count),
             count.first_packet == 0 ? "" : fmt::format("; first at packet {}", count.first_packet));
    }
    for (const PassedOver::Row& row : passed_over) {
        line("  {:>8}  {}; first at packet {}", human_count(row.packets), passed_over_words(row),
             row.first_packet);
    }
}

}  // namespace

std::string text_report(const ReportInput& input) {
    return Report(input).write();
}

}  // namespace sanscope
