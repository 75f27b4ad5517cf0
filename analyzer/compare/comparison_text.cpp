// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison_text.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "analyzer/base/utf8.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using State = FindingChange::State;
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
            return fmt::format("{:.4g}/s", value);
        case Unit::commands:
            return fmt::format("{:.3g}", value);
        case Unit::share:
            break;
    }
    return value > 0 && value < 0.001 ? fmt::format("{:.2g} %", value * 100) : human_percent(value);
}

std::string value_of(const Figure* figure) {
    return figure == nullptr ? "-" : human_value(figure->estimate.value, figure->unit);
}

std::string signed_percent(double share) {
    return std::abs(share) < 10 ? fmt::format("{:+.1f} %", share * 100)
                                : fmt::format("{:+.0f} %", share * 100);
}

std::string signed_points(double share) {
    return fmt::format("{:+.2g} points", share * 100);
}

std::string amount(const FigureChange& change, double by) {
    return change.any().scale == Scale::ratio ? signed_percent(by) : signed_points(by);
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

std::string change_of(const FigureChange& change) {
    if (change.before == nullptr) return "only after";
    if (change.after == nullptr) return "only before";
    if (change.verdict == Verdict::not_told) return "";
    return fmt::format("{} ({} … {})", amount(change, change.change), amount(change, change.low),
                       amount(change, change.high));
}

std::string verdict_of(const FigureChange& change) {
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
    return change.before == nullptr || change.after == nullptr ? "" : std::string(reason(change.no_error));
}

// "LUN 0, READ(10) <= 64 KiB", "target's TCP", "session"
std::string place_of(const FigurePlace& place) {
    if (!place.sender.empty()) return place.sender + "'s TCP";
    if (place.command.empty()) return "session";
    std::string text = place.lun == unknown<uint64_t> ? "LUN ?" : fmt::format("LUN {}", place.lun);
    text += ", " + place.command;
    if (place.size_class > 0) text += " " + human_size_class(place.size_class);
    return text;
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

// Nothing before, nothing after.
bool is_nothing(const FigureChange& change) {
    const auto none = [](const Figure* figure) { return figure == nullptr || figure->estimate.value == 0; };
    return none(change.before) && none(change.after);
}

class Text {
  public:
    Text(const CaptureFigures& before, const CaptureFigures& after, const Comparison& comparison)
        : before_(before), after_(after), comparison_(comparison) {}

    std::string write(const ComparedFiles& files) {
        capture("before", files.before, before_);
        capture("after ", files.after, after_);
        changed();
        findings();
        for (const SessionComparison& session : comparison_.sessions) figures(session);
        only("Sessions only before", comparison_.only_before, before_);
        only("Sessions only after", comparison_.only_after, after_);
        return std::move(text_);
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        while (text_.ends_with(' ')) text_.pop_back();
        text_ += '\n';
    }

    static std::string name_of(const SessionFigures& session) {
        if (session.initiator_name.empty() && session.target_name.empty()) {
            return fmt::format("(login not captured) {} -> {}", format(session.initiator_address),
                               format_endpoint(session.target.address, session.target.port));
        }
        return cleaned_line(session.initiator_name) + " -> " + cleaned_line(session.target_name);
    }

    void capture(std::string_view which, const std::string& file, const CaptureFigures& capture) {
        const bool timed = capture.first_ns != no_time && capture.last_ns != no_time;
        line("{}  {}: {} packets, {}", which, cleaned_line(file), human_count(capture.packets),
             timed ? human_duration(within_reach(capture.last_ns) - within_reach(capture.first_ns)) +
                         " from " + utc_time(capture.first_ns)
                   : "no times");
        if (capture.sessions_left_out > 0)
            line("        {} sessions with fewer commands were left out", capture.sessions_left_out);
    }

    void row(const FigureChange& change, std::string_view place) {
        line("    {:<32} {:<34} {:>10} -> {:<10}  {:<32} {}", place, change.any().name,
             value_of(change.before), value_of(change.after), change_of(change), verdict_of(change));
    }

    void changed() {
        line("\nWhat differs beyond chance");
        if (comparison_.sessions.empty()) {
            line("  No session is in both captures: nothing was compared.");
            return;
        }
        if (comparison_.figures_compared == 0) {
            line("  Nothing could be told: both captures have too little of what they share.");
            return;
        }
        if (comparison_.figures_changed == 0) {
            line(
                "  Nothing that {} figures show: each difference is less than {:.0f} % ({:.0f} points of a "
                "share) or may be chance.",
                comparison_.figures_compared, (least_ratio - 1) * 100, least_difference * 100);
            return;
        }
        for (const SessionComparison& session : comparison_.sessions) {
            bool begun = false;
            for (const FigureChange& change : session.figures) {
                if (change.verdict != Verdict::higher && change.verdict != Verdict::lower) continue;
                if (!begun) line("  {}", name_of(before_.sessions[session.before]));
                begun = true;
                row(change, place_of(change.any().place));
            }
        }
        line(
            "  {} of {} figures; were nothing changed, one or more of them would be here once in {:.0f} "
            "times",
            comparison_.figures_changed, comparison_.figures_compared, 1 / chance_of_false_alarm);
    }

    void findings() {
        line("\nFindings");
        if (comparison_.findings.empty()) line("  no problem and no notice before or after");
        constexpr std::string_view names[] = {"appeared", "gone", "stayed"};
        for (const FindingChange& change : comparison_.findings) {
            const PlacedFinding& finding = change.after != nullptr ? *change.after : *change.before;
            line("  {:<9} {:<11} {} [{}]", names[static_cast<size_t>(change.state)],
                 finding_severity_name(finding.severity), cleaned_line(finding.title),
                 finding_kind_name(finding.kind));
            if (change.state == State::stayed) {
                line("            before: {} {}", finding_severity_name(change.before->severity),
                     cleaned_line(change.before->title));
            }
        }
    }

    void figures(const SessionComparison& session) {
        const SessionFigures& before = before_.sessions[session.before];
        const SessionFigures& after = after_.sessions[session.after];
        line("\n{}", name_of(before));
        line("    captured {} before, {} after", vantage_of(before), vantage_of(after));
        line("    {} commands before, {} after{}", human_count(before.commands), human_count(after.commands),
             before.sessions > 1 || after.sessions > 1
                 ? fmt::format("; {} and {} sessions taken as one", before.sessions, after.sessions)
                 : "");
        const FigurePlace* last = nullptr;
        for (const FigureChange& change : session.figures) {
            if (is_nothing(change)) continue;
            const FigurePlace& place = change.any().place;
            row(change, last != nullptr && *last == place ? "" : place_of(place));
            last = &place;
        }
    }

    void only(std::string_view title, const std::vector<size_t>& sessions, const CaptureFigures& capture) {
        if (sessions.empty()) return;
        line("\n{}", title);
        for (const size_t i : sessions) {
            const SessionFigures& session = capture.sessions[i];
            line("  {}, {} -> {}, {} commands", name_of(session), format(session.initiator_address),
                 format_endpoint(session.target.address, session.target.port), human_count(session.commands));
        }
    }

    const CaptureFigures& before_;
    const CaptureFigures& after_;
    const Comparison& comparison_;
    std::string text_;
};

}  // namespace

std::string comparison_text(const ComparedFiles& files, const CaptureFigures& before,
                            const CaptureFigures& after, const Comparison& comparison) {
    return Text(before, after, comparison).write(files);
}

}  // namespace sanscope
