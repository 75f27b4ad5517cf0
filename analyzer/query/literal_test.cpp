// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/literal.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

std::string decimal(WideInteger value) {
    if (value < 0) return "-" + decimal(-value);
    const std::string last(1, static_cast<char>('0' + static_cast<int>(value % 10)));
    return value < 10 ? last : decimal(value / 10) + last;
}

// "!" where it is none.
std::string number(std::string_view word, Meaning meaning = Meaning::number) {
    const Result<WideInteger> value = parse_number(word, meaning);
    return value ? decimal(*value) : "!";
}
std::string duration(std::string_view word) {
    return number(word, Meaning::duration);
}
std::string size(std::string_view word) {
    return number(word, Meaning::bytes);
}
std::string moment(std::string_view text) {
    const Result<int64_t> value = parse_moment(text);
    return value ? std::to_string(*value) : "!" + value.error().message;
}

TEST(ParseNumber, decimal_and_hexadecimal) {
    EXPECT_EQ(number("0"), "0");
    EXPECT_EQ(number("-0"), "0");
    EXPECT_EQ(number("42"), "42");
    EXPECT_EQ(number("-42"), "-42");
    EXPECT_EQ(number("0x28"), "40");
    EXPECT_EQ(number("0XfF"), "255");
    EXPECT_EQ(number("-0x10"), "-16");
    EXPECT_EQ(number("2.0"), "2");
}

