// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture_summary.h"

#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

// Two reads of 8 KiB that took 1 and 3 ms, a write nobody answered.
class CaptureSummary : public testing::Test {
  protected:
    CaptureSummary() : store(rows_for_findings) {
        uint32_t number = 0;
        ConnectionRow& connection = store.add_connection(number);
        connection.session = 1;
        connection.retransmissions_out = 2;
        connection.retransmissions_in = 3;
        store.add_session(number).target_name = "iqn.2026-11.example:disk";
        store.add_session(number).target_name = "iqn.2026-11.example:disk";
        totals.packets = 10;
        totals.first_ns = 1'000;
        totals.last_ns = 2'000;
        add_read(1'000'000);
        add_read(3'000'000);
    }
    void add_read(int64_t turnaround_ns) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.session = 1;
        row.connection = 1;
        row.name = "READ(10)";
        row.bytes = 8192;
        row.status = 0;
        row.outcome = turnaround_ns == no_time ? Outcome::unanswered : Outcome::completed;
        row.request_packet = 1;
        row.request_ns = 1'000;
        store.requested(row);
        if (turnaround_ns != no_time) {
            row.response_packet = 2;
            row.response_ns = row.request_ns + turnaround_ns;
            store.answered(row);
        }
        store.end_command(number, row, true, false);
    }
    CaptureRow summary(std::vector<Finding> found = {}) {
        store.finish();
        const FindingsInput input{
            .store = store, .totals = totals, .issues = issues, .damage = damage, .interfaces = interfaces};
        return summarise_capture("a.pcap", input, found);
    }

    ResultStore store;
    Engine::Totals totals;
    Issues issues;
    std::vector<Damage> damage;
    std::vector<CaptureInterface> interfaces;
};

TEST_F(CaptureSummary, damage_is_told_with_its_place_where_that_is_known) {
    damage = {{.file = "a.pcap", .at_byte = 1234, .message = "the file is cut off inside a packet record"},
              {.file = "b.pcap", .at_byte = 0, .message = "no capture"}};
    EXPECT_EQ(summary().damage, "the file is cut off inside a packet record at byte 1234; no capture");
}

TEST_F(CaptureSummary, counts_what_there_is) {
    add_read(no_time);
    const CaptureRow row = summary();
    EXPECT_EQ(row.file, "a.pcap");
    EXPECT_EQ(row.packets, 10u);
    EXPECT_EQ(row.commands, 3u);
    EXPECT_EQ(row.unanswered, 1u);
    EXPECT_EQ(row.retransmissions, 5u);
    EXPECT_EQ(row.sessions, 2u);
    EXPECT_EQ(row.target_names, "iqn.2026-11.example:disk") << "once";
    EXPECT_EQ(row.start_ns, 1'000);
    EXPECT_EQ(row.end_ns, 2'000);
}

TEST_F(CaptureSummary, percentiles_and_budgets_are_of_the_commands) {
    const CaptureRow row = summary();
    EXPECT_NEAR(static_cast<double>(row.turnaround_p99_ns), 3e6, 3e6 * 0.02);
    EXPECT_TRUE(row.budgets_known);
    int64_t sum = 0;
    for (const int64_t part : row.budgets_ns) sum += part;
    EXPECT_EQ(sum, 4'000'000) << "all turnarounds together";
}

TEST_F(CaptureSummary, what_is_not_known_is_empty) {
    for (int i = 0; i < 100; i++) add_read(no_time);
    interfaces.push_back({.file = "a.pcap", .name = "eth0", .described = true});
    const CaptureRow row = summary();
    EXPECT_EQ(row.dropped, unknown<uint64_t>) << "a file that says nothing of drops did not say none";

    const CaptureRow none = unreadable_capture("b.pcap", "not a capture");
    EXPECT_EQ(none.turnaround_p99_ns, no_time);
    EXPECT_FALSE(none.budgets_known);
    EXPECT_EQ(none.damage, "not a capture");
}

TEST_F(CaptureSummary, drops_are_told_where_every_interface_tells_them) {
    interfaces.push_back({.file = "a.pcap", .name = "eth0", .dropped = 7, .tells_dropped = true});
    EXPECT_EQ(summary().dropped, 7u);
    interfaces.push_back({.file = "a.pcap", .name = "eth1"});
    EXPECT_EQ(summary().dropped, unknown<uint64_t>);
}

TEST_F(CaptureSummary, the_first_problem_or_notice_stands_for_all) {
    Finding information;
    information.title = "Nothing is wrong";
    Finding problem;
    problem.kind = Finding::Kind::lost_segments;
    problem.severity = Finding::Severity::problem;
    problem.title = "42 segments lost";
    problem.cost_ns = 5;
    problem.packet = 77;
    Finding notice;
    notice.severity = Finding::Severity::notice;
    const CaptureRow row = summary({information, problem, notice});
    EXPECT_EQ(row.problems, 1u);
    EXPECT_EQ(row.notices, 1u);
    EXPECT_EQ(row.finding, "lost_segments");
    EXPECT_EQ(row.finding_title, "42 segments lost");
    EXPECT_EQ(row.finding_cost_ns, 5);
    EXPECT_EQ(row.finding_packet, 77u);
}

}  // namespace
}  // namespace sanscope
