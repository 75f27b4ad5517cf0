// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/text_keys.h"

#include <algorithm>
#include <fmt/core.h>

namespace sanscope {

std::string write_text_keys(const TextKeys& keys) {
    std::string text;
    for (const auto& [name, value] : keys) {
        text += name;
        text += '=';
        text += value;
        text += '\0';
    }
    return text;
}

Result<TextKeys> read_text_keys(std::string_view text) {
    constexpr size_t longest_name = 63;
    constexpr size_t longest_value = 8192;
    constexpr size_t most_keys = 1024;
    TextKeys keys;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\0'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        const size_t equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals > longest_name) {
            return Error{fmt::format("a text key without a name or a value, {} bytes long", pair.size())};
        }
        if (pair.size() - equals - 1 > longest_value) {
            return Error{fmt::format("the text key {} has a value of more than {} bytes",
                                     pair.substr(0, equals), longest_value)};
        }
        if (keys.size() == most_keys) return Error{fmt::format("more than {} text keys", most_keys)};
        keys.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return keys;
}

const std::string* find_key(const TextKeys& keys, std::string_view name) {
    const auto found =
        std::ranges::find(keys, name, [](const auto& key) { return std::string_view(key.first); });
    return found == keys.end() ? nullptr : &found->second;
}

}  // namespace sanscope
