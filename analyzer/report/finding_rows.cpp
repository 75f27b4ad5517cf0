// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/finding_rows.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

constexpr size_t widest = 128;

// Breaks at spaces; `text` goes on at `indent` on every line but the first.
void append_wrapped(std::string& out, std::string_view text, size_t column, size_t indent) {
    while (!text.empty()) {
        const size_t room = widest - column;
        size_t end = text.size();
        if (text.size() > room) {
            end = text.rfind(' ', room);
            if (end == std::string_view::npos || end == 0) end = text.find(' ');
            if (end == std::string_view::npos) end = text.size();
        }
        out += text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (text.empty()) break;
        out += '\n';
        out.append(indent, ' ');
        column = indent;
    }
    out += '\n';
}

bool is_problem_or_notice(const Finding& finding) {
    return finding.severity != Finding::Severity::information;
}

// Of each kind, of those that are told: whether they are of several sessions, of several connections.
class SubjectsOfKinds {
  public:
    explicit SubjectsOfKinds(std::span<const Finding> findings) {
        for (const Finding& finding : findings) {
            if (!is_problem_or_notice(finding)) continue;
            const auto [place, is_new] = by_kind_.try_emplace(finding.kind, Alike{.first = &finding});
            if (is_new) continue;
            Alike& alike = place->second;
            alike.of_sessions = alike.of_sessions || finding.session != alike.first->session;
            alike.of_connections = alike.of_connections || finding.connection != alike.first->connection;
        }
    }

    // Where others are of its kind: whose this is, as " (session 4)".
    std::string told_apart(const Finding& finding) const {
        const auto found = by_kind_.find(finding.kind);
        if (found == by_kind_.end()) return "";
        if (found->second.of_sessions && finding.session != 0)
            return fmt::format(" (session {})", finding.session);
        if (found->second.of_connections && finding.connection != 0)
            return fmt::format(" (connection {})", finding.connection);
        return "";
    }

  private:
    struct Alike {
        const Finding* first;
        bool of_sessions = false;
        bool of_connections = false;
    };
    std::map<Finding::Kind, Alike> by_kind_;
};

void append_finding(std::string& out, const Finding& finding, const SubjectsOfKinds& subjects, bool colour) {
    struct Mark {
        std::string_view sign;
        std::string_view escape;
    };
    constexpr std::array<Mark, 3> marks = {{{"PROBLEM", "\033[1;31m"}, {"notice", "\033[33m"}, {"", ""}}};
    const Mark& mark = marks[static_cast<size_t>(finding.severity)];
    constexpr size_t indent = 11;
    out += "  ";
    if (colour) out += mark.escape;
    out += mark.sign;
    if (colour && !mark.escape.empty()) out += "\033[0m";
    out.append(indent - 2 - mark.sign.size(), ' ');
    append_wrapped(out, cleaned_line(finding.title + subjects.told_apart(finding)), indent, indent);
    for (const std::string& sign : finding.evidence) {
        out.append(indent, ' ');
        out += "- ";
        append_wrapped(out, cleaned_line(sign), indent + 2, indent + 2);
    }
    std::string advice = finding.explanation;
    if (finding.confidence != Finding::Confidence::firm &&
        finding.severity != Finding::Severity::information) {
        advice = fmt::format("({}) {}", finding_confidence_name(finding.confidence), advice);
    }
    // Its page in docs/findings.
    advice += fmt::format(" [{}]", finding_kind_name(finding.kind));
    out.append(indent, ' ');
    append_wrapped(out, cleaned_line(advice), indent, indent);
}

}  // namespace

std::string joined_evidence(const Finding& finding) {
    std::string text;
    for (const std::string& sign : finding.evidence) text += (text.empty() ? "" : "; ") + sign;
    return text;
}

void append_finding_rows(std::span<const Finding> findings, ChunkedRows<FindingRow>& rows) {
    for (const Finding& finding : findings) {
        FindingRow& row = rows.append({});
        row.kind = finding_kind_name(finding.kind);
        row.severity = finding_severity_name(finding.severity);
        row.side = finding_side_name(finding.side);
        row.confidence = finding_confidence_name(finding.confidence);
        constexpr std::array<std::string_view, 3> senders = {"", "initiator", "target"};
        row.sender = senders[static_cast<size_t>(finding.sender)];
        row.title = finding.title;
        row.explanation = finding.explanation;
        row.evidence = joined_evidence(finding);
        row.place = finding.place;
        if (finding.cost_ns > 0) row.cost_ns = finding.cost_ns;
        row.connection = finding.connection;
        row.session = finding.session;
        row.command = finding.command;
        row.lun = finding.lun;
        row.packet = finding.packet;
        row.begin_ns = finding.begin_ns;
        row.end_ns = finding.end_ns;
    }
}

std::string what_is_wrong_section(std::span<const Finding> findings, bool colour) {
    const SubjectsOfKinds subjects(findings);
    std::string text;
    for (const Finding& finding : findings) {
        if (is_problem_or_notice(finding)) append_finding(text, finding, subjects, colour);
    }
    for (const Finding& finding : findings) {
        if (finding.kind == Finding::Kind::nothing_wrong) append_finding(text, finding, subjects, colour);
    }
    if (text.empty()) return text;
    return "\nWhat is wrong\n" + text +
           "  [KIND]: docs/findings/KIND.md says what it means and what else looks like it.\n";
}

}  // namespace sanscope
