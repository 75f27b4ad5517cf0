// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/target_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captures/iscsi_peer/login/iscsi_name.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TargetUrl, NamesTheHostTheTargetAndTheUnit) {
    const auto url = read_target_url("iscsi://disk.example:3261/iqn.2026-11.org.example:disk.1/7");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->portal, (TargetPortal{.host = "disk.example", .port = 3261, .group = std::nullopt}));
    EXPECT_EQ(url->target_name, "iqn.2026-11.org.example:disk.1");
    EXPECT_EQ(url->lun, 7);
    EXPECT_EQ(url->user, "");
}

TEST(TargetUrl, MayLeaveOutPortUnitTargetAndUser) {
    auto url = read_target_url("iscsi://192.0.2.1/iqn.2026-11.org.example:disk");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->portal.port, 3260);
    EXPECT_FALSE(url->lun);
    for (const char* text : {"iscsi://192.0.2.1", "iscsi://192.0.2.1/", "iscsi://192.0.2.1:3260"}) {
        url = read_target_url(text);
        ASSERT_TRUE(url) << text;
        EXPECT_EQ(url->target_name, "") << text;
    }
}

TEST(TargetUrl, HasIpv6AddressesInBrackets) {
    auto url = read_target_url("iscsi://[2001:db8::1]:3261/eui.02004567a425678d/0");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->portal.host, "2001:db8::1");
    EXPECT_EQ(url->portal.port, 3261);
    url = read_target_url("iscsi://[fe80::1%25eth0]");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->portal.host, "fe80::1%eth0");
}

TEST(TargetUrl, NamesTheUserWithEscapes) {
    const auto user = [](const std::string& text) {
        const auto url = read_target_url("iscsi://" + text + "@disk.example/iqn.2026-11.org.example:disk/0");
        return url ? url->user : "error: " + url.error().message;
    };
    EXPECT_EQ(user("host"), "host");
    EXPECT_EQ(user("me%40example"), "me@example");
    EXPECT_EQ(user("me@example"), "me@example") << "the last @ is the one that counts";
    EXPECT_EQ(user("iqn.2026-11.org.example%3Ahost"), "iqn.2026-11.org.example:host");
    EXPECT_EQ(user("50%25"), "50%");
    EXPECT_EQ(user("J%C3%B6rg%20M."), "Jörg M.");
    EXPECT_THAT(user(""), HasSubstr("error"));
    EXPECT_THAT(user("a%0Ab"), HasSubstr("error"));
    EXPECT_THAT(user("a%00b"), HasSubstr("error"));
    EXPECT_THAT(user("a%FFb"), HasSubstr("error"));
}

TEST(TargetUrl, WithASecretIsRefusedAndNotRepeated) {
    for (const char* text :
         {"iscsi://me%hush@disk.example/iqn.2026-11.org.example:disk/0",
          "iscsi://me:hush@disk.example/iqn.2026-11.org.example:disk/0", "iscsi://me%hush@disk.example",
          "iscsi://me%hu/sh:h%u@sh@disk.example/iqn.2026-11.org.example:disk/0",
          "iscsi://me%6Aush@disk.example", "iscsi://me%4@disk.example", "iscsi://me%@disk.example",
          "iscsi://me%hush/iqn.2026-11.org.example:disk/0",
          "iscsi://me@disk.example/iqn.2026-11.org.example:disk/0?target_password=hush"}) {
        const auto url = read_target_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_THAT(url.error().message, AllOf(HasSubstr("--secret-file"), Not(HasSubstr("ush")))) << text;
    }
}

