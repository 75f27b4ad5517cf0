// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

using testing::HasSubstr;

TEST(TargetFault, EveryKindThatIsToldOfIsOne) {
    std::string_view kinds = fault_kinds();
    unsigned count = 0;
    while (!kinds.empty()) {
        const std::string_view kind = kinds.substr(0, kinds.find(','));
        const auto fault = parse_fault(kind);
        ASSERT_TRUE(fault) << kind;
        EXPECT_EQ(static_cast<unsigned>(fault->kind), count++);
        EXPECT_EQ(fault->every, 1u);
        kinds.remove_prefix(std::min(kind.size() + 2, kinds.size()));
    }
    EXPECT_EQ(count, 12u);
}

TEST(TargetFault, MayComeSeldom) {
    const auto fault = parse_fault("task-set-full:100");
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, FaultKind::task_set_full);
    EXPECT_EQ(fault->every, 100u);
}

TEST(TargetFault, AnythingElseIsAnError) {
    EXPECT_THAT(parse_fault("bussy").error().message, HasSubstr("'bussy'"));
    for (const char* text : {"", ":", "busy:", "busy:0", "busy:-1", "busy:1x", "busy:4294967296", ":3"})
        EXPECT_FALSE(parse_fault(text)) << text;
}

}  // namespace
}  // namespace sanscope
