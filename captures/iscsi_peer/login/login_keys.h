// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// The operational keys of a login (RFC 7143 §13), as both sides negotiate them: what each wants stands in its
// LoginOffer, what holds in its LoginOutcome.

struct LoginNumberKey {
    // How two sides come to a number; or each only declares its own.
    enum class Choice : uint8_t { lesser, greater, declared };

    std::string_view name;
    Choice choice;
    uint32_t LoginOffer::*offered;
    uint32_t LoginOutcome::*outcome;  // of what is declared: where the initiator keeps the target's
    uint32_t least;
    uint32_t most;

    uint32_t chosen(uint32_t one, uint32_t other) const {
        return choice == Choice::lesser ? std::min(one, other) : std::max(one, other);
    }
};

inline constexpr LoginNumberKey login_number_keys[] = {
    {"MaxRecvDataSegmentLength", LoginNumberKey::Choice::declared, &LoginOffer::max_recv_data_segment_length,
     &LoginOutcome::max_recv_data_segment_length_target, 512, max_data_segment_length},
    {"MaxBurstLength", LoginNumberKey::Choice::lesser, &LoginOffer::max_burst_length,
     &LoginOutcome::max_burst_length, 512, max_data_segment_length},
    {"FirstBurstLength", LoginNumberKey::Choice::lesser, &LoginOffer::first_burst_length,
     &LoginOutcome::first_burst_length, 512, max_data_segment_length},
    {"MaxOutstandingR2T", LoginNumberKey::Choice::lesser, &LoginOffer::max_outstanding_r2t,
     &LoginOutcome::max_outstanding_r2t, 1, 65535},
    {"MaxConnections", LoginNumberKey::Choice::lesser, &LoginOffer::max_connections,
     &LoginOutcome::max_connections, 1, 65535},
    {"ErrorRecoveryLevel", LoginNumberKey::Choice::lesser, &LoginOffer::error_recovery_level,
     &LoginOutcome::error_recovery_level, 0, 2},
    {"DefaultTime2Wait", LoginNumberKey::Choice::greater, &LoginOffer::default_time2wait,
     &LoginOutcome::default_time2wait, 0, 3600},
    {"DefaultTime2Retain", LoginNumberKey::Choice::lesser, &LoginOffer::default_time2retain,
     &LoginOutcome::default_time2retain, 0, 3600},
};

struct LoginBoolKey {
    std::string_view name;
    bool either;  // Yes where one side wants it, else where both do
    bool LoginOffer::*offered;
    bool LoginOutcome::*outcome;

    bool chosen(bool one, bool other) const { return either ? one || other : one && other; }
    // Whatever the other side says.
    bool decided_by(bool one) const { return one == either; }
};

inline constexpr LoginBoolKey login_bool_keys[] = {
    {"InitialR2T", true, &LoginOffer::initial_r2t, &LoginOutcome::initial_r2t},
    {"ImmediateData", false, &LoginOffer::immediate_data, &LoginOutcome::immediate_data},
};

// Whether a key is said by the first connection of a session alone, for all of them ("LO" in §13).
bool is_leading_only(std::string_view name);
// Those of its session hold for a connection that joins it.
void take_from_session(const LoginOutcome& session, LoginOutcome& connection);

// What a side says instead of a value (§6.2).
bool is_login_refusal(std::string_view value);
// In decimal, or with 0x in hexadecimal (§6.1).
std::optional<uint32_t> read_login_number(std::string_view value);
std::optional<bool> read_login_bool(std::string_view value);
const char* login_bool_text(bool value);

// The first of a list of values (§6.1) for which `may` holds; empty where there is none.
template <class May>
std::string_view first_of_login_list(std::string_view list, const May& may) {
    while (!list.empty()) {
        const std::string_view value = list.substr(0, list.find(','));
        if (may(value)) return value;
        list.remove_prefix(std::min(value.size() + 1, list.size()));
    }
    return {};
}
bool is_in_login_list(std::string_view list, std::string_view value);

}  // namespace sanscope
