// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/timeline/timeline.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <tuple>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using test::ms;

std::vector<uint32_t> all_of(const SenderTrack::Rows& rows) {
    return {rows.begin(), rows.end()};
}

class TimelineTest : public testing::Test {
  protected:
    TimelineTest() {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.first_packet = 1;
        row.iscsi = true;
    }

    uint32_t packet(int64_t time_ns, uint32_t payload, Side side = Side::a, uint32_t connection = 1) {
        RawPacket raw;
        raw.time_ns = time_ns;
        raw.wire_length = raw.captured_length = payload + 54;
        raw.data = bytes;
        raw.link_type = LinkType::ethernet;
        index.add(raw, 0);
        SegmentRow& row = store.add_segment();
        row.connection = connection;
        row.payload_length = payload;
        row.sender = side;
        return static_cast<uint32_t>(store.segments().size());
    }
    CommandRow& command(int64_t request_ns, int64_t response_ns) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.connection = 1;
        row.request_ns = request_ns;
        row.response_ns = response_ns;
        return row;
    }

    uint8_t bytes[2048] = {};
    PacketIndex index;
    ResultStore store{ResultStore::Keep::everything()};
    Timeline timeline{store, index};
};

TEST_F(TimelineTest, BeginsWithTheFirstPacketWhateverRecordsThatAreNoneSay) {
    RawPacket block;
    block.data = bytes;
    block.captured_length = block.wire_length = 100;
    block.link_type = LinkType::not_a_packet;
    for (int i = 0; i < 2; ++i) {
        index.add(block, 0);
        store.add_segment();
    }
    timeline.update();
    EXPECT_EQ(timeline.first_ns(), no_time);
    packet(5 * ms, 10);
    block.time_ns = 5 * ms;
    index.add(block, 0);
    store.add_segment();
    timeline.update();
    EXPECT_EQ(timeline.first_ns(), 5 * ms);
    OverviewBin all;
    for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
    EXPECT_EQ(all.packets, 1u);
    for (PacketNumber number = 1; number <= 4; ++number) EXPECT_EQ(timeline.time_of(number), 5 * ms);
}

TEST_F(TimelineTest, SegmentsStandByDirectionInOrderOfTimeHandshakeAndAll) {
    packet(1 * ms, 0);
    packet(2 * ms, 0, Side::b);
    packet(3 * ms, 100);
    packet(5 * ms, 50, Side::b);
    packet(4 * ms, 70, Side::b);  // merged late from another interface
    packet(6 * ms, 0, Side::a, 0);
    timeline.update();
    const ConnectionTrack* track = timeline.track(1);
    ASSERT_NE(track, nullptr);
    EXPECT_THAT(track->sender(Side::a).segments, ElementsAre(0, 2));
    EXPECT_THAT(track->sender(Side::b).segments, ElementsAre(1, 4, 3));
    EXPECT_EQ(
        track->sender(Side::b).payload.query(
            1, 2,
            [&](size_t i) { return store.segments()[track->sender(Side::b).segments[i]].payload_length; }),
        70u);
    EXPECT_EQ(timeline.first_ns(), 1 * ms);
    EXPECT_EQ(timeline.last_ns(), 6 * ms);
    OverviewBin all;
    for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
    EXPECT_EQ(all.packets, 6u);
    EXPECT_EQ(all.bytes_out, 100u);
    EXPECT_EQ(all.bytes_in, 120u);
}

TEST_F(TimelineTest, WhatWasCountedBeforeTheInitiatorWasKnownIsCountedAgain) {
    ConnectionRow& row = store.connection(1);
    row.iscsi = false;
    const auto counted = [&] {
        OverviewBin all;
        for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
        return std::tuple(all.bytes_out, all.bytes_in, all.bytes_unknown);
    };
    packet(1 * ms, 100);
    packet(900 * ms, 20, Side::b);
    timeline.update();
    EXPECT_EQ(counted(), std::tuple(0u, 0u, 120u));
    // The port says that b is the initiator, the PDUs that it is a.
    row.initiator.port = 50'000;
    row.target.port = 3260;
    row.initiator_side = Side::b;
    packet(901 * ms, 3, Side::b);
    timeline.update();
    EXPECT_EQ(counted(), std::tuple(23u, 100u, 0u));
    row.iscsi = true;
    row.initiator_side = Side::a;
    timeline.finish();
    EXPECT_EQ(counted(), std::tuple(100u, 23u, 0u));
}

