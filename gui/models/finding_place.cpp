// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/finding_place.h"

#include <algorithm>

namespace sanscope {
namespace {

Selection selection_of(const Finding& finding) {
    if (finding.command != 0) return {Selection::Kind::command, finding.command};
    if (finding.packet != 0) return {Selection::Kind::packet, finding.packet};
    if (finding.connection != 0) return {Selection::Kind::connection, finding.connection};
    if (finding.session != 0) return {Selection::Kind::session, finding.session};
    return {};
}

// What is about commands one after the other is not seen in one of them.
double margin_of(Finding::Kind kind) {
    constexpr double some_commands = 3;
    constexpr double usual = 0.2;
    return kind == Finding::Kind::split_requests ? some_commands : usual;
}

TimeRange joined(TimeRange one, TimeRange other) {
    if (one.empty()) return other;
    if (other.empty()) return one;
    return {std::min(one.begin_ns, other.begin_ns), std::max(one.end_ns, other.end_ns)};
}

}  // namespace

bool leads_somewhere(const Finding& finding) {
    return finding.command != 0 || finding.packet != 0 || finding.connection != 0 || finding.session != 0 ||
           finding.begin_ns != no_time;
}

void show_place(Document& document, const Finding& finding) {
    ViewState& state = document.state();
    if (finding.connection != 0) {
        if (finding.sender == Finding::Sender::unknown) {
            state.set_connection(finding.connection);
        } else {
            state.set_connection(finding.connection, finding.sender == Finding::Sender::target);
        }
    }
    TimeRange place;
    if (finding.begin_ns != no_time) {
        const int64_t end = finding.end_ns == no_time ? finding.begin_ns : finding.end_ns;
        place = {finding.begin_ns, std::max(end, finding.begin_ns + 1)};
        state.set_range(place.widened(margin_of(finding.kind)));
    }
    const Selection selection = selection_of(finding);
    if (!selection) return;
    state.select(selection);
    // All of a connection or session is no place.
    if (finding.command == 0 && finding.packet == 0) return;
    document.when_resolved(
        &document, [&document, place, margin = margin_of(finding.kind)](const SelectedThings& things) {
            const TimeRange story = joined(place, things.story);
            if (story.empty() || story == place) return;
            document.state().set_range(story.widened(margin),
                                       place.empty() ? ViewState::Step::fresh : ViewState::Step::continued);
        });
}

}  // namespace sanscope
