// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/time_sequence/time_sequence_view.h"

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::send_mouse;
using testing_gui::wait_until;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";

// Segments with payload of a sender, as the store has them, with their numbers unwrapped one after the other.
struct Plain {
    int64_t time_ns;
    int64_t begin;
    int64_t end;
    PacketNumber packet;
};
std::vector<Plain> plain_segments(const CaptureData::Reading& reading, SenderId sender) {
    const ConnectionRow& connection = reading.store().connections()[sender.connection - 1];
    const size_t side = index_of(sender.side);
    EXPECT_TRUE(connection.stream_start_known[side]);
    std::vector<Plain> segments;
    int64_t before = 0;
    PacketNumber packet = 0;
    for (const SegmentRow& row : reading.store().segments()) {
        ++packet;
        if (row.connection != sender.connection || row.sender != sender.side) continue;
        const auto low = static_cast<uint32_t>(row.seq - connection.stream_start_seq[side]);
        // The nearest to the one before among all with these lower bits.
        int64_t begin = (before & ~int64_t{0xffffffff}) + low;
        if (begin - before > int64_t{1} << 31) begin -= int64_t{1} << 32;
        if (before - begin > int64_t{1} << 31) begin += int64_t{1} << 32;
        before = begin;
        if (row.payload_length == 0) continue;
        segments.push_back({reading.timeline().time_of(packet), begin, begin + row.payload_length, packet});
    }
    std::ranges::stable_sort(segments, {}, &Plain::time_ns);
    return segments;
}

TEST(SequenceIndex, UnwrapsNearestToTheBase) {
    const SequenceIndex index;  // of which the stream begins at 0
    constexpr int64_t round = int64_t{1} << 32;
    EXPECT_EQ(index.unwrap(5, 0), 5);
    EXPECT_EQ(index.unwrap(0xfffffff0, 0), -16);
    EXPECT_EQ(index.unwrap(5, round - 10), round + 5);
    EXPECT_EQ(index.unwrap(0xfffffff0, round + 5), round - 16);
    EXPECT_EQ(index.unwrap(100, 7 * round + 200), 7 * round + 100);
    for (int64_t at = -3 * round; at < 9 * round; at += 123'456'789) {
        for (const int64_t distance :
             {int64_t{-2'000'000'000}, int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2'000'000'000}}) {
            const int64_t wanted = at + distance;
            ASSERT_EQ(index.unwrap(static_cast<uint32_t>(wanted), at), wanted);
        }
    }
}

