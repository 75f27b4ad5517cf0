// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison_text.h"

#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "analyzer/base/utf8.h"
#include "analyzer/compare/comparison_words.h"
#include "analyzer/report/append_line.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using State = FindingChange::State;

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
        append_line(text_, format, std::forward<Args>(args)...);
    }

    void capture(std::string_view which, const std::string& file, const CaptureFigures& capture) {
        line("{}  {}: {}", which, cleaned_line(file), capture_words(capture));
        if (capture.sessions_left_out > 0) {
            line("        {} with fewer commands {} left out", counted(capture.sessions_left_out, "session"),
                 capture.sessions_left_out == 1 ? "was" : "were");
        }
    }

    void row(const FigureChange& change, std::string_view place) {
        const std::string interval = interval_words(change);
        line("    {:<32} {:<34} {:>10} -> {:<10}  {:<32} {}", place, change.any().name,
             value_words(change.before), value_words(change.after),
             interval.empty() ? difference_words(change)
                              : fmt::format("{} ({})", difference_words(change), interval),
             verdict_words(change));
    }

    void changed() {
        line("\nWhat differs beyond chance");
        for (const SessionComparison& session : comparison_.sessions) {
            bool begun = false;
            for (const FigureChange& change : session.figures) {
                if (!differs(change)) continue;
                if (!begun) line("  {}", session_words(before_.sessions[session.before]));
                begun = true;
                row(change, place_words(change.any().place));
            }
        }
        line("  {}", outcome_words(comparison_));
    }

    void findings() {
        line("\nFindings");
        if (comparison_.findings.empty()) line("  no problem and no notice before or after");
        for (const FindingChange& change : comparison_.findings) {
            const PlacedFinding& finding = change.after != nullptr ? *change.after : *change.before;
            line("  {:<9} {:<11} {}", finding_state_name(change.state),
                 finding_severity_name(finding.severity), finding_words(finding));
            if (change.state == State::stayed) {
                line("            before: {} {}", finding_severity_name(change.before->severity),
                     cleaned_line(change.before->title));
            }
        }
    }

    void figures(const SessionComparison& session) {
        const SessionFigures& before = before_.sessions[session.before];
        const SessionFigures& after = after_.sessions[session.after];
        line("\n{}", session_words(before));
        line("    {}", vantage_words(before, after));
        line("    {}", commands_words(before, after));
        const FigurePlace* last = nullptr;
        for (const FigureChange& change : session.figures) {
            if (is_nothing(change)) continue;
            const FigurePlace& place = change.any().place;
            row(change, last != nullptr && *last == place ? "" : place_words(place));
            last = &place;
        }
    }

    void only(std::string_view title, const std::vector<size_t>& sessions, const CaptureFigures& capture) {
        if (sessions.empty()) return;
        line("\n{}", title);
        for (const size_t i : sessions) line("  {}", unmatched_words(capture.sessions[i]));
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
