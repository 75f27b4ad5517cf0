// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/command_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/points/points_tables.h"
#include "analyzer/points/split_sums.h"
#include "analyzer/points/split_text.h"
#include "analyzer/points/testing/two_points.h"

namespace sanscope {
namespace {

using test::at_a;
using test::at_b;
using test::Bytes;
using test::everywhere;
using test::ms;
using test::nowhere;
using test::PassingConnection;
using test::TwoPoints;
using testing::HasSubstr;

class Splits {
  public:
    explicit Splits(const TwoPoints& points)
        : path_(points.follow()), engine_(points.analysis(false, rows_for_command_split())) {
        EXPECT_TRUE(path_) << path_.error().message;
        if (path_) split_commands(*path_, engine_->store(), {}, rows_);
    }
    // That of the command with this tag; they are not used twice here.
    CommandSplit of(uint32_t itt) const {
        for (const CommandSplit& row : rows_) {
            if (engine_->store().command(row.command).itt == itt) return row;
        }
        ADD_FAILURE() << "no row for command " << itt;
        CommandSplit none;
        none.lack = SplitLack::unanswered;
        return none;
    }
    size_t split() const {
        size_t count = 0;
        for (const CommandSplit& row : rows_) count += row.lack == SplitLack::none ? 1 : 0;
        return count;
    }
    size_t size() const { return rows_.size(); }
    const PathPoints& path() const { return *path_; }
    std::string text() const { return split_text(*path_, engine_->store(), rows_); }