TEST(SequencePicture, EverythingStandsWhenItWasCaptured) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const SenderId sender = sender_of(reading, 1, true);
    ASSERT_TRUE(moments_are_estimated(reading, sender));
    SequenceIndexes indexes;
    const TimeRange whole{reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
    const auto prepared = PreparedRange::around({whole, 0, 100'000});
    const SequencePicture picture = prepare_sequence(reading, sender, prepared, nullptr, indexes);
    ASSERT_TRUE(picture.near);
    ASSERT_FALSE(picture.losses.empty());
    EXPECT_TRUE(std::ranges::is_sorted(picture.losses, {}, &LossBar::time_ns));
    for (const LossBar& loss : picture.losses) {
        EXPECT_EQ(loss.time_ns, reading.timeline().time_of(loss.packet));
        EXPECT_LE(loss.sent_ns, loss.time_ns);
        // Its mark stands on its segment.
        EXPECT_TRUE(std::ranges::any_of(picture.segments, [&](const SegmentBar& segment) {
            return segment.packet == loss.packet && segment.time_ns == loss.time_ns &&
                   segment.begin <= loss.begin && loss.end <= segment.end;
        })) << loss.packet;
    }
    // An acknowledgement is drawn where its packet was captured, and never of bytes that came later.
    std::vector<int64_t> captured;
    PacketNumber packet = 0;
    for (const SegmentRow& row : reading.store().segments()) {
        ++packet;
        if (row.connection == 1 && row.sender != sender.side)
            captured.push_back(reading.timeline().time_of(packet));
    }
    for (const StepPoint& point : picture.acknowledged) {
        if (!whole.contains(point.time_ns)) continue;
        EXPECT_TRUE(std::ranges::binary_search(captured, point.time_ns)) << point.time_ns;
    }
}

TEST(SequencePicture, NearItIsEverySegment) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const SenderId sender = sender_of(reading, 1, true);
    const auto plain = plain_segments(reading, sender);
    ASSERT_GT(plain.size(), 1000u);
    SequenceIndexes indexes;
    const TimeRange range{plain[400].time_ns, plain[600].time_ns};
    const auto prepared = PreparedRange::around({range, 0, 1000});
    const SequencePicture picture = prepare_sequence(reading, sender, prepared, nullptr, indexes);
    ASSERT_TRUE(picture.near);
    std::vector<SegmentBar> bars;
    for (const SegmentBar& bar : picture.segments) {
        if (bar.end > bar.begin) bars.push_back(bar);
    }
    size_t at = 0;
    for (const Plain& segment : plain) {
        if (!prepared.range.contains(segment.time_ns)) continue;
        ASSERT_LT(at, bars.size());
        EXPECT_EQ(bars[at].time_ns, segment.time_ns);
        EXPECT_EQ(bars[at].begin, segment.begin);
        EXPECT_EQ(bars[at].end, segment.end);
        ++at;
    }
    EXPECT_EQ(at, bars.size());
    EXPECT_GT(at, 150u);
}

TEST(SequencePicture, FarItIsTheExtentOfEachColumnAndSumsAreExact) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const SenderId sender = sender_of(reading, 1, true);
    const auto plain = plain_segments(reading, sender);
    SequenceIndexes indexes;
    const TimeRange range{plain.front().time_ns, plain.back().time_ns + 1};
    const auto prepared = PreparedRange::around({range, 0, 200});
    const SequencePicture picture = prepare_sequence(reading, sender, prepared, nullptr, indexes);
    ASSERT_FALSE(picture.near);
    ASSERT_GT(picture.columns.size(), 50u);
    size_t at = 0;
    for (const SegmentColumn& column : picture.columns) {
        int64_t begin = INT64_MAX;
        int64_t end = INT64_MIN;
        while (at < plain.size() && plain[at].time_ns < column.time_ns + prepared.ns_per_column) {
            ASSERT_GE(plain[at].time_ns, column.time_ns);
            begin = std::min(begin, plain[at].begin);
            end = std::max(end, plain[at].end);
            ++at;
        }
        EXPECT_EQ(column.begin, begin);
        EXPECT_EQ(column.end, end);
    }
    EXPECT_EQ(at, plain.size());

    uint64_t bytes = 0;
    for (const ThroughputBin& bin : picture.throughput) {
        uint64_t expected = 0;
        for (const Plain& segment : plain) {
            if (segment.time_ns >= bin.begin_ns && segment.time_ns < bin.begin_ns + picture.bin_ns) {
                expected += static_cast<uint64_t>(segment.end - segment.begin);
            }
        }
        EXPECT_EQ(bin.bytes, expected);
        EXPECT_EQ((bin.begin_ns - reading.timeline().first_ns()) % picture.bin_ns, 0);
        bytes += bin.bytes;
    }
    uint64_t all = 0;
    for (const Plain& segment : plain) all += static_cast<uint64_t>(segment.end - segment.begin);
    EXPECT_EQ(bytes, all);
    EXPECT_EQ(round_bin(1), 1);
    EXPECT_EQ(round_bin(1100), 2000);
    EXPECT_EQ(round_bin(200'001), 500'000);
}

TEST(SequencePicture, AcknowledgementsLieBelowAndWindowsAboveWhatIsSent) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const SenderId sender = sender_of(reading, 1, true);
    SequenceIndexes indexes;
    const TimeRange whole{reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
    for (const double share : {1.0, 0.02}) {
        const TimeRange range{whole.begin_ns + 200'000'000,
                              whole.begin_ns + 200'000'000 + static_cast<int64_t>(150e6 * share)};
        const auto prepared = PreparedRange::around({range, 0, 800});
        const SequencePicture picture = prepare_sequence(reading, sender, prepared, nullptr, indexes);
        double before = 0;
        for (const StepPoint& point : picture.acknowledged) {
            EXPECT_GE(point.first, before);
            before = point.last;
        }
        EXPECT_GT(before, 0);
        for (const SegmentBar& bar : picture.segments) {
            const double edge = value_at(picture.window_edge, bar.time_ns);
            if (std::isnan(edge)) continue;
            EXPECT_LE(static_cast<double>(bar.end), edge);
        }
    }
}

TEST(SequencePicture, SacksAreThoseOfThePackets) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const SenderId sender = sender_of(reading, 1, true);
    const auto plain = plain_segments(reading, sender);
    // About the first fast retransmission of that sender.
    int64_t loss_ns = no_time;
    for (const LossRow& row : reading.store().losses()) {
        if (row.connection != 1 || row.sender != sender.side || row.kind != LossKind::fast_retransmit)
            continue;
        loss_ns = row.time_ns;
        break;
    }
    ASSERT_NE(loss_ns, no_time);
    SequenceIndexes indexes;
    const auto prepared = PreparedRange::around({{loss_ns - 10'000'000, loss_ns + 5'000'000}, 0, 1000});
    const SequencePicture picture = prepare_sequence(reading, sender, prepared, nullptr, indexes);
    ASSERT_TRUE(picture.near);
    ASSERT_FALSE(picture.sacks.empty());
    for (const SackBar& bar : picture.sacks) {
        EXPECT_LT(bar.begin, bar.end);
        // Bytes that had been sent, on borders of segments.
        EXPECT_TRUE(std::ranges::any_of(plain, [&](const Plain& one) { return one.begin == bar.begin; }))
            << bar.begin << " by packet " << bar.packet;
        EXPECT_TRUE(std::ranges::any_of(plain, [&](const Plain& one) { return one.end == bar.end; }))
            << bar.end;
        const SegmentRow& ack = reading.store().segments()[bar.packet - 1];
        EXPECT_NE(ack.sender, sender.side);
    }
    bool lost = false;
    for (const LossBar& bar : picture.losses) {
        lost = lost || std::ranges::any_of(plain, [&](const Plain& one) {
                   return one.packet == bar.packet && one.begin == bar.begin;
               });
    }
    EXPECT_TRUE(lost);
}

