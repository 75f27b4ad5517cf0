// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/name_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "captures/anonymize/anonymizer.h"

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

using testing::MatchesRegex;

constexpr MappingKey key = {1, 2, 3, 4, 5, 6, 7, 8, 9};

class NameMapTest : public testing::Test {
  protected:
    Result<NameMap> map_ = NameMap::create(key);

    std::string map(std::string_view name) const {
        const std::string to = map_->map(name);
        EXPECT_EQ(to.size(), name.size()) << name;
        return to;
    }
};

TEST_F(NameMapTest, AnIqnRemainsOne) {
    const std::string to = map("iqn.2003-01.org.linux-iscsi.host7:sn.abc123");
    EXPECT_THAT(
        to, MatchesRegex(
                "iqn[.](199|20[0-2])[0-9]+-(0[1-9]|1[0-2])[.][a-z]{3}[.][a-z]{5}-[a-z]{5}[.][a-z]{4}[0-9]:"
                "[a-z]{2}[.][a-z]{3}[0-9]{3}"));
    EXPECT_THAT(to, testing::Not(testing::HasSubstr("linux")));
    EXPECT_THAT(to, testing::Not(testing::HasSubstr("host")));
    // 200 names, each of a date: none that is no date.
    for (int i = 0; i < 200; ++i) {
        const std::string each = map("iqn.1999-12.com.x:" + std::to_string(i));
        const int year = std::stoi(each.substr(4, 4));
        const int month = std::stoi(each.substr(9, 2));
        EXPECT_TRUE(year >= 1990 && year < 2030 && month >= 1 && month <= 12) << each;
    }
}

TEST_F(NameMapTest, NumbersOfIscsiNamesStayNumbers) {
    EXPECT_THAT(map("eui.02004567A425678D"), MatchesRegex("eui[.][0-9A-F]{16}"));
    EXPECT_THAT(map("naa.52004567ba64678d"), MatchesRegex("naa[.]5[0-9a-f]{15}"));
    EXPECT_THAT(map("naa.62004567ba64678d0123456789abcdef"), MatchesRegex("naa[.]6[0-9a-f]{31}"));
    std::array<uint8_t, 8> binary = {0x52, 0x00, 0x45, 0x67, 0xba, 0x64, 0x67, 0x8d};
    map_->map_naa(binary);
    std::string text = "naa.";
    for (const uint8_t byte : binary) {
        text.push_back("0123456789abcdef"[byte >> 4]);
        text.push_back("0123456789abcdef"[byte & 15]);
    }
    EXPECT_EQ(text, map("naa.52004567ba64678d"));
}

TEST_F(NameMapTest, WhatFollowsANameInAScsiNameStringStays) {
    const std::string name = "iqn.2003-01.org.example:disk";
    EXPECT_EQ(map(name + ",t,0x0001"), map(name) + ",t,0x0001");
    EXPECT_EQ(map(name + ",i,0x00023d000001"), map(name) + ",i,0x00023d000001");
    EXPECT_THAT(map(name + ",t,0xhost"), testing::Not(testing::HasSubstr("host")));
}

TEST_F(NameMapTest, NoTwoNamesHaveOneReplacement) {
    for (const char* const form : {"%u", "x%u", "iqn.2001-04.com.example:t%u"}) {
        std::set<std::string> from;
        std::set<std::string> to;
        for (unsigned i = 0; i < 1000; ++i) {
            char name[64];
            std::snprintf(name, sizeof name, form, i);
            from.insert(name);
            to.insert(map(name));
        }
        EXPECT_EQ(to.size(), from.size());
    }
    // All that there are.
    std::set<std::string> digits;
    for (char c = '0'; c <= '9'; ++c) digits.insert(map(std::string(1, c)));
    EXPECT_EQ(digits.size(), 10u);
}

