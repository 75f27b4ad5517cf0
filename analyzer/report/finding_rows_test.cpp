// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/finding_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding slow_target(uint32_t session, uint32_t connection) {
    Finding finding;
    finding.kind = Finding::Kind::target_wait;
    finding.severity = Finding::Severity::notice;
    finding.title = "Reads wait";
    finding.session = session;
    finding.connection = connection;
    return finding;
}

TEST(WhatIsWrong, findings_of_one_kind_are_told_apart_by_their_sessions) {
    const std::vector<Finding> findings = {slow_target(4, 7), slow_target(6, 9)};
    const std::string text = what_is_wrong_section(findings, false);
    EXPECT_THAT(text, HasSubstr("Reads wait (session 4)\n"));
    EXPECT_THAT(text, HasSubstr("Reads wait (session 6)\n"));
}

TEST(WhatIsWrong, findings_of_one_kind_and_session_are_told_apart_by_their_connections) {
    const std::vector<Finding> findings = {slow_target(4, 7), slow_target(4, 8)};
    EXPECT_THAT(what_is_wrong_section(findings, false), HasSubstr("Reads wait (connection 8)\n"));
}

TEST(WhatIsWrong, what_is_the_only_one_of_its_kind_needs_nothing_more) {
    std::vector<Finding> findings = {slow_target(4, 7), slow_target(6, 9)};
    findings.back().severity = Finding::Severity::information;
    EXPECT_THAT(what_is_wrong_section(findings, false), Not(HasSubstr("session")));
}

}  // namespace
}  // namespace sanscope
