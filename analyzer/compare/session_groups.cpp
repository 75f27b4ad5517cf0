// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/session_groups.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace sanscope {
namespace {

struct Ends {
    IpAddress initiator;
    Endpoint target;
};

// Of the first connection of each session.
std::vector<Ends> ends_of_sessions(const ResultStore& store) {
    std::vector<Ends> ends(store.sessions().size());
    std::vector<bool> known(ends.size());
    for (const ConnectionRow& row : store.connections()) {
        const size_t session = row.session;
        if (session == 0 || session > ends.size() || known[session - 1]) continue;
        known[session - 1] = true;
        ends[session - 1] = {row.initiator.address, row.target};
    }
    return ends;
}

}  // namespace

SessionGroups group_sessions(const ResultStore& store) {
    using Key = std::tuple<std::string, std::string, std::string, std::string>;
    const std::vector<Ends> ends = ends_of_sessions(store);
    const auto& loads = store.summary().sessions();
    std::map<Key, SessionGroups::Group> by_key;
    for (uint32_t number = 1; number <= store.sessions().size(); ++number) {
        const SessionRow& row = store.session(number);
        // Discovery, and what only logged in: nothing to be measured.
        if (number > loads.size() || loads[number - 1].commands == 0) continue;
        const Ends& of = ends[number - 1];
        SessionGroups::Group& group = by_key[{row.initiator_name, row.target_name, format(of.initiator),
                                              format_endpoint(of.target.address, of.target.port)}];
        SessionFigures& figures = group.figures;
        figures.initiator_name = row.initiator_name;
        figures.target_name = row.target_name;
        figures.initiator_address = of.initiator;
        figures.target = of.target;
        ++figures.sessions;
        figures.commands += loads[number - 1].commands;
        figures.numbers.push_back(number);
    }
    SessionGroups result;
    for (auto& [key, group] : by_key) result.groups.push_back(std::move(group));
    std::ranges::stable_sort(
        result.groups, [](const auto& a, const auto& b) { return a.figures.commands > b.figures.commands; });
    if (result.groups.size() > CaptureFigures::most_sessions) {
        result.left_out = result.groups.size() - CaptureFigures::most_sessions;
        result.groups.resize(CaptureFigures::most_sessions);
    }
    result.of_session.assign(store.sessions().size(), SessionGroups::none);
    for (size_t i = 0; i < result.groups.size(); ++i) {
        SessionGroups::Group& group = result.groups[i];
        int64_t first_ns = no_time;
        int64_t last_ns = no_time;
        for (const uint32_t number : group.figures.numbers) {
            result.of_session[number - 1] = i;
            const Summary::SessionLoad& load = loads[number - 1];
            if (load.first_ns == no_time) continue;
            first_ns = first_ns == no_time ? load.first_ns : std::min(first_ns, load.first_ns);
            last_ns = std::max(last_ns, load.last_ns);
        }
        if (first_ns != no_time) group.blocks = TimeBlocks(first_ns, last_ns);
    }
    result.of_connection.assign(store.connections().size(), SessionGroups::none);
    size_t at = 0;
    for (const ConnectionRow& row : store.connections()) {
        const size_t group = result.group_of_session(row.session);
        result.of_connection[at++] = group;
        if (group == SessionGroups::none) continue;
        SessionFigures& figures = result.groups[group].figures;
        if (figures.connections++ == 0) figures.vantage = row.vantage;
        figures.vantages_differ = figures.vantages_differ || figures.vantage != row.vantage;
        figures.handshakes += row.mss == unknown<uint32_t> ? 0 : 1;
    }
    return result;
}

}  // namespace sanscope
