// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/packet_buffers.h"

#include <gtest/gtest.h>
#include <thread>

namespace sanscope {
namespace {

using std::chrono::milliseconds;

TEST(PacketBuffers, GoRoundAndComeBackEmpty) {
    PacketBuffers buffers(2, 5000);
    PacketBuffer* const one = buffers.take(milliseconds(0));
    PacketBuffer* const two = buffers.take(milliseconds(0));
    ASSERT_NE(one, nullptr);
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(one->capacity, 8192u);
    EXPECT_EQ(buffers.take(milliseconds(1)), nullptr) << "there are only two";
    one->used = 10;
    one->packets = 1;
    two->used = 20;
    buffers.hand_over(two);
    buffers.hand_over(one);
    EXPECT_EQ(buffers.next(milliseconds(0)), two);
    EXPECT_EQ(buffers.next(milliseconds(0)), one);
    EXPECT_EQ(buffers.next(milliseconds(1)), nullptr);
    buffers.give_back(one);
    buffers.give_back(two);
    EXPECT_EQ(buffers.free(), 2u);
    PacketBuffer* const again = buffers.take(milliseconds(0));
    EXPECT_EQ(again, two) << "the one used last";
    EXPECT_EQ(again->used, 0u);
    EXPECT_EQ(again->packets, 0u);
}

TEST(PacketBuffers, NothingIsLostBetweenThreads) {
    constexpr uint32_t rounds = 5000;
    PacketBuffers buffers(3, 4096);
    const auto fill = [&](uint32_t source) {
        for (uint32_t round = 0; round < rounds; ++round) {
            PacketBuffer* buffer = nullptr;
            while (buffer == nullptr) buffer = buffers.take(milliseconds(10));
            buffer->source = source;
            buffer->packets = round;
            buffers.hand_over(buffer);
        }
    };
    std::thread first(fill, 0);
    std::thread second(fill, 1);
    uint64_t expected[2] = {};
    for (uint32_t taken = 0; taken < 2 * rounds;) {
        PacketBuffer* const buffer = buffers.next(milliseconds(10));
        if (buffer == nullptr) continue;
        EXPECT_EQ(buffer->packets, expected[buffer->source]++);
        buffers.give_back(buffer);
        ++taken;
    }
    first.join();
    second.join();
    EXPECT_EQ(buffers.free(), 3u);
}

TEST(WrittenOutput, WritesWhatIsInABufferOnceTheNextBlockDoesNotFit) {
    std::vector<size_t> bytes;
    std::vector<uint64_t> packets;
    WrittenOutput output(4096, [&](std::span<const uint8_t> blocks, uint64_t count) {
        bytes.push_back(blocks.size());
        packets.push_back(count);
    });
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(output.room(2000), nullptr);
        output.add_packet(1500, 0);
    }
    EXPECT_EQ(bytes, std::vector<size_t>{3000});
    EXPECT_EQ(output.room(4097), nullptr) << "no buffer is that long";
    EXPECT_EQ(bytes, (std::vector<size_t>{3000, 1500}));
    output.hand_over();
    EXPECT_EQ(packets, (std::vector<uint64_t>{2, 1})) << "nothing is not written";
}

}  // namespace
}  // namespace sanscope
