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

TEST_F(BudgetSection, says_of_how_many_commands_it_is_not) {
    add_connection();
    add_read(0, 5 * test::ms);
    add_command(0, 0, {.name = "READ(16)", .opcode = scsi_op::read_16, .outcome = Outcome::unknown});
    store.finish();
    EXPECT_THAT(where_the_time_went_section(store),
                HasSubstr("1 command of 5.00 ms on average; not of 1 more command whose time is not known"));
}

TEST_F(BudgetSection, is_of_all_where_what_lacks_a_time_was_not_answered) {
    add_connection();
    add_read(0, 5 * test::ms);
    add_read(0, 0);
    store.finish();
    EXPECT_THAT(where_the_time_went_section(store), HasSubstr("1 command of 5.00 ms on average\n"));
}

}  // namespace
}  // namespace sanscope
