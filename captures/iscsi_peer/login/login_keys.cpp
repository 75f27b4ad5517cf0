// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/login_keys.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace sanscope {

bool is_leading_only(std::string_view name) {
    for (const LoginNumberKey& key : login_number_keys) {
        if (name == key.name) return key.choice != LoginNumberKey::Choice::declared;
    }
    return std::ranges::find(login_bool_keys, name, &LoginBoolKey::name) != std::end(login_bool_keys) ||
           name == "SessionType" || name == "DataPDUInOrder" || name == "DataSequenceInOrder";
}

void take_from_session(const LoginOutcome& session, LoginOutcome& connection) {
    for (const LoginNumberKey& key : login_number_keys) {
        if (key.choice != LoginNumberKey::Choice::declared) connection.*key.outcome = session.*key.outcome;
    }
    for (const LoginBoolKey& key : login_bool_keys) connection.*key.outcome = session.*key.outcome;
}

bool is_login_refusal(std::string_view value) {
    return value == "Reject" || value == "NotUnderstood" || value == "Irrelevant";
}

std::optional<uint32_t> read_login_number(std::string_view value) {
    const bool hex = value.starts_with("0x") || value.starts_with("0X");
    if (hex) value.remove_prefix(2);
    uint32_t number = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), number, hex ? 16 : 10);
    if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
    return number;
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
