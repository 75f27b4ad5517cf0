// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/utf8.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

TEST(Utf8SequenceLength, well_formed_sequences_of_every_length) {
    EXPECT_EQ(utf8_sequence_length("a"), 1u);
    EXPECT_EQ(utf8_sequence_length(std::string_view("\0", 1)), 1u);
    EXPECT_EQ(utf8_sequence_length("\xc2\x80"), 2u);          // U+0080
    EXPECT_EQ(utf8_sequence_length("\xdf\xbf"), 2u);          // U+07FF
    EXPECT_EQ(utf8_sequence_length("\xe0\xa0\x80"), 3u);      // U+0800
    EXPECT_EQ(utf8_sequence_length("\xed\x9f\xbf"), 3u);      // U+D7FF
    EXPECT_EQ(utf8_sequence_length("\xee\x80\x80"), 3u);      // U+E000
    EXPECT_EQ(utf8_sequence_length("\xef\xbf\xbf"), 3u);      // U+FFFF
    EXPECT_EQ(utf8_sequence_length("\xf0\x90\x80\x80"), 4u);  // U+10000
    EXPECT_EQ(utf8_sequence_length("\xf4\x8f\xbf\xbf"), 4u);  // U+10FFFF
}

TEST(Utf8SequenceLength, only_the_first_sequence_counts) {
    EXPECT_EQ(utf8_sequence_length("\xc3\xa4\xff"), 2u);
}

TEST(Utf8SequenceLength, over_long_forms_are_none) {
    EXPECT_EQ(utf8_sequence_length("\xc0\x80"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xc1\xbf"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xe0\x9f\xbf"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xf0\x8f\xbf\xbf"), 0u);
}

TEST(Utf8SequenceLength, surrogates_and_beyond_the_last_code_point_are_none) {
    EXPECT_EQ(utf8_sequence_length("\xed\xa0\x80"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xed\xbf\xbf"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xf4\x90\x80\x80"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xf5\x80\x80\x80"), 0u);
}

TEST(Utf8SequenceLength, cut_and_broken_sequences_are_none) {
    EXPECT_EQ(utf8_sequence_length(""), 0u);
    EXPECT_EQ(utf8_sequence_length("\x80"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xc3"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xe2\x82"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xf0\x9f\x98"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xe2\x82\x41"), 0u);
    EXPECT_EQ(utf8_sequence_length("\xf0\x9f\x98\x41"), 0u);
}

TEST(IsControlCharacter, c0_del_and_c1_are) {
    EXPECT_TRUE(is_control_character(std::string_view("\0", 1)));
    EXPECT_TRUE(is_control_character("\x1b"));
    EXPECT_TRUE(is_control_character("\x7f"));
    EXPECT_TRUE(is_control_character("\xc2\x9b"));
    EXPECT_FALSE(is_control_character(" "));
    EXPECT_FALSE(is_control_character("\xc2\xa0"));
    EXPECT_FALSE(is_control_character("\xc3\x9b"));
}

TEST(CleanedText, keeps_text_lines_and_tabs) {
    EXPECT_EQ(cleaned_text(""), "");
    EXPECT_EQ(cleaned_text("slow LUN \xe2\x86\x92 \xf0\x9f\x98\x80\n\tsee below"),
              "slow LUN \u2192 \U0001f600\n\tsee below");
    EXPECT_EQ(cleaned_text("a\r\nb\rc\r"), "a\nb\nc\n");
}

TEST(CleanedText, drops_zeros_at_the_end_and_replaces_what_is_no_text) {
    using namespace std::string_view_literals;
    EXPECT_EQ(cleaned_text("end\0\0"sv), "end");
    EXPECT_EQ(cleaned_text("\0\0"sv), "");
    EXPECT_EQ(cleaned_text("a\0b"sv), "a\ufffdb");
    EXPECT_EQ(cleaned_text("\x1b[2J\xff\xe2\x82"sv), "\ufffd[2J\ufffd\ufffd\ufffd");
    EXPECT_EQ(cleaned_text("\xc2\x9b"sv), "\ufffd");
}

TEST(CleanedLine, stays_on_a_line) {
    EXPECT_EQ(cleaned_line("a\nb\r\nc\td"), "a b c d");
    EXPECT_EQ(cleaned_line("\x1b]0;title\x07"), "\ufffd]0;title\ufffd");
    EXPECT_EQ(cleaned_line("\xc2\x9b"
                           "2J \x9b \xe2\x82\xac"),
              "\ufffd2J \ufffd \u20ac");
}

}  // namespace
}  // namespace sanscope
