// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/base/byte_order.h"

namespace sanscope {

// An IPv4 address is held as the IPv4-mapped IPv6 address ::ffff:a.b.c.d (RFC 4291 §2.5.5.2).
struct IpAddress {
    std::array<uint64_t, 2> words{};  // the 16 bytes in network order, as memory holds them

    static constexpr uint64_t v4_mapped_prefix = 0xffff0000;  // the bytes 00 00 ff ff as memory holds them

    // From the 4 or 16 bytes of an IP header.
    static IpAddress from_v4(const uint8_t* wire) {
        return {{0, uint64_t{load_native<uint32_t>(wire)} << 32 | v4_mapped_prefix}};
    }
    static IpAddress from_v6(const uint8_t* wire) {
        return {{load_native<uint64_t>(wire), load_native<uint64_t>(wire + 8)}};
    }

    bool operator==(const IpAddress& other) const {
        return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) == 0;
    }
    bool is_v4() const { return words[0] == 0 && (words[1] & 0xffffffff) == v4_mapped_prefix; }
    std::array<uint8_t, 16> bytes() const { return std::bit_cast<std::array<uint8_t, 16>>(words); }
};

// The address as text: 192.0.2.1, or the form RFC 5952 recommends: 2001:db8::1.
std::string format(const IpAddress& address);

// Address and port as the tables show them: 192.0.2.1:3260, [2001:db8::1]:3260.
std::string format_endpoint(const IpAddress& address, uint16_t port);

// The longest such text: "[", eight groups of four digits with seven colons, "]:", five digits.
constexpr size_t max_endpoint_text = 47;

// The same without allocation: the text is written to the start of `buffer`, which the answer points into.
std::string_view format_endpoint(const IpAddress& address, uint16_t port,
                                 std::span<char, max_endpoint_text> buffer);

}  // namespace sanscope
