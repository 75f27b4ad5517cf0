// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a connection, in and out of order, cut, sent again, with whatever bytes, and blocks that lie of their lengths: every
// packet comes out once and in order, no longer than it went in, with its frame's headers as they were and its other bytes as
// they were or zeros; no more waits than is allowed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fuzzer/FuzzedDataProvider.h>
#include <vector>

#include "captures/recorder/header_keeper.h"
#include "captures/recorder/recording_blocks.h"

namespace {

using namespace sanscope;  // NOLINT(google-build-using-namespace)

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

uint32_t word(const uint8_t* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void put16(std::vector<uint8_t>& bytes, uint32_t value) {
    bytes.push_back(static_cast<uint8_t>(value >> 8));
    bytes.push_back(static_cast<uint8_t>(value));
}
void put32(std::vector<uint8_t>& bytes, uint32_t value) {
    put16(bytes, value >> 16);
    put16(bytes, value);
}

// Ethernet, IPv4, TCP.
std::vector<uint8_t> frame_of(bool from_target, uint32_t seq, uint32_t ack, uint8_t flags,
                              const std::vector<uint8_t>& payload) {
    std::vector<uint8_t> frame(12, 2);
    put16(frame, 0x0800);
    frame.insert(frame.end(), {0x45, 0});
    put16(frame, static_cast<uint32_t>(40 + payload.size()));
    frame.insert(frame.end(), {0, 0, 0, 0, 64, 6, 0, 0});
    put32(frame, from_target ? 0x0a000002 : 0x0a000001);
    put32(frame, from_target ? 0x0a000001 : 0x0a000002);
    put16(frame, from_target ? 3260 : 50000);
    put16(frame, from_target ? 50000 : 3260);
    put32(frame, seq);
    put32(frame, ack);
    frame.insert(frame.end(), {0x50, flags, 0xff, 0xff, 0, 0, 0, 0});
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider choices(data, size);
    HeaderKeeper::Limits limits;
    limits.waiting_packets = choices.ConsumeIntegralInRange<size_t>(1, 60);
    limits.follower.iscsi_connections = choices.ConsumeIntegralInRange<size_t>(1, 3);
    std::deque<std::vector<uint8_t>> sent;
    uint64_t told = 0;
    uint64_t came = 0;
    const auto look = [&](std::span<const uint8_t> blocks, uint64_t packets) {
        told += packets;
        while (!blocks.empty()) {
            require(blocks.size() >= 32);
            const uint32_t length = word(blocks.data() + 4);
            require(length >= 32 && length <= blocks.size() && word(blocks.data() + length - 4) == length);
            require(!sent.empty());
            const std::vector<uint8_t>& before = sent.front();
            const uint32_t captured = word(blocks.data() + 20);
            require(captured <= word(before.data() + 20) && packet_block_length(captured) == length);
            require(std::equal(blocks.begin() + 8, blocks.begin() + 20, before.begin() + 8));
            require(word(blocks.data() + 24) == word(before.data() + 24));
            for (uint32_t i = 28; i < 28 + captured; ++i)
                require(blocks[i] == before[i] || (blocks[i] == 0 && i >= 28 + 54));
            sent.pop_front();
            ++came;
            blocks = blocks.subspan(length);
        }
    };
    WrittenOutput output(size_t{1} << 14, look);
    HeaderKeeper keeper({1}, output, limits);
    std::chrono::steady_clock::time_point now;
    uint32_t next[2] = {choices.ConsumeIntegral<uint32_t>(), choices.ConsumeIntegral<uint32_t>()};
    uint64_t time_ns = 1'000'000'000;
    uint64_t in = 0;
    while (choices.remaining_bytes() > 0 && in < 2000) {
        const bool target = choices.ConsumeBool();
        const int32_t moved = choices.ConsumeBool() ? choices.ConsumeIntegralInRange<int32_t>(-500, 500) : 0;
        const auto payload = choices.ConsumeBytes<uint8_t>(choices.ConsumeIntegralInRange<size_t>(0, 300));
        const auto frame = frame_of(target, next[target] + static_cast<uint32_t>(moved), next[!target],
                                    choices.ConsumeIntegral<uint8_t>(), payload);
        if (moved == 0) next[target] += static_cast<uint32_t>(payload.size());
        const auto captured = choices.ConsumeBool() ? static_cast<uint32_t>(frame.size())
                                                    : choices.ConsumeIntegralInRange<uint32_t>(
                                                          0, static_cast<uint32_t>(frame.size()));
        std::vector<uint8_t> block(packet_block_length(captured));
        time_ns += choices.ConsumeIntegralInRange<uint64_t>(0, 100'000'000);
        put_packet_block(block.data(), 0, time_ns, frame.data(), captured,
                         static_cast<uint32_t>(frame.size()));
        sent.push_back(block);
        ++in;
        keeper.take_blocks(block, now);
        require(keeper.waiting() <= limits.waiting_packets);
        if (choices.ConsumeIntegralInRange(0, 15) == 0) {
            // One that lies of what was captured is left out.
            const uint32_t lie = captured + 4 + choices.ConsumeIntegral<uint16_t>();
            std::memcpy(block.data() + 20, &lie, sizeof lie);
            keeper.take_blocks(block, now);
        }
        now += std::chrono::milliseconds(choices.ConsumeIntegralInRange(0, 400));
        keeper.tick(now);
    }
    keeper.finish();
    require(came == in && told == in && keeper.waiting() == 0);
    return 0;
}
