// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/session_ending.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/human_units.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/task_management_words.h"

namespace sanscope {
namespace {

bool came_within(const SessionEvent& event, int64_t until_ns, int64_t longest_ns) {
    return event.time_ns != no_time && event.time_ns <= until_ns &&
           elapsed_ns(event.time_ns, until_ns) <= longest_ns;
}

}  // namespace

bool is_closed_by_logout(const ResultStore& store, uint32_t connection) {
    using logout_reason::close_session;
    const uint32_t session = store.connection(connection).session;
    const uint32_t cid = store.connection(connection).cid;
    const std::optional<Closing> closing = first_closing(store.connection(connection));
    return std::ranges::any_of(store.session_events().first_ones(), [&](const SessionEvent& event) {
        if (!is_of_logout(event) || event.bad_header_digest) return false;
        const bool in_time = !closing || event.time_ns <= closing->time_ns;
        // What was asked for, only the request tells.
        const bool of_session = Opcode{event.opcode} == Opcode::logout_request && session != 0 &&
                                event.session == session && event.code == close_session && in_time;
        const bool may_be =
            event.connection == connection || (event.cid != unknown<uint32_t> && event.cid == cid);
        return (of_session || (may_be && logged_out_by(store, event) == connection)) &&
               !is_refused_logout(store, event);
    });
}

bool may_be_logged_out_elsewhere(const ResultStore& store, uint32_t connection) {
    using logout_reason::close_connection;
    using logout_reason::remove_connection;
    constexpr int64_t longest_ns = 120'000'000'000;
    const uint32_t session = store.connection(connection).session;
    const std::optional<Closing> closing = first_closing(store.connection(connection));
    if (session == 0 || !closing) return false;
    std::vector<int64_t> logouts_ns;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const bool asks = Opcode{event.opcode} == Opcode::logout_request && !event.bad_header_digest &&
                          (event.code == close_connection || event.code == remove_connection);
        const bool elsewhere =
            event.session == session && event.connection != connection && event.connection != 0;
        if (!asks || !elsewhere || !came_within(event, closing->time_ns, longest_ns)) continue;
        // Where both CIDs are known, it named this one or not.
        const bool untold =
            event.cid == unknown<uint32_t> || store.connection(connection).cid == unknown<uint32_t>;
        if ((untold || logged_out_by(store, event) == connection) && !is_refused_logout(store, event))
            logouts_ns.push_back(event.time_ns);
    }
    if (logouts_ns.empty()) return false;
    // A connection that a Logout may have named, and that closed before this one.
    int64_t closed_before_ns = no_time;
    for (const ConnectionRow& row : store.connections()) {
        if (row.session != session) continue;
        const std::optional<Closing> other = first_closing(row);
        if (other && other->time_ns < closing->time_ns)
            closed_before_ns = std::max(closed_before_ns, other->time_ns);
    }
    return std::ranges::any_of(logouts_ns, [=](int64_t logout_ns) { return closed_before_ns < logout_ns; });
}

