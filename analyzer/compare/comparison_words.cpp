// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison_words.h"

#include <cmath>
#include <fmt/format.h>

#include "analyzer/base/utf8.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using Verdict = FigureChange::Verdict;

std::string human_value(double value, Unit unit) {
    switch (unit) {
        case Unit::nanoseconds:
            return human_duration(std::llround(value));
        case Unit::bytes:
            return human_bytes(value);
        case Unit::bytes_per_second:
            return human_bytes(value) + "/s";
        case Unit::per_second:
            return value >= 1000 ? fmt::format("{:.0f}/s", value) : fmt::format("{:.4g}/s", value);
        case Unit::commands:
            return fmt::format("{:.3g}", value);
        case Unit::share:
            break;
    }
    return value > 0 && value < 0.001 ? fmt::format("{:.2g} %", value * 100) : human_percent(value);
}

std::string signed_percent(double share) {
    return std::abs(share) < 10 ? fmt::format("{:+.1f} %", share * 100)
                                : fmt::format("{:+.0f} %", share * 100);
}

std::string signed_points(double share) {
    return std::abs(share) < 1 ? fmt::format("{:+.2g} points", share * 100)
                               : fmt::format("{:+.0f} points", share * 100);
}

std::string amount(const FigureChange& change, double by) {
    return change.any().scale == Scale::ratio ? signed_percent(by) : signed_points(by);
}

bool judged(const FigureChange& change) {
    return change.before != nullptr && change.after != nullptr && change.verdict != Verdict::not_told;
}

std::string_view reason(NoError no_error) {
    switch (no_error) {
        case NoError::too_few:
            return "too few to tell";
        case NoError::never_moved:
            return "never moved within a capture: one draw of each";
        case NoError::other_place:
            return "captured at another place: not comparable";
        case NoError::other_view:
            return "inferred from another place or without the handshakes: not comparable";
        case NoError::none:
            break;
    }
    return "";
}

std::string_view vantage_of(const SessionFigures& session) {
    if (session.vantages_differ) return "at several places";
    switch (session.vantage) {
        case Vantage::initiator:
            return "at the initiator";
        case Vantage::target:
            return "at the target";
        case Vantage::middle:
            return "in the middle";
        case Vantage::unknown:
            break;
    }
    return "at a place not known";
}

}  // namespace

std::string capture_words(const CaptureFigures& capture) {
    const bool timed = capture.first_ns != no_time && capture.last_ns != no_time;
    return fmt::format("{}, {}", counted(capture.packets, "packet"),
                       timed
                           ? human_duration(within_reach(capture.last_ns) - within_reach(capture.first_ns)) +
                                 " from " + utc_time(capture.first_ns)
                           : "no times");
}

std::string session_words(const SessionFigures& session) {
    if (session.initiator_name.empty() && session.target_name.empty()) {
        return fmt::format("(login not captured) {} -> {}", format(session.initiator_address),
                           format_endpoint(session.target.address, session.target.port));
    }
    return cleaned_line(session.initiator_name) + " -> " + cleaned_line(session.target_name);
}

std::string vantage_words(const SessionFigures& before, const SessionFigures& after) {
    return fmt::format("captured {} before, {} after", vantage_of(before), vantage_of(after));
}

std::string commands_words(const SessionFigures& before, const SessionFigures& after) {
    return fmt::format("{} before, {} after{}", counted(before.commands, "command"),
                       human_count(after.commands),
                       before.sessions > 1 || after.sessions > 1
                           ? fmt::format("; {} and {} sessions taken as one", before.sessions, after.sessions)
                           : "");
}

std::string unmatched_words(const SessionFigures& session) {
    return fmt::format("{}, {} -> {}, {}", session_words(session), format(session.initiator_address),
                       format_endpoint(session.target.address, session.target.port),
                       counted(session.commands, "command"));
}

std::string place_words(const FigurePlace& place) {
    if (!place.sender.empty()) return place.sender + "'s TCP";
    if (place.command.empty()) return "session";
    std::string text = place.lun == unknown<uint64_t> ? "LUN ?" : fmt::format("LUN {}", place.lun);
    text += ", " + place.command;
    if (place.size_class > 0) text += " " + human_size_class(place.size_class);
    return text;
}

std::string value_words(const Figure* figure) {
    return figure == nullptr ? "-" : human_value(figure->estimate.value, figure->unit);
}

std::string difference_words(const FigureChange& change) {
    if (change.before == nullptr) return "only after";
    if (change.after == nullptr) return "only before";
    return judged(change) ? amount(change, change.change) : "";
}

std::string interval_words(const FigureChange& change) {
    return judged(change) ? fmt::format("{} … {}", amount(change, change.low), amount(change, change.high))
                          : "";
}

std::string_view verdict_words(const FigureChange& change) {
    switch (change.verdict) {
        case Verdict::higher:
            return "HIGHER";
        case Verdict::lower:
            return "LOWER";
        case Verdict::not_shown:
            return "";
        case Verdict::not_told:
            break;
    }
    return change.before == nullptr || change.after == nullptr ? "" : reason(change.no_error);
}

bool differs(const FigureChange& change) {
    return change.verdict == Verdict::higher || change.verdict == Verdict::lower;
}

bool is_nothing(const FigureChange& change) {
    const auto none = [](const Figure* figure) { return figure == nullptr || figure->estimate.value == 0; };
    return none(change.before) && none(change.after);
}

std::string outcome_words(const Comparison& comparison) {
    if (comparison.sessions.empty()) return "No session is in both captures: nothing was compared.";
    if (comparison.figures_compared == 0) {
        return "Nothing could be told: both captures have too little of what they share.";
    }
    if (comparison.figures_changed == 0) {
        return fmt::format(
            "Nothing that {} figures show: each difference is less than {:.0f} % ({:.0f} points of a share) "
            "or "
            "may be chance.",
            comparison.figures_compared, (least_ratio - 1) * 100, least_difference * 100);
    }
    return fmt::format(
        "{} of {} figures; were nothing changed, one or more of them would be here once in {:.0f} times",
        comparison.figures_changed, comparison.figures_compared, 1 / chance_of_false_alarm);
}

std::string_view finding_state_name(FindingChange::State state) {
    constexpr std::string_view names[] = {"appeared", "gone", "stayed"};
    return names[static_cast<size_t>(state)];
}

std::string finding_words(const PlacedFinding& finding) {
    return fmt::format("{} [{}]", cleaned_line(finding.title), finding_kind_name(finding.kind));
}

}  // namespace sanscope
