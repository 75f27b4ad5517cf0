// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/story.h"

#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::wait_until;

const SelectedThings& selected(Document& document, Selection selection) {
    document.state().select(selection);
    EXPECT_TRUE(wait_until([&] { return document.state().selected().selection == selection; }));
    return document.state().selected();
}

size_t packets_within(const CaptureData::Reading& reading, TimeRange range, uint32_t connection) {
    size_t packets = 0;
    for (PacketNumber packet = 1; packet <= reading.index().packets(); ++packet) {
        packets += reading.store().segments()[packet - 1].connection == connection &&
                           range.contains(reading.timeline().time_of(packet))
                       ? 1U
                       : 0U;
    }
    return packets;
}

// Whatever packet is framed: it is in sight, and not alone.
TEST(Story, APacketIsFramedWithItsNeighbours) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    const auto reading = document->data()->try_read();
    for (PacketNumber packet = 50; packet + 50 < reading->index().packets(); packet += 611) {
        const uint32_t connection = reading->store().segments()[packet - 1].connection;
        if (connection == 0) continue;
        const TimeRange story = selected(*document, {Selection::Kind::packet, packet}).story;
        EXPECT_TRUE(story.contains(reading->timeline().time_of(packet))) << packet;
        EXPECT_GE(story.span_ns(), reading->store().connections()[connection - 1].rtt_min_ns) << packet;
        EXPECT_GE(packets_within(*reading, story, connection), 13u) << packet;
        EXPECT_LT(story.span_ns(), document->state().whole().span_ns() / 4) << packet;
    }
}

// Of a segment that was sent again: the first copy or when it was sent, what came of it, and the command's answer if it waited.
TEST(Story, ARetransmissionIsFramedFromTheFirstCopyOn) {
    for (const char* const sample : {"loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst"}) {
        const auto document = loaded_sample(sample);
        const auto reading = document->data()->try_read();
        size_t copies = 0;
        size_t answers = 0;
        uint64_t number = 0;
        for (const LossRow& row : reading->store().losses()) {
            ++number;
            if (row.kind != LossKind::fast_retransmit || number % 3 != 0) continue;
            for (const Selection selection :
                 {Selection{Selection::Kind::packet, row.packet}, {Selection::Kind::loss, number}}) {
                const SelectedThings things = selected(*document, selection);
                EXPECT_TRUE(things.story.contains(things.range));
                EXPECT_TRUE(things.story.contains(reading->timeline().time_of(row.packet)));
                if (row.original_packet != 0) {
                    ++copies;
                    EXPECT_TRUE(things.story.contains(reading->timeline().time_of(row.original_packet)))
                        << number;
                }
                if (row.delay_ns != no_time) {
                    EXPECT_LE(things.story.begin_ns, row.time_ns - row.delay_ns) << number;
                }
                if (things.command == 0) continue;
                const int64_t answer_ns = reading->store().commands()[things.command - 1].response_ns;
                answers += answer_ns != no_time && things.story.contains(answer_ns) ? 1U : 0U;
            }
        }
        EXPECT_GT(copies, 4u) << sample;
        EXPECT_GT(answers, 4u) << sample;
    }
}

// What has no neighbours near it is not stretched over a pause without end, but shows that it came after one.
TEST(Story, APauseEndsIt) {
    const auto document = loaded_sample("faults/ping-timeout/initiator.pcap.zst");
    const auto reading = document->data()->try_read();
    // The unanswered NOP-Out: a second after the load before it, three before the FIN behind it.
    const PacketNumber ping = 215;
    const TimeRange story = selected(*document, {Selection::Kind::packet, ping}).story;
    const int64_t at_ns = reading->timeline().time_of(ping);
    EXPECT_TRUE(story.contains(at_ns));
    EXPECT_EQ(story.begin_ns, reading->timeline().time_of(ping - 1));
    EXPECT_LT(story.end_ns - at_ns, 4'000'000'000);
}

// F, and what a selection is said to last: the moment stays a moment.
TEST(Story, FFramesTheStory) {
    const auto document = loaded_sample("loss-mixed-initiator.pcap.zst");
    const SelectedThings things = selected(*document, {Selection::Kind::packet, 8209});
    EXPECT_EQ(things.range.span_ns(), 1);
    document->frame_when_resolved();
    EXPECT_TRUE(document->state().range().contains(things.story));
    EXPECT_LT(document->state().range().span_ns(), 2 * things.story.span_ns());
    EXPECT_GT(document->state().range().span_ns(), 1'000'000);
}

}  // namespace
}  // namespace sanscope
