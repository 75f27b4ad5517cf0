// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/budget_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "analyzer/base/reachable_time.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using testing::HasSubstr;

class BudgetSection : public testing::Test, protected MadeUpCapture {};

// Two of the longest times that a capture can claim are more than can be counted.
TEST_F(BudgetSection, of_times_that_no_clock_tells_adds_up) {
    add_connection();
    constexpr int64_t last = within_reach(std::numeric_limits<int64_t>::max());
    add_read(-last, 2 * last);
    add_read(-last, 2 * last);
    store.finish();
    EXPECT_THAT(where_the_time_went_section(store), HasSubstr("session 1: 2 commands of"));
}

}  // namespace
}  // namespace sanscope