  private:
    Result<PathPoints> path_;
    std::unique_ptr<Engine> engine_;
    ChunkedRows<CommandSplit> rows_;
};

void expect_within(const TimeBand& band, int64_t truth_ns) {
    EXPECT_TRUE(band.bounded());
    EXPECT_LE(band.low_ns, truth_ns);
    EXPECT_GE(band.high_ns, truth_ns);
}

// What must hold of every command that is told as split, and what a row holds that is not.
void expect_sound(const CommandSplit& row) {
    if (row.lack != SplitLack::none) {
        EXPECT_EQ(row.turnaround_ns, no_time);
        EXPECT_EQ(row.target_ns, no_time);
        EXPECT_FALSE(row.out.bounded());
        return;
    }
    EXPECT_EQ(row.initiator_ns + row.paths_ns + row.target_ns + row.answer_ns, row.turnaround_ns);
    for (const TimeBand& band : {row.out, row.back}) {
        if (!band.bounded()) continue;
        EXPECT_GE(band.low_ns, 0);
        EXPECT_LE(band.low_ns, band.high_ns);
        EXPECT_LE(band.high_ns, row.paths_ns);
    }
}

TEST(CommandSplit, PartsAreWhatTheyWere) {
    TwoPoints points;
    points.b_ahead_ns = -7000 * ms;
    points.from_b_to_a_ns = 3 * ms;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const uint32_t itt = connection.next_itt();
    connection.read(5 * ms);
    connection.reads(100);
    const Splits splits(points);
    EXPECT_EQ(splits.split(), 201u);
    const CommandSplit row = splits.of(itt);
    expect_sound(row);
    EXPECT_EQ(row.turnaround_ns, 9 * ms);
    EXPECT_EQ(row.initiator_ns, 0);
    EXPECT_EQ(row.target_ns, 5 * ms);
    EXPECT_EQ(row.answer_ns, 0);
    EXPECT_EQ(row.paths_ns, 4 * ms);
    EXPECT_EQ(row.round_trips, 1u);
    expect_within(row.out, ms);
    expect_within(row.back, 3 * ms);
    EXPECT_FALSE(row.near_is_b);
}

// The offset is known to as much as there and back take: which part of it is the path out then is not said.
TEST(CommandSplit, ABandWiderThanThePathIsToldAsAllOfIt) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(200);
    const Splits splits(points);
    const CommandSplit row = splits.of(100);
    expect_sound(row);
    EXPECT_EQ(row.paths_ns, 2 * ms);
    // Nothing here is faster than a millisecond each way.
    EXPECT_LE(row.out.low_ns, ms / 100);
    EXPECT_GE(row.out.high_ns, 2 * ms - ms / 100);
    EXPECT_LE(row.back.low_ns, ms / 100);
    EXPECT_GE(row.back.high_ns, 2 * ms - ms / 100);
}

TEST(CommandSplit, AClockSteppedWithinACommandIsNobodysTime) {
    for (const int64_t step_ns : {50 * ms, -50 * ms}) {
        TwoPoints points;
        PassingConnection connection(points);
        connection.log_in();
        connection.reads(200);
        const uint32_t itt = connection.next_itt();
        connection.send(false, connection.request(itt));
        points.now += ms + 30 * ms;
        points.b_ahead_ns += step_ns;
        points.now += 30 * ms;
        connection.send(true, connection.answer(itt));
        points.now += 2 * ms;
        connection.send(false, {});
        connection.reads(200);
        const Splits splits(points);
        EXPECT_EQ(splits.of(itt).lack, SplitLack::clock) << step_ns;
        expect_sound(splits.of(itt));
        // Those beside it may be left out as well: which packet is the first behind a step is not known to one.
        EXPECT_GE(splits.split(), 398u) << "all others";
        for (const uint32_t beside : {itt - 1, itt + 1}) {
            expect_sound(splits.of(beside));
            EXPECT_TRUE(splits.of(beside).lack == SplitLack::none ||
                        splits.of(beside).lack == SplitLack::clock);
        }
        for (const uint32_t near : {itt - 2, itt + 2}) {
            EXPECT_EQ(splits.of(near).target_ns, ms / 2);
            expect_within(splits.of(near).out, ms);
        }
    }
}

TEST(CommandSplit, WhatOnePointAloneSawIsNotMeasured) {
    struct Case {
        unsigned request_seen;
        unsigned answer_seen;
        SplitLack lack;
    };
    for (const Case& each : {Case{everywhere, at_a, SplitLack::bytes},
                             {at_a, everywhere, SplitLack::bytes},
                             {everywhere, at_b, SplitLack::unanswered},
                             {everywhere, nowhere, SplitLack::unanswered}}) {
        TwoPoints points;
        PassingConnection connection(points);
        connection.log_in();
        connection.reads(100);
        const uint32_t itt = connection.next_itt();
        connection.send(false, connection.request(itt), each.request_seen);
        points.now += 6 * ms;
        connection.send(true, connection.answer(itt), each.answer_seen);
        points.now += 2 * ms;
        connection.send(false, {});
        points.now += 200 * ms;
        connection.reads(100);
        const Splits splits(points);
        EXPECT_EQ(splits.of(itt).lack, each.lack) << each.request_seen << each.answer_seen;
        expect_sound(splits.of(itt));
        EXPECT_EQ(splits.of(itt + 50).lack, SplitLack::none);
        EXPECT_EQ(splits.of(itt + 50).target_ns, ms / 2);
    }
}

TEST(CommandSplit, ALostRequestCountsForThePath) {
    for (const bool told_apart : {true, false}) {
        TwoPoints points;
        points.timestamps = points.ids = told_apart;
        PassingConnection connection(points);
        connection.log_in();
        connection.reads(100);
        const uint32_t itt = connection.next_itt();
        const Bytes request = connection.request(itt);
        connection.send(false, request, at_a);
        points.now += 200 * ms;
        connection.send_again(false, request);
        points.now += ms + 5 * ms;
        connection.send(true, connection.answer(itt));
        points.now += 2 * ms;
        connection.send(false, {});
        connection.reads(100);
        const CommandSplit row = Splits(points).of(itt);
        expect_sound(row);
        if (!told_apart) {
            // Nothing says which copy arrived: no part of the path is told as waiting for it.
            EXPECT_TRUE(row.lack != SplitLack::none || row.recovery_out_ns == no_time);
            continue;
        }
        EXPECT_EQ(row.turnaround_ns, 207 * ms);
        EXPECT_EQ(row.paths_ns, 202 * ms);
        EXPECT_EQ(row.target_ns, 5 * ms);
        EXPECT_EQ(row.recovery_out_ns, 200 * ms);
        EXPECT_EQ(row.recovery_back_ns, 0);
        expect_within(row.out, 201 * ms);
        expect_within(row.back, ms);
    }
}

// The first copy had arrived: the target's time goes from there, and nobody waited for the second.
TEST(CommandSplit, ARequestSentAgainInVainIsNoWait) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const uint32_t itt = connection.next_itt();
    const Bytes request = connection.request(itt);
    connection.send(false, request);
    points.now += 200 * ms;
    connection.send_again(false, request);
    points.now += 100 * ms;
    connection.send(true, connection.answer(itt));
    points.now += 2 * ms;
    connection.send(false, {});
    connection.reads(100);
    const CommandSplit row = Splits(points).of(itt);
    expect_sound(row);
    EXPECT_EQ(row.paths_ns, 2 * ms);
    EXPECT_EQ(row.target_ns, 299 * ms);
    EXPECT_EQ(row.recovery_out_ns, 0);
}

