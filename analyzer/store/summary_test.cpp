// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/summary.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sanscope {
namespace {

CommandRow command(int64_t request_ns, int64_t response_ns, uint64_t bytes = 4096) {
    CommandRow row;
    row.name = "READ(10)";
    row.session = 1;
    row.bytes = bytes;
    row.request_packet = 1;
    row.request_ns = request_ns;
    row.outcome = Outcome::unanswered;
    if (response_ns == no_time) return row;
    row.response_packet = 2;
    row.response_ns = response_ns;
    row.status = 0;
    row.outcome = Outcome::completed;
    return row;
}

void add(Summary& summary, const CommandRow& row, uint64_t number = 1) {
    summary.on_request(row);
    if (row.response_packet != 0) summary.on_answer(row);
    summary.on_end(number, row, true, false);
}

TEST(Summary, CountsCommandsByOutcome) {
    Summary summary;
    add(summary, command(0, 10));
    add(summary, command(0, 10));
    add(summary, command(0, no_time));
    CommandRow aborted = command(0, no_time);
    aborted.outcome = Outcome::aborted;
    add(summary, aborted);
    EXPECT_EQ(summary.commands(), 4u);
    EXPECT_EQ(summary.outcomes(Outcome::completed), 2u);
    EXPECT_EQ(summary.outcomes(Outcome::unanswered), 1u);
    EXPECT_EQ(summary.outcomes(Outcome::aborted), 1u);
    EXPECT_EQ(summary.unanswered().size(), 2u);
}

// RFC 7143 §11.4.5: the residual count tells what was not transferred.
TEST(Summary, CountsWhatWasTransferredNotWhatWasExpected) {
    Summary summary;
    CommandRow one = command(0, 10, 1 << 20);
    one.opcode = 0x28;
    one.residual = (1 << 20) - 36;
    add(summary, one);
    CommandRow refused = command(0, 10, 1 << 20);
    refused.opcode = 0x28;
    refused.status = 0x18;  // RESERVATION CONFLICT
    add(summary, refused);
    EXPECT_EQ(summary.sessions()[0].bytes_read, 36u);
    EXPECT_TRUE(summary.sessions()[0].all_bytes_known);
    EXPECT_EQ(summary.groups().begin()->second.bytes, 36u);
    CommandRow failed = command(0, 10, 1 << 20);
    failed.status = 0x02;
    failed.sense_key = 0x3;  // MEDIUM ERROR, somewhere on its way
    add(summary, failed);
    EXPECT_EQ(summary.sessions()[0].bytes_read, 36u);
    EXPECT_FALSE(summary.sessions()[0].all_bytes_known);
}

// What it reads, RFC 7143 §11.2.2.4 has in an AHS.
TEST(Summary, KnowsOfABidirectionalCommandWhatItWroteAlone) {
    Summary summary;
    const CommandRow row = command(0, 10, 65536);
    summary.on_request(row);
    summary.on_answer(row);
    summary.on_end(1, row, true, true);
    EXPECT_EQ(summary.sessions()[0].bytes_read, 0u);
    EXPECT_EQ(summary.sessions()[0].bytes_written, 65536u);
    EXPECT_FALSE(summary.sessions()[0].all_bytes_known);
}

TEST(Summary, GroupsCommandsByNameAndClassOfSize) {
    Summary summary;
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{4},
                                 uint64_t{4096}, uint64_t{4097}, unknown<uint64_t>}) {
        add(summary, command(0, 10, bytes));
    }
    const auto count = [&](unsigned size_class) {
        const auto group = summary.groups().find({"READ(10)", size_class});
        return group == summary.groups().end() ? 0 : group->second.count;
    };
    EXPECT_EQ(count(0), 2u) << "none, and unknown";
    EXPECT_EQ(count(1), 1u) << "1";
    EXPECT_EQ(count(2), 1u) << "2";
    EXPECT_EQ(count(3), 2u) << "3 and 4";
    EXPECT_EQ(count(13), 1u) << "4096";
    EXPECT_EQ(count(14), 1u) << "4097";
}

TEST(Summary, MeasuresTheTurnaroundOfAnsweredCommandsOnly) {
    Summary summary;
    add(summary, command(0, 100));
    add(summary, command(0, 300));
    add(summary, command(0, no_time));
    const Summary::Group& group = summary.groups().begin()->second;
    EXPECT_EQ(group.count, 3u);
    EXPECT_EQ(group.bytes, 8192u);
    EXPECT_EQ(group.turnaround.count(), 2u);
    EXPECT_EQ(group.turnaround.max_ns(), 300);
}

