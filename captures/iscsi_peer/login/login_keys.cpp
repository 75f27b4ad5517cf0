// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/login_keys.h"

#include <algorithm>

namespace sanscope {

bool is_leading_only(std::string_view name) {
    const auto is_it = [name](const LoginKey& key) { return key.leading_only && key.name == name; };
    constexpr LoginKey others[] = {login_key::session_type, login_key::data_pdu_in_order,
                                   login_key::data_sequence_in_order};
    return std::ranges::any_of(login_number_keys, is_it) || std::ranges::any_of(login_bool_keys, is_it) ||
           std::ranges::any_of(others, is_it);
}

void take_from_session(const LoginOutcome& session, LoginOutcome& connection) {
    for (const LoginNumberKey& key : login_number_keys) {
        if (!key.is_declared()) connection.*key.outcome = session.*key.outcome;
    }
    for (const LoginBoolKey& key : login_bool_keys) connection.*key.outcome = session.*key.outcome;
}

std::optional<bool> read_login_bool(std::string_view value) {
    if (value == "Yes") return true;
    if (value == "No") return false;
    return std::nullopt;
}

const char* login_bool_text(bool value) {
    return value ? "Yes" : "No";
}

bool is_in_login_list(std::string_view list, std::string_view value) {
    return !first_of_login_list(list, [&](std::string_view one) { return one == value; }).empty();
}

}  // namespace sanscope
