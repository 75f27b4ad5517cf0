// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/generator/login_keys.h"

#include <charconv>
#include <system_error>

namespace sanscope {

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
