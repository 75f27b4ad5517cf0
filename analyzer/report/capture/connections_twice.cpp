// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/connections_twice.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/base/time_spans.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

constexpr size_t compared = 32;  // the first commands of each connection
constexpr uint64_t least_alike = 8;
constexpr int64_t farthest_ns = 1'000'000'000;

struct Command {
    uint32_t itt;
    uint32_t cmd_sn;
    uint64_t lba;
    uint64_t bytes;
    uint16_t opcode;
    int64_t time_ns;
    auto key() const { return std::tuple(itt, cmd_sn, lba, bytes, opcode); }
};

// The first commands of each iSCSI connection, by its number - 1.
std::vector<std::vector<Command>> first_commands(const ResultStore& store, const Stop& stop) {
    std::vector<std::vector<Command>> commands(store.connections().size());
    size_t row_number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(row_number++)) return {};
        if (row.connection == 0 || row.connection > commands.size()) continue;
        std::vector<Command>& of = commands[row.connection - 1];
        if (of.size() >= compared || !row.cmd_sn_known || row.request_ns == no_time || row.inferred) continue;
        of.push_back({row.itt, row.cmd_sn, row.lba, row.bytes, row.opcode, row.request_ns});
    }
    return commands;
}

bool is_one_session(const ResultStore& store, const ConnectionRow& one, const ConnectionRow& other) {
    if (one.session == 0 || other.session == 0) return false;
    const SessionRow& first = store.session(one.session);
    const SessionRow& second = store.session(other.session);
    return !first.initiator_name.empty() && first.initiator_name == second.initiator_name &&
           first.target_name == second.target_name && first.isid == second.isid &&
           first.isid != unknown<uint64_t> && first.tsih == second.tsih && first.tsih != unknown<uint16_t>;
}

// In which of the directions whose beginnings are known two TCP streams begin with the same sequence number, and with another.
struct Beginnings {
    size_t alike = 0;
    size_t other = 0;
};

Beginnings beginnings(const ConnectionRow& one, const ConnectionRow& other) {
    Beginnings found;
    for (const Role role : {Role::initiator, Role::target}) {
        const size_t of_one = index_of(one.side_of(role));
        const size_t of_other = index_of(other.side_of(role));
        if (!one.stream_start_known[of_one] || !other.stream_start_known[of_other]) continue;
        const bool alike = one.stream_start_seq[of_one] == other.stream_start_seq[of_other];
        ++(alike ? found.alike : found.other);
    }
    return found;
}

ConnectionTwice compare(const std::vector<Command>& one, const std::vector<Command>& other) {
    ConnectionTwice alike;
    std::multimap<decltype(one.front().key()), int64_t> times;
    for (const Command& command : one) times.emplace(command.key(), command.time_ns);
    for (const Command& command : other) {
        const auto found = times.find(command.key());
        if (found == times.end()) continue;
        const int64_t apart_ns =
            std::max(elapsed_ns(found->second, command.time_ns), elapsed_ns(command.time_ns, found->second));
        if (apart_ns > farthest_ns) continue;
        times.erase(found);
        ++alike.commands;
        alike.apart_ns = std::max(alike.apart_ns, apart_ns);
    }
    // Captured from other moments on, they lack a few of each other's.
    const size_t fewer = std::min(one.size(), other.size());
    if (alike.commands < least_alike || alike.commands * 4 < fewer * 3) alike.commands = 0;
    return alike;
}

// What TCP did, and how long commands took: it depends on where a connection was captured.
bool depends_on_place(Kind kind) {
    return kind >= Kind::mtu_black_hole && kind <= Kind::path_skew;
}

void doubt(Finding& finding, std::string_view why) {
    if (finding.severity == Finding::Severity::problem) finding.severity = Finding::Severity::notice;
    finding.confidence = Finding::Confidence::possible;
    finding.explanation += why;
}

}  // namespace

