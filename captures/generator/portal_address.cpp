// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/generator/portal_address.h"

#include <charconv>
#include <cstdint>
#include <fmt/core.h>
#include <string>

namespace sanscope {

Result<std::vector<SocketAddress>> resolve_portal(std::string_view target_address) {
    constexpr uint16_t iscsi_port = 3260;
    const std::string_view whole = target_address;
    const Error wrong{fmt::format("the target names {} as an address, which is none", whole)};
    target_address = target_address.substr(0, target_address.find(','));
    std::string_view host = target_address;
    std::string_view port;
    if (target_address.starts_with('[')) {
        const size_t bracket = target_address.find(']');
        if (bracket == std::string_view::npos) return wrong;
        host = target_address.substr(1, bracket - 1);
        port = target_address.substr(bracket + 1);
    } else if (const size_t colon = target_address.find(':'); colon != std::string_view::npos) {
        host = target_address.substr(0, colon);
        port = target_address.substr(colon);
    }
    uint16_t number = iscsi_port;
    if (!port.empty()) {
        port.remove_prefix(1);
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
        if (error != std::errc() || end != port.data() + port.size() || number == 0) return wrong;
    }
    if (host.empty()) return wrong;
    return resolve(std::string(host), number);
}

}  // namespace sanscope
