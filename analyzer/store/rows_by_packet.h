// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/store/result_store.h"
#include "analyzer/store/rows_of_packet.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What the tables say of one packet.
struct PacketRows {
    struct Command {
        uint64_t number = 0;
        bool request = false;   // the packet completes its request,
        bool data = false;      // a PDU with its data,
        bool response = false;  // the PDU with its status
    };
    std::vector<Command> commands;  // in order of number
    // Indices of rows (0-based), in order of the table.
    std::vector<size_t> pdus;  // that the packet completes
    std::vector<size_t> windows;
    std::vector<size_t> ca_transitions;
    std::vector<size_t> losses;

    void clear();
    bool empty() const {
        return commands.empty() && pdus.empty() && windows.empty() && ca_transitions.empty() &&
               losses.empty();
    }
};

// Which rows of a store concern a packet: for a view that shows packets. It follows a store that grows and shows what is
// known by then; after finish(), which is to follow the engine's, the answers are complete and do not change any more.
// Memory: 4 bytes a row, 8 a command.
class RowsByPacket {
  public:
    // The store must outlive it, and keep what is to be found.
    explicit RowsByPacket(const ResultStore& store) : store_(&store) {}

    // Takes in the rows that came since the last time.
    void update();
    void finish();
    bool finished() const { return finished_; }

    // Overwrites `rows`.
    void find(PacketNumber packet, PacketRows& rows) const;
    // The connection between these ends that the packet is part of, 0 if none or not finished.
    uint32_t connection_between(const Endpoint& one, const Endpoint& other, PacketNumber packet) const;
    // Whether a sender stalls at this row of `windows` (window_stalls.h); false until finished.
    bool is_window_stall(size_t window) const;

  private:
    void find_commands(PacketNumber packet, PacketRows& rows) const;

    const ResultStore* store_;
    bool finished_ = false;
    RowsOfPacket<PduRow, &PduRow::last_packet> pdus_;
    RowsOfPacket<WindowRow, &WindowRow::packet> windows_;
    RowsOfPacket<CaTransitionRow, &CaTransitionRow::packet> ca_transitions_;
    RowsOfPacket<LossRow, &LossRow::packet> losses_;
    // Rows of commands get their packets one by one: these are filled by finish().
    RowsOfPacket<CommandRow, &CommandRow::request_packet> requests_;
    RowsOfPacket<CommandRow, &CommandRow::response_packet> responses_;
    std::vector<uint32_t> connections_;  // by ends, then in order of time
    std::vector<uint32_t> window_stalls_;
};

}  // namespace sanscope
