// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/connection_closing.h"

#include <algorithm>

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

bool is_logged_out(const ResultStore& store, uint32_t connection) {
    return std::ranges::any_of(store.session_events().first_ones(), [=](const SessionEvent& event) {
        return event.connection == connection && is_of_logout(event);
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
