// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/connection_findings.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/session_ending.h"
#include "analyzer/report/sessions/unknown_sessions.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// RFC 7143 §11.13.5: status class and detail, what it says, and what to do.
struct LoginStatus {
    uint16_t code;
    Finding::Side side;
    std::string_view words;
    std::string_view advice;
};
constexpr std::array<LoginStatus, 14> login_statuses = {{
    {0x0200, Finding::Side::initiator, "initiator error",
     "Look at the target's log for what it did not like."},
    {0x0201, Finding::Side::initiator, "authentication failure",
     "Correct the CHAP user name and secret at the initiator, or what the target knows of them."},
    {0x0202, Finding::Side::both, "authorization failure",
     "Let the target's access list have this initiator's name, or correct that name."},
    {0x0203, Finding::Side::initiator, "target not found",
     "Correct the target name (IQN) at the initiator, or export that target at this portal."},
    {0x0204, Finding::Side::initiator, "target removed",
     "The target is gone for good: take it out of the initiator's configuration, or create it anew."},
    {0x0205, Finding::Side::both, "unsupported version", "The two do not speak the same version of iSCSI."},
    {0x0206, Finding::Side::both, "too many connections",
     "Let the target accept more connections of a session, or the initiator ask for fewer."},
    {0x0207, Finding::Side::initiator, "missing parameter", "Look at which login keys the target asks for."},
    {0x0208, Finding::Side::both, "can't include in session",
     "The target cannot serve this session at this portal: look at its portal groups."},
    {0x0209, Finding::Side::initiator, "session type not supported",
     "Use a portal that serves this kind of session."},
    {0x020a, Finding::Side::initiator, "session does not exist",
     "The connection was to join a session that is gone: the initiator must begin anew."},
    {0x020b, Finding::Side::initiator, "invalid during login", "The initiator broke the order of the login."},
    {0x0301, Finding::Side::target, "service unavailable",
     "The target is not ready: look at it, and try later."},
    {0x0302, Finding::Side::target, "out of resources",
     "The target has no room for this session: look at its limits."},
}};

LoginStatus login_status(uint16_t code) {
    const auto found = std::ranges::find(login_statuses, code, &LoginStatus::code);
    if (found != login_statuses.end()) return *found;
    if (code >> 8 == 3)
        return {code, Finding::Side::target, "target error", "Look at the target and its log."};
    return {code, Finding::Side::both, "refused", "Look at the target's log for why."};
}

// Logins refused alike: of one initiator at one target, or of many.
struct RefusedLogins {
    uint16_t code = 0;
    SessionEvent first;
    uint64_t count = 0;
    std::map<std::string, uint64_t> initiators;  // logins, by name, else by address
};

std::string name_or_address(const std::string& name, const IpAddress* address) {
    if (!name.empty()) return cleaned_line(name);
    return address == nullptr ? std::string("one that is not known") : format(*address);
}

using RefusedAlike = std::tuple<uint16_t, std::string, std::string>;  // code, target, initiator

RefusedAlike refused_as(const SessionEvent& event, const ResultStore& store) {
    const bool has_session = event.session != 0 && event.session <= store.sessions().size();
    const bool has_connection = event.connection != 0 && event.connection <= store.connections().size();
    const SessionRow names = has_session ? store.session(event.session) : SessionRow{};
    const ConnectionRow* const row = has_connection ? &store.connection(event.connection) : nullptr;
    return {event.code, name_or_address(names.target_name, row == nullptr ? nullptr : &row->target.address),
            name_or_address(names.initiator_name, row == nullptr ? nullptr : &row->initiator.address)};
}

// One for each initiator; where a target refuses many for the same reason, one for them all.
std::vector<RefusedLogins> refused_logins(const ResultStore& store) {
    constexpr size_t most_kept = 4096;
    constexpr size_t many = 3;
    std::map<RefusedAlike, RefusedLogins> alike;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        if (Opcode{event.opcode} != Opcode::login_response || event.code == unknown<uint16_t>) continue;
        if (event.code >> 8 < 2) continue;
        const RefusedAlike key = refused_as(event, store);
        if (alike.size() >= most_kept && !alike.contains(key)) continue;
        RefusedLogins& refused = alike[key];
        if (refused.count++ == 0) refused.first = event;
        refused.code = event.code;
        ++refused.initiators[std::get<2>(key)];
    }
    std::vector<RefusedLogins> list;
    for (auto begin = alike.begin(); begin != alike.end();) {
        const auto is_of_group = [&](const auto& one) {
            return std::get<0>(one.first) == std::get<0>(begin->first) &&
                   std::get<1>(one.first) == std::get<1>(begin->first);
        };
        const auto end = std::find_if_not(begin, alike.end(), is_of_group);
        const bool together = static_cast<size_t>(std::distance(begin, end)) > many;
        for (auto one = begin; one != end; ++one) {
            if (!together || one == begin) {
                list.push_back(one->second);
                continue;
            }
            RefusedLogins& all = list.back();
            if (one->second.first.time_ns < all.first.time_ns) all.first = one->second.first;
            all.count += one->second.count;
            all.initiators.merge(one->second.initiators);
        }
        begin = end;
    }
    std::ranges::stable_sort(list, {}, [](const RefusedLogins& one) { return one.first.time_ns; });
    return list;
}

