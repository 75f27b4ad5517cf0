// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/own_connection.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(OwnConnection, IsWhatSshdTells) {
    const auto own = own_connection("192.0.2.1 40022 192.0.2.2 22");
    ASSERT_TRUE(own);
    EXPECT_EQ(own->expression, "tcp and host 192.0.2.1 and port 40022 and host 192.0.2.2 and port 22");
    EXPECT_EQ(own->ends, "192.0.2.1 port 40022 to 192.0.2.2 port 22");
}

TEST(OwnConnection, LinkLocalAddressesLoseTheirZone) {
    const auto own = own_connection("fe80::1%eth0 40022 fe80::2%eth0 22");
    ASSERT_TRUE(own);
    EXPECT_EQ(own->expression, "tcp and host fe80::1 and port 40022 and host fe80::2 and port 22");
}

TEST(OwnConnection, WhatIsNoConnectionIsNone) {
    for (const char* text :
         {"", " ", "192.0.2.1", "192.0.2.1 40022 192.0.2.2", "192.0.2.1 40022 192.0.2.2 0",
          "192.0.2.1 70000 192.0.2.2 22", "192.0.2.1 40022 192.0.2.2 22x", "example.org 40022 192.0.2.2 22",
          "1) or (tcp 40022 192.0.2.2 22", "192.0.2.1  40022 192.0.2.2 22", "UNKNOWN 65535 UNKNOWN 65535"})
        EXPECT_FALSE(own_connection(text)) << text;
}

TEST(OwnConnection, IsLeftOutOfAnyFilter) {
    EXPECT_EQ(filter_without("tcp port 3260", ""), "tcp port 3260");
    EXPECT_EQ(filter_without("", "port 22"), "not (port 22)");
    EXPECT_EQ(filter_without("tcp or udp", "port 22"), "not (port 22) and (tcp or udp)");
}

}  // namespace
}  // namespace sanscope
