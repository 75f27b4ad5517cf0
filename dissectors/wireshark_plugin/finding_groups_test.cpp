// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/finding_groups.h"

#include <gtest/gtest.h>
#include <utility>

namespace sanscope::wireshark {
namespace {

using Kind = Finding::Kind;
using Group = FindingGroup;

TEST(FindingGroups, are_those_that_wireshark_has_for_such_matters) {
    constexpr std::pair<Kind, Group> expected[] = {
        {Kind::lost_segments, Group::sequence},          {Kind::zero_window_stall, Group::sequence},
        {Kind::connection_reset, Group::sequence},       {Kind::command_status, Group::response_code},
        {Kind::target_queue_full, Group::response_code}, {Kind::task_management, Group::response_code},
        {Kind::login_refused, Group::response_code},     {Kind::negotiation, Group::protocol},
        {Kind::rejected_pdu, Group::protocol},           {Kind::bad_digest, Group::checksum},
        {Kind::capture_damaged, Group::malformed},       {Kind::nothing_wrong, Group::assumption},
    };
    for (const auto& [kind, group] : expected)
        EXPECT_EQ(group_of(kind), group) << "kind " << static_cast<int>(kind);
}

TEST(FindingGroups, are_as_many_as_there_are_expert_infos_for) {
    constexpr Kind kinds[] = {
#define FINDING(kind) Kind::kind,
#include "analyzer/report/finding_kinds.def"
#undef FINDING
    };
    bool used[finding_groups] = {};
    for (const Kind kind : kinds) {
        ASSERT_LT(static_cast<unsigned>(group_of(kind)), finding_groups);
        used[static_cast<unsigned>(group_of(kind))] = true;
    }
    for (const bool is_used : used) EXPECT_TRUE(is_used);
}

}  // namespace
}  // namespace sanscope::wireshark
