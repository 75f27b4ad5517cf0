// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/spelling.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

std::string_view nearest(std::string_view word) {
    static constexpr std::array<std::string_view, 8> candidates = {
        "lun", "itt", "opcode", "request_packet", "response_packet", "request_ns", "turnaround_ns", "Open"};
    return nearest_word(word, candidates);
}

TEST(NearestWord, a_letter_too_many_too_few_or_wrong) {
    EXPECT_EQ(nearest("opcod"), "opcode");
    EXPECT_EQ(nearest("opcodes"), "opcode");
    EXPECT_EQ(nearest("opkode"), "opcode");
    EXPECT_EQ(nearest("pocode"), "opcode");
    EXPECT_EQ(nearest("lnu"), "lun");
    EXPECT_EQ(nearest("respnse_packet"), "response_packet");
}

TEST(NearestWord, case_is_no_difference) {
    EXPECT_EQ(nearest("open"), "Open");
    EXPECT_EQ(nearest("OPCODE"), "opcode");
}

TEST(NearestWord, a_beginning) {
    EXPECT_EQ(nearest("turnaround"), "turnaround_ns");
    EXPECT_EQ(nearest("turn"), "turnaround_ns");
}

TEST(NearestWord, the_nearer_of_two) {
    EXPECT_EQ(nearest("request_n"), "request_ns");
    EXPECT_EQ(nearest("reqest_packet"), "request_packet");
}

TEST(NearestWord, none_where_all_are_far) {
    EXPECT_EQ(nearest("x"), "");
    EXPECT_EQ(nearest("zz"), "");
    EXPECT_EQ(nearest("zzn"), "");
    EXPECT_EQ(nearest("bandwidth"), "");
    EXPECT_EQ(nearest(""), "");
    EXPECT_EQ(nearest(std::string(100'000, 'a')), "");
}

}  // namespace
}  // namespace sanscope
