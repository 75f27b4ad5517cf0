// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/connection_closing.h"

#include <algorithm>

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"

namespace sanscope {

std::optional<Closing> first_closing(const ConnectionRow& row) {
    const Closing all[] = {{row.in.reset_ns, row.in.reset_packet, true, true},
                           {row.out.reset_ns, row.out.reset_packet, false, true},
                           {row.in.fin_ns, 0, true, false},
                           {row.out.fin_ns, 0, false, false}};
    std::optional<Closing> first;
    for (const Closing& closing : all) {
        if (closing.time_ns != no_time && (!first || closing.time_ns < first->time_ns)) first = closing;
    }
    return first;
}

bool first_closer_in_doubt(const ConnectionRow& row) {
    const auto first = [](int64_t a_ns, int64_t b_ns) {
        return a_ns == no_time || (b_ns != no_time && b_ns < a_ns) ? b_ns : a_ns;
    };
    const int64_t out_ns = first(row.out.fin_ns, row.out.reset_ns);
    const int64_t in_ns = first(row.in.fin_ns, row.in.reset_ns);
    if (out_ns == no_time || in_ns == no_time || row.clocks_apart_ns() == 0) return false;
    return elapsed_ns(std::min(out_ns, in_ns), std::max(out_ns, in_ns)) < row.least_comparable_ns();
}

uint32_t login_anew(const ResultStore& store, uint32_t connection, int64_t end_ns) {
    const ConnectionRow& before = store.connection(connection);
    if (before.session == 0) return 0;
    const SessionRow& names = store.session(before.session);
    if (names.initiator_name.empty() || names.target_name.empty()) return 0;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (row.session == 0 || row.session <= before.session || row.start_ns < end_ns) continue;
        const SessionRow& session = store.session(row.session);
        if (session.initiator_name == names.initiator_name && session.target_name == names.target_name)
            return number;
    }
    return 0;
}

bool is_of_logout(const SessionEvent& event) {
    const Opcode opcode{event.opcode};
    return opcode == Opcode::logout_request || opcode == Opcode::logout_response;
}

bool is_refused_logout(const ResultStore& store, const SessionEvent& event) {
    const auto refuses = [](const SessionEvent& answer) {
        return answer.code != 0 && answer.code != unknown<uint16_t>;
    };
    if (Opcode{event.opcode} == Opcode::logout_response) return refuses(event);
    if (Opcode{event.opcode} != Opcode::logout_request) return false;
    const std::vector<SessionEvent>& all = store.session_events().first_ones();
    // Its answer is the first one behind it: the connection has no other Logout under way (RFC 7143 §11.14).
    for (size_t i = static_cast<size_t>(&event - all.data()) + 1; i < all.size(); ++i) {
        const SessionEvent& answer = all[i];
        if (answer.connection != event.connection) continue;
        switch (Opcode{answer.opcode}) {
            case Opcode::logout_request:
                return false;
            case Opcode::logout_response:
                return refuses(answer);
            case Opcode::reject:
                if (answer.rejected == static_cast<uint16_t>(Opcode::logout_request)) return true;
                break;
            default:
                break;
        }
    }
    return false;
}

uint32_t connection_with(const ResultStore& store, uint32_t session, uint32_t cid, int64_t time_ns) {
    if (session == 0 || cid == unknown<uint32_t>) return 0;
    uint32_t found = 0;
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        if (row.session != session || row.cid != cid || row.start_ns > time_ns) continue;
        if (found == 0 || row.start_ns >= store.connection(found).start_ns) found = number;
    }
    return found;
}

uint32_t logged_out_by(const ResultStore& store, const SessionEvent& event) {
    const SessionEvent* request = &event;
    if (Opcode{event.opcode} == Opcode::logout_response) {
        // What is closed, only the request tells.
        for (const SessionEvent& other : store.session_events().first_ones()) {
            if (&other == &event) break;
            if (Opcode{other.opcode} == Opcode::logout_request && other.connection == event.connection)
                request = &other;
        }
    }
    const bool known = event.connection != 0 && event.connection <= store.connections().size();
    const uint32_t own = known ? store.connection(event.connection).cid : unknown<uint32_t>;
    const uint32_t named = request->cid;
    if (named == unknown<uint32_t> || named == own) return event.connection;
    const uint32_t other = connection_with(store, event.session, named, request->time_ns);
    return other == 0 && own == unknown<uint32_t> ? event.connection : other;
}

bool is_logged_out(const ResultStore& store, uint32_t connection) {
    if (connection == 0 || connection > store.connections().size()) return false;
    const uint32_t cid = store.connection(connection).cid;
    return std::ranges::any_of(store.session_events().first_ones(), [&](const SessionEvent& event) {
        const bool may_be =
            event.connection == connection || (event.cid != unknown<uint32_t> && event.cid == cid);
        return may_be && is_of_logout(event) && logged_out_by(store, event) == connection &&
               !is_refused_logout(store, event);
    });
}

bool hides_logouts(const ResultStore& store) {
    const auto opcode = static_cast<uint8_t>(Opcode::logout_request);
    const auto listed =
        std::ranges::count(store.session_events().first_ones(), opcode, &SessionEvent::opcode);
    return store.session_events().count(opcode) > static_cast<uint64_t>(listed);
}

bool lacks_packets(const ResultStore& store, uint32_t connection) {
    return std::ranges::any_of(store.senders(), [=](const SenderSummary& sender) {
        return sender.connection() == connection && sender.losses(LossKind::not_captured) > 0;
    });
}

}  // namespace sanscope