// Those with the most first.
void tell_initiators(Finding& finding, const RefusedLogins& refused) {
    constexpr size_t most_told = 5;
    std::vector<std::pair<std::string, uint64_t>> all(refused.initiators.begin(), refused.initiators.end());
    std::ranges::stable_sort(all, std::greater(), &std::pair<std::string, uint64_t>::second);
    for (size_t i = 0; i < std::min(all.size(), most_told); ++i)
        finding.add_sign(fmt::format("{} of {}", counted(all[i].second, "login"), all[i].first));
    if (all.size() > most_told)
        finding.add_sign(fmt::format("and of {}", counted(all.size() - most_told, "other initiator")));
}

void add_refused_logins(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    for (const RefusedLogins& refused : refused_logins(input.store)) {
        const LoginStatus status = login_status(refused.code);
        const SessionEvent& first = refused.first;
        const size_t initiators = refused.initiators.size();
        Finding finding;
        finding.kind = Kind::login_refused;
        finding.severity = Severity::problem;
        finding.side = status.side;
        finding.connection = first.connection;
        finding.session = initiators == 1 ? first.session : 0;
        finding.packet = first.packet;
        finding.begin_ns = finding.end_ns = first.time_ns;
        finding.title = fmt::format("The target refused {}{}: {} ({:04x})",
                                    refused.count == 1 ? "the login" : human_count(refused.count) + " logins",
                                    initiators == 1 ? "" : " of " + counted(initiators, "initiator"),
                                    status.words, refused.code);
        finding.explanation = status.advice;
        // Whether each of them had spoken CHAP is not looked at.
        constexpr uint16_t authentication_failure = 0x0201;
        if (refused.code == authentication_failure && initiators > 1) {
            finding.explanation =
                "Look at the target's log and at what it has for these initiators: whether it takes them at "
                "all, and where they speak CHAP, their user names and secrets.";
        }
        if (first.session != 0 && first.session <= input.store.sessions().size()) {
            const SessionRow& session = input.store.session(first.session);
            if (!session.target_name.empty())
                finding.explanation += fmt::format(" Asked for: {}.", cleaned_line(session.target_name));
        }
        if (initiators == 1)
            finding.explanation += fmt::format(" Initiator: {}.", refused.initiators.begin()->first);
        finding.add_sign(fmt::format("Login Response with status class {}, detail {}", refused.code >> 8,
                                     refused.code & 0xff));
        if (initiators == 1) {
            const bool worked = first.connection != 0 && first.connection <= commands.of_connection.size() &&
                                commands.of_connection[first.connection - 1] > 0;
            if (!worked) finding.add_sign("no command followed on that connection");
        } else {
            tell_initiators(finding, refused);
        }
        list.push_back(std::move(finding));
    }
}

bool is_iscsi_portal(const ConnectionRow& connection, const ResultStore& store) {
    if (is_iscsi_port(connection.target.port)) return true;
    return std::ranges::any_of(store.connections(), [&](const ConnectionRow& other) {
        return other.iscsi && other.target == connection.target;
    });
}

