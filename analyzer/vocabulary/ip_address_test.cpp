// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/ip_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

IpAddress v4(const char* text) {
    uint8_t bytes[4];
    EXPECT_EQ(inet_pton(AF_INET, text, bytes), 1) << text;
    return IpAddress::from_v4(bytes);
}

IpAddress v6(const char* text) {
    uint8_t bytes[16];
    EXPECT_EQ(inet_pton(AF_INET6, text, bytes), 1) << text;
    return IpAddress::from_v6(bytes);
}

TEST(IpAddress, IPv4IsHeldAsIPv4MappedIPv6) {
    EXPECT_EQ(v4("192.0.2.1"), v6("::ffff:192.0.2.1"));
    EXPECT_TRUE(v4("192.0.2.1").is_v4());
    EXPECT_TRUE(v4("0.0.0.0").is_v4());
    EXPECT_FALSE(v6("::192.0.2.1").is_v4());
    EXPECT_FALSE(v6("1::ffff:192.0.2.1").is_v4());
    EXPECT_FALSE(v6("::").is_v4());
}

TEST(IpAddress, TextOfIPv4IsDottedDecimal) {
    EXPECT_EQ(format(v4("0.0.0.0")), "0.0.0.0");
    EXPECT_EQ(format(v4("255.255.255.255")), "255.255.255.255");
}

// The examples of RFC 5952 §4.
TEST(IpAddress, TextOfIPv6FollowsRfc5952) {
    EXPECT_EQ(format(v6("2001:0db8::0001")), "2001:db8::1");
    EXPECT_EQ(format(v6("2001:db8:0:0:0:0:2:1")), "2001:db8::2:1");
    EXPECT_EQ(format(v6("2001:db8:0:1:1:1:1:1")), "2001:db8:0:1:1:1:1:1");
    EXPECT_EQ(format(v6("2001:0:0:1:0:0:0:1")), "2001:0:0:1::1");
    EXPECT_EQ(format(v6("2001:db8:0:0:1:0:0:1")), "2001:db8::1:0:0:1");
    EXPECT_EQ(format(v6("2001:DB8::AAAA")), "2001:db8::aaaa");
    EXPECT_EQ(format(v6("::")), "::");
    EXPECT_EQ(format(v6("::1")), "::1");
    EXPECT_EQ(format(v6("fe80::")), "fe80::");
    EXPECT_EQ(format(v6("0:0:1::")), "0:0:1::");
}

TEST(IpAddress, TextReadsBackAsTheAddress) {
    for (uint32_t zeros = 0; zeros < 256; ++zeros) {
        uint8_t bytes[16];
        for (uint32_t i = 0; i < 16; ++i)
            bytes[i] = (zeros >> (i / 2)) & 1 ? 0 : static_cast<uint8_t>(0xf0 - i);
        const IpAddress address = IpAddress::from_v6(bytes);
        EXPECT_EQ(v6(format(address).c_str()), address) << format(address);
    }
}

TEST(IpAddress, EndpointBracketsIPv6) {
    EXPECT_EQ(format_endpoint(v4("1.2.3.4"), 3260), "1.2.3.4:3260");
    EXPECT_EQ(format_endpoint(v6("fe80::1"), 3260), "[fe80::1]:3260");
}

TEST(IpAddress, LongestEndpointFillsTheBuffer) {
    std::array<char, max_endpoint_text> buffer;
    const std::string_view text =
        format_endpoint(v6("1111:2222:3333:4444:5555:6666:7777:8888"), 65535, buffer);
    EXPECT_EQ(text, "[1111:2222:3333:4444:5555:6666:7777:8888]:65535");
    EXPECT_EQ(text.size(), max_endpoint_text);
}

}  // namespace
}  // namespace sanscope
