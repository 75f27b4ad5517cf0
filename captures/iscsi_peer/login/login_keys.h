// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/iscsi/login_keys.h"

namespace sanscope {

// The operational keys of a login (RFC 7143 §13; analyzer/iscsi/login_keys.h), as both sides negotiate them: what each wants stands in its
// LoginOffer, what holds in its LoginOutcome.

struct LoginNumberKey : LoginKey {
    uint32_t LoginOffer::*offered;
    uint32_t LoginOutcome::*outcome;  // of what is declared: where the initiator keeps the target's

    bool is_declared() const { return kind == Kind::declared; }
    bool may_be(uint32_t number) const { return number >= least && number <= most; }
    uint32_t chosen(uint32_t one, uint32_t other) const {
        return kind == Kind::lesser ? std::min(one, other) : std::max(one, other);
    }
};

inline constexpr LoginNumberKey login_number_keys[] = {
    {login_key::max_recv_data_segment_length, &LoginOffer::max_recv_data_segment_length,
     &LoginOutcome::max_recv_data_segment_length_target},
    {login_key::max_burst_length, &LoginOffer::max_burst_length, &LoginOutcome::max_burst_length},
    {login_key::first_burst_length, &LoginOffer::first_burst_length, &LoginOutcome::first_burst_length},
    {login_key::max_outstanding_r2t, &LoginOffer::max_outstanding_r2t, &LoginOutcome::max_outstanding_r2t},
    {login_key::max_connections, &LoginOffer::max_connections, &LoginOutcome::max_connections},
    {login_key::error_recovery_level, &LoginOffer::error_recovery_level, &LoginOutcome::error_recovery_level},
    {login_key::default_time2wait, &LoginOffer::default_time2wait, &LoginOutcome::default_time2wait},
    {login_key::default_time2retain, &LoginOffer::default_time2retain, &LoginOutcome::default_time2retain},
};

struct LoginBoolKey : LoginKey {
    bool LoginOffer::*offered;
    bool LoginOutcome::*outcome;

    bool chosen(bool one, bool other) const { return kind == Kind::either ? one || other : one && other; }
    // Whatever the other side says.
    bool decided_by(bool one) const { return one == (kind == Kind::either); }
};

inline constexpr LoginBoolKey login_bool_keys[] = {
    {login_key::initial_r2t, &LoginOffer::initial_r2t, &LoginOutcome::initial_r2t},
    {login_key::immediate_data, &LoginOffer::immediate_data, &LoginOutcome::immediate_data},
};

// Whether a key is said by the first connection of a session alone, for all of them ("LO" in §13).
bool is_leading_only(std::string_view name);
// Those of its session hold for a connection that joins it.
void take_from_session(const LoginOutcome& session, LoginOutcome& connection);

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
