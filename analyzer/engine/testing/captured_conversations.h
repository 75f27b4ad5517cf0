// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/engine/testing/conversation.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope::test {

// Conversations at the same time over a network that loses, reorders and repeats, as an engine finds them, and what was sent
// in each packet. Of each PDU's bytes the capture has a first copy; the connections are those of the conversations, in order.
class CapturedConversations {
  public:
    struct Packet {
        size_t conversation = 0;  // 0-based
        bool from_target = false;
        uint64_t begin = 0;  // the bytes of its stream that it carries
        uint64_t end = 0;
        bool operator==(const Packet&) const = default;
    };

    CapturedConversations(unsigned seed, size_t count, unsigned commands, unsigned trouble_percent)
        : random_(seed) {
        for (size_t i = 0; i < count; ++i) {
            Conversation::Options options;
            options.commands = commands;
            options.longest_data = 20'000;
            options.header_digest = i % 2 == 1;
            options.data_digest = i % 3 == 1;
            // Sequence numbers begin shortly before they wrap.
            conversations.emplace_back(
                options,
                [first = 2, random = std::mt19937(seed + static_cast<unsigned>(i))](uint32_t limit) mutable {
                    return first > 0 && first-- > 0 ? 0xffffe000u : static_cast<uint32_t>(random() % limit);
                });
        }
        std::vector<std::deque<SentSegment>> queues;
        for (const Conversation& one : conversations) {
            queues.emplace_back(one.segments.begin(), one.segments.end());
        }
        // The handshake and the login request come as they were sent.
        for (size_t i = 0; i < count; ++i) {
            for (size_t j = 0; j <= Conversation::handshake_segments; ++j) send_front(i, queues[i]);
        }
        while (std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return !queue.empty(); })) {
            const size_t i = random_() % count;
            if (queues[i].empty()) continue;
            if (random_() % 100 < trouble_percent) trouble(queues[i]);
            send_front(i, queues[i]);
        }
        engine.finish();
    }

    std::deque<Conversation> conversations;
    Engine engine{ResultStore::Keep::everything()};
    std::vector<Packet> packets;  // by number - 1
    std::vector<Bytes>
        frames_sent;  // the same, all captured, the first at the time below and each a microsecond later
    static constexpr int64_t first_ns = 1'700'000'000'000'000'000;

    // Of a row of pdus() what was sent; nullptr for none.
    const SentPdu* sent(const PduRow& row) const {
        for (const SentPdu& pdu : conversations[row.connection - 1].pdus) {
            if (pdu.from_target == (row.sender == Role::target) && pdu.begin == row.bhs_offset) return &pdu;
        }
        return nullptr;
    }
    // Whether the packet has bytes of the PDU, and came no later than that was complete.
    bool carries(PacketNumber number, const PduRow& row) const {
        const SentPdu* const pdu = sent(row);
        const Packet& packet = packets[number - 1];
        return pdu != nullptr && packet.conversation + 1 == row.connection &&
               packet.from_target == (row.sender == Role::target) && packet.begin < pdu->end &&
               packet.end > pdu->begin && (row.last_packet == 0 || number <= row.last_packet);
    }

  private:
    void trouble(std::deque<SentSegment>& queue) {
        const size_t reach = std::min<size_t>(queue.size(), 2 + random_() % 12);
        const size_t at = random_() % reach;
        if (random_() % 3 == 0) {
            queue.insert(queue.begin() + static_cast<std::ptrdiff_t>(at), queue.front());  // sent twice
        } else {
            // Sent late.
            std::rotate(queue.begin(), queue.begin() + 1, queue.begin() + static_cast<std::ptrdiff_t>(reach));
        }
    }

    void send_front(size_t conversation, std::deque<SentSegment>& queue) {
        const SentSegment segment = std::move(queue.front());
        queue.pop_front();
        const std::string initiator = "10.0.0." + std::to_string(conversation + 1);
        const std::string target = "10.0.1.1";
        frames::Ipv4 ip;
        ip.source = segment.from_target ? target : initiator;
        ip.destination = segment.from_target ? initiator : target;
        frames::Tcp tcp;
        tcp.source_port = segment.from_target ? uint16_t{3260} : uint16_t{50000};
        tcp.destination_port = segment.from_target ? uint16_t{50000} : uint16_t{3260};
        tcp.seq = segment.seq;
        tcp.ack = segment.ack;
        tcp.flags = segment.flags;
        const Bytes& bytes = frames_sent.emplace_back(
            frames::ethernet(frames::ipv4(ip, frames::tcp(tcp, segment.payload))).bytes);
        batch_.packets.resize(1);
        RawPacket& raw = batch_.packets[0];
        raw.data = bytes.data();
        raw.wire_length = raw.captured_length = static_cast<uint32_t>(bytes.size());
        raw.time_ns = first_ns + 1000 * static_cast<int64_t>(packets.size());
        batch_.first_packet = packets.size() + 1;
        decode_batch(batch_, decoded_);
        engine.process(batch_, decoded_);
        const uint64_t begin = segment.seq - (0xffffe000u + 1);
        packets.push_back({conversation, segment.from_target, begin, begin + segment.payload.size()});
    }

    std::mt19937 random_;
    PacketBatch batch_;
    std::vector<DecodedPacket> decoded_;
};

}  // namespace sanscope::test