// Connections of which nothing but SYNs came, and at most an RST in answer: by portal.
void add_refused_connections(FindingList& list, const ResultStore& store) {
    struct Attempts {
        uint64_t connections = 0;
        uint64_t syns = 0;
        uint64_t resets = 0;
        uint32_t first = 0;
        int64_t begin_ns = no_time;
        int64_t end_ns = no_time;
    };
    constexpr size_t most_portals = 64;
    std::map<std::pair<std::string, bool>, Attempts> by_portal;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        const bool only_syns = row.out.syns > 0 && row.packets_out == row.out.syns && row.in.syns == 0;
        if (!only_syns || row.iscsi) continue;
        const bool refused = row.in.reset;
        // One SYN at the end of a capture may still be answered, and one that is sent once says nothing.
        if (!refused && (row.out.syns < 2 || row.packets_in > 0)) continue;
        // Nor is one that the capture has twice sent again: RFC 6298 §2.1 begins with a timer of a second.
        constexpr int64_t least_timer_ns = 500'000'000;
        if (!refused && elapsed_ns(row.start_ns, row.end_ns) < least_timer_ns) continue;
        if (!is_iscsi_portal(row, store)) continue;
        const std::pair key(format_endpoint(row.target.address, row.target.port), refused);
        if (by_portal.size() >= most_portals && !by_portal.contains(key)) break;
        Attempts& attempts = by_portal[key];
        if (attempts.connections++ == 0) {
            attempts.first = number;
            attempts.begin_ns = row.start_ns;
        }
        attempts.end_ns = std::max(attempts.end_ns, row.end_ns);
        attempts.syns += row.out.syns;
        attempts.resets += refused ? 1 : 0;
    }
    for (const auto& [portal, attempts] : by_portal) {
        const auto& [name, refused] = portal;
        const ConnectionRow& first = store.connection(attempts.first);
        Finding finding;
        finding.kind = Kind::connection_refused;
        finding.severity = Severity::problem;
        finding.connection = attempts.first;
        finding.packet = first.first_packet;
        finding.begin_ns = attempts.begin_ns;
        finding.end_ns = attempts.end_ns;
        finding.cost_ns = elapsed_ns(attempts.begin_ns, attempts.end_ns);
        if (refused) {
            finding.side = Finding::Side::target;
            finding.title = fmt::format("Portal {} refuses connections (RST)", name);
            finding.explanation =
                "The host is there, but nothing listens on that port, or a firewall rejects it: is the "
                "target service "
                "running, and is that its portal?";
            finding.add_sign(fmt::format("{} answered by an RST", counted(attempts.connections, "SYN")));
            finding.add_sign("no connection to it was ever opened here");
            const bool opened = std::ranges::any_of(store.connections(), [&](const ConnectionRow& row) {
                return row.target == first.target && row.in.syns > 0;
            });
            if (opened) finding.evidence.back() = "other connections to it were opened: it came or went";
        } else {
            finding.side = Finding::Side::path;
            finding.title =
                fmt::format("Portal {} does not answer: {}, no SYN-ACK", name, counted(attempts.syns, "SYN"));
            finding.explanation =
                "Nothing at all came back: the host is down, the address wrong, or the path or a firewall "
                "drops packets. "
                "Look whether it answers on the same network, and at the path.";
            finding.add_sign(
                fmt::format("{} over {}", counted(attempts.syns, "SYN"), human_duration(finding.cost_ns)));
            finding.add_sign("not one packet of that host on these connections");
        }
        list.push_back(std::move(finding));
    }
}

// What is not known may have been a Logout, or the answers.
void doubt_what_is_not_known(Finding& finding, bool hides_logouts, bool lacks_packets, bool lacks_login) {
    if (lacks_login) {
        finding.confidence = Finding::Confidence::possible;
        finding.explanation +=
            " The capture lacks logins: a Logout on another connection may have been of its session (MC/S).";
    }
    if (hides_logouts) {
        finding.confidence = Finding::Confidence::possible;
        finding.explanation += " So many events are in the capture that not every Logout is known.";
    }
    if (!lacks_packets) return;
    finding.confidence = Finding::Confidence::possible;
    finding.explanation +=
        " Packets of the connection are missing from the capture: "
        "a Logout, commands or answers may have been among them.";
}

// A Logout, on the connection or on another one of its session, closed it, or may have.
bool was_logged_out(const ResultStore& store, uint32_t connection) {
    return is_logged_out(store, connection) || is_closed_by_logout(store, connection) ||
           may_be_logged_out_elsewhere(store, connection);
}

// It closed nothing.
bool has_refused_logout(const ResultStore& store, uint32_t connection) {
    return std::ranges::any_of(store.session_events().first_ones(), [&](const SessionEvent& event) {
        return event.connection == connection && is_refused_logout(store, event);
    });
}

// Those that a Logout of another may have closed, since both may be one. Ascending.
std::vector<uint32_t> sessions_logged_out_perhaps(const ResultStore& store) {
    const bool any = std::ranges::any_of(store.session_events().first_ones(), is_of_logout);
    return any ? sessions_that_may_be_one(store) : std::vector<uint32_t>();
}

