// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/filter_error.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(Underlined, carets_stand_under_the_place) {
    EXPECT_EQ(underlined("a == bc", {"", 5, 2}), "  a == bc\n       ^^\n");
}

TEST(Underlined, what_is_wanting_gets_one_caret_behind_the_text) {
    EXPECT_EQ(underlined("a ==", {"", 4, 0}), "  a ==\n      ^\n");
    EXPECT_EQ(underlined("", {"", 0, 0}), "  \n  ^\n");
}

TEST(Underlined, counts_characters_and_not_bytes) {
    EXPECT_EQ(underlined("\"\u00e4\u00f6\" == \u00b5s", {"", 10, 3}),
              "  \"\u00e4\u00f6\" == \u00b5s\n          ^^\n");
}

TEST(Underlined, control_characters_reach_no_terminal) {
    EXPECT_EQ(underlined("a\n\x1b[1mb\x7f", {"", 6, 1}), "  a  [1mb \n        ^\n");
}

}  // namespace
}  // namespace sanscope
