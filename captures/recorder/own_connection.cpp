// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/own_connection.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <netinet/in.h>

namespace sanscope {
namespace {

std::string_view next_word(std::string_view& text) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    return word;
}

// Without the zone of a link-local address, which filters do not know. Empty: no address.
std::string address_in(std::string_view word) {
    const std::string address(word.substr(0, word.find('%')));
    std::array<uint8_t, sizeof(in6_addr)> binary{};
    const bool is_one = ::inet_pton(AF_INET, address.c_str(), binary.data()) == 1 ||
                        ::inet_pton(AF_INET6, address.c_str(), binary.data()) == 1;
    return is_one ? address : "";
}

uint16_t port_in(std::string_view word) {
    uint16_t port = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
    return error == std::errc() && end == word.data() + word.size() ? port : uint16_t{0};
}

}  // namespace

std::optional<OwnConnection> own_connection(std::string_view ssh_connection) {
    const std::string client = address_in(next_word(ssh_connection));
    const uint16_t client_port = port_in(next_word(ssh_connection));
    const std::string server = address_in(next_word(ssh_connection));
    const uint16_t server_port = port_in(next_word(ssh_connection));
    if (client.empty() || client_port == 0 || server.empty() || server_port == 0) return std::nullopt;
    return OwnConnection{fmt::format("tcp and host {} and port {} and host {} and port {}", client,
                                     client_port, server, server_port),
                         fmt::format("{} port {} to {} port {}", client, client_port, server, server_port)};
}

std::string filter_without(const std::string& filter, const std::string& left_out) {
    if (left_out.empty()) return filter;
    // First, because words such as `vlan` change what those behind them look at.
    std::string without = fmt::format("not ({})", left_out);
    if (!filter.empty()) without += fmt::format(" and ({})", filter);
    return without;
}

}  // namespace sanscope
