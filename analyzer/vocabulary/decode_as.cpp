// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/decode_as.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace sanscope {
namespace {

constexpr std::string_view selector = "tcp.port==";

Error refusal(std::string_view text, std::string_view why) {
    return {"\"" + std::string(text) + "\" " + std::string(why) +
            "; what is understood is tcp.port==PORT,iscsi and tcp.port==PORT,data"};
}

std::optional<uint16_t> port_of(std::string_view digits) {
    uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return std::nullopt;
    return port;
}

}  // namespace

Result<DecodeAs::Rule> DecodeAs::parse(std::string_view text) {
    if (!text.starts_with(selector)) return refusal(text, "does not begin with tcp.port==");
    const std::string_view rest = text.substr(selector.size());
    const size_t comma = rest.find(',');
    if (comma == std::string_view::npos) return refusal(text, "names no protocol");
    const std::optional<uint16_t> port = port_of(rest.substr(0, comma));
    if (!port) return refusal(text, "has no port from 1 to 65535");
    const std::string_view protocol = rest.substr(comma + 1);
    for (const Protocol one : {Protocol::iscsi, Protocol::data}) {
        if (protocol == name_of(one)) return Rule{*port, one};
    }
    return refusal(text, "names another protocol");
}

DecodeAs::Protocol DecodeAs::of_port(uint16_t port) const {
    const auto rule = rules_.find(port);
    return rule == rules_.end() ? Protocol::by_content : rule->second;
}

DecodeAs::Protocol DecodeAs::of_ports(uint16_t one, uint16_t other) const {
    if (rules_.empty()) return Protocol::by_content;
    const Protocol first = of_port(std::min(one, other));
    return first != Protocol::by_content ? first : of_port(std::max(one, other));
}

std::string_view name_of(DecodeAs::Protocol protocol) {
    switch (protocol) {
        case DecodeAs::Protocol::iscsi:
            return "iscsi";
        case DecodeAs::Protocol::data:
            return "data";
        case DecodeAs::Protocol::by_content:
            break;
    }
    return "";
}

std::string format(const DecodeAs::Rule& rule) {
    return std::string(selector) + std::to_string(rule.port) + "," + std::string(name_of(rule.protocol));
}

}  // namespace sanscope
