// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/live_screen.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "analyzer/base/utf8.h"
#include "analyzer/report/human_units.h"
#include "analyzer/report/sessions/session_words.h"
#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

std::string endpoint(const Endpoint& end) {
    return format_endpoint(end.address, end.port);
}

std::string rate(uint64_t bytes, double seconds) {
    return seconds > 0 ? human_bytes(static_cast<double>(bytes) / seconds) + "/s" : "-";
}

std::string per_second(uint64_t count, double seconds) {
    return seconds > 0
               ? human_count(static_cast<uint64_t>(std::llround(static_cast<double>(count) / seconds)))
               : "-";
}

std::string bytes_or_unknown(uint32_t bytes) {
    return bytes == unknown<uint32_t> ? "-" : human_bytes(bytes);
}

// Those losses that made a sender send again.
uint64_t retransmissions(const SenderSummary& sender) {
    return sender.losses(LossKind::fast_retransmit) + sender.losses(LossKind::rto) +
           sender.losses(LossKind::tlp) + sender.losses(LossKind::spurious);
}

// Figures have signs of units, names what characters they will; cut by characters, not bytes.
void cut(std::string& line, size_t columns) {
    size_t characters = 0;
    for (size_t at = 0; at < line.size(); ++at) {
        const bool begins = (static_cast<uint8_t>(line[at]) & 0xc0) != 0x80;
        if (begins && ++characters > columns) return line.resize(at);
    }
}

using Ranked = std::pair<double, std::string>;

std::vector<std::string> busiest_first(std::vector<Ranked> ranked) {
    std::ranges::stable_sort(ranked, [](const Ranked& a, const Ranked& b) { return a.first > b.first; });
    std::vector<std::string> rows;
    rows.reserve(ranked.size());
    for (Ranked& row : ranked) rows.push_back(std::move(row.second));
    return rows;
}

}  // namespace

LiveScreen::Lines LiveScreen::what_is_wrong(std::span<const Finding> wrong) {
    // Loads go on below; the report has them all.
    constexpr size_t most = 4;
    std::vector<std::string> rows;
    for (const Finding& finding : wrong) {
        if (rows.size() == most) {
            rows.back() = fmt::format("… and {} more", wrong.size() - most + 1);
            break;
        }
        const std::string place = finding.place.empty() ? "" : "  (" + finding.place + ")";
        rows.push_back(fmt::format("{:<8} {}{}",
                                   finding.severity == Finding::Severity::problem ? "PROBLEM" : "notice",
                                   cleaned_line(finding.title), cleaned_line(place)));
    }
    return {{"What is wrong so far (losses, stalls and slowness are judged at the end)"}, std::move(rows)};
}

LiveScreen::Lines LiveScreen::sessions(const ResultStore& store, double seconds) {
    const auto& loads = store.summary().sessions();
    sessions_.resize(loads.size());
    std::vector<Ranked> ranked;
    for (size_t i = 0; i < loads.size(); ++i) {
        const Summary::SessionLoad& load = loads[i];
        SessionFigures& before = sessions_[i];
        const uint64_t commands = load.commands - before.commands;
        const uint64_t read = load.bytes_read - before.bytes_read;
        const uint64_t written = load.bytes_written - before.bytes_written;
        before = {load.commands, load.bytes_read, load.bytes_written};
        std::string target;
        if (i < store.sessions().size()) {
            const SessionRow& session = store.sessions()[i];
            target = session.target_name.empty() ? std::string(unnamed_session(session))
                                                 : cleaned_line(session.target_name);
        }
        ranked.emplace_back(
            static_cast<double>(commands),
            fmt::format("{:>7}  {:>9} {:>12} {:>12} {:>6} {:>10}  {}", i + 1, per_second(commands, seconds),
                        rate(read, seconds), rate(written, seconds), load.depth_now(),
                        human_count(load.commands), target));
    }
    return {{fmt::format("{:>7}  {:>9} {:>12} {:>12} {:>6} {:>10}  {}", "session", "IOPS", "read", "written",
                         "depth", "commands", "target")},
            busiest_first(std::move(ranked))};
}

