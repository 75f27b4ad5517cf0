// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// The key=value pairs of login and text negotiation, each ended by a zero byte (RFC 7143 §6.1).
using TextKeys = std::vector<std::pair<std::string, std::string>>;

std::string write_text_keys(const TextKeys& keys);

// An Error where a pair has no name or no '=', a name is longer than 63 bytes, a value than 8192, or there are more
// than 1024. Zero bytes at the end, which padding may be taken for, are no pairs.
Result<TextKeys> read_text_keys(std::string_view text);

// The value of a key; nullptr where there is none. Keys are case-sensitive.
const std::string* find_key(const TextKeys& keys, std::string_view name);

}  // namespace sanscope
