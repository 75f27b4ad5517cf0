// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/finding_groups.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace sanscope {
namespace {

// Of some kinds two findings differ in more than their place: in the cause, the status, the option.
bool is_told_by_place(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::slow_commands:
        case Finding::Kind::slow_command:
        case Finding::Kind::command_status:
        case Finding::Kind::target_queue_full:
        case Finding::Kind::rejected_pdu:
        case Finding::Kind::async_message:
        case Finding::Kind::task_management:
        case Finding::Kind::negotiation:
        case Finding::Kind::passed_over:
        case Finding::Kind::capture_issue:
            return false;
        default:
            return true;
    }
}

// Empty where there is none.
std::string target_of(const ResultStore& store, const Finding& finding) {
    if (finding.connection == 0 || finding.connection > store.connections().size()) return {};
    const Endpoint& target = store.connection(finding.connection).target;
    return format_endpoint(target.address, target.port);
}

}  // namespace

std::vector<FindingGroup> group_findings(const ResultStore& store, std::span<const Finding> findings) {
    std::vector<FindingGroup> groups;
    std::map<std::tuple<Finding::Kind, Finding::Side, Finding::Severity, Finding::Sender, std::string>,
             size_t>
        places;
    for (size_t i = 0; i < findings.size(); ++i) {
        const Finding& finding = findings[i];
        const std::string target = target_of(store, finding);
        size_t at = groups.size();
        if (!target.empty() && is_told_by_place(finding.kind)) {
            at =
                places.try_emplace({finding.kind, finding.side, finding.severity, finding.sender, target}, at)
                    .first->second;
        }
        if (at == groups.size()) groups.emplace_back();
        FindingGroup& group = groups[at];
        group.findings.push_back(i);
        group.cost_ns = std::max(group.cost_ns, finding.cost_ns);
        if (group.findings.size() > 1) group.target = QString::fromStdString(target);
    }
    for (FindingGroup& group : groups) {
        std::ranges::stable_sort(group.findings, std::greater(),
                                 [&](size_t i) { return findings[i].cost_ns; });
    }
    return groups;
}

}  // namespace sanscope