LiveScreen::Lines LiveScreen::commands(const ResultStore& store, double seconds) {
    std::vector<Ranked> ranked;
    const auto add = [&](const std::string& name, const LogHistogram& turnaround) {
        const auto at = [&](double fraction) {
            return turnaround.count() == 0 ? "-" : human_duration(turnaround.percentile_ns(fraction));
        };
        ranked.emplace_back(static_cast<double>(turnaround.count()),
                            fmt::format("{:<28} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8}", name,
                                        per_second(turnaround.count(), seconds), at(0.5), at(0.9), at(0.99),
                                        at(0.999), at(1)));
    };
    LogHistogram all;
    for (const auto& [key, group] : store.summary().groups()) {
        LogHistogram& before = turnarounds_[key];
        const LogHistogram now = group.turnaround.since(before);
        before = group.turnaround;
        if (now.count() == 0) continue;
        all.add(now);
        const std::string name = key.first.empty() ? "not known" : std::string(key.first);
        add(key.second == 0 ? name : fmt::format("{} {}", name, human_size_class(key.second)), now);
    }
    if (ranked.size() > 1) {
        add("all", all);
    } else if (ranked.empty()) {
        ranked.emplace_back(0, "none answered");
    }
    return {{fmt::format("{:<28} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8}", "turnaround", "answered/s", "p50",
                         "p90", "p99", "p99.9", "max")},
            busiest_first(std::move(ranked))};
}

LiveScreen::Lines LiveScreen::senders(const ResultStore& store, double seconds) {
    senders_.resize(store.senders().size());
    std::vector<Ranked> ranked;
    size_t i = 0;
    for (const SenderSummary& sender : store.senders()) {
        SenderFigures& before = senders_[i++];
        if (sender.connection() == 0 || sender.connection() > store.connections().size()) continue;
        const ConnectionRow& connection = store.connection(sender.connection());
        const bool out = connection.is_initiator(sender.side());
        const SenderFigures now{out ? connection.bytes_out : connection.bytes_in, retransmissions(sender)};
        // A row that is described anew may tell less: sides were taken for each other.
        const uint64_t bytes = now.bytes >= before.bytes ? now.bytes - before.bytes : 0;
        const uint64_t again =
            now.retransmissions >= before.retransmissions ? now.retransmissions - before.retransmissions : 0;
        before = now;
        if (sender.windows() == 0) continue;
        const SenderSummary::Moment& moment = sender.last();
        const std::string who = fmt::format("{} > {}", endpoint(connection.endpoint(sender.side())),
                                            endpoint(connection.endpoint(other_side(sender.side()))));
        ranked.emplace_back(
            static_cast<double>(bytes),
            fmt::format("{:<43} {:>11} {:>8} {:>8} {:>8} {:<8} {:>5} {:>6}", who, rate(bytes, seconds),
                        bytes_or_unknown(moment.cwnd), bytes_or_unknown(moment.in_flight),
                        moment.srtt_ns == no_time ? "-" : human_duration(moment.srtt_ns),
                        ca_state_names[static_cast<size_t>(moment.state)], again, now.retransmissions));
    }
    return {{fmt::format("{:<43} {:>11} {:>8} {:>8} {:>8} {:<8} {:>5} {:>6}", "sender", "payload", "cwnd",
                         "flying", "srtt", "state", "lost", "in all")},
            busiest_first(std::move(ranked))};
}

std::vector<std::string> LiveScreen::next(const ResultStore& store, int64_t now_ns, Size size,
                                          std::span<const Finding> wrong) {
    const double seconds = begun_ ? static_cast<double>(now_ns - last_ns_) / 1e9 : 0;
    begun_ = true;
    last_ns_ = now_ns;
    std::vector<Lines> parts;
    if (!wrong.empty()) parts.push_back(what_is_wrong(wrong));
    parts.push_back(sessions(store, seconds));
    parts.push_back(commands(store, seconds));
    parts.push_back(senders(store, seconds));

    // What is left beside heads and the lines between is shared out row by row, so that no part starves another.
    size_t room = size.lines;
    for (const Lines& part : parts) room -= std::min(room, part.heads.size());
    room -= std::min(room, parts.size() - 1);
    std::vector<size_t> shown(parts.size(), 0);
    for (bool more = true; more && room > 0;) {
        more = false;
        for (size_t i = 0; i < parts.size() && room > 0; ++i) {
            if (shown[i] == parts[i].rows.size()) continue;
            ++shown[i];
            --room;
            more = true;
        }
    }
    std::vector<std::string> lines;
    for (size_t i = 0; i < parts.size(); ++i) {
        Lines& part = parts[i];
        if (i > 0) lines.emplace_back();
        for (std::string& head : part.heads) lines.push_back(std::move(head));
        const size_t left_out = part.rows.size() - shown[i];
        for (size_t row = 0; row < shown[i]; ++row) {
            const bool last = left_out > 0 && row + 1 == shown[i];
            lines.push_back(last ? fmt::format("… and {} more", left_out + 1) : std::move(part.rows[row]));
        }
    }
    if (lines.size() > size.lines) lines.resize(size.lines);
    for (std::string& line : lines) cut(line, size.columns);
    return lines;
}

}  // namespace sanscope
