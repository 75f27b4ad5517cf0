// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
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
    // IP fragments of datagrams that are never whole, or not yet: they belong to every conversation.
    static constexpr uint32_t fragments = 1;
    // A record that Wireshark numbers like a packet (LinkType::not_a_packet).
    static constexpr uint32_t no_packet = 2;
    static constexpr uint32_t first_tcp = 3;

    explicit Conversations(uint64_t seed) : places_(seed) {}

    // Packets in the order of the capture, all of them.
    uint32_t number(const RawPacket& packet);
    // The same of one that was decoded before.
    uint32_t number(const RawPacket& packet, const DecodedPacket& decoded);
    // Those before the packet numbered last that are of its conversation, too, for it completed what they began: IP
    // fragments, as numbers of packets from 1.
    const std::vector<uint64_t>& completed() const { return completed_; }

    static constexpr bool is_tcp(uint32_t conversation) { return conversation >= first_tcp; }
    static constexpr uint32_t tcp_stream(uint32_t conversation) { return conversation - first_tcp; }

  private:
    struct Connection {
        uint32_t number = 0;
        // What each side's first sequence number is held for, from the side with the lesser end (FlowKey) on.
        bool base_known[2] = {false, false};
        uint32_t base_seq[2] = {0, 0};
    };
    // Of a datagram that is not whole yet.
    struct Fragments {
        int64_t begun_ns = 0;
        std::vector<uint64_t> packets;
    };
    using DatagramKey = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, uint8_t>;
    // Past so many all are forgotten, and so are those of a datagram that gets too many.
    static constexpr size_t max_datagrams = 4096;
    static constexpr size_t max_fragments = 8192;

    static DatagramKey key_of(const DecodedPacket& fragment);
    uint32_t number_fragment(const RawPacket& packet);
    void keep_fragments(const DatagramKey& key, int64_t time_ns);
    void take_fragments(const DatagramKey& key);
    uint32_t number_tcp(const DecodedPacket& packet);

    FlowTable places_;  // in `connections_`
    std::vector<Connection> connections_;
    uint32_t next_ = first_tcp;
    FragmentReassembler reassembler_;
    DecodedPacket decoded_;
    uint64_t packets_ = 0;
    std::map<DatagramKey, Fragments> fragments_;
    std::vector<uint64_t> completed_;
};

}  // namespace sanscope
