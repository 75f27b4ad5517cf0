// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/connection_senders.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// What the senders of connections are to be told, in the order of the capture: written down on one thread, done on another.
class SenderWork {
  public:
    // `senders` and `packet`, with the bytes that it points to, must stay until it is done.
    void add_packet(ConnectionSenders& senders, Side from, const DecodedPacket& packet, PacketNumber number,
                    int64_t time_ns, bool set_back) {
        items_.push_back({&senders, &packet, nullptr, number, time_ns, from, set_back});
    }
    // The connection has ended with `last_packet`: what was found out of its senders goes into `row`, which must stay.
    void add_end(std::unique_ptr<ConnectionSenders> senders, Side initiator, ConnectionRow& row,
                 PacketNumber last_packet) {
        items_.push_back({senders.release(), nullptr, &row, last_packet, 0, initiator, false});
    }

    // Does all of it, and is empty then.
    void run(Issues& issues) {
        for (const Item& item : items_) {
            if (item.packet != nullptr) [[likely]] {
                item.senders->on_packet(item.side, *item.packet, item.number, item.time_ns, item.set_back);
            } else {
                const std::unique_ptr<ConnectionSenders> senders(item.senders);
                end(*senders, item.side, *item.row, item.number, issues);
            }
        }
        items_.clear();
    }

    static void end(ConnectionSenders& senders, Side initiator, ConnectionRow& row, PacketNumber last_packet,
                    Issues& issues) {
        senders.finish();
        if (const uint64_t withheld = senders.withheld(); withheld > 0)
            issues.add(Issue::retransmissions_not_shown, last_packet, withheld);
        senders.describe(initiator, row);
    }

  private:
    struct Item {
        ConnectionSenders* senders;  // owned where there is no packet
        const DecodedPacket* packet;
        ConnectionRow* row;
        PacketNumber number;
        int64_t time_ns;
        Side side;  // of the packet, or of the initiator
        bool set_back;
    };
    std::vector<Item> items_;
};

}  // namespace sanscope
