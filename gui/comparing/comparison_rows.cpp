// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/comparison_rows.h"

#include <QCoreApplication>
#include <QStringList>
#include <utility>

#include "analyzer/compare/comparison_words.h"

namespace sanscope {
namespace {

using Mark = ComparisonRow::Mark;
using State = FindingChange::State;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ComparisonRows)
};

QString qt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

ComparisonRow note(const std::string& text) {
    ComparisonRow row;
    row.text = qt(text);
    return row;
}

Mark mark_of(const FigureChange& change) {
    switch (change.verdict) {
        case FigureChange::Verdict::higher:
            return Mark::higher;
        case FigureChange::Verdict::lower:
            return Mark::lower;
        default:
            return Mark::none;
    }
}

ComparisonRow row_of(const FigureChange& change, const SessionComparison& session) {
    ComparisonRow row;
    row.of = qt(place_words(change.any().place));
    row.figure = qt(change.any().name);
    row.before = qt(value_words(change.before));
    row.after = qt(value_words(change.after));
    row.difference = qt(difference_words(change));
    row.interval = qt(interval_words(change));
    row.verdict = qt(verdict_words(change));
    row.mark = mark_of(change);
    row.change = &change;
    row.place = &change.any().place;
    row.session = &session;
    return row;
}

QString of_finding(const PlacedFinding& finding) {
    return qt(finding_severity_name(finding.severity)) + QStringLiteral(" · ") + qt(finding_words(finding));
}

ComparisonGroup what_differs(const ComparedCaptures& captures) {
    const Comparison& comparison = captures.comparison;
    ComparisonGroup group{Words::tr("What differs beyond chance"), {}};
    for (const SessionComparison& session : comparison.sessions) {
        bool begun = false;
        for (const FigureChange& change : session.figures) {
            if (!differs(change)) continue;
            if (!begun && comparison.sessions.size() > 1) {
                group.rows.push_back(note(session_words(captures.before->figures.sessions[session.before])));
            }
            begun = true;
            group.rows.push_back(row_of(change, session));
        }
    }
    if (group.rows.empty()) group.rows.push_back(note(outcome_words(comparison)));
    return group;
}

ComparisonGroup findings_of(const ComparedCaptures& captures, bool only_what_differs) {
    ComparisonGroup group{Words::tr("Findings"), {}};
    if (captures.comparison.findings.empty()) {
        group.rows.push_back(note("no problem and no notice before or after"));
    }
    size_t stayed = 0;
    for (const FindingChange& change : captures.comparison.findings) {
        if (only_what_differs && change.state == State::stayed) {
            ++stayed;
            continue;
        }
        ComparisonRow row;
        row.text = qt(finding_state_name(change.state)) + QStringLiteral(" · ") +
                   of_finding(change.after != nullptr ? *change.after : *change.before);
        row.mark = change.state == State::appeared ? Mark::appeared
                   : change.state == State::gone   ? Mark::gone
                                                   : Mark::none;
        row.finding = &change;
        group.rows.push_back(std::move(row));
        if (change.state == State::stayed) {
            ComparisonRow was;
            was.text = QStringLiteral("     before: ") + of_finding(*change.before);
            was.finding = &change;
            group.rows.push_back(std::move(was));
        }
    }
    if (only_what_differs && stayed == captures.comparison.findings.size() && stayed > 0) {
        group.rows.push_back(note("none appeared, none is gone"));
    }
    return group;
}

ComparisonGroup session_group(const ComparedCaptures& captures, const SessionComparison& session,
                              bool only_what_differs) {
    const SessionFigures& before = captures.before->figures.sessions[session.before];
    const SessionFigures& after = captures.after->figures.sessions[session.after];
    ComparisonGroup group{qt(session_words(before)), {}};
    for (const FigureChange& change : session.figures) {
        if (is_nothing(change) || (only_what_differs && !differs(change))) continue;
        group.rows.push_back(row_of(change, session));
    }
    if (only_what_differs && group.rows.empty()) return group;
    group.rows.insert(group.rows.begin(),
                      note(vantage_words(before, after) + "; " + commands_words(before, after)));
    return group;
}

ComparisonGroup unmatched(const QString& title, const std::vector<size_t>& sessions,
                          const CaptureFigures& capture) {
    ComparisonGroup group{title, {}};
    for (const size_t i : sessions) group.rows.push_back(note(unmatched_words(capture.sessions[i])));
    return group;
}

const Finding* finding_of(const PlacedFinding* placed, const MeasuredCapture& capture) {
    if (placed == nullptr) return nullptr;
    return &capture.findings[static_cast<size_t>(placed - capture.figures.findings.data())];
}

}  // namespace

const Finding* ComparedCaptures::finding_before(const FindingChange& change) const {
    return finding_of(change.before, *before);
}

const Finding* ComparedCaptures::finding_after(const FindingChange& change) const {
    return finding_of(change.after, *after);
}

std::shared_ptr<const ComparedCaptures> compare(std::shared_ptr<const MeasuredCapture> before,
                                                std::shared_ptr<const MeasuredCapture> after) {
    auto compared = std::make_shared<ComparedCaptures>();
    compared->before = std::move(before);
    compared->after = std::move(after);
    compared->comparison = compare_captures(compared->before->figures, compared->after->figures);
    return compared;
}

std::vector<ComparisonGroup> comparison_groups(const ComparedCaptures& captures, bool only_what_differs) {
    const Comparison& comparison = captures.comparison;
    std::vector<ComparisonGroup> groups;
    groups.push_back(what_differs(captures));
    groups.push_back(findings_of(captures, only_what_differs));
    for (const SessionComparison& session : comparison.sessions) {
        ComparisonGroup group = session_group(captures, session, only_what_differs);
        if (!group.rows.empty()) groups.push_back(std::move(group));
    }
    if (!comparison.only_before.empty()) {
        groups.push_back(
            unmatched(Words::tr("Sessions only before"), comparison.only_before, captures.before->figures));
    }
    if (!comparison.only_after.empty()) {
        groups.push_back(
            unmatched(Words::tr("Sessions only after"), comparison.only_after, captures.after->figures));
    }
    return groups;
}

QString filter_of(const SessionFigures& session, const FigurePlace& place) {
    if (session.numbers.empty()) return {};
    QStringList numbers;
    for (const uint32_t number : session.numbers) numbers.append(QString::number(number));
    QString filter = QStringLiteral("session in {%1}").arg(numbers.join(QStringLiteral(", ")));
    if (place.command.empty()) return filter;
    filter += place.lun == unknown<uint64_t> ? QStringLiteral(" and not lun")
                                             : QStringLiteral(" and lun == %1").arg(place.lun);
    filter += QStringLiteral(" and name == \"%1\"").arg(qt(place.command));
    if (place.size_class > 0) {
        // As Summary::GroupKey: more than half of a power of two, up to that.
        const uint64_t most = uint64_t{1} << (place.size_class - 1);
        filter += QStringLiteral(" and bytes in {%1..%2}").arg(most / 2 + 1).arg(most);
    }
    return filter;
}

}  // namespace sanscope