TEST(Summary, TakesUncapturedAnswersOffTheQueue) {
    Summary summary;
    for (int64_t i = 0; i < 4; ++i) summary.on_request(command(i * 10, no_time));
    EXPECT_EQ(summary.sessions()[0].max_depth, 4u);
    // Two of them were answered at once, as StatSN shows later.
    summary.on_counted(1, 2, 0, 40);
    EXPECT_EQ(summary.sessions()[0].max_depth, 2u);
    EXPECT_EQ(summary.sessions()[0].depth_now(), 2u);
}

TEST(Summary, KnowsNoDepthWhereAnswersWereNotCounted) {
    for (const bool counted : {true, false}) {
        Summary summary;
        CommandRow row = command(0, no_time);
        row.outcome = Outcome::unknown;
        for (int64_t i = 0; i < 40; ++i) {
            row.request_ns = i * 10;
            summary.on_request(row);
            if (counted && i > 0) summary.on_counted(1, 1, row.request_ns, row.request_ns + 5);
        }
        if (counted) summary.on_counted(1, 1, 400, 405);
        for (uint64_t i = 0; i < 40; ++i) summary.on_end(i + 1, row, true, false);
        EXPECT_EQ(summary.sessions()[0].depths_are_known(), counted);
        EXPECT_FALSE(summary.sessions()[0].all_bytes_known);
    }
}

TEST(Summary, KnowsNoDepthWhereRequestsWereNotSeen) {
    Summary summary;
    for (int64_t i = 0; i < 40; ++i) {
        CommandRow row = command(i * 10, i * 10 + 5);
        row.opcode = 0x28;
        add(summary, row);
    }
    EXPECT_TRUE(summary.sessions()[0].depths_are_known());
    EXPECT_TRUE(summary.sessions()[0].all_bytes_known);
    summary.on_hidden_requests(1, 10);
    EXPECT_EQ(summary.sessions()[0].hidden, 10u);
    EXPECT_FALSE(summary.sessions()[0].depths_are_known());
    EXPECT_FALSE(summary.sessions()[0].all_bytes_known);
}

TEST(Summary, LeavesOutOfTheTimesWhatWasAnsweredNobodyKnowsWhen) {
    Summary summary;
    for (int i = 0; i < 8; ++i) add(summary, command(0, 100));
    const auto& group = summary.groups().begin()->second;
    EXPECT_TRUE(group.percentile_is_known(0.999));
    EXPECT_TRUE(group.moments_are_known());
    for (const Outcome outcome : {Outcome::completed, Outcome::unknown, Outcome::unknown}) {
        CommandRow row = command(0, no_time);
        row.outcome = outcome;
        add(summary, row);
    }
    EXPECT_EQ(group.untimed, 3u);
    EXPECT_TRUE(group.percentile_is_known(0.5)) << "at any time of the three";
    EXPECT_FALSE(group.percentile_is_known(0.9)) << "one of the three";
    EXPECT_FALSE(group.moments_are_known());
    EXPECT_EQ(group.turnaround.count(), 8u);
    EXPECT_TRUE(summary.unanswered().empty());
}

// Those of which nobody knows may all have been the slowest, as where queues are deep.
TEST(Summary, TellsAPercentileOnlyWhereThoseOfUnknownTimesWouldNotMoveIt) {
    Summary summary;
    for (int i = 1; i <= 900; ++i) add(summary, command(0, 1000 * i));
    for (int i = 0; i < 100; ++i) {
        CommandRow row = command(0, no_time);
        row.outcome = Outcome::unknown;
        add(summary, row);
    }
    const auto& group = summary.groups().begin()->second;
    EXPECT_TRUE(group.percentile_is_known(0.8)) << "700 to 800 µs";
    EXPECT_FALSE(group.percentile_is_known(0.3)) << "200 to 300 µs";
    EXPECT_FALSE(group.percentile_is_known(0.05)) << "may be any of the hundred";
    EXPECT_FALSE(group.percentile_is_known(0.95));
    EXPECT_FALSE(group.percentile_is_known(0.8, 200)) << "of as many others";
}

// A count of answers that is in error cannot make fewer of them under way than known turnarounds say.
TEST(Summary, KnowsNoDepthThatIsLessThanTheTurnaroundsComeTo) {
    Summary summary;
    for (int64_t i = 0; i < 40; ++i) add(summary, command(i * 10, i * 10 + 9));
    EXPECT_TRUE(summary.sessions()[0].depths_are_known());
    summary.on_request(command(400, no_time));
    summary.on_counted(1, 1, 0, 700);
    EXPECT_FALSE(summary.sessions()[0].depths_are_known());
}