TEST_F(TimelineTest, WhoseInitiatorNothingTellsStaysUnknown) {
    store.connection(1).iscsi = false;
    packet(1 * ms, 100);
    timeline.finish();
    EXPECT_EQ(timeline.overview().bins()[0].bytes_unknown, 100u);
    EXPECT_EQ(timeline.overview().bins()[0].bytes_out, 0u);
}

TEST_F(TimelineTest, LossesStandWhereTheirPacketsWereCaptured) {
    packet(1 * ms, 100);
    packet(2 * ms, 100);
    SenderSummary& sender = store.add_sender(1, Side::a);
    // The later packet waited longer in a queue on its way.
    for (const auto& [number, sent_ns] :
         {std::pair(PacketNumber{1}, ms / 2), std::pair(PacketNumber{2}, ms / 4)}) {
        LossRow loss;
        loss.packet = number;
        loss.connection = 1;
        loss.sender = Side::a;
        loss.time_ns = sent_ns;
        store.add_loss(sender, loss);
    }
    timeline.finish();
    EXPECT_THAT(timeline.track(1)->sender(Side::a).losses, ElementsAre(0, 1));
    EXPECT_EQ(timeline.time_of_loss(1), 2 * ms);
    OverviewBin before;
    for (const OverviewBin& bin : timeline.overview().bins()) before.add(bin);
    EXPECT_EQ(before.losses, 2u);
    EXPECT_EQ(timeline.overview().begin_ns(), 1 * ms);
}

TEST_F(TimelineTest, WhatTheKernelToldStandsInOrderOfTime) {
    packet(1 * ms, 100);
    store.begin_kernel_truth();
    for (const int64_t at : {2, 5, 3}) {
        store.add_kernel_window(store.kernel_score(1, Side::a), {.time_ns = at * ms,
                                                                 .connection = 1,
                                                                 .cwnd = static_cast<uint32_t>(at * 1000),
                                                                 .sender = Side::a});
    }
    timeline.update();
    const SenderTrack& sender = timeline.track(1)->sender(Side::a);
    EXPECT_THAT(sender.kernel_windows, ElementsAre(0, 2, 1));
    const auto raw = [&](size_t i) { return store.kernel_windows()[sender.kernel_windows[i]].cwnd; };
    EXPECT_EQ(sender.kernel_cwnd.query(0, 2, raw).max, 3000u);
    EXPECT_THAT(timeline.track(1)->sender(Side::b).kernel_windows, IsEmpty());
}

TEST_F(TimelineTest, RowsThatComeLateAgainAndAgainStandAtTheirPlaces) {
    std::mt19937 engine(1);
    const auto random = [&] { return static_cast<uint32_t>(engine()); };
    int64_t now_ns = 0;
    uint32_t seen = 0;           // moves of PDUs that are followed …
    std::vector<uint32_t> pdus;  // … in a copy of what was there at the last look
    packet(0, 100);
    for (unsigned round = 0; round < 300; ++round) {
        for (unsigned i = random() % 40; i > 0; --i) {
            now_ns += static_cast<int64_t>(random() % 1000);
            const bool late = random() % 12 == 0;
            const int64_t at_ns =
                std::max<int64_t>(0, now_ns - (late ? static_cast<int64_t>(random() % 9000) : 0));
            const uint32_t number = packet(at_ns, random() % 1400, random() % 2 == 0 ? Side::a : Side::b);
            if (random() % 3 == 0) continue;
            PduRow& pdu = store.add_pdu();
            pdu.connection = 1;
            pdu.first_packet = pdu.last_packet = number;
            pdu.time_ns = at_ns;
        }
        timeline.update(random() % 3 == 0 ? 7 : SIZE_MAX);
        const ConnectionTrack& track = *timeline.track(1);
        const auto pdu_time = [&](uint32_t row) { return store.pdus()[row].time_ns; };
        EXPECT_TRUE(std::ranges::is_sorted(all_of(track.pdus), {}, pdu_time));
        for (const Side side : {Side::a, Side::b}) {
            const SenderTrack& sender = track.sender(side);
            ASSERT_TRUE(std::ranges::is_sorted(all_of(sender.segments), {},
                                               [&](uint32_t row) { return timeline.time_of(row + 1); }));
            const auto payload = [&](size_t i) {
                return store.segments()[sender.segments[i]].payload_length;
            };
            const size_t first = sender.segments.empty() ? 0 : random() % sender.segments.size();
            uint64_t sum = 0;
            for (size_t i = first; i < sender.segments.size(); ++i) sum += payload(i);
            ASSERT_EQ(sender.payload.query(first, sender.segments.size(), payload), sum);
        }
        // What is told to have moved is all that did, and mostly a little.
        const size_t moved = std::min(track.first_moved_pdu(seen), pdus.size());
        ASSERT_TRUE(
            std::equal(pdus.begin(), pdus.begin() + static_cast<ptrdiff_t>(moved), track.pdus.begin()));
        if (pdus.size() > 100) {
            ASSERT_GT(moved, pdus.size() - 100);
        }
        if (random() % 2 == 0) {
            pdus = all_of(track.pdus);
            seen = track.pdus_moved();
        }
    }
    EXPECT_GT(seen, 64u);
    EXPECT_EQ(timeline.track(1)->first_moved_pdu(0), 0u);  // too long ago to tell
}