TEST(ParseNumber, the_ends_of_64_bits) {
    EXPECT_EQ(number("18446744073709551615"), "18446744073709551615");
    EXPECT_EQ(number("18446744073709551616"), "!");
    EXPECT_EQ(number("-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(number("-9223372036854775809"), "!");
    EXPECT_EQ(number("0xffffffffffffffff"), "18446744073709551615");
    EXPECT_EQ(number("0x0000ffffffffffffffff"), "18446744073709551615");
    EXPECT_EQ(number("0x10000000000000000"), "!");
    EXPECT_EQ(number("-0x8000000000000001"), "!");
    EXPECT_EQ(number(std::string(200, '9')), "!");
    EXPECT_EQ(duration("18446744073.709551615s"), "18446744073709551615");
    EXPECT_EQ(duration("18446744073.709551616s"), "!");
    EXPECT_EQ(duration("-9223372036.854775809s"), "!");
    EXPECT_EQ(duration("18446744073709551615h"), "!");
    EXPECT_EQ(size("18446744073709551615.999999999999999TiB"), "!");
}

TEST(ParseNumber, durations) {
    EXPECT_EQ(duration("7"), "7");
    EXPECT_EQ(duration("7ns"), "7");
    EXPECT_EQ(duration("7us"), "7000");
    EXPECT_EQ(duration("7\u00b5s"), "7000");
    EXPECT_EQ(duration("7\u03bcs"), "7000");
    EXPECT_EQ(duration("7ms"), "7000000");
    EXPECT_EQ(duration("7s"), "7000000000");
    EXPECT_EQ(duration("7min"), "420000000000");
    EXPECT_EQ(duration("7h"), "25200000000000");
    EXPECT_EQ(duration("1.5s"), "1500000000");
    EXPECT_EQ(duration("-1.5ms"), "-1500000");
    EXPECT_EQ(duration(".5ms"), "500000");
    EXPECT_EQ(duration("0.000000001s"), "1");
    EXPECT_EQ(duration("0.0000000001s"), "!");
    EXPECT_EQ(duration("0.5ns"), "!");
    EXPECT_EQ(duration("1.5"), "!");
    EXPECT_EQ(duration("1kB"), "!");
    EXPECT_EQ(duration("1m"), "!");
    EXPECT_EQ(duration("1MS"), "!");
}

TEST(ParseNumber, sizes) {
    EXPECT_EQ(size("512"), "512");
    EXPECT_EQ(size("512B"), "512");
    EXPECT_EQ(size("4kB"), "4000");
    EXPECT_EQ(size("4KB"), "4000");
    EXPECT_EQ(size("4KiB"), "4096");
    EXPECT_EQ(size("4MB"), "4000000");
    EXPECT_EQ(size("4MiB"), "4194304");
    EXPECT_EQ(size("4GB"), "4000000000");
    EXPECT_EQ(size("4GiB"), "4294967296");
    EXPECT_EQ(size("4TB"), "4000000000000");
    EXPECT_EQ(size("4TiB"), "4398046511104");
    EXPECT_EQ(size("1.5KiB"), "1536");
    EXPECT_EQ(size("0.3KiB"), "!");
    EXPECT_EQ(size("4K"), "!");
    EXPECT_EQ(size("4ms"), "!");
}

TEST(ParseNumber, what_is_none) {
    for (const char* word : {"", "-", "x", "0x", "0xg", "1x", "1.5", "1e9", "1,5", "1.", "1.x", "--1", "010",
                             "00", "1s", "0.1234567890123456"}) {
        EXPECT_EQ(number(word), "!") << word;
    }
}

TEST(LooksLikeNumber, by_its_first_characters) {
    for (const char* word : {"1", "-1", ".5", "-.5", "0x", "1abc"})
        EXPECT_TRUE(looks_like_number(word)) << word;
    for (const char* word : {"", "a1", "-a", ".", "-", "..5", "_1"})
        EXPECT_FALSE(looks_like_number(word)) << word;
}

TEST(ParseMoment, dates_and_times) {
    EXPECT_EQ(moment("1970-01-01"), "0");
    EXPECT_EQ(moment("2026-11-21 11:08:21.5"), "1795259301500000000");
    EXPECT_EQ(moment("2026-11-21T11:08:21.5Z"), "1795259301500000000");
    EXPECT_EQ(moment("2026-11-21 11:08:21.123456789 UTC"), "1795259301123456789");
    EXPECT_EQ(moment("2026-11-21 11:08"), "1795259280000000000");
    EXPECT_EQ(moment("2026-11-21 11:08:21+01:00"), "1795255701000000000");
    EXPECT_EQ(moment("2026-11-21 11:08:21-05:30"), "1795279101000000000");
    EXPECT_EQ(moment("1969-12-31 23:59:59.999999999"), "-1");
    EXPECT_EQ(moment("2024-02-29"), "1709164800000000000");
}

TEST(ParseMoment, the_ends_of_64_bits) {
    EXPECT_EQ(moment("2262-04-11 23:47:16.854775807"), "9223372036854775807");
    EXPECT_EQ(moment("2262-04-11 23:47:16.854775808").front(), '!');
    EXPECT_EQ(moment("1677-09-21 00:12:43.145224192"), "-9223372036854775808");
    EXPECT_EQ(moment("1677-09-21 00:12:43.145224191").front(), '!');
    EXPECT_EQ(moment("9999-12-31").front(), '!');
}

TEST(ParseMoment, what_is_none) {
    for (const char* text : {"",
                             "2026",
                             "2026-11",
                             "2026-11-21 ",
                             "2026-11-21T",
                             "2026-11-21 11",
                             "2026-11-21 11:8",
                             "2026-11-21 24:00",
                             "2026-11-21 11:60",
                             "2026-11-21 11:08:60",
                             "2026-11-21 11:08:21.",
                             "2026-11-21 11:08:21.1234567891",
                             "2026-11-21 11:08:21 CET",
                             "2026-11-21 11:08:21+1",
                             "26-11-21",
                             "2026-13-01",
                             "2026-02-29",
                             "2026-11-31",
                             "2026-11-00",
                             "x2026-11-21",
                             "2026-11-21 11:08:21Zx"}) {
        EXPECT_EQ(moment(text).front(), '!') << text;
    }
}

}  // namespace
}  // namespace sanscope
