// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sanscope {

constexpr size_t congestion_control_name_bytes = 16;  // TCP_CA_NAME_MAX of Linux, with the zero behind it

// Whether a kernel may know a congestion control by that name, and no command line or path takes it for something else: 1 to 15
// of a-z, 0-9 and _.
constexpr bool is_congestion_control_name(std::string_view name) {
    return !name.empty() && name.size() < congestion_control_name_bytes &&
           std::ranges::all_of(
               name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

}  // namespace sanscope
