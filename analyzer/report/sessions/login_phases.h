// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyzer/store/result_store.h"

namespace sanscope {

// One connection's login, from its Login Requests and Responses.
struct LoginPhase {
    uint32_t requests = 0;
    uint32_t responses = 0;
    PacketNumber first_request_packet = 0;
    PacketNumber last_request_packet = 0;
    PacketNumber last_response_packet = 0;
    int64_t first_request_ns = no_time;
    int64_t last_request_ns = no_time;
    int64_t last_response_ns = no_time;
    uint16_t last_code = unknown<uint16_t>;  // status class and detail
    bool in_security = true;  // as far as known, the last request is of the SecurityNegotiation stage
    bool times_known = true;  // all of them, and none of these PDUs is missing from between
    bool last_is_request = false;
    // Of the time from the first request to the last response, what passed while the target was asked, and while the initiator was.
    int64_t target_ns = 0;
    int64_t initiator_ns = 0;

    void add(const SessionEvent& event);
};

// By number of connection. Empty where there were too many PDUs of this kind to know of all.
std::map<uint32_t, LoginPhase> login_phases(const SessionEvents& events);

// What ended a connection.
struct ConnectionEnd {
    int64_t time_ns = no_time;
    bool by_target = false;
    bool reset = false;
};
std::optional<ConnectionEnd> end_of(const ConnectionRow& row);

}  // namespace sanscope
