// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/sudo_caller.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sanscope {
namespace {

std::optional<id_t> number_from(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    id_t number = 0;
    const std::string_view digits = text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

}  // namespace

SudoCaller sudo_caller() {
    return {number_from("SUDO_UID"), number_from("SUDO_GID")};
}

}  // namespace sanscope