std::string were(uint64_t commands) {
    return fmt::format("{} {}", counted(commands, "command"), commands == 1 ? "was" : "were");
}

// Not everything that was said on it is in the capture; or nothing of the one side, which had the other's answers.
bool is_seen_in_part(const ResultStore& store, uint32_t connection) {
    const ConnectionRow& row = store.connection(connection);
    return row.packets_out == 0 || row.packets_in == 0 || lacks_packets(store, connection);
}

// Of a connection with no command under way.
std::string what_came_of_all(const CommandFacts& commands, uint32_t connection) {
    const auto aborted = commands.aborted.find(connection);
    const auto ended = commands.ended_by_target.find(connection);
    std::string text;
    if (aborted != commands.aborted.end()) text = were(aborted->second.count) + " aborted before";
    if (ended != commands.ended_by_target.end()) {
        text += fmt::format("{}{} rejected or terminated by the target before", text.empty() ? "" : ", ",
                            were(ended->second.count));
    }
    if (text.empty()) return " All that the initiator had asked for was answered.";
    return fmt::format(" Of what the initiator had asked for, {}; the rest was answered.", text);
}

// What had been asked for or announced is no crash of the side that closes the connection.
void tell_cause_of_end(Finding& finding, const std::optional<EndCause>& cause, const ResultStore& store,
                       const Closing& closing) {
    if (!cause) {
        const std::optional<LostBefore> lost = lost_before(store, finding.connection, closing);
        if (!lost) return;
        finding.severity = Severity::information;
        finding.add_sign(lost->sign(closing.time_ns));
        finding.explanation = lost->words();
        finding.side = lost->closing.by_target ? Finding::Side::target : Finding::Side::initiator;
        finding.confidence = Finding::Confidence::likely;
        return;
    }
    finding.add_sign(cause->sign(store, finding.connection, closing.time_ns));
    finding.explanation = cause->words();
    finding.side = cause->is_of_initiator() ? Finding::Side::initiator : Finding::Side::target;
    finding.confidence = cause->is_sure ? Finding::Confidence::likely : Finding::Confidence::possible;
}

// Where no more than times tell whose doing it was.
void doubt_who_was_first(Finding& finding, const ConnectionRow& row, const std::optional<EndCause>& cause) {
    if ((cause && cause->is_sure) || !first_closer_in_doubt(row)) return;
    finding.side = Finding::Side::none;
    finding.confidence = Finding::Confidence::possible;
    finding.explanation +=
        " The clocks of the two directions are apart: which side closed it first is not known.";
}

