// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/decode_as.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

using testing::HasSubstr;

using Protocol = DecodeAs::Protocol;

TEST(DecodeAs, RulesAreWrittenAsForTshark) {
    for (const char* const text : {"tcp.port==3261,iscsi", "tcp.port==3260,data", "tcp.port==65535,iscsi"}) {
        const auto rule = DecodeAs::parse(text);
        ASSERT_TRUE(rule) << text;
        EXPECT_EQ(format(*rule), text);
    }
    EXPECT_EQ(*DecodeAs::parse("tcp.port==3261,iscsi"), (DecodeAs::Rule{3261, Protocol::iscsi}));
    EXPECT_EQ(*DecodeAs::parse("tcp.port==3260,data"), (DecodeAs::Rule{3260, Protocol::data}));
}

TEST(DecodeAs, WhatIsNoRuleIsRefusedWithAReason) {
    const auto reason = [](const char* text) {
        const auto rule = DecodeAs::parse(text);
        return rule ? std::string() : rule.error().message;
    };
    for (const char* const text : {"", "3261", "udp.port==3261,iscsi", "tcp.port=3261,iscsi"})
        EXPECT_THAT(reason(text), HasSubstr("does not begin with tcp.port==")) << text;
    for (const char* const text : {"tcp.port==", "tcp.port==3261"})
        EXPECT_THAT(reason(text), HasSubstr("names no protocol")) << text;
    for (const char* const text : {"tcp.port==,iscsi", "tcp.port==0,iscsi", "tcp.port==65536,iscsi",
                                   "tcp.port==-1,iscsi", "tcp.port==3261x,iscsi", "tcp.port== 3261,iscsi"})
        EXPECT_THAT(reason(text), HasSubstr("no port from 1 to 65535")) << text;
    for (const char* const text : {"tcp.port==3261,", "tcp.port==3261,http", "tcp.port==3261,iscsi,data"})
        EXPECT_THAT(reason(text), HasSubstr("names another protocol")) << text;
}

TEST(DecodeAs, OfSeveralRulesTheLastForAPortAndOfTwoPortsTheLower) {
    DecodeAs rules;
    EXPECT_EQ(rules.of_ports(3260, 50000), Protocol::by_content);
    rules.add({3260, Protocol::iscsi});
    rules.add({3260, Protocol::data});
    rules.add({50000, Protocol::iscsi});
    EXPECT_EQ(rules.of_ports(3260, 50001), Protocol::data);
    EXPECT_EQ(rules.of_ports(50001, 3260), Protocol::data);
    EXPECT_EQ(rules.of_ports(50000, 3260), Protocol::data);
    EXPECT_EQ(rules.of_ports(50000, 3261), Protocol::iscsi);
    EXPECT_EQ(rules.of_ports(40000, 3261), Protocol::by_content);
}

}  // namespace
}  // namespace sanscope