namespace {

using async_event::connection_dropped;
using async_event::logout_requested;
using async_event::session_dropped;
// So many events that may have ended a connection are looked into; one behind them is not told of.
constexpr size_t most_candidates = 16;

// An Async Message that tells of one connection tells of this one, or may: of that which it asks to be logged out, for it comes
// over that, and of that which it drops, by its CID (RFC 7143 §11.9.1).
bool may_name(const ResultStore& store, const SessionEvent& event, uint32_t connection) {
    if (event.code == logout_requested) return event.connection == connection;
    if (event.code != connection_dropped) return true;
    const uint32_t own = store.connection(connection).cid;
    return event.cid == unknown<uint32_t> || own == unknown<uint32_t> ||
           connection_with(store, event.session, event.cid, event.time_ns) == connection;
}

// nullptr where the target announced nothing.
const SessionEvent* announcement(const ResultStore& store, uint32_t connection, int64_t until_ns) {
    constexpr int64_t longest_ns = 120'000'000'000;
    const uint32_t session = store.connection(connection).session;
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    const auto found = std::ranges::find_if(events, [&](const SessionEvent& event) {
        if (Opcode{event.opcode} != Opcode::async_message || event.bad_header_digest) return false;
        if (event.code < logout_requested || event.code > session_dropped) return false;
        const bool is_of_it = event.connection == connection || (session != 0 && event.session == session);
        return is_of_it && may_name(store, event, connection) && came_within(event, until_ns, longest_ns);
    });
    return found == events.end() ? nullptr : &*found;
}

// Whether its answer says that nothing was reset.
bool is_refused(const std::vector<SessionEvent>& events, const SessionEvent& request) {
    return std::ranges::any_of(events, [&](const SessionEvent& event) {
        return Opcode{event.opcode} == Opcode::task_management_response && event.session == request.session &&
               event.itt == request.itt && event.packet > request.packet && event.code != unknown<uint16_t> &&
               event.code != task_management::function_complete;
    });
}

std::optional<EndCause> target_reset(const ResultStore& store, uint32_t session, int64_t closed_ns) {
    constexpr int64_t longest_ns = 10'000'000'000;
    const std::string& target = store.session(session).target_name;
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    size_t candidates = 0;
    for (const SessionEvent& event : events) {
        const bool resets = Opcode{event.opcode} == Opcode::task_management_request && !event.bad_digest &&
                            (event.code == task_management::target_warm_reset ||
                             event.code == task_management::target_cold_reset);
        if (!resets || event.session == 0 || event.session > store.sessions().size()) continue;
        const bool of_target = event.session == session ||
                               (!target.empty() && store.session(event.session).target_name == target);
        if (!of_target || !came_within(event, closed_ns, longest_ns)) continue;
        if (++candidates > most_candidates) break;
        if (is_refused(events, event)) continue;
        return EndCause{EndCause::By::target_reset, event, event.code == task_management::target_cold_reset};
    }
    return std::nullopt;
}

// Whether the login that begins with `request` is known to have failed.
bool failed(const std::vector<SessionEvent>& events, const SessionEvent& request) {
    return std::ranges::any_of(events, [&](const SessionEvent& event) {
        return Opcode{event.opcode} == Opcode::login_response && event.connection == request.connection &&
               event.code != unknown<uint16_t> && event.code >> 8 != 0;
    });
}

// A login of the same initiator port to the same target, or into the same session, while the connection stood.
std::optional<EndCause> reinstatement(const ResultStore& store, uint32_t connection, int64_t closed_ns) {
    constexpr int64_t longest_ns = 60'000'000'000;
    const ConnectionRow& row = store.connection(connection);
    const SessionRow& own = store.session(row.session);
    if (own.isid == unknown<uint64_t> || own.initiator_name.empty()) return std::nullopt;
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    size_t candidates = 0;
    for (const SessionEvent& event : events) {
        if (Opcode{event.opcode} != Opcode::login_request || event.bad_header_digest) continue;
        if (event.connection == 0 || event.connection > store.connections().size()) continue;
        const ConnectionRow& other = store.connection(event.connection);
        if (event.connection <= connection || other.session == 0 || other.start_ns < row.start_ns) continue;
        if (!came_within(event, closed_ns, longest_ns)) continue;
        if (other.session == row.session) {
            // One of several connections may have come to stand beside it.
            constexpr int64_t at_once_ns = 1'000'000'000;
            const bool known = event.cid != unknown<uint32_t> && row.cid != unknown<uint32_t>;
            if (known && event.cid != row.cid) continue;
            const bool alone = own.max_connections == 1;
            if (!known && !alone && elapsed_ns(event.time_ns, closed_ns) > at_once_ns) continue;
            if (++candidates > most_candidates) break;
            if (failed(events, event)) continue;
            return EndCause{EndCause::By::connection_reinstatement, event, known || alone};
        }
        const SessionRow& session = store.session(other.session);
        if (session.isid != own.isid || session.initiator_name != own.initiator_name ||
            session.target_name != own.target_name)
            continue;
        // Portals need not be of one portal group, where one initiator port has one session alone.
        constexpr int64_t soon_ns = 5'000'000'000;
        const bool same_portal = other.target == row.target && !own.target_name.empty();
        if (!same_portal && elapsed_ns(event.time_ns, closed_ns) > soon_ns) continue;
        if (++candidates > most_candidates) break;
        if (failed(events, event)) continue;
        return EndCause{EndCause::By::session_reinstatement, event, same_portal};
    }
    return std::nullopt;
}

}  // namespace

bool is_end_announced(const ResultStore& store, uint32_t connection, int64_t until_ns) {
    return announcement(store, connection, until_ns) != nullptr;
}

std::optional<EndCause> cause_of_end(const ResultStore& store, uint32_t connection, const Closing& closing) {
    const uint32_t session = store.connection(connection).session;
    if (session == 0) return std::nullopt;
    if (closing.by_target) {
        if (auto reset = target_reset(store, session, closing.time_ns)) return reset;
        if (auto anew = reinstatement(store, connection, closing.time_ns)) return anew;
    }
    const SessionEvent* const announced = announcement(store, connection, closing.time_ns);
    if (announced == nullptr) return std::nullopt;
    const bool named =
        announced->cid != unknown<uint32_t> && store.connection(connection).cid == announced->cid;
    const bool is_it =
        announced->code == session_dropped ||
        (announced->code == connection_dropped && (named || store.session(session).connections <= 1));
    return EndCause{EndCause::By::announcement, *announced, is_it};
}