// In a session of several connections CmdSN does not tell how many lay in headers that were cut off.
TEST(Summary, MakesNoCountOfRequestsThatNobodyCanCount) {
    Summary summary;
    for (int64_t i = 0; i < 40; ++i) add(summary, command(i * 10, i * 10 + 5));
    EXPECT_FALSE(summary.sessions()[0].may_hide);
    summary.on_hidden_requests(1, unknown<uint32_t>);
    EXPECT_EQ(summary.sessions()[0].hidden, 0u);
    EXPECT_TRUE(summary.sessions()[0].may_hide);
    EXPECT_FALSE(summary.sessions()[0].depths_are_known());
    EXPECT_FALSE(summary.sessions()[0].all_bytes_known);
}

TEST(Summary, CountsWhatWasNotGoodByItsSense) {
    Summary summary;
    CommandRow bad = command(0, 10);
    bad.status = 2;
    bad.sense_key = 5;
    bad.asc = 0x20;
    bad.ascq = 0;
    add(summary, bad, 7);
    add(summary, bad, 8);
    add(summary, command(0, 10), 9);
    EXPECT_EQ(summary.groups().begin()->second.not_good, 2u);
    ASSERT_EQ(summary.errors().size(), 1u);
    EXPECT_EQ(summary.errors().begin()->first,
              (CommandEnding{.status = 2, .sense_key = 5, .asc = 0x20, .ascq = 0}));
    EXPECT_EQ(summary.errors().begin()->second, 2u);
    ASSERT_EQ(summary.not_good().size(), 2u);
    EXPECT_EQ(summary.not_good()[0].command, 7u);
}

TEST(Summary, ListsTheSlowestFirstWhateverTheOrderTheyComeIn) {
    for (const bool rising : {true, false}) {
        Summary summary;
        for (int64_t i = 1; i <= 100; ++i) {
            const int64_t turnaround = rising ? i : 101 - i;
            add(summary, command(0, turnaround), static_cast<uint64_t>(turnaround));
        }
        ASSERT_EQ(summary.slowest().size(), Summary::max_listed);
        for (size_t i = 0; i < Summary::max_listed; ++i) EXPECT_EQ(summary.slowest()[i].command, 100 - i);
    }
}

TEST(Summary, MeasuresHowManyCommandsWereInFlight) {
    Summary summary;
    const CommandRow a = command(0, 100);
    const CommandRow b = command(50, 150);
    const CommandRow c = command(200, 300);
    summary.on_request(a);
    summary.on_request(b);
    summary.on_answer(a);
    summary.on_answer(b);
    summary.on_request(c);
    summary.on_answer(c);
    for (const CommandRow& row : {a, b, c}) summary.on_end(1, row, true, false);
    ASSERT_EQ(summary.sessions().size(), 1u);
    const Summary::SessionLoad& load = summary.sessions()[0];
    EXPECT_EQ(load.commands, 3u);
    EXPECT_EQ(load.max_depth, 2u);
    EXPECT_DOUBLE_EQ(load.mean_depth(), (50 + 2 * 50 + 50 + 100) / 300.0);
    EXPECT_EQ(load.bytes_read, 3 * 4096u);
    EXPECT_EQ(load.bytes_written, 0u);
}

TEST(Summary, TakesACommandOutOfFlightThatEndsUnanswered) {
    Summary summary;
    const CommandRow lost = command(0, no_time);
    add(summary, lost);
    add(summary, command(10, 20));
    EXPECT_EQ(summary.sessions()[0].max_depth, 1u);
}

TEST(Summary, StaysBoundedWhateverTheNumberOfKinds) {
    Summary summary;
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("COMMAND " + std::to_string(i));
    for (uint32_t i = 0; i < 1000; ++i) {
        CommandRow row = command(0, 10, i);
        row.name = names[i].c_str();
        row.status = static_cast<uint16_t>(i);
        row.session = i * 1000;
        add(summary, row, i);
    }
    EXPECT_LE(summary.groups().size(), Summary::max_groups + 1);
    EXPECT_EQ(summary.groups().at({"others", 0}).count, 1000 - Summary::max_groups);
    EXPECT_LE(summary.errors().size(), 256u);
    EXPECT_LE(summary.sessions().size(), Summary::max_sessions);
    EXPECT_EQ(summary.not_good().size(), Summary::max_listed);
}

}  // namespace
}  // namespace sanscope
