// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/pattern.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

using Answer = PatternMatcher::Answer;

Answer find(std::string_view pattern, std::string_view text) {
    Pattern::Fault fault;
    const auto compiled = Pattern::compile(pattern, fault);
    EXPECT_TRUE(compiled) << fault.message;
    PatternMatcher matcher;
    return compiled ? matcher.find(*compiled, text) : Answer::gave_up;
}

TEST(Pattern, is_searched_for_anywhere_whatever_the_case) {
    EXPECT_EQ(find("d\\(1", "READ(10)"), Answer::yes);
    EXPECT_EQ(find("^d", "READ(10)"), Answer::no);
    EXPECT_EQ(find("(?-i)read", "READ(10)"), Answer::no);
    EXPECT_EQ(find("(?-i)READ", "READ(10)"), Answer::yes);
    EXPECT_EQ(find("", ""), Answer::yes);
    EXPECT_EQ(find("ÄÖ", "xäöx"), Answer::yes);
}

TEST(Pattern, text_need_not_be_utf_8) {
    EXPECT_EQ(find("b",
                   "a\xff"
                   "b"),
              Answer::yes);
    EXPECT_EQ(find("^.*c",
                   "a\xff"
                   "b"),
              Answer::no);
}

TEST(Pattern, tells_where_it_matches_from_a_place_on) {
    Pattern::Fault fault;
    const auto pattern = Pattern::compile("i.n", fault);
    ASSERT_TRUE(pattern);
    PatternMatcher matcher;
    const std::string_view text = "\u00fcber IQN iin";
    PatternMatcher::Place place;
    ASSERT_EQ(matcher.find(*pattern, text, 0, place), PatternMatcher::Answer::yes);
    EXPECT_EQ(text.substr(place.begin, place.end - place.begin), "IQN");
    ASSERT_EQ(matcher.find(*pattern, text, place.begin + 1, place), PatternMatcher::Answer::yes);
    EXPECT_EQ(place.begin, text.find("iin"));
    EXPECT_EQ(place.end, text.size());
    EXPECT_EQ(matcher.find(*pattern, text, place.end, place), PatternMatcher::Answer::no);
}

TEST(Pattern, faults_tell_their_place) {
    Pattern::Fault fault;
    EXPECT_FALSE(Pattern::compile("ab[c", fault));
    EXPECT_EQ(fault.position, 4u);
    EXPECT_NE(fault.message.find("not a regular expression: "), std::string::npos);
    EXPECT_FALSE(Pattern::compile("(a", fault));
    EXPECT_FALSE(Pattern::compile("\xff", fault));
    EXPECT_FALSE(Pattern::compile("a\\Cb", fault));
    EXPECT_FALSE(Pattern::compile("(((a{1000}){1000}){1000})", fault));
    EXPECT_FALSE(Pattern::compile(std::string(1000, '('), fault));
    EXPECT_FALSE(Pattern::compile(std::string(1'000'000, 'a'), fault));
}

TEST(Pattern, one_that_takes_exponential_time_is_given_up) {
    EXPECT_EQ(find("^(a+)+$", std::string(200, 'a') + "b"), Answer::gave_up);
    // Soon: a million steps are too many already.
    EXPECT_EQ(find("^(a+)+$", std::string(20, 'a') + "b"), Answer::gave_up);
    EXPECT_EQ(find("^(a|aa)+$", std::string(200, 'a') + "b"), Answer::gave_up);
}

TEST(Pattern, deep_recursion_ends) {
    const std::string text(100'000, 'a');
    EXPECT_NE(find("^(a(?1)?b)$", text), Answer::yes);
    EXPECT_EQ(find("^(?:a|b)*$", text + "b"), find("^(?:b|a)*$", text + "b"));
}

TEST(Pattern, a_matcher_serves_many) {
    PatternMatcher matcher;
    Pattern::Fault fault;
    const auto a = Pattern::compile("a(b)(c)(d)", fault);
    const auto b = Pattern::compile("x", fault);
    ASSERT_TRUE(a && b);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(matcher.find(*a, "abcd"), Answer::yes);
        EXPECT_EQ(matcher.find(*b, "abcd"), Answer::no);
    }
}

}  // namespace
}  // namespace sanscope