std::string EndCause::sign(const ResultStore& store, uint32_t connection, int64_t closed_ns) const {
    const std::string before = human_duration(elapsed_ns(event.time_ns, closed_ns));
    const auto told = [&](const std::string& what) {
        return fmt::format("{} in packet {}, {} before it was closed", what, event.packet, before);
    };
    switch (by) {
        case By::target_reset: {
            const bool own = event.session == store.connection(connection).session;
            return told(fmt::format("{} by {}", function_words(event.code),
                                    own ? std::string("its own initiator")
                                        : fmt::format("the initiator of session {}", event.session)));
        }
        case By::session_reinstatement:
            return told(fmt::format("Login Request of the same InitiatorName and ISID on connection {}",
                                    event.connection));
        case By::connection_reinstatement:
            return told(
                fmt::format("Login Request into the same session{} on connection {}",
                            event.cid == unknown<uint32_t> || event.cid != store.connection(connection).cid
                                ? ""
                                : fmt::format(", with the same CID {},", event.cid),
                            event.connection));
        case By::announcement:
            break;
    }
    return told(fmt::format("Async Message of the target, event {}", event.code));
}

std::string EndCause::words() const {
    switch (by) {
        case By::target_reset:
            return is_sure ? "A TARGET COLD RESET was asked for, and a target that is reset so ends the "
                             "sessions of "
                             "all its initiators (RFC 7143 §11.5.1). Look at why that initiator did."
                           : "A TARGET WARM RESET was asked for just before: the target may have closed the "
                             "connection for it. Look at why that initiator did.";
        case By::session_reinstatement:
            return fmt::format(
                "The same initiator port, by InitiatorName and ISID, logged in anew while the session stood: "
                "{} the place of the old session, whose commands the target ends without a status (session "
                "reinstatement, RFC 7143 §6.3.5). Look at why it did: a restart, its log, or another host "
                "that has its name.",
                is_sure ? "that takes" : "at portals of one group that takes");
        case By::connection_reinstatement:
            return is_sure ? "The initiator logged in anew to the session, in the place of this connection: "
                             "the target ends what is under way on the old one, whose commands get no "
                             "status there (connection reinstatement, RFC 7143 §6.3.4). Look at why it gave "
                             "the old one up."
                           : "Another connection had just logged in to the session: with the CID of this one "
                             "it takes its place (connection reinstatement, RFC 7143 §6.3.4). Look at the "
                             "logs of both at that moment.";
        case By::announcement:
            break;
    }
    return event.code == logout_requested
               ? "The target had asked for a Logout, and none came before the connection was closed. Look at "
                 "the target's log for why it did: maintenance, or a takeover."
               : "The target had announced that it drops it. Look at the target's log for why: maintenance, "
                 "a "
                 "takeover, or a limit.";
}

std::optional<LostBefore> lost_before(const ResultStore& store, uint32_t connection, const Closing& closing) {
    constexpr int64_t longest_ns = 5'000'000'000;
    const uint32_t session = store.connection(connection).session;
    if (session == 0 || store.session(session).connections < 2) return std::nullopt;
    std::optional<LostBefore> first;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        if (++number == connection || row.session != session) continue;
        const std::optional<Closing> other = first_closing(row);
        const bool just_before = other && other->time_ns < closing.time_ns &&
                                 elapsed_ns(other->time_ns, closing.time_ns) <= longest_ns;
        if (!just_before || (first && first->closing.time_ns <= other->time_ns)) continue;
        if (is_logged_out(store, number) || is_closed_by_logout(store, number)) continue;
        first = LostBefore{number, *other};
    }
    // One side closes them all, one after the other.
    return first && first->closing.by_target != closing.by_target ? first : std::nullopt;
}

std::string LostBefore::sign(int64_t closed_ns) const {
    return fmt::format("connection {} of its session was {} by the {}{}, {} before", connection,
                       closing.reset ? "reset" : "closed", closing.by_target ? "target" : "initiator",
                       closing.packet == 0 ? "" : fmt::format(" in packet {}", closing.packet),
                       human_duration(elapsed_ns(closing.time_ns, closed_ns)));
}

std::string LostBefore::words() const {
    return fmt::format(
        "The {} had ended another connection of the session just before. Unless both recover connections "
        "(ErrorRecoveryLevel 2), the session ends with it, and the other side closes what is left of it "
        "(session recovery, RFC 7143 §7.1.4.4). Look at why the {} ended that one.",
        closing.by_target ? "target" : "initiator", closing.by_target ? "target" : "initiator");
}

int64_t events_known_until_ns(const ResultStore& store, int64_t end_ns) {
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    return events.size() < SessionEvents::most_kept ? end_ns : std::min(end_ns, events.back().time_ns);
}

}  // namespace sanscope
