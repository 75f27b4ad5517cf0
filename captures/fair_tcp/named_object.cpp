// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/named_object.h"

#include <algorithm>
#include <array>

#include "captures/fair_tcp/fair_tcp_bpf.h"

namespace sanscope {

Result<std::vector<unsigned char>> named_object(std::span<const unsigned char> object,
                                                std::string_view name) {
    using NameField = std::array<unsigned char, FAIR_TCP_NAME_BYTES>;
    constexpr NameField compiled{'f', 'a', 'i', 'r'};
    if (name.empty() || name.size() >= compiled.size()) return Error{"a name has 1 to 15 bytes"};
    std::vector<unsigned char> bytes(object.begin(), object.end());
    const auto field = std::search(bytes.begin(), bytes.end(), compiled.begin(), compiled.end());
    if (field == bytes.end()) return Error{"the program has no name"};
    const auto behind = field + compiled.size();
    if (std::search(behind, bytes.end(), compiled.begin(), compiled.end()) != bytes.end())
        return Error{"the program has more than one name"};
    std::fill(field, behind, static_cast<unsigned char>(0));
    std::ranges::transform(name, field, [](char c) { return static_cast<unsigned char>(c); });
    return bytes;
}

}  // namespace sanscope