TEST(CommandSplit, AWriteThatWaitsForR2TsCrossesOnceMoreForEach) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const uint32_t itt = connection.next_itt();
    connection.send(false, connection.write(itt, 1024).bytes());
    for (const uint32_t offset : {0u, 512u}) {
        points.now += ms + 3 * ms;
        connection.send(true, connection.permission(itt, 7 + offset, offset, 512));
        points.now += ms + 4 * ms;
        connection.send(false, test::data_out(itt, 7 + offset, offset, test::pattern(512)).bytes());
    }
    points.now += ms + 5 * ms;
    connection.send(true, connection.status(itt));
    points.now += 2 * ms;
    connection.send(false, {});
    connection.reads(100);
    const CommandSplit row = Splits(points).of(itt);
    expect_sound(row);
    EXPECT_EQ(row.round_trips, 3u);
    EXPECT_EQ(row.paths_ns, 6 * ms);
    EXPECT_EQ(row.initiator_ns, 8 * ms);
    EXPECT_EQ(row.target_ns, 11 * ms);
    expect_within(row.out, 3 * ms);
    expect_within(row.back, 3 * ms);
}

// It had sent an answer before all was there that it had asked for: nobody's wait can be told.
TEST(CommandSplit, ATargetThatAnswersBeforeItHasTheDataOverlaps) {
    TwoPoints points;
    PassingConnection connection(points);
    connection.log_in();
    connection.reads(100);
    const uint32_t itt = connection.next_itt();
    connection.send(false, connection.write(itt, 512).bytes());
    points.now += 4 * ms;
    connection.send(true, connection.permission(itt, 7, 0, 512));
    points.now += 3 * ms;
    const Bytes status = connection.status(itt);
    connection.send(true, status);
    points.now += ms / 2;
    connection.unheard = static_cast<uint32_t>(status.size());  // it is still on its way
    connection.send(false, test::data_out(itt, 7, 0, test::pattern(512)).bytes());
    connection.unheard = 0;
    points.now += 4 * ms;
    connection.reads(100);
    const CommandSplit row = Splits(points).of(itt);
    EXPECT_EQ(row.lack, SplitLack::overlapping);
    expect_sound(row);
}

