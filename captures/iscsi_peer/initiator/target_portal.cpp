// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/target_portal.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/core.h>
#include <netinet/in.h>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

std::optional<uint16_t> read_number(std::string_view text) {
    uint16_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool is_name_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
}

bool is_host_name(std::string_view text) {
    constexpr size_t longest = 253;
    return !text.empty() && text.size() <= longest && text.front() != '-' && text.front() != '.' &&
           std::ranges::all_of(text, is_name_character);
}

bool is_ipv6_address(std::string_view text) {
    const size_t percent = text.find('%');
    const std::string address(text.substr(0, percent));
    in6_addr bits{};
    if (::inet_pton(AF_INET6, address.c_str(), &bits) != 1) return false;
    if (percent == std::string_view::npos) return true;
    constexpr size_t longest_zone = 15;  // an interface's name
    const std::string_view zone = text.substr(percent + 1);
    return !zone.empty() && zone.size() <= longest_zone && std::ranges::all_of(zone, is_name_character);
}

}  // namespace

Result<TargetPortal> read_target_portal(std::string_view text) {
    constexpr size_t longest_shown = 80;
    const auto wrong = [whole = text](std::string_view why) {
        return Error{
            fmt::format("{} is not an address: {}", cleaned_text(whole.substr(0, longest_shown)), why)};
    };
    TargetPortal portal;
    if (const size_t comma = text.find(','); comma != std::string_view::npos) {
        portal.group = read_number(text.substr(comma + 1));
        if (!portal.group) return wrong("its portal group is no number below 65536");
        text = text.substr(0, comma);
    }
    std::string_view port;
    if (text.starts_with('[')) {
        const size_t bracket = text.find(']');
        if (bracket == std::string_view::npos) return wrong("a bracket is not closed");
        const std::string_view address = text.substr(1, bracket - 1);
        if (!is_ipv6_address(address)) return wrong("in brackets is no IPv6 address");
        portal.host = address;
        port = text.substr(bracket + 1);
    } else {
        const size_t colon = std::min(text.find(':'), text.size());
        if (text.find(':', colon + 1) != std::string_view::npos)
            return wrong("an IPv6 address stands in brackets");
        if (!is_host_name(text.substr(0, colon))) return wrong("there is no name of a host");
        portal.host = text.substr(0, colon);
        port = text.substr(colon);
    }
    if (port.empty()) return portal;
    const auto number = port.front() == ':' ? read_number(port.substr(1)) : std::nullopt;
    if (!number || *number == 0) return wrong("its port is no number from 1 to 65535");
    portal.port = *number;
    return portal;
}

std::string target_portal_text(const TargetPortal& portal) {
    const bool is_ipv6 = portal.host.find(':') != std::string::npos;
    std::string text = is_ipv6 ? fmt::format("[{}]:{}", portal.host, portal.port)
                               : fmt::format("{}:{}", portal.host, portal.port);
    if (portal.group) text += fmt::format(",{}", *portal.group);
    return text;
}

}  // namespace sanscope
