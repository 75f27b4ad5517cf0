// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/session_ending.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/connection_closing.h"
#include "analyzer/report/time_spans.h"

namespace sanscope {

bool is_closed_by_logout(const ResultStore& store, uint32_t connection) {
    constexpr uint16_t close_session = 0;
    const uint32_t session = store.connection(connection).session;
    const std::optional<Closing> closing = first_closing(store.connection(connection));
    return std::ranges::any_of(store.session_events().first_ones(), [=](const SessionEvent& event) {
        if (!is_of_logout(event) || event.bad_header_digest) return false;
        const bool in_time = !closing || event.time_ns <= closing->time_ns;
        // What was asked for, only the request tells.
        const bool of_session = Opcode{event.opcode} == Opcode::logout_request && session != 0 &&
                                event.session == session && event.code == close_session && in_time;
        return event.connection == connection || of_session;
    });
}

bool is_end_announced(const ResultStore& store, uint32_t connection, int64_t until_ns) {
    constexpr uint16_t logout_requested = 1;
    constexpr uint16_t session_dropped = 3;
    constexpr int64_t longest_ns = 120'000'000'000;
    const uint32_t session = store.connection(connection).session;
    return std::ranges::any_of(store.session_events().first_ones(), [=](const SessionEvent& event) {
        if (Opcode{event.opcode} != Opcode::async_message || event.bad_header_digest) return false;
        if (event.code < logout_requested || event.code > session_dropped) return false;
        const bool is_of_it = event.connection == connection || (session != 0 && event.session == session);
        return is_of_it && event.time_ns != no_time && event.time_ns <= until_ns &&
               elapsed_ns(event.time_ns, until_ns) <= longest_ns;
    });
}

int64_t events_known_until_ns(const ResultStore& store, int64_t end_ns) {
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    return events.size() < SessionEvents::most_kept ? end_ns : std::min(end_ns, events.back().time_ns);
}

}  // namespace sanscope