TEST_F(NameMapTest, Utf8StaysUtf8) {
    for (const std::string_view name : {"Größe-ключ", "日本語-ディスク", "\xf0\x9f\x98\x80 disk",
                                        "\xed\x9f\xbf\xee\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        const std::string to = map(name);
        EXPECT_NE(to, name);
        for (std::string_view rest = to; !rest.empty();) {
            const size_t length = utf8_sequence_length(rest);
            ASSERT_GT(length, 0u) << name;
            rest.remove_prefix(length);
        }
    }
    EXPECT_EQ(map("\xff\xfe\x80").size(), 3u);
}

TEST_F(NameMapTest, BinaryValuesKeepTheirForm) {
    const auto binary = [&](std::string_view value) { return map_->map_binary_value(value); };
    EXPECT_THAT(binary("0x00112233445566778899aabbccddeeff"), MatchesRegex("0x[0-9a-f]{32}"));
    EXPECT_THAT(binary("0xABCDEF012345"), MatchesRegex("0x[0-9A-F]{12}"));
    EXPECT_THAT(binary("0bAAAAAAAAAAAAAAAAAAAAAA=="), MatchesRegex("0b[A-Za-z0-9+/]{21}[AQgw]=="));
    EXPECT_THAT(binary("0bAAAAAAAAAAAAAAAAAAA="), MatchesRegex("0b[A-Za-z0-9+/]{18}[AEIMQUYcgkosw048]="));
    EXPECT_NE(binary("0x00112233445566778899aabbccddeeff"), "0x00112233445566778899aabbccddeeff");
    EXPECT_EQ(binary("0xzz").size(), 4u);
    EXPECT_EQ(binary("").size(), 0u);
    EXPECT_EQ(binary("0b====").size(), 6u);
}

TEST_F(NameMapTest, AnyBytesGiveAsMany) {
    std::string bytes;
    for (unsigned i = 0; i < 2000; ++i) {
        bytes.push_back(static_cast<char>(i * 2654435761u >> 24));
        map(bytes.substr(bytes.size() > 12 ? bytes.size() - 12 : 0));
    }
}

class AnonymizerTest : public testing::Test {
  protected:
    Result<std::unique_ptr<Anonymizer>> anonymizer_ = Anonymizer::create(key);
    std::string target_address(std::string_view value) {
        const std::string to = (*anonymizer_)->map_target_address(value);
        EXPECT_EQ(to.size(), value.size()) << value;
        return to;
    }
};

TEST_F(AnonymizerTest, TargetAddressKeepsPortAndGroup) {
    EXPECT_THAT(target_address("192.168.100.200:3260,1"), MatchesRegex("[0-9a-z.]{15}:3260,1"));
    EXPECT_THAT(target_address("10.0.0.1,1"), MatchesRegex("[0-9a-z.]{8},1"));
    EXPECT_THAT(target_address("[2001:db8::1]:3260,23"), testing::EndsWith(":3260,23"));
    EXPECT_THAT(target_address("storage.example.com:3260"),
                MatchesRegex("[a-z]{7}[.][a-z]{7}[.][a-z]{3}:3260"));
    EXPECT_THAT(target_address("host:name"), testing::Not(testing::HasSubstr("name")));
    target_address("[");
    target_address("");
    target_address("[]:3260");
    target_address(",");
}

TEST_F(AnonymizerTest, ASerialNumberKeepsItsPadding) {
    std::string serial = "  VM0042-77 \0\0";
    serial.resize(14);
    (*anonymizer_)->map_padded(std::span(reinterpret_cast<uint8_t*>(serial.data()), serial.size()));
    EXPECT_THAT(serial.substr(0, 11), MatchesRegex("  [A-Z]{2}[0-9]{4}-[0-9]{2}"));
    EXPECT_EQ(serial.substr(2, 9), (*anonymizer_)->map_name("VM0042-77"));
}

TEST_F(AnonymizerTest, TheMappingHasEachReplacementOnce) {
    (*anonymizer_)->map_name("disk\"1\"");
    (*anonymizer_)->map_name("disk\"1\"");
    const std::string csv = mapping_csv(**anonymizer_);
    EXPECT_THAT(
        csv, MatchesRegex("kind,original,replacement\nname,\"disk\"\"1\"\"\",\"[a-z]{4}\"\"[0-9]\"\"\"\n"));
}

}  // namespace
}  // namespace sanscope