TEST(CommandSplit, AnInitiatorOnTheFarSideIsSplitFromThere) {
    TwoPoints points;
    points.b_ahead_ns = 5000 * ms;
    points.from_b_to_a_ns = 3 * ms;
    PassingConnection here(points);
    PassingConnection there(points, true);
    here.log_in();
    there.log_in();
    here.reads(150);
    there.reads(20);
    const uint32_t itt = there.next_itt();
    there.read(5 * ms);
    here.reads(50);
    const Splits splits(points);
    EXPECT_EQ(splits.path().points.front()->name(), "a") << "most initiators are there";
    size_t from_b = 0;
    const auto path = points.follow();
    const auto engine = points.analysis(false, rows_for_command_split());
    ChunkedRows<CommandSplit> rows;
    ASSERT_TRUE(split_commands(*path, engine->store(), {}, rows));
    EXPECT_EQ(rows.size(), 221u);
    for (const CommandSplit& row : rows) {
        expect_sound(row);
        EXPECT_EQ(row.lack, SplitLack::none);
        if (!row.near_is_b) continue;
        ++from_b;
        // From B to A three milliseconds, and one back.
        expect_within(row.out, 3 * ms);
        expect_within(row.back, ms);
        EXPECT_EQ(row.paths_ns, 4 * ms);
        EXPECT_EQ(row.target_ns, engine->store().command(row.command).itt == itt ? 5 * ms : ms / 2);
    }
    EXPECT_EQ(from_b, 21u);
    EXPECT_THAT(splits.text(), HasSubstr("Between a and b: 200 of 200 commands split"));
    EXPECT_THAT(splits.text(), HasSubstr("Between b and a: 21 of 21 commands split"));
    const auto table = make_point_commands_table(*path, engine->store(), rows);
    const auto column = [&](std::string_view name) {
        size_t at = 0;
        while (table->columns()[at].name != name) ++at;
        return at;
    };
    Cell cell;
    for (size_t row = 0; row < rows.size(); ++row) {
        table->cell(row, column("point"), cell);
        EXPECT_EQ(cell.text, rows[row].near_is_b ? "b" : "a");
        table->cell(row, column("other_point"), cell);
        EXPECT_EQ(cell.text, rows[row].near_is_b ? "a" : "b");
    }
}

TEST(SplitSums, AddUpByPointsAndKind) {
    TwoPoints points;
    PassingConnection here(points);
    PassingConnection there(points, true);
    here.log_in();
    there.log_in();
    here.reads(100);
    there.reads(30);
    const uint32_t itt = here.next_itt();
    here.send(false, here.write(itt, 512).data(test::pattern(512)).bytes());
    points.now += 40 * ms;
    here.send(true, here.status(itt));
    points.now += 2 * ms;
    here.send(false, {});
    here.reads(10);
    const auto path = points.follow();
    ASSERT_TRUE(path);
    const auto engine = points.analysis(false, rows_for_command_split());
    ChunkedRows<CommandSplit> rows;
    ASSERT_TRUE(split_commands(*path, engine->store(), {}, rows));
    const auto sums = sum_splits(*path, engine->store(), rows);
    ASSERT_EQ(sums.size(), 3u);
    EXPECT_EQ(sums[0].commands, 110u);
    EXPECT_THAT(std::string(sums[0].name), HasSubstr("READ"));
    EXPECT_EQ(sums[0].target_ns, 110 * ms / 2);
    EXPECT_EQ(sums[1].commands, 1u);
    EXPECT_THAT(std::string(sums[1].name), HasSubstr("WRITE"));
    EXPECT_EQ(sums[1].target_ns, 39 * ms);
    EXPECT_EQ(sums[2].near, 1u) << "from the other end";
    EXPECT_EQ(sums[2].far, 0u);
    EXPECT_EQ(sums[2].commands, 30u);
    for (const SplitSums& sum : sums) {
        EXPECT_EQ(sum.initiator_ns + sum.paths_ns + sum.target_ns + sum.answer_ns, sum.turnaround_ns);
        EXPECT_GE(sum.out.high_ns + sum.back.low_ns,
                  sum.paths_ns - static_cast<int64_t>(sum.commands) * 10'000);
        expect_within(sum.out, static_cast<int64_t>(sum.commands) * ms);
    }
}

TEST(CommandSplit, WithoutAnOrderOfThePointsNothingIsSplit) {
    TwoPoints points;
    PassingConnection connection(points);
    // Of the answers one capture has nothing: only one direction is at both points.
    connection.log_in(at_a);
    connection.send(false, connection.request(1));
    points.now += 3 * ms;
    for (uint32_t itt = 1; itt < 50; ++itt) {
        connection.send(true, connection.answer(itt), at_a);
        points.now += 3 * ms;
        connection.send(false, connection.request(itt + 1));
        points.now += 3 * ms;
    }
    const Splits splits(points);
    EXPECT_EQ(splits.split(), 0u);
    EXPECT_GT(splits.size(), 40u) << "each says why";
    EXPECT_EQ(splits.of(10).lack, SplitLack::order);
}

}  // namespace
}  // namespace sanscope
