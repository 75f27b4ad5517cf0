// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/iscsi_name.h"

#include <algorithm>
#include <fmt/core.h>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool are_hex_digits(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

// "YYYY-MM.DOMAIN[:ANYTHING]"
bool is_qualified(std::string_view text) {
    constexpr size_t date = 8;  // with the dot behind it
    if (text.size() <= date || text[4] != '-' || text[7] != '.') return false;
    for (const size_t at : {0u, 1u, 2u, 3u, 5u, 6u}) {
        if (!is_digit(text[at])) return false;
    }
    const std::string_view month = text.substr(5, 2);
    const std::string_view domain = text.substr(date, text.find(':') - date);
    return month >= "01" && month <= "12" && !domain.empty() && domain.front() != '.' && domain.back() != '.';
}

}  // namespace

bool is_name_text(std::string_view text) {
    constexpr size_t longest = 223;
    if (text.empty() || text.size() > longest) return false;
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        if (length == 0 || text.front() == ' ' || is_control_character(text.substr(0, length))) return false;
        text.remove_prefix(length);
    }
    return true;
}

Result<std::monostate> check_iscsi_name(std::string_view name) {
    if (!is_name_text(name)) {
        return Error{"the name of an iSCSI target has 1 to 223 bytes, without spaces and control characters"};
    }
    const std::string_view type = name.substr(0, 4);
    const std::string_view rest = name.substr(std::min<size_t>(4, name.size()));
    if (type == "iqn.") {
        if (is_qualified(rest)) return std::monostate{};
        return Error{fmt::format("{} is not of the form iqn.YYYY-MM.DOMAIN:NAME", name)};
    }
    if (type == "eui.") {
        if (rest.size() == 16 && are_hex_digits(rest)) return std::monostate{};
        return Error{fmt::format("{} does not have 16 hexadecimal digits behind eui.", name)};
    }
    if (type == "naa.") {
        if ((rest.size() == 16 || rest.size() == 32) && are_hex_digits(rest)) return std::monostate{};
        return Error{fmt::format("{} does not have 16 or 32 hexadecimal digits behind naa.", name)};
    }
    return Error{
        fmt::format("{} is not the name of an iSCSI target: that begins with iqn., eui. or naa.", name)};
}

}  // namespace sanscope