TEST_F(TimelineTest, ConnectionsWithoutPayloadHaveNoTrack) {
    packet(1 * ms, 0);
    packet(2 * ms, 0, Side::b);
    timeline.update();
    EXPECT_EQ(timeline.track(1), nullptr);
    EXPECT_EQ(timeline.track(0), nullptr);
    EXPECT_EQ(timeline.track(7), nullptr);
}

TEST_F(TimelineTest, CommandsUnderWayAtOnceHaveDifferentSlots) {
    packet(1 * ms, 10);
    command(1 * ms, 5 * ms);
    command(2 * ms, 3 * ms);
    command(3 * ms, 9 * ms);  // the second's slot is free again
    command(4 * ms, 6 * ms);
    command(5 * ms, 8 * ms);
    store.finish();
    timeline.finish();
    const ConnectionTrack& track = *timeline.track(1);
    EXPECT_THAT(track.commands, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(track.slots, ElementsAre(0, 1, 1, 2, 0));
    EXPECT_EQ(track.slots_used, 3);
    EXPECT_EQ(track.longest_ns, 6 * ms);
    EXPECT_THAT(track.unended, IsEmpty());
    EXPECT_EQ(track.turnaround
                  .query(0, 5, [&](size_t i) { return store.commands()[track.commands[i]].turnaround_ns(); })
                  .max,
              6 * ms);
}

TEST_F(TimelineTest, WhatBecameKnownLateIsRightInTheEnd) {
    packet(1 * ms, 10);
    CommandRow& first = command(1 * ms, no_time);
    for (int i = 0; i < 300; ++i) command((2 + i) * ms, (2 + i) * ms + 1000);
    timeline.update();
    const ConnectionTrack& track = *timeline.track(1);
    EXPECT_FALSE(track.commands.empty());
    EXPECT_THAT(track.unended, ElementsAre(0));
    first.response_ns = 400 * ms;
    CommandRow& inferred = command(no_time, 3 * ms + 500);  // its request was never captured
    inferred.first_data_ns = 3 * ms + 200;
    timeline.finish();
    EXPECT_THAT(track.unended, IsEmpty());
    EXPECT_EQ(track.longest_ns, 399 * ms);
    EXPECT_EQ(track.commands[3], 301u);  // by start, not by row
    OverviewBin all;
    for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
    EXPECT_EQ(all.commands, 302u);
    EXPECT_EQ(all.slowest_ns, 399 * ms);
}

// Its answer lies in headers that the capture lacks: it is not drawn as if it had been under way until the end.
TEST_F(TimelineTest, ACommandThatEndedNobodyKnowsWhenIsThereUntilTheLatestKnownOfIt) {
    packet(1 * ms, 10);
    CommandRow& with_data = command(1 * ms, no_time);
    with_data.outcome = Outcome::completed;
    with_data.first_data_ns = 2 * ms;
    with_data.last_data_ns = 5 * ms;
    CommandRow& without = command(3 * ms, no_time);
    without.outcome = Outcome::unknown;
    CommandRow& unanswered = command(4 * ms, no_time);
    unanswered.outcome = Outcome::unanswered;
    packet(100 * ms, 10);
    timeline.finish();
    EXPECT_EQ(timeline.end_of(with_data), 5 * ms);
    EXPECT_EQ(timeline.end_of(without), 3 * ms);
    EXPECT_EQ(timeline.end_of(unanswered), no_time);
    EXPECT_THAT(timeline.track(1)->unended, ElementsAre(2));
}

TEST_F(TimelineTest, ACommandThatEndsLateGivesItsSlotBackThen) {
    packet(0, 10);
    constexpr int64_t took_ns = 400 * ms;  // more than 256 commands begin meanwhile
    int64_t now_ns = 0;
    std::deque<CommandRow*> under_way;
    for (int i = 0; i < 5000; ++i) {
        now_ns += ms;
        under_way.push_back(&command(now_ns, no_time));
        while (under_way.front()->request_ns + took_ns <= now_ns) {
            under_way.front()->response_ns = under_way.front()->request_ns + took_ns;
            under_way.pop_front();
        }
        timeline.update();
    }
    const ConnectionTrack& track = *timeline.track(1);
    EXPECT_GT(track.commands.size(), 4000u);
    EXPECT_LE(track.slots_used, 402);
    EXPECT_LE(track.unended.size(), 400u);
    EXPECT_EQ(track.longest_ns, took_ns);
    const auto turnaround = [&](size_t i) { return store.commands()[track.commands[i]].turnaround_ns(); };
    EXPECT_EQ(track.turnaround.query(0, 4096, turnaround).min, took_ns);
    OverviewBin all;
    for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
    EXPECT_EQ(all.commands, track.commands.size() - track.unended.size());
    store.finish();
    timeline.finish();
    EXPECT_EQ(track.commands_made_anew, 0u);
    EXPECT_EQ(track.commands.size(), 5000u);
}

TEST_F(TimelineTest, CommandsThatAreNeverAnsweredDoNotKeepTheirSlotsForEver) {
    packet(0, 10);
    std::vector<CommandRow*> unanswered;
    for (int i = 0; i < 5000; ++i) {
        const int64_t at_ns = i * ms;
        CommandRow& row = command(at_ns, i % 5 == 0 ? no_time : at_ns + 3 * ms + 1);
        if (i % 5 == 0) unanswered.push_back(&row);
        timeline.update();
    }
    const ConnectionTrack& track = *timeline.track(1);
    const auto most = static_cast<uint16_t>(4 + CommandSlots::patience / 5 + 2);
    EXPECT_LE(track.slots_used, most);
    EXPECT_GE(track.slots_used, CommandSlots::most_without_end);
    // Late answers of those that gave up their slots take none from those that have them now.
    for (CommandRow* const row : unanswered) row->response_ns = row->request_ns + 3 * ms + 1;
    for (int i = 5000; i < 6000; ++i) {
        command(i * ms, i * ms + 3 * ms + 1);
        timeline.update();
    }
    EXPECT_LE(track.slots_used, most);
    std::vector<int64_t> busy_until(track.slots_used);
    for (size_t i = 5100; i < track.commands.size(); ++i) {
        const CommandRow& row = store.commands()[track.commands[i]];
        EXPECT_LE(busy_until[track.slots[i]], row.request_ns);
        busy_until[track.slots[i]] = row.response_ns;
    }
}

TEST_F(TimelineTest, WhatGrewIsInTheEndWhatIsMadeOfAllAtOnce) {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        std::mt19937 engine(seed);
        const auto random = [&](uint32_t below) { return static_cast<uint32_t>(engine()) % below; };
        PacketIndex packets;
        ResultStore rows{ResultStore::Keep::everything()};
        Timeline grown{rows, packets};
        uint32_t number = 0;
        for (uint32_t connection = 0; connection < 3; ++connection) {
            rows.add_connection(number).first_packet = 1;
            RawPacket raw;
            raw.time_ns = 1;
            raw.wire_length = raw.captured_length = 100;
            raw.data = bytes;
            raw.link_type = LinkType::ethernet;
            packets.add(raw, 0);
            SegmentRow& segment = rows.add_segment();
            segment.connection = connection + 1;
            segment.payload_length = 46;
        }
        int64_t now_ns = 0;
        std::vector<CommandRow*> all_rows;
        const bool orderly = seed % 2 == 0;
        for (int i = 0; i < 2000; ++i) {
            now_ns += random(1000);
            uint64_t added = 0;
            CommandRow& row = rows.begin_command(added);
            row.connection = random(4);
            row.request_ns = orderly || random(20) != 0 ? now_ns : std::max<int64_t>(now_ns - 5000, 0);
            if (random(3) == 0) row.response_ns = now_ns;
            all_rows.push_back(&row);
            const auto back = random(std::min(100u, static_cast<uint32_t>(all_rows.size())));
            CommandRow& other = *all_rows[all_rows.size() - 1 - back];
            if (other.response_ns == no_time) other.response_ns = now_ns;
            if (!orderly && random(50) == 0) other.response_ns = now_ns;
            if (!orderly && random(100) == 0) other.aborted_packet = 1;
            if (random(4) == 0) grown.update(1 + random(100));
        }
        rows.finish();
        grown.finish();
        Timeline whole{rows, packets};
        whole.finish();
        for (uint32_t connection = 1; connection <= 3; ++connection) {
            const ConnectionTrack& one = *grown.track(connection);
            const ConnectionTrack& other = *whole.track(connection);
            if (orderly) {
                EXPECT_EQ(one.commands_made_anew, 0u) << seed;
            }
            EXPECT_EQ(one.commands, other.commands) << seed;
            EXPECT_EQ(one.unended, other.unended) << seed;
            EXPECT_EQ(one.longest_ns, other.longest_ns) << seed;
            EXPECT_EQ(one.last_end_ns, other.last_end_ns) << seed;
            const auto turnaround = [&](size_t i) {
                return rows.commands()[one.commands[i]].turnaround_ns();
            };
            for (size_t first = 0; first < one.commands.size(); first += 97) {
                const auto a = one.turnaround.query(first, one.commands.size(), turnaround);
                const auto b = other.turnaround.query(first, one.commands.size(), turnaround);
                EXPECT_EQ(std::tuple(a.any, a.min, a.max), std::tuple(b.any, b.min, b.max)) << seed;
            }
            std::vector<int64_t> busy_until(one.slots_used + size_t{1});
            for (size_t i = 0; i < one.commands.size(); ++i) {
                const CommandRow& row = rows.commands()[one.commands[i]];
                EXPECT_LE(busy_until[one.slots[i]], Timeline::start_of(row)) << seed;
                busy_until[one.slots[i]] = std::max(grown.end_of(row), Timeline::start_of(row));
            }
        }
        OverviewBin all;
        OverviewBin expected;
        for (const OverviewBin& bin : grown.overview().bins()) all.add(bin);
        for (const OverviewBin& bin : whole.overview().bins()) expected.add(bin);
        EXPECT_EQ(all.commands, expected.commands) << seed;
        EXPECT_EQ(all.slowest_ns, expected.slowest_ns) << seed;
    }
}

