// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/imbalance_findings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace sanscope {

void add_imbalance(FindingList& list, const ResultStore& store, const CommandFacts& commands) {
    struct Load {
        uint64_t connections = 0;
        uint64_t all = 0;
        uint64_t greatest = 0;
        uint64_t least = UINT64_MAX;
        uint32_t busiest = 0;
        // When all of them were there: a connection that takes the place of another shares nothing with it.
        int64_t together_from_ns = INT64_MIN;
        int64_t together_until_ns = INT64_MAX;
        int64_t longest_ns = 0;
    };
    std::map<uint32_t, Load> loads;
    uint32_t number = 0;
    for (const ConnectionRow& connection : store.connections()) {
        ++number;
        if (connection.session == 0 || store.session(connection.session).connections < 2) continue;
        Load& load = loads[connection.session];
        if (number > commands.of_connection.size()) break;  // it came while others were looked at
        const uint64_t count = commands.of_connection[number - 1];
        ++load.connections;
        load.all += count;
        load.least = std::min(load.least, count);
        if (count > load.greatest) load.busiest = number;
        load.greatest = std::max(load.greatest, count);
        load.together_from_ns = std::max(load.together_from_ns, connection.start_ns);
        load.together_until_ns = std::min(load.together_until_ns, connection.end_ns);
        load.longest_ns = std::max(load.longest_ns, elapsed_ns(connection.start_ns, connection.end_ns));
    }
    constexpr uint64_t least_commands = 100;
    constexpr uint64_t tolerable = 3;
    constexpr double most = 0.5;  // of the time that one of them was there
    for (const auto& [session, load] : loads) {
        if (load.connections < 2 || load.all < least_commands) continue;
        if (load.greatest < tolerable * std::max<uint64_t>(load.least, 1)) continue;
        if (share_of(elapsed_ns(load.together_from_ns, load.together_until_ns), load.longest_ns) < most)
            continue;
        Finding finding;
        finding.kind = Finding::Kind::connection_imbalance;
        finding.severity = Finding::Severity::notice;
        finding.side = Finding::Side::initiator;
        finding.session = session;
        finding.connection = load.busiest;
        finding.add_sign(fmt::format("{} on one connection, {} on another", counted(load.greatest, "command"),
                                     counted(load.least, "command")));
        finding.title = fmt::format(
            "One of {} connections of session {} carried {} of its commands", load.connections, session,
            human_percent(static_cast<double>(load.greatest) / static_cast<double>(load.all)));
        finding.explanation = fmt::format(
            "The least used one carried {}. Look at how the initiator spreads commands, and whether the "
            "others were slower or came later.",
            counted(load.least, "command"));
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope
