// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// A Logout Request that closes the connection was captured: on itself, or, no later than it was closed, for its whole session on
// any connection of that (RFC 7143 §11.14.1, reason code 0).
bool is_closed_by_logout(const ResultStore& store, uint32_t connection);

// A Logout Request on another connection of its session asked to close a connection (reason codes 1 and 2) within two minutes
// before this one was closed, as the first of them: this one, most likely. Which one it named is not known.
bool may_be_logged_out_elsewhere(const ResultStore& store, uint32_t connection);

// The target told, within two minutes before `until_ns`, that it wants a Logout, or drops the connection or all of the session
// (Async Message events 1 to 3, RFC 7143 §11.9.1): by an Async Message on any connection of its session.
bool is_end_announced(const ResultStore& store, uint32_t connection, int64_t until_ns);

// What had been asked for or announced before a connection was closed, and closes it; other than a Logout.
struct EndCause {
    enum class By : uint8_t {
        target_reset,  // a TARGET WARM or COLD RESET, of any session to that target (RFC 7143 §11.5.1)
        session_reinstatement,     // a login of the same initiator port (§6.3.5)
        connection_reinstatement,  // a login into the same session (§6.3.4)
        announcement               // an Async Message, events 1 to 3
    };
    By by = By::announcement;
    SessionEvent event;    // that request or message
    bool is_sure = false;  // that it closes this connection

    // All but an announcement are the doing of an initiator.
    bool is_of_initiator() const { return by != By::announcement; }
    bool is_reinstatement() const {
        return by == By::session_reinstatement || by == By::connection_reinstatement;
    }
    // "TARGET COLD RESET by the initiator of session 1 in packet 496, 800 µs before it was closed".
    std::string sign(const ResultStore& store, uint32_t connection, int64_t closed_ns) const;
    // What it means, and where to look, in sentences.
    std::string words() const;
};

std::optional<EndCause> cause_of_end(const ResultStore& store, uint32_t connection, const Closing& closing);

// Another connection of its session that ended just before this one was closed, by the other side and without a Logout: where
// connections are not recovered, a session ends with the first that it loses (RFC 7143 §7.1.4.4).
struct LostBefore {
    uint32_t connection = 0;
    Closing closing;

    // "connection 2 of its session was reset by the target in packet 171, 27.0 µs before".
    std::string sign(int64_t closed_ns) const;
    // What it means, and where to look, in sentences.
    std::string words() const;
};

std::optional<LostBefore> lost_before(const ResultStore& store, uint32_t connection, const Closing& closing);

// Up to which moment all events of the sessions are kept: `end_ns`, that of the capture, unless there were too many.
int64_t events_known_until_ns(const ResultStore& store, int64_t end_ns);

}  // namespace sanscope
