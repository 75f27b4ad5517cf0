// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/live_counts.h"

#include <gtest/gtest.h>
#include <numeric>

#include "analyzer/store/result_store.h"

namespace sanscope {
namespace {

CommandRow answered(uint32_t connection, uint64_t lun, int64_t turnaround_ns, uint16_t opcode = 0x28) {
    CommandRow row;
    row.connection = connection;
    row.lun = lun;
    row.opcode = opcode;
    row.bytes = 4096;
    row.request_packet = 1;
    row.response_packet = 2;
    row.request_ns = 1'000;
    row.response_ns = 1'000 + turnaround_ns;
    row.status = 0;
    row.outcome = Outcome::completed;
    return row;
}

const LiveCounts::Unit* find(const LiveCounts& counts, uint32_t connection, uint64_t lun,
                             uint16_t opcode = 0x28) {
    for (const LiveCounts::Unit& unit : counts.units()) {
        if (unit.connection == connection && unit.lun == lun && unit.opcode == opcode) return &unit;
    }
    return nullptr;
}

TEST(LiveCounts, a_command_counts_to_its_connection_unit_and_operation_code) {
    LiveCounts counts;
    counts.on_end(answered(1, 0, 15'000));
    counts.on_end(answered(1, 3, 15'000));
    counts.on_end(answered(1, 0, 15'000, 0x2a));
    counts.on_end(answered(1, 0, 40'000));
    ASSERT_EQ(counts.units().size(), 3u);
    const LiveCounts::Unit* const unit = find(counts, 1, 0);
    ASSERT_NE(unit, nullptr);
    EXPECT_EQ(unit->counts.commands, 2u);
    EXPECT_EQ(unit->counts.bytes, 8192u);
    EXPECT_EQ(unit->counts.turnaround_ns, 55'000);
    EXPECT_EQ(unit->counts.timed(), 2u);
}

TEST(LiveCounts, a_turnaround_of_exactly_a_bound_is_in_its_bucket) {
    LiveCounts counts;
    counts.on_end(answered(1, 0, 20'000));
    counts.on_end(answered(1, 0, 20'001));
    counts.on_end(answered(1, 0, 60'000'000'000));
    const auto& buckets = counts.units().front().counts.turnarounds;
    EXPECT_EQ(buckets[1], 1u);
    EXPECT_EQ(buckets[2], 1u);
    EXPECT_EQ(buckets.back(), 1u);
}

TEST(LiveCounts, each_turnaround_is_in_the_bucket_of_the_first_bound_that_is_not_below_it) {
    for (size_t i = 0; i < turnaround_bounds_ns.size(); ++i) {
        for (const int64_t away : {-1, 0, 1}) {
            const int64_t turnaround_ns = turnaround_bounds_ns[i] + away;
            LiveCounts counts;
            counts.on_end(answered(1, 0, turnaround_ns));
            EXPECT_EQ(counts.units().front().counts.turnarounds[i + (away > 0 ? 1 : 0)], 1u) << turnaround_ns;
        }
    }
    for (int bits = 0; bits < 63; ++bits) {
        const int64_t turnaround_ns = int64_t{1} << bits;
        const auto bound = std::ranges::lower_bound(turnaround_bounds_ns, turnaround_ns);
        LiveCounts counts;
        counts.on_end(answered(1, 0, turnaround_ns));
        EXPECT_EQ(counts.units()
                      .front()
                      .counts.turnarounds[static_cast<size_t>(bound - turnaround_bounds_ns.begin())],
                  1u);
    }
}

TEST(LiveCounts, a_turnaround_is_in_an_exponential_bucket_too) {
    LiveCounts counts;
    for (const int64_t turnaround_ns : {900, 15'000, 15'000, 1'000'000'000})
        counts.on_end(answered(1, 0, turnaround_ns));
    const auto& places = counts.units().front().exponential;
    EXPECT_EQ(places[0], 1u);
    EXPECT_EQ(places[exponential_buckets::place_of(15'000)], 2u);
    EXPECT_EQ(places[exponential_buckets::place_of(1'000'000'000)], 1u);
    EXPECT_EQ(std::accumulate(places.begin(), places.end(), uint64_t{0}),
              counts.units().front().counts.timed());
}

TEST(LiveCounts, without_an_answer_there_are_neither_bytes_nor_a_turnaround) {
    CommandRow row = answered(1, 0, 0);
    row.response_packet = 0;
    row.response_ns = no_time;
    row.status = unknown<uint16_t>;
    row.outcome = Outcome::aborted;
    LiveCounts counts;
    counts.on_end(row);
    const CommandCounts& unit = counts.units().front().counts;
    EXPECT_EQ(unit.commands, 1u);
    EXPECT_EQ(unit.unanswered, 1u);
    EXPECT_EQ(unit.bytes, 0u);
    EXPECT_EQ(unit.timed(), 0u);
    EXPECT_EQ(unit.not_good, 0u);
}

TEST(LiveCounts, another_status_than_good_is_counted) {
    CommandRow row = answered(1, 0, 100);
    row.status = 2;
    LiveCounts counts;
    counts.on_end(row);
    EXPECT_EQ(counts.units().front().counts.not_good, 1u);
}

TEST(LiveCounts, what_finds_no_place_is_told_of_connection_0) {
    LiveCounts counts;
    const uint64_t luns = LiveCounts::most_units + 500;
    for (uint64_t lun = 0; lun < luns; ++lun) {
        counts.on_end(answered(7, lun, 100));
        counts.on_end(answered(7, lun, 100, 0x2a));
    }
    uint64_t commands = 0;
    for (const LiveCounts::Unit& unit : counts.units()) commands += unit.counts.commands;
    EXPECT_EQ(commands, 2 * luns);
    EXPECT_EQ(counts.units().size(), LiveCounts::most_units + 2);
    const LiveCounts::Unit* const reads = find(counts, 0, unknown<uint64_t>);
    const LiveCounts::Unit* const writes = find(counts, 0, unknown<uint64_t>, 0x2a);
    ASSERT_TRUE(reads != nullptr && writes != nullptr);
    EXPECT_EQ(reads->counts.commands + writes->counts.commands, 2 * luns - LiveCounts::most_units);
    // The first ones are found all the same.
    counts.on_end(answered(7, 0, 100));
    EXPECT_EQ(find(counts, 7, 0)->counts.commands, 2u);
}

TEST(LiveCounts, nothing_is_left_after_clearing) {
    LiveCounts counts;
    counts.on_end(answered(1, 0, 100));
    counts.on_loss(1, Side::b, LossKind::rto, 1);
    counts.clear();
    EXPECT_TRUE(counts.units().empty());
    EXPECT_TRUE(counts.senders().empty());
    counts.on_end(answered(1, 0, 100));
    ASSERT_EQ(counts.units().size(), 1u);
    EXPECT_EQ(counts.units().front().counts.commands, 1u);
}

TEST(LiveCounts, senders_are_bounded_too) {
    LiveCounts counts;
    for (uint32_t connection = 1; connection <= LiveCounts::most_senders + 10; ++connection)
        counts.on_loss(connection, Side::a, LossKind::rto, 1);
    ASSERT_EQ(counts.senders().size(), LiveCounts::most_senders + 1);
    EXPECT_EQ(counts.senders().back().connection, 0u);
    EXPECT_EQ(counts.senders().back().losses[static_cast<size_t>(LossKind::rto)], 10);
}

TEST(LiveCounts, a_store_tells_them_what_becomes_of_a_loss) {
    ResultStore store(ResultStore::Keep::only(&ResultStore::Keep::live_counts));
    SenderSummary& sender = store.add_sender(1, Side::a);
    const uint64_t number =
        store.add_loss(sender, {.connection = 1, .kind = LossKind::fast_retransmit, .sender = Side::a});
    store.reclassify_loss(sender, number, LossKind::fast_retransmit, LossKind::spurious);
    ASSERT_EQ(store.live_counts()->senders().size(), 1u);
    const auto& losses = store.live_counts()->senders().front().losses;
    EXPECT_EQ(losses[static_cast<size_t>(LossKind::fast_retransmit)], 0);
    EXPECT_EQ(losses[static_cast<size_t>(LossKind::spurious)], 1);
}

}  // namespace
}  // namespace sanscope
