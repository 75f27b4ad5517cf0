// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/initiator_name_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/report/sessions/login_phases.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// What takes the place of what (RFC 7143 §6.3.5): the initiator port's name, InitiatorName and ISID, and the target.
using Port = std::tuple<std::string, uint64_t, std::string>;

struct Login {
    uint32_t connection = 0;
    const ConnectionRow* row = nullptr;
    int64_t time_ns = no_time;
};

// A session that the target ended as another address logged in as the same initiator port.
struct Takeover {
    IpAddress from;
    IpAddress to;
    uint32_t closed = 0;  // connection
    uint32_t login = 0;
    int64_t closed_ns = no_time;
    int64_t after_ns = 0;  // the login
};

std::optional<Takeover> takeover(const Login& before, const Login& now) {
    if (before.row->initiator.address == now.row->initiator.address) return std::nullopt;
    const auto end = end_of(*before.row);
    if (!end || !end->by_target || end->time_ns < now.time_ns) return std::nullopt;
    // What closes much later has reasons of its own.
    constexpr int64_t soon_ns = 10'000'000'000;
    const int64_t after_ns = elapsed_ns(now.time_ns, end->time_ns);
    if (after_ns > soon_ns) return std::nullopt;
    return Takeover{.from = before.row->initiator.address,
                    .to = now.row->initiator.address,
                    .closed = before.connection,
                    .login = now.connection,
                    .closed_ns = end->time_ns,
                    .after_ns = after_ns};
}

std::map<Port, std::vector<Login>> logins_by_port(const ResultStore& store) {
    std::map<Port, std::vector<Login>> logins;
    const std::map<uint32_t, LoginPhase> phases = login_phases(store.session_events());
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        const auto phase = phases.find(number);
        if (row.session == 0 || phase == phases.end() || phase->second.first_request_ns == no_time) continue;
        const SessionRow& session = store.session(row.session);
        if (session.initiator_name.empty() || session.target_name.empty() ||
            session.isid == unknown<uint64_t>)
            continue;
        // A session of several connections is no session taken over.
        if (session.connections > 1) continue;
        logins[{session.initiator_name, session.isid, session.target_name}].push_back(
            {number, &row, phase->second.first_request_ns});
    }
    return logins;
}

std::vector<Takeover> takeovers(std::vector<Login>& logins) {
    std::ranges::stable_sort(logins, {}, &Login::time_ns);
    std::vector<Takeover> found;
    for (size_t i = 1; i < logins.size(); ++i) {
        if (auto one = takeover(logins[i - 1], logins[i])) found.push_back(*one);
    }
    return found;
}

// A host whose address changed takes its own session over, once; only where each closes the other's there are two.
bool goes_both_ways(const std::vector<Takeover>& all) {
    return std::ranges::any_of(all, [&](const Takeover& one) {
        return std::ranges::any_of(
            all, [&](const Takeover& other) { return one.from == other.to && one.to == other.from; });
    });
}

Finding duplicate_initiator(const Port& port, const std::vector<Takeover>& all, const ResultStore& store) {
    const auto& [initiator, isid, target] = port;
    const Takeover& first = all.front();
    Finding finding;
    finding.kind = Kind::duplicate_initiator;
    // One host whose port fails, and comes back, goes to and fro once.
    constexpr size_t least_takeovers = 3;
    const bool again = all.size() >= least_takeovers;
    finding.severity = again ? Finding::Severity::problem : Finding::Severity::notice;
    finding.confidence = again ? Finding::Confidence::likely : Finding::Confidence::possible;
    finding.side = Finding::Side::initiator;
    finding.sender = Finding::Sender::initiator;
    finding.connection = first.login;
    finding.session = store.connection(first.login).session;
    finding.packet = store.connection(first.login).first_packet;
    finding.begin_ns = first.closed_ns;
    finding.end_ns = all.back().closed_ns;
    int64_t longest_ns = 0;
    std::set<uint32_t> connections;
    for (const Takeover& one : all) {
        longest_ns = std::max(longest_ns, one.after_ns);
        connections.insert({one.closed, one.login});
    }
    finding.connections.assign(connections.begin(), connections.end());
    finding.title =
        fmt::format("{} and {} log in as one initiator, {} (ISID {:012x}), and end each other's sessions",
                    format(first.from), format(first.to), cleaned_line(initiator), isid);
    finding.explanation = fmt::format(
        "A login with the same InitiatorName and ISID takes the place of the session there is (session "
        "reinstatement, "
        "RFC 7143 §6.3.5). A cloned machine is the usual cause: give each host a name of its own "
        "(/etc/iscsi/initiatorname.iscsi), and let the target's access list know both. One host that goes to "
        "and "
        "fro between two addresses with one ISID looks the same. Target: {}.",
        cleaned_line(target));
    finding.add_sign(fmt::format(
        "{} the session of one address was closed by the target as the other logged in, {} "
        "after its Login Request at the longest",
        all.size() == 1 ? "once" : human_count(all.size()) + " times", human_duration(longest_ns)));
    finding.add_sign(fmt::format("{} came back and closed the session of {} in its turn", format(first.from),
                                 format(first.to)));
    return finding;
}

}  // namespace

void add_initiator_name_findings(FindingList& list, const FindingsInput& input) {
    // Where the clock was set back, nobody knows what was closed as another logged in.
    if (!input.issues.times_in_order()) return;
    std::map<Port, std::vector<Login>> logins = logins_by_port(input.store);
    for (auto& [port, of_port] : logins) {
        const std::vector<Takeover> all = takeovers(of_port);
        if (goes_both_ways(all)) list.push_back(duplicate_initiator(port, all, input.store));
    }
}

}  // namespace sanscope
