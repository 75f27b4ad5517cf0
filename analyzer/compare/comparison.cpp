// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "analyzer/compare/session_matching.h"
#include "analyzer/compare/student_t.h"

namespace sanscope {
namespace {

using Verdict = FigureChange::Verdict;

struct Held {
    double change = 0;  // on the scale
    double error = 0;
    double freedom = 0;
    double least = 0;
};

double on_scale(double value, Scale scale) {
    switch (scale) {
        case Scale::ratio:
            return std::log(value);
        case Scale::rare:
            return std::sqrt(value);
        case Scale::difference:
            break;
    }
    return value;
}

// Of what is compared by square roots, as by a ratio; where there was none before, any is news.
double least_change(const Figure& before, const Figure& after) {
    switch (before.scale) {
        case Scale::ratio:
            return std::max(
                std::log(least_ratio),
                std::log1p(before.least_change / std::min(before.estimate.value, after.estimate.value)));
        case Scale::rare:
            return (std::sqrt(least_ratio) - 1) *
                   std::sqrt(std::max(before.estimate.value, after.estimate.value));
        case Scale::difference:
            break;
    }
    return least_difference;
}

// Welch's: the errors of both add up, and the degrees of freedom are mostly those of the greater one.
std::optional<Held> hold(const Figure& before, const Figure& after) {
    const Estimate& a = before.estimate;
    const Estimate& b = after.estimate;
    Held held;
    held.change = on_scale(b.value, before.scale) - on_scale(a.value, before.scale);
    if (!std::isfinite(held.change)) return std::nullopt;
    const double va = a.error * a.error;
    const double vb = b.error * b.error;
    const auto weight = [](double variance, double freedom) {
        return variance > 0 ? variance * variance / freedom : 0;
    };
    held.error = std::sqrt(va + vb);
    held.freedom = va + vb > 0 ? (va + vb) * (va + vb) / (weight(va, a.freedom) + weight(vb, b.freedom))
                               : std::min(a.freedom, b.freedom);
    held.least = least_change(before, after);
    return held;
}

// Back from the scale: what is told.
double told(const Figure& before, double change) {
    if (before.scale == Scale::ratio) return std::expm1(change);
    if (before.scale == Scale::difference) return change;
    const double root = std::max(0.0, std::sqrt(before.estimate.value) + change);
    return root * root - before.estimate.value;
}

// A share that stood at the same value in all of one capture, most often none or all of it, has no error to add to that of
// the other.
NoError why_not_told(const Figure& before, const Figure& after) {
    NoError a = before.estimate.no_error;
    NoError b = after.estimate.no_error;
    if (before.scale == Scale::difference && a != b) {
        if (a == NoError::never_moved) a = NoError::none;
        if (b == NoError::never_moved) b = NoError::none;
    }
    return a != NoError::none ? a : b;
}

// Whether both captures show the same thing. Where it was captured may be unknown, of both or of one: then a turnaround is
// told all the same, for most captures of a site are taken at one place; what TCP did is not.
NoError other_view(RestsOn rests_on, const SessionFigures& before, const SessionFigures& after) {
    if (rests_on == RestsOn::nothing) return NoError::none;
    const bool alike = before.vantage == after.vantage;
    const bool known = before.vantage != Vantage::unknown && after.vantage != Vantage::unknown;
    if ((known && !alike) || before.vantages_differ || after.vantages_differ) return NoError::other_place;
    if (rests_on == RestsOn::place) return NoError::none;
    const auto has_all = [](const SessionFigures& one) { return one.handshakes == one.connections; };
    const auto has_none = [](const SessionFigures& one) { return one.handshakes == 0; };
    const bool same = (has_all(before) && has_all(after)) || (has_none(before) && has_none(after));
    return alike && same ? NoError::none : NoError::other_view;
}

void judge(FigureChange& change, const SessionFigures& of_before, const SessionFigures& of_after) {
    if (change.before == nullptr || change.after == nullptr) {
        change.no_error = NoError::too_few;
        return;
    }
    const Figure& before = *change.before;
    const Figure& after = *change.after;
    change.change = before.scale == Scale::ratio ? after.estimate.value / before.estimate.value - 1
                                                 : after.estimate.value - before.estimate.value;
    change.no_error = other_view(before.rests_on, of_before, of_after);
    if (change.no_error == NoError::none) change.no_error = why_not_told(before, after);
    if (change.no_error != NoError::none) return;
    const std::optional<Held> held = hold(before, after);
    if (!held) {
        change.no_error = NoError::too_few;
        return;
    }
    constexpr double outside = 0.025;  // on either side of a 95 % interval
    const double reach = student_t_exceeded(outside, held->freedom) * held->error;
    change.low = told(before, held->change - reach);
    change.high = told(before, held->change + reach);
    change.verdict = Verdict::not_shown;
    const double beyond = std::abs(held->change) - held->least;
    if (beyond <= 0) return;
    change.chance =
        held->error > 0 ? std::min(1.0, 2 * student_t_beyond(beyond / held->error, held->freedom)) : 0;
}

// Holm: the least chance must pass all of them, the next one all but one, and so on to the first that does not.
void find_changed(Comparison& comparison) {
    std::vector<FigureChange*> judged;
    for (SessionComparison& session : comparison.sessions) {
        for (FigureChange& change : session.figures) {
            if (change.verdict == Verdict::not_shown) judged.push_back(&change);
        }
    }
    std::ranges::stable_sort(judged, {}, &FigureChange::chance);
    comparison.figures_compared = judged.size();
    for (size_t i = 0; i < judged.size(); ++i) {
        if (judged[i]->chance > chance_of_false_alarm / static_cast<double>(judged.size() - i)) break;
        judged[i]->verdict = judged[i]->change > 0 ? Verdict::higher : Verdict::lower;
        ++comparison.figures_changed;
    }
}

std::vector<FigureChange> pair_figures(const SessionFigures& before, const SessionFigures& after) {
    std::vector<FigureChange> changes;
    const auto same = [](const Figure& a, const Figure& b) { return a.name == b.name && a.place == b.place; };
    for (const Figure& figure : before.figures) {
        const auto other =
            std::ranges::find_if(after.figures, [&](const Figure& one) { return same(figure, one); });
        changes.push_back({.before = &figure, .after = other == after.figures.end() ? nullptr : &*other});
    }
    for (const Figure& figure : after.figures) {
        if (std::ranges::none_of(before.figures, [&](const Figure& one) { return same(figure, one); }))
            changes.push_back({.before = nullptr, .after = &figure});
    }
    for (FigureChange& change : changes) judge(change, before, after);
    return changes;
}

// The session's number among the pairs, the same for both captures; those of one capture alone beyond all of them.
struct PairNumbers {
    std::vector<size_t> before;
    std::vector<size_t> after;
};

PairNumbers number_pairs(const CaptureFigures& before, const CaptureFigures& after,
                         const SessionMatching& matching) {
    constexpr size_t of_before = SIZE_MAX - 1;
    constexpr size_t of_after = SIZE_MAX - 2;
    PairNumbers numbers{std::vector(before.sessions.size(), of_before),
                        std::vector(after.sessions.size(), of_after)};
    for (size_t i = 0; i < matching.pairs.size(); ++i) {
        numbers.before[matching.pairs[i].first] = i;
        numbers.after[matching.pairs[i].second] = i;
    }
    return numbers;
}

bool is_told(const PlacedFinding& finding) {
    return finding.severity != Finding::Severity::information;
}

// What one capture has as a problem the other may have as information, since it follows from something else there.
std::vector<FindingChange> pair_findings(const CaptureFigures& before, const CaptureFigures& after,
                                         const PairNumbers& numbers) {
    const auto pair_of = [](const PlacedFinding& finding, const std::vector<size_t>& of) {
        return finding.session == PlacedFinding::no_session ? finding.session : of[finding.session];
    };
    std::vector<bool> taken(after.findings.size());
    std::vector<FindingChange> changes;
    for (const PlacedFinding& finding : before.findings) {
        FindingChange change{.state = FindingChange::State::gone, .before = &finding};
        for (size_t j = 0; j < taken.size(); ++j) {
            const PlacedFinding& other = after.findings[j];
            if (taken[j] || other.kind != finding.kind || other.lun != finding.lun ||
                other.sender != finding.sender ||
                pair_of(other, numbers.after) != pair_of(finding, numbers.before)) {
                continue;
            }
            taken[j] = true;
            change.state = FindingChange::State::stayed;
            change.after = &other;
            break;
        }
        if (is_told(finding) || (change.after != nullptr && is_told(*change.after)))
            changes.push_back(change);
    }
    for (size_t j = 0; j < taken.size(); ++j) {
        if (!taken[j] && is_told(after.findings[j]))
            changes.push_back({.state = FindingChange::State::appeared, .after = &after.findings[j]});
    }
    std::ranges::stable_sort(changes, {}, &FindingChange::state);
    return changes;
}

}  // namespace

Comparison compare_captures(const CaptureFigures& before, const CaptureFigures& after) {
    const SessionMatching matching = match_sessions(before.sessions, after.sessions);
    Comparison comparison;
    comparison.only_before = matching.only_before;
    comparison.only_after = matching.only_after;
    comparison.sessions.reserve(matching.pairs.size());
    for (const auto& [i, j] : matching.pairs)
        comparison.sessions.push_back({i, j, pair_figures(before.sessions[i], after.sessions[j])});
    find_changed(comparison);
    comparison.findings = pair_findings(before, after, number_pairs(before, after, matching));
    return comparison;
}

}  // namespace sanscope