std::vector<ConnectionTwice> connections_twice(const ResultStore& store, const Stop& stop) {
    std::vector<ConnectionTwice> twice;
    if (store.connections().size() < 2) return twice;
    const std::vector<std::vector<Command>> commands = first_commands(store, stop);
    std::map<decltype(std::declval<Command>().key()), std::vector<uint32_t>>
        begun;  // by their first commands
    for (uint32_t number = 1; number <= commands.size(); ++number) {
        const std::vector<Command>& of = commands[number - 1];
        if (of.size() < least_alike) continue;
        const ConnectionRow& row = store.connection(number);
        std::set<uint32_t> candidates;
        for (const Command& command : of) {
            const std::vector<uint32_t>& before = begun[command.key()];
            candidates.insert(before.begin(), before.end());
        }
        for (const uint32_t candidate : candidates) {
            const ConnectionRow& other = store.connection(candidate);
            const bool of_one_session = is_one_session(store, other, row);
            const Beginnings begin = beginnings(other, row);
            if (!of_one_session && begin.alike < 2) continue;
            ConnectionTwice alike = compare(commands[candidate - 1], of);
            if (alike.commands == 0) continue;
            alike.first = candidate;
            alike.second = number;
            alike.of_one_session = of_one_session;
            alike.begins_otherwise = begin.other > 0;
            twice.push_back(alike);
            break;
        }
        // As many as there are connections whose commands begin alike need be looked at.
        constexpr size_t most_candidates = 8;
        for (const Command& command : of) {
            std::vector<uint32_t>& after = begun[command.key()];
            if (after.size() < most_candidates) after.push_back(number);
        }
    }
    return twice;
}

void add_connections_twice(FindingList& list, std::span<const ConnectionTwice> twice) {
    if (twice.empty()) return;
    const ConnectionTwice& one = twice.front();
    Finding finding;
    finding.kind = Kind::captured_twice;
    finding.severity = Finding::Severity::notice;
    finding.side = Finding::Side::capture;
    finding.confidence = Finding::Confidence::likely;
    const bool otherwise = std::ranges::all_of(twice, &ConnectionTwice::begins_otherwise);
    finding.title =
        twice.size() == 1
            ? fmt::format("Connections {} and {} carry the same commands: {}", one.first, one.second,
                          otherwise ? "one session, captured on both sides of a device between"
                                    : "one connection, captured twice")
            : fmt::format(
                  "{} carry the same commands as others: {}", counted(twice.size(), "connection"),
                  otherwise ? "captured on both sides of a device between" : "each is in the capture twice");
    finding.explanation =
        otherwise ? "Their sequence numbers differ: a firewall that changes them, or a proxy that ends "
                    "TCP, whose two connections each have losses of their own. Commands and bytes are "
                    "counted for both. Analyse one of the two places alone."
                  : "As where they are captured before and behind a router that translates addresses "
                    "(NAT), or a load balancer. Commands, bytes and losses are counted for both. "
                    "Analyse one of the two places alone.";
    finding.connection = one.second;
    finding.connections = {one.first, one.second};
    finding.add_sign(fmt::format("{} with the same task tags, CmdSN and addresses, {} apart at most",
                                 counted(one.commands, "command"), human_duration(one.apart_ns)));
    finding.add_sign(one.of_one_session ? "both logged in to the same session: names, ISID and TSIH"
                                        : "the TCP streams begin with the same sequence numbers");
    list.push_back(std::move(finding));
}

void doubt_what_is_twice(FindingList& list, const ResultStore& store,
                         std::span<const ConnectionTwice> twice) {
    std::map<uint32_t, uint32_t> first_of;
    std::set<uint32_t> sessions;
    for (const ConnectionTwice& one : twice) {
        first_of[one.second] = one.first;
        sessions.insert(store.connection(one.first).session);
        sessions.insert(store.connection(one.second).session);
    }
    std::set<std::tuple<Kind, uint32_t, Finding::Sender>> told;
    std::set<uint32_t> doubted;
    for (const Finding& finding : list) {
        told.emplace(finding.kind, finding.connection, finding.sender);
        if (finding.doubts_connection) doubted.insert(finding.connection);
    }
    std::erase_if(list, [&](const Finding& finding) {
        const auto first = first_of.find(finding.connection);
        return first != first_of.end() && finding.kind != Kind::captured_twice &&
               told.contains({finding.kind, first->second, finding.sender});
    });
    for (Finding& finding : list) {
        if (finding.kind >= Kind::no_packets) continue;
        if (finding.connection != 0 && doubted.contains(finding.connection) &&
            depends_on_place(finding.kind)) {
            finding.severity = Finding::Severity::information;
            finding.cost_ns = 0;
            doubt(finding,
                  " Nearly all of its connection is in the capture twice: times may be of either place, and "
                  "what "
                  "looks sent again may be the copy.");
            continue;
        }
        if (twice.empty()) continue;
        const bool of_one = finding.connection != 0 && finding.connections.size() < 2 &&
                            depends_on_place(finding.kind) && finding.kind < Kind::stalling_command;
        const bool of_another = finding.connection != 0 && finding.connections.size() < 2 &&
                                !sessions.contains(store.connection(finding.connection).session);
        if (of_one || of_another) continue;
        doubt(finding, " A connection is in the capture twice here: its commands are counted twice.");
    }
}

}  // namespace sanscope
