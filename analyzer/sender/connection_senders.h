// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/net/tcp_options.h"
#include "analyzer/sender/sender_replay.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Both sides of one TCP connection as senders: turns its packets, in the order of the capture, into what each side did
// and heard, and lets that be replayed.
class ConnectionSenders {
  public:
    ConnectionSenders(ResultStore& store, uint32_t connection) : store_(store), connection_(connection) {}

    // `from_a`: sent by the side that sent the connection's first packet.
    void on_packet(bool from_a, const DecodedPacket& packet, PacketNumber number, int64_t time_ns);
    void finish();

  private:
    struct Side {
        std::unique_ptr<SenderReplay> replay;
        std::vector<SentSegment> syns;  // held until what they agreed on is known
        bool syn_seen = false;
        bool sack_permitted = false;
        bool timestamps = false;
        bool has_window_scale = false;
        uint8_t window_scale = 0;
        uint16_t mss = 0;
        uint16_t last_ip_id = 0;
        uint32_t last_seq = 0;
        uint32_t last_ack = 0;
        uint32_t last_length = 0;
        bool any = false;
    };
    void hear(bool a, const DecodedPacket& packet, const TcpOptions& options, PacketNumber number,
              int64_t time_ns);
    void send(bool a, const DecodedPacket& packet, const TcpOptions& options, PacketNumber number,
              int64_t time_ns);
    SenderReplay& replay_of(bool a);
    SenderOptions options_of(bool a) const;
    Side& side(bool a) { return sides_[a ? 0 : 1]; }
    const Side& side(bool a) const { return sides_[a ? 0 : 1]; }

    ResultStore& store_;
    uint32_t connection_;
    Side sides_[2];
};

}  // namespace sanscope