TEST_F(TimelineTest, TakesInPartsAndTellsWhenThatIsAll) {
    for (int i = 0; i < 10; ++i) packet(i * ms, 1);
    EXPECT_FALSE(timeline.update(4));
    EXPECT_EQ(timeline.last_ns(), 3 * ms);
    EXPECT_FALSE(timeline.update(4));
    EXPECT_TRUE(timeline.update(4));
    EXPECT_EQ(timeline.track(1)->sender(Side::a).segments.size(), 10u);
}

TEST_F(TimelineTest, TakesCopiedRowsInWhileTheStoreGrows) {
    for (const int at : {1, 4, 2}) packet(at * ms, 10);
    EXPECT_TRUE(timeline.copy_rows(10));
    packet(3 * ms, 10);
    timeline.take_copied();
    EXPECT_THAT(timeline.track(1)->sender(Side::a).segments, ElementsAre(0, 1));
    EXPECT_TRUE(timeline.update());
    EXPECT_THAT(timeline.track(1)->sender(Side::a).segments, ElementsAre(0, 2, 3, 1));
}

TEST_F(TimelineTest, LossesThatTurnOutToBeNoneAreNotCounted) {
    packet(1 * ms, 10);
    SenderSummary& sender = store.add_sender(1, Side::a);
    LossRow loss;
    loss.connection = 1;
    loss.sender = Side::a;
    loss.time_ns = 1 * ms;
    loss.kind = LossKind::fast_retransmit;
    const uint64_t number = store.add_loss(sender, loss);
    timeline.update();
    store.reclassify_loss(sender, number, LossKind::fast_retransmit, LossKind::out_of_order);
    timeline.finish();
    OverviewBin all;
    for (const OverviewBin& bin : timeline.overview().bins()) all.add(bin);
    EXPECT_EQ(all.losses, 0u);
    EXPECT_THAT(timeline.track(1)->sender(Side::a).losses, ElementsAre(0));
}

TEST(FirstNotBefore, FindsThePlaceOfAMoment) {
    const std::vector<uint32_t> rows = {3, 5, 5, 9};
    const auto at = [](uint32_t row) { return int64_t{row}; };
    EXPECT_EQ(first_not_before(rows, 0, at), 0u);
    EXPECT_EQ(first_not_before(rows, 5, at), 1u);
    EXPECT_EQ(first_not_before(rows, 6, at), 3u);
    EXPECT_EQ(first_not_before(rows, 10, at), 4u);
}

}  // namespace
}  // namespace sanscope