void add_resets(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    const bool logouts_hidden = hides_logouts(input.store);
    const std::vector<uint32_t> in_doubt = sessions_logged_out_perhaps(input.store);
    for (const auto& [number, like] : commands.unanswered) {
        if (number == 0 || number > input.store.connections().size()) continue;
        const ConnectionRow& row = input.store.connection(number);
        const std::optional<Closing> closing = first_closing(row);
        if (!closing || was_logged_out(input.store, number)) continue;
        const auto [time_ns, packet, by_target, reset] = *closing;
        const std::optional<EndCause> cause = cause_of_end(input.store, number, *closing);
        const bool reinstated = cause && cause->is_reinstatement() && cause->is_sure;
        const int64_t waited_ns =
            elapsed_ns(like.row.request_ns, reinstated ? cause->event.time_ns : time_ns);
        // An initiator that gave up waiting resets, or logs in anew, as a consequence.
        constexpr int64_t least_patience_ns = 500'000'000;
        const bool given_up = !by_target || (cause && cause->is_reinstatement());
        if (given_up && waited_ns > std::max(least_patience_ns, 4 * commands.longest_ns)) continue;
        const Endpoint& end = by_target ? row.target : row.initiator;
        const std::string name = format_endpoint(end.address, end.port);
        Finding finding;
        finding.kind = Kind::connection_reset;
        finding.severity = Severity::problem;
        finding.side = by_target ? Finding::Side::target : Finding::Side::initiator;
        finding.sender = by_target ? Finding::Sender::target : Finding::Sender::initiator;
        finding.connection = number;
        finding.session = row.session;
        finding.packet = packet;
        finding.begin_ns = finding.end_ns = time_ns;
        const CommandsLike& left = commands.left_unanswered(number);
        const bool all_late = commands.all_too_late(number);
        finding.title =
            fmt::format("{} {} {} the connection ({}) with {} {}", by_target ? "Target" : "Initiator", name,
                        reset ? "reset" : "closed", reset ? "RST" : "FIN", counted(left.count, "command"),
                        all_late ? "under way" : "left unanswered");
        finding.explanation =
            by_target ? "The target's host or program dropped the session: a crash, a restart, a limit, or "
                        "something on "
                        "the path that sends RST in its name. Look at the target's log at that moment."
                      : "The initiator's host or program dropped the session: it died, was killed, or gave "
                        "up. Look at the "
                        "initiator's log at that moment.";
        finding.add_sign(reset ? fmt::format("packet {} from {} has RST", packet, name)
                               : fmt::format("{} sent a FIN, {} after the first request that has no answer",
                                             name, human_duration(elapsed_ns(left.row.request_ns, time_ns))));
        finding.add_sign(fmt::format("{} {}, {}", counted(left.count, "command"),
                                     all_late ? "answered only behind it" : "without an answer",
                                     has_refused_logout(input.store, number)
                                         ? "a Logout that was refused before it"
                                         : "no Logout before it"));
        const auto late = commands.answered_too_late.find(number);
        if (!all_late && late != commands.answered_too_late.end()) {
            finding.add_sign(fmt::format("{} more answered after the initiator had closed the connection",
                                         human_count(late->second.count)));
        }
        tell_cause_of_end(finding, cause, input.store, *closing);
        doubt_who_was_first(finding, row, cause);
        doubt_what_is_not_known(finding, logouts_hidden, is_seen_in_part(input.store, number),
                                std::ranges::binary_search(in_doubt, finding.session));
        list.push_back(std::move(finding));
    }
    // A session that served commands, and ended in an RST with none of them under way: no harm was done, but nobody logs out so.
    for (uint32_t number = 1; number <= commands.of_connection.size(); ++number) {
        const ConnectionRow& row = input.store.connection(number);
        if (!row.iscsi || commands.of_connection[number - 1] == 0 || commands.unanswered.contains(number))
            continue;
        const std::optional<Closing> closing = first_closing(row);
        if (!closing || !closing->reset || was_logged_out(input.store, number)) continue;
        const Endpoint& end = closing->by_target ? row.target : row.initiator;
        const std::string name = format_endpoint(end.address, end.port);
        Finding finding;
        finding.kind = Kind::connection_reset;
        finding.severity = Severity::notice;
        finding.side = closing->by_target ? Finding::Side::target : Finding::Side::initiator;
        finding.sender = closing->by_target ? Finding::Sender::target : Finding::Sender::initiator;
        finding.connection = number;
        finding.session = row.session;
        finding.packet = closing->packet;
        finding.begin_ns = finding.end_ns = closing->time_ns;
        const bool in_part = is_seen_in_part(input.store, number);
        // A command may have been moved to another connection of the session, and have been answered there.
        const bool idle = !in_part && commands.last_answer_ns[number - 1] <= closing->time_ns;
        const bool refused = has_refused_logout(input.store, number);
        finding.title =
            fmt::format("{} {} reset the connection (RST) {}{}", closing->by_target ? "Target" : "Initiator",
                        name, refused ? "behind a Logout that was refused" : "without a Logout",
                        idle ? ", with no command under way" : "");
        finding.explanation =
            closing->by_target
                ? "The target's host or program dropped the session: it died, was killed, or restarted."
                : "The initiator's host or program dropped the session: it died, was killed, or just does "
                  "not log out.";
        finding.add_sign(fmt::format("packet {} from {} has RST", closing->packet, name));
        finding.add_sign(fmt::format("{} before it, and {}",
                                     counted(commands.of_connection[number - 1], "command"),
                                     refused ? "a Logout that was refused" : "no Logout"));
        const std::optional<EndCause> cause = cause_of_end(input.store, number, *closing);
        tell_cause_of_end(finding, cause, input.store, *closing);
        doubt_who_was_first(finding, row, cause);
        if (!in_part) finding.explanation += what_came_of_all(commands, number);
        doubt_what_is_not_known(finding, logouts_hidden, in_part,
                                std::ranges::binary_search(in_doubt, finding.session));
        list.push_back(std::move(finding));
    }
}

}  // namespace

void add_connection_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands) {
    add_refused_logins(list, input, commands);
    add_refused_connections(list, input.store);
    add_resets(list, input, commands);
}

}  // namespace sanscope
