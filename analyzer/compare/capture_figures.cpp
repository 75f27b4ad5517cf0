// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/capture_figures.h"

#include <utility>

#include "analyzer/compare/budget_figures.h"
#include "analyzer/compare/command_figures.h"
#include "analyzer/compare/sender_figures.h"
#include "analyzer/compare/session_groups.h"

namespace sanscope {
namespace {

PlacedFinding placed(const Finding& finding, const SessionGroups& sessions) {
    PlacedFinding placed;
    placed.kind = finding.kind;
    placed.severity = finding.severity;
    placed.sender = finding.sender;
    placed.lun = finding.lun;
    placed.title = finding.title;
    placed.place = finding.place;
    placed.session = finding.session != 0 ? sessions.group_of_session(finding.session)
                                          : sessions.group_of_connection(finding.connection);
    return placed;
}

}  // namespace

CaptureFigures measure_capture(const ResultStore& store, const Engine::Totals& totals,
                               std::span<const Finding> findings) {
    SessionGroups sessions = group_sessions(store);
    add_budget_figures(store, sessions);
    add_command_figures(store, sessions);
    add_sender_figures(store, sessions);
    CaptureFigures figures;
    figures.packets = totals.packets;
    figures.first_ns = totals.first_ns;
    figures.last_ns = totals.last_ns;
    figures.sessions_left_out = sessions.left_out;
    figures.findings.reserve(findings.size());
    for (const Finding& finding : findings) figures.findings.push_back(placed(finding, sessions));
    figures.sessions.reserve(sessions.groups.size());
    for (SessionGroups::Group& group : sessions.groups) figures.sessions.push_back(std::move(group.figures));
    return figures;
}

}  // namespace sanscope
