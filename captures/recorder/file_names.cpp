// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/file_names.h"

#include <fmt/format.h>

namespace sanscope {

std::string numbered_file_name(const std::string& path, uint32_t number, std::time_t now) {
    const size_t slash = path.find_last_of('/');
    const size_t name = slash == std::string::npos ? 0 : slash + 1;
    const size_t dot = path.find_last_of('.');
    // A name that begins with its only dot is hidden, and has no ending.
    const size_t stem = dot == std::string::npos || dot <= name ? path.size() : dot;
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("{}_{:05}_{:04}{:02}{:02}{:02}{:02}{:02}{}", path.substr(0, stem), number % 100'000,
                       local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
                       local.tm_sec, path.substr(stem));
}

}  // namespace sanscope
