// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace sanscope {

// An IEEE 802 MAC address of 48 bits.
struct MacAddress {
    std::array<uint8_t, 6> bytes{};

    static MacAddress from(const uint8_t* wire) {
        MacAddress address;
        std::copy_n(wire, address.bytes.size(), address.bytes.begin());
        return address;
    }
    bool operator==(const MacAddress&) const = default;
    bool operator<(const MacAddress& other) const { return bytes < other.bytes; }
    // One host's, as a source address is: neither all zeros nor a group's (IEEE 802-2014 §8.2).
    bool is_of_one_host() const { return *this != MacAddress{} && (bytes[0] & 1) == 0; }
};

// 02:00:5e:10:00:01
std::string format(const MacAddress& address);

}  // namespace sanscope
