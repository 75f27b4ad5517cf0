// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/command_facts.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

// Ten requests found one command under way, their own, and ninety found eight.
SessionFacts mostly_eight(uint64_t depth_unknown) {
    SessionFacts facts;
    facts.depths = {0, 10, 0, 0, 0, 0, 0, 0, 90};
    facts.requests = 100;
    facts.depth_unknown = depth_unknown;
    return facts;
}

TEST(SessionFacts, TellTheDepthThatAShareOfRequestsDidNotExceed) {
    EXPECT_EQ(mostly_eight(0).depth(0.05), 1u);
    EXPECT_EQ(mostly_eight(0).depth(0.5), 8u);
    EXPECT_EQ(SessionFacts().depth(0.5), 0u);
}

TEST(SessionFacts, TellNoDepthThatThoseOfUnknownDepthCouldMakeAnother) {
    EXPECT_EQ(mostly_eight(40).depth(0.5), 8u) << "with 40 more of one or of ninety it stays so";
    EXPECT_EQ(mostly_eight(90).depth(0.5), 0u) << "with 90 more of one it is one";
    EXPECT_EQ(mostly_eight(40).depth(0.95), 0u) << "with 40 more of ninety it is ninety";
    EXPECT_EQ(mostly_eight(1000).depth(0.5), 0u);
}

}  // namespace
}  // namespace sanscope
