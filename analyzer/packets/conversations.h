// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/flow/flow_table.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/fragment_reassembler.h"

namespace sanscope {

// Says of each packet to which conversation it belongs: the packets that a dissector needs to have seen before it can tell
// all of a packet. TCP connections are numbered as Wireshark's tcp.stream: by first packet, and anew where a SYN uses the
// ports again.
class Conversations {
  public:
    // What is not TCP, all in one.
    static constexpr uint32_t other = 0;
    // IP fragments that complete no TCP segment, but may be the beginning of one: they belong to every conversation.
    static constexpr uint32_t fragments = 1;
    // A record that Wireshark numbers like a packet (LinkType::not_a_packet).
    static constexpr uint32_t no_packet = 2;
    static constexpr uint32_t first_tcp = 3;

    explicit Conversations(uint64_t seed) : hash_{seed} {}

    // Packets in the order of the capture.
    uint32_t number(const RawPacket& packet);

    static constexpr bool is_tcp(uint32_t conversation) { return conversation >= first_tcp; }
    static constexpr uint32_t tcp_stream(uint32_t conversation) { return conversation - first_tcp; }

  private:
    struct Connection {
        uint32_t number = 0;
        // What each side's first sequence number is held for, from the side with the lesser end (FlowKey) on.
        bool base_known[2] = {false, false};
        uint32_t base_seq[2] = {0, 0};
    };
    struct Hash {
        uint64_t seed;
        size_t operator()(const FlowKey& key) const { return key.hash(seed); }
    };

    uint32_t number_tcp(const DecodedPacket& packet);

    Hash hash_;
    std::unordered_map<FlowKey, Connection, Hash> connections_{64, hash_};
    uint32_t next_ = first_tcp;
    FragmentReassembler reassembler_;
    DecodedPacket decoded_;
};

}  // namespace sanscope