TEST(TargetUrl, IsNothingElse) {
    const std::string disk = "iscsi://disk.example/iqn.2026-11.org.example:disk";
    for (const std::string& text : {std::string(""),
                                    std::string("disk.example"),
                                    std::string("http://disk.example/"),
                                    std::string("iscsi://"),
                                    std::string("iscsi:///iqn.2026-11.org.example:disk/0"),
                                    std::string("iscsi://disk.example:0/"),
                                    std::string("iscsi://disk.example:65536/"),
                                    std::string("iscsi://disk.example:/"),
                                    std::string("iscsi://2001:db8::1/"),
                                    std::string("iscsi://[2001:db8::1/"),
                                    std::string("iscsi://[disk.example]/"),
                                    std::string("iscsi://disk.example,1/"),
                                    std::string("iscsi://disk.example/disk/0"),
                                    std::string("iscsi://disk.example//0"),
                                    disk + "/x",
                                    disk + "/-1",
                                    disk + "/16384",
                                    disk + "/0/1",
                                    disk + "/0x1",
                                    disk + "/1?x=1"}) {
        EXPECT_FALSE(read_target_url(text)) << text;
    }
    EXPECT_TRUE(read_target_url(disk + "/")) << "a slash too many at the end";
}

TEST(LunField, IsThatOfTheFirstLevel) {
    EXPECT_EQ(lun_field_of(0), 0u);
    EXPECT_EQ(lun_field_of(255), 0x00ff'0000'0000'0000u);
    EXPECT_EQ(lun_field_of(256), 0x4100'0000'0000'0000u);
    EXPECT_EQ(lun_field_of(most_lun), 0x7fff'0000'0000'0000u);
    for (unsigned lun = 0; lun <= most_lun; ++lun)
        ASSERT_EQ(lun_number(lun_field_of(static_cast<uint16_t>(lun))), lun);
}

TEST(IscsiName, IsOfOneOfThreeTypes) {
    for (const char* name :
         {"iqn.2001-04.com.example", "iqn.2001-04.com.example:storage:diskarrays-sn-a8675309",
          "iqn.2026-11.org.example:disk_1", "eui.02004567A425678D", "naa.52004567BA64678D",
          "naa.62004567BA64678D0123456789ABCDEF"}) {
        const auto checked = check_iscsi_name(name);
        EXPECT_TRUE(checked) << checked.error().message;
    }
    for (const std::string& name :
         {std::string(""), std::string("disk"), std::string("iqn."), std::string("iqn.2026-11."),
          std::string("iqn.2026-13.org.example"), std::string("iqn.2026-00.org.example"),
          std::string("iqn.26-11.org.example"), std::string("iqn.2026-11:disk"),
          std::string("iqn.2026-11..example"), std::string("iqn.2026-11.org.example.:disk"),
          std::string("iqn.2026-11.org.example: disk"), std::string("iqn.2026-11.org.example:\x1b[2J"),
          std::string("iqn.2026-11.org.example:\xff"), std::string("eui.0200"),
          std::string("eui.02004567a425678g"), std::string("naa.52004567BA64678"),
          "iqn.2026-11.org.example:" + std::string(200, 'x')}) {
        EXPECT_FALSE(check_iscsi_name(name)) << name;
    }
}

TEST(TargetPortal, IsReadAsItIsWritten) {
    for (const char* text : {"192.0.2.1:3260,1", "[2001:db8::1]:3261,65535", "disk.example:1,0",
                             "[fe80::1%eth0]:3260", "disk-1_a.example:65535"}) {
        const auto portal = read_target_portal(text);
        ASSERT_TRUE(portal) << portal.error().message;
        EXPECT_EQ(target_portal_text(*portal), text);
    }
    const auto portal = read_target_portal("[::1],2");
    ASSERT_TRUE(portal);
    EXPECT_EQ(*portal, (TargetPortal{.host = "::1", .port = 3260, .group = 2}));
}

TEST(TargetPortal, IsNothingElse) {
    for (const char* text :
         {"", ":3260", ",1", "disk.example:", "disk.example:x", "disk.example,", "disk.example,65536",
          "disk.example,1,2", "[::1", "[::1]3260", "[::1]:", "[]:3260", "[::1%]:3260", "::1", "a b",
          "-disk.example", "disk.example\x1b[2J"}) {
        const auto portal = read_target_portal(text);
        ASSERT_FALSE(portal) << text;
        EXPECT_EQ(portal.error().message.find('\x1b'), std::string::npos);
    }
}

}  // namespace
}  // namespace sanscope
