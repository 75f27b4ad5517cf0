// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/issue_words.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

// "packets cut …" and "packet cut …": the first noun that differs does so by an s.
TEST(IssueWords, of_one_are_those_of_many_with_their_noun_as_of_one) {
    for (size_t i = 0; i < issue_infos.size(); ++i) {
        const auto issue = static_cast<Issue>(i);
        const std::string many(issue_words(issue, 2));
        const std::string one(issue_words(issue, 1));
        ASSERT_FALSE(one.empty()) << many;
        size_t same = 0;
        while (same < std::min(one.size(), many.size()) && one[same] == many[same]) ++same;
        ASSERT_LT(same, many.size()) << "of one as of many: " << one;
        const bool by_an_s = many[same] == 's' && (same == one.size() || one[same] == ' ');
        const bool by_es = many.substr(same, 2) == "es" && one[same] == ' ';
        EXPECT_TRUE(by_an_s || by_es) << one << " / " << many;
        EXPECT_EQ(issue_words(issue, 0), many);
    }
}

}  // namespace
}  // namespace sanscope