using TimeSequenceViewTest = testing_gui::ShownView<TimeSequenceView>;

TEST_F(TimeSequenceViewTest, AClickSelectsTheSegmentAndADoubleClickFramesIt) {
    open(lossy);
    ViewState& state = document->state();
    state.set_range({state.whole().begin_ns + 60'000'000, state.whole().begin_ns + 62'000'000});
    settle();
    ASSERT_TRUE(view->picture().near);
    const TimeViewport time = view->sequence_pane().viewport();
    const ValueScale scale = view->sequence_pane().scale();
    const SegmentBar* wanted = nullptr;
    for (const SegmentBar& bar : view->picture().segments) {
        if (state.range().contains(bar.time_ns) && bar.end > bar.begin) wanted = &bar;
    }
    ASSERT_NE(wanted, nullptr);
    const PacketNumber packet = wanted->packet;
    const QPointF at(time.x_of(wanted->time_ns),
                     scale.y_of(static_cast<double>(wanted->begin + wanted->end) / 2));
    EXPECT_TRUE(view->text_at(at.toPoint()).contains(QStringLiteral("packet")));
    testing_gui::click(view->plot(), at);
    ASSERT_EQ(state.selection().kind, Selection::Kind::packet);
    const int64_t found_ns = document->data()->read().timeline().time_of(state.selection().number);
    const int64_t wanted_ns = document->data()->read().timeline().time_of(packet);
    EXPECT_NEAR(time.x_of(found_ns), time.x_of(wanted_ns), 7);
    const TimeRange before = state.range();
    send_mouse(view->plot(), QEvent::MouseButtonDblClick, at, Qt::LeftButton);
    EXPECT_TRUE(wait_until([&] { return state.range() != before; }));
    EXPECT_TRUE(state.range().contains(found_ns));
}

TEST_F(TimeSequenceViewTest, TheValuesInSightFillThePane) {
    open(lossy);
    ViewState& state = document->state();
    for (const int64_t span : {300'000'000, 3'000'000, 100'000}) {
        state.set_range({state.whole().begin_ns + 60'000'000, state.whole().begin_ns + 60'000'000 + span});
        settle();
        const ValueScale scale = view->sequence_pane().scale();
        for (const SegmentBar& bar : view->picture().segments) {
            if (!state.range().contains(bar.time_ns)) continue;
            EXPECT_GE(static_cast<double>(bar.begin), scale.lower);
            EXPECT_LE(static_cast<double>(bar.end), scale.upper);
        }
    }
}

}  // namespace
}  // namespace sanscope
