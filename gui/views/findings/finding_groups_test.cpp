// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/finding_groups.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "gui/testing/loaded_document.h"

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

class FindingGroups : public testing::Test {
  protected:
    FindingGroups() {
        for (const uint8_t host : std::array<uint8_t, 3>{2, 2, 3}) {
            const uint8_t target[4] = {192, 0, 2, host};
            uint32_t number = 0;
            ConnectionRow& row = store.add_connection(number);
            row.target = {IpAddress::from_v4(target), 3260};
        }
    }
    void add(Finding::Kind kind, uint32_t connection, int64_t cost_ns,
             Finding::Sender sender = Finding::Sender::target) {
        Finding finding;
        finding.kind = kind;
        finding.severity = Finding::Severity::problem;
        finding.side = Finding::Side::path;
        finding.connection = connection;
        finding.cost_ns = cost_ns;
        finding.sender = sender;
        findings.push_back(finding);
    }
    std::vector<std::vector<size_t>> grouped() const {
        std::vector<std::vector<size_t>> all;
        for (const FindingGroup& group : group_findings(store, findings)) all.push_back(group.findings);
        return all;
    }
    ResultStore store{ResultStore::Keep{}};
    std::vector<Finding> findings;
};

using Groups = std::vector<std::vector<size_t>>;

TEST_F(FindingGroups, AlikeOnesOfATargetAreOne) {
    add(Finding::Kind::lost_segments, 1, 3 * ms);
    add(Finding::Kind::slow_commands, 1, 9 * ms);
    add(Finding::Kind::lost_segments, 2, 5 * ms);
    add(Finding::Kind::lost_segments, 3, 4 * ms);
    add(Finding::Kind::lost_segments, 1, 4 * ms, Finding::Sender::initiator);
    EXPECT_EQ(grouped(), (Groups{{2, 0}, {1}, {3}, {4}}));
    const FindingGroup group = group_findings(store, findings).front();
    EXPECT_EQ(group.target.toStdString(), "192.0.2.2:3260");
    // Both may have waited at the same time.
    EXPECT_EQ(group.cost_ns, 5 * ms);
}

TEST_F(FindingGroups, WhatIsOfNoTargetStandsAlone) {
    add(Finding::Kind::capture_issue, 0, 0);
    add(Finding::Kind::capture_issue, 0, 0);
    add(Finding::Kind::capture_issue, 17, 0);
    EXPECT_EQ(grouped(), (Groups{{0}, {1}, {2}}));
}

// Commands are slow for several reasons, each a finding.
TEST_F(FindingGroups, WhatDiffersInMoreThanThePlaceStandsAlone) {
    add(Finding::Kind::slow_command, 1, 2 * ms);
    add(Finding::Kind::slow_command, 2, ms);
    EXPECT_EQ(grouped(), (Groups{{0}, {1}}));
}

TEST_F(FindingGroups, AnotherSeverityOrSideIsAnotherCause) {
    add(Finding::Kind::lost_segments, 1, 3 * ms);
    add(Finding::Kind::lost_segments, 2, 3 * ms);
    add(Finding::Kind::lost_segments, 2, 3 * ms);
    findings[1].severity = Finding::Severity::notice;
    findings[2].side = Finding::Side::target;
    EXPECT_EQ(grouped(), (Groups{{0}, {1}, {2}}));
}

}  // namespace
}  // namespace sanscope
