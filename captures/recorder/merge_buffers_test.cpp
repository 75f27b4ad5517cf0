// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/merge_buffers.h"

#include <gmock/gmock.h>

#include "captures/recorder/recording_blocks.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class MergeBuffersTest : public testing::Test {
  protected:
    void add(uint32_t interface, const std::vector<uint64_t>& times) {
        PacketBuffer* const buffer = buffers_.take(milliseconds(0));
        ASSERT_NE(buffer, nullptr);
        buffer->source = interface;
        for (const uint64_t time : times) {
            const uint8_t byte = static_cast<uint8_t>(time);
            put_packet_block(buffer->memory.get() + buffer->used, interface, time, &byte, 1, 1);
            buffer->used += packet_block_length(1);
            ++buffer->packets;
            buffer->last_time_ns = std::max(buffer->last_time_ns, static_cast<int64_t>(time));
        }
        buffer->handed_over = now_;
        merge_.add(buffer);
    }
    std::vector<int> merged(bool all = false) {
        std::vector<int> times;
        merge_.merge(now_, all, [&](std::span<const uint8_t> blocks, uint64_t packets) {
            EXPECT_EQ(blocks.size(), packets * packet_block_length(1));
            for (size_t at = 0; at < blocks.size(); at += packet_block_length(1))
                times.push_back(blocks[at + 28]);
        });
        return times;
    }

    PacketBuffers buffers_{8, 4096};
    MergeBuffers merge_{2, buffers_, milliseconds(300)};
    MergeBuffers::Clock::time_point now_ = MergeBuffers::Clock::now();
};

TEST_F(MergeBuffersTest, PacketsComeOutInOrderAsFarAsItIsKnown) {
    add(0, {10, 20, 30, 40});
    EXPECT_THAT(merged(), IsEmpty()) << "the other may have earlier ones";
    add(1, {15, 25});
    EXPECT_THAT(merged(), ElementsAre(10, 15, 20, 25));
    add(1, {35, 45});
    EXPECT_THAT(merged(), ElementsAre(30, 35, 40));
    merge_.complete_until(0, 50);
    EXPECT_THAT(merged(), ElementsAre(45));
    EXPECT_EQ(buffers_.free(), 8u);
}

TEST_F(MergeBuffersTest, AnInterfaceThatIsQuietSaysSoOrIsNotWaitedForLong) {
    add(0, {10, 20});
    merge_.complete_until(1, 15);
    EXPECT_THAT(merged(), ElementsAre(10));
    now_ += milliseconds(299);
    EXPECT_THAT(merged(), IsEmpty());
    now_ += milliseconds(1);
    EXPECT_THAT(merged(), ElementsAre(20));
}

TEST_F(MergeBuffersTest, WhenTheClockIsSetBackOrderIsFoundAnew) {
    add(0, {100, 110});
    add(1, {105});
    EXPECT_THAT(merged(true), ElementsAre(100, 105, 110));
    merge_.forget_times();
    add(0, {10, 30});
    EXPECT_THAT(merged(), IsEmpty()) << "the other may have earlier ones";
    add(1, {20, 40});
    EXPECT_THAT(merged(), ElementsAre(10, 20, 30));
    merge_.ended(0);
    merge_.forget_times();
    EXPECT_THAT(merged(true), ElementsAre(40));
    add(1, {50});
    EXPECT_THAT(merged(), ElementsAre(50)) << "the other has ended all the same";
}

TEST_F(MergeBuffersTest, OneThatHasEndedIsNotWaitedFor) {
    add(0, {10});
    merge_.ended(1);
    EXPECT_THAT(merged(), ElementsAre(10));
}

TEST_F(MergeBuffersTest, InTheEndAllComesOut) {
    add(0, {10, 30});
    add(1, {20});
    EXPECT_THAT(merged(true), ElementsAre(10, 20, 30));
    EXPECT_EQ(buffers_.free(), 8u);
}

TEST_F(MergeBuffersTest, AnInterfacesOwnOrderStays) {
    add(0, {10, 5, 20});
    add(1, {7, 30});
    EXPECT_THAT(merged(), ElementsAre(7, 10, 5, 20));
}

TEST_F(MergeBuffersTest, BuffersAreGivenBackWhenTheyBecomeScarce) {
    for (uint64_t i = 0; i < 6; ++i) add(0, {10 + i});
    EXPECT_THAT(merged(), IsEmpty());
    add(0, {20});
    EXPECT_THAT(merged(), ElementsAre(10, 11, 12, 13, 14, 15, 20));
    EXPECT_EQ(buffers_.free(), 8u);
}

}  // namespace
}  // namespace sanscope
