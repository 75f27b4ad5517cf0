// SPDX-License-Identifier: GPL-3.0-or-later

// Any bytes as segments of both sides, in and out of order, sent again, cut: every packet must come out once and in order, its
// parts covering its payload, no more waiting than is allowed, and nothing known of what is no iSCSI.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fuzzer/FuzzedDataProvider.h>
#include <vector>

#include "captures/scrub/payload_follower.h"

namespace {

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    FuzzedDataProvider choices(data, size);
    PayloadFollower::Limits limits;
    limits.waiting_packets = choices.ConsumeIntegralInRange<size_t>(1, 100);
    PayloadFollower follower(limits);
    std::deque<std::vector<uint8_t>> waiting;
    std::deque<uint32_t> lengths;
    uint32_t seq[2] = {choices.ConsumeIntegral<uint32_t>(), choices.ConsumeIntegral<uint32_t>()};
    PacketNumber next_in = 0;
    PacketNumber next_out = 0;
    int64_t time_ns = 0;
    const auto collect = [&] {
        while (follower.has_next()) {
            const PacketParts parts = follower.next(waiting.front());
            require(parts.packet == ++next_out);
            uint32_t at = 0;
            for (const PayloadPart& part : parts.parts) {
                require(part.offset == at && part.length > 0);
                at += part.length;
                if (!parts.iscsi) require(part.kind == PayloadKind::unknown);
                if (part.kind == PayloadKind::basic_header) require(part.begin + part.length <= 48);
            }
            require(at == lengths.front());
            waiting.pop_front();
            lengths.pop_front();
        }
        require(follower.waiting() <= limits.waiting_packets);
    };
    while (choices.remaining_bytes() > 0 && next_in < 2000) {
        const bool target = choices.ConsumeBool();
        const int32_t moved = choices.ConsumeBool() ? choices.ConsumeIntegralInRange<int32_t>(-500, 500) : 0;
        auto bytes = choices.ConsumeBytes<uint8_t>(choices.ConsumeIntegralInRange<size_t>(0, 300));
        bytes.shrink_to_fit();
        DecodedPacket packet;
        packet.kind = choices.ConsumeIntegralInRange(0, 15) == 0 ? DecodedPacket::Kind::other
                                                                 : DecodedPacket::Kind::tcp;
        const uint8_t addresses[2][4] = {{10, 0, 0, 1}, {10, 0, 0, 2}};
        packet.source = IpAddress::from_v4(addresses[target]);
        packet.destination = IpAddress::from_v4(addresses[!target]);
        packet.source_port = target ? 3260 : 40000;
        packet.destination_port = target ? 40000 : 3260;
        packet.flags = choices.ConsumeIntegral<uint16_t>() & 0x1ff;
        packet.seq = seq[target] + static_cast<uint32_t>(moved);
        packet.ack = seq[!target];
        packet.payload = bytes.data();
        packet.payload_captured = static_cast<uint32_t>(bytes.size());
        packet.payload_length =
            packet.payload_captured +
            (choices.ConsumeBool() ? choices.ConsumeIntegralInRange<uint32_t>(0, 2000) : 0);
        if (moved == 0) seq[target] += packet.payload_length;
        time_ns += choices.ConsumeIntegralInRange<int64_t>(0, 100'000'000);
        follower.follow(packet, ++next_in, time_ns);
        waiting.push_back(std::move(bytes));
        lengths.push_back(packet.kind == DecodedPacket::Kind::tcp ? packet.payload_length : 0);
        collect();
    }
    follower.finish();
    collect();
    require(next_out == next_in);
    return 0;
}
