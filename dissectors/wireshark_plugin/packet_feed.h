// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/store/rows_by_packet.h"

namespace sanscope::wireshark {

// The engine as Wireshark's way of dissecting needs it: packets in, each once and in order, however often they are
// dissected; rows by packet out. Knows nothing of Wireshark's API.
//
// A dissection is a run through the packets of a capture in order, which may be followed by any packet again, in any
// order. When Wireshark signals that the run is over the engine is finished, and from then on the rows are final.
class PacketFeed {
  public:
    PacketFeed();

    // A new dissection, of another capture or of the same one again; or the end of one, to let its memory go.
    void begin();
    // A packet of the run. Packets that do not go on where the run is are left out: those fed before, and any that come
    // after the run was over. A read filter makes Wireshark give the number of a packet that it drops to the next one
    // too.
    void add(PacketNumber number, const RawPacket& packet);
    // The run is over.
    void end();
    // A packet of before is looked at again. Where Wireshark runs through a capture anew it does not signal the end of
    // that: the run is over then too if it came as far as the one before.
    void look_again();

    bool is_final() const { return rows_->finished(); }
    const Engine& engine() const { return *engine_; }
    const ResultStore& store() const { return engine_->store(); }
    const RowsByPacket& rows() const { return *rows_; }

  private:
    struct Place {
        PacketNumber number = 0;
        int64_t time_ns = 0;
        uint32_t wire_length = 0;
        bool operator==(const Place&) const = default;
    };

    std::unique_ptr<Engine> engine_;
    std::unique_ptr<RowsByPacket> rows_;
    PacketBatch batch_;
    std::vector<DecodedPacket> decoded_;
    Place last_;        // packet fed
    Place end_before_;  // the last packet of the run before, if that was over
};

}  // namespace sanscope::wireshark
