// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/login_phases.h"

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {

void LoginPhase::add(const SessionEvent& event) {
    const bool is_request = Opcode{event.opcode} == Opcode::login_request;
    // They alternate (RFC 7143 §6.3): two of a kind in a row are what a capture makes of it that lacks one between.
    const bool lacks_one = requests + responses > 0 && is_request == last_is_request;
    if (event.time_ns == no_time || lacks_one) times_known = false;
    last_is_request = is_request;
    if (is_request) {
        if (requests++ == 0) {
            first_request_ns = event.time_ns;
            first_request_packet = event.packet;
        }
        if (responses > 0 && last_response_ns > last_request_ns)
            initiator_ns += elapsed_ns(last_response_ns, event.time_ns);
        last_request_ns = event.time_ns;
        last_request_packet = event.packet;
        constexpr unsigned csg_at = 2;
        if (event.code != unknown<uint16_t>)
            in_security = (event.code >> csg_at & 3u) == login_stage::security_negotiation;
        return;
    }
    ++responses;
    if (requests > 0) target_ns += elapsed_ns(last_request_ns, event.time_ns);
    last_response_ns = event.time_ns;
    last_response_packet = event.packet;
    last_code = event.code;
}

std::map<uint32_t, LoginPhase> login_phases(const SessionEvents& events) {
    std::map<uint32_t, LoginPhase> phases;
    if (events.first_ones().size() >= SessionEvents::most_kept) return phases;
    for (const SessionEvent& event : events.first_ones()) {
        const Opcode opcode{event.opcode};
        if (opcode == Opcode::login_request || opcode == Opcode::login_response)
            phases[event.connection].add(event);
    }
    return phases;
}

std::optional<ConnectionEnd> end_of(const ConnectionRow& row) {
    const ConnectionEnd all[] = {{row.in.reset_ns, true, true},
                                 {row.out.reset_ns, false, true},
                                 {row.in.fin_ns, true, false},
                                 {row.out.fin_ns, false, false}};
    std::optional<ConnectionEnd> first;
    for (const ConnectionEnd& end : all) {
        if (end.time_ns != no_time && (!first || end.time_ns < first->time_ns)) first = end;
    }
    return first;
}

}  // namespace sanscope
