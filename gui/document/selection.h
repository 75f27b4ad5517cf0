// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "gui/document/time_range.h"

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The one thing selected in all views: a row of a table, or a packet.
struct Selection {
    enum class Kind : uint8_t { none, packet, pdu, command, connection, session, loss };

    Kind kind = Kind::none;
    uint64_t number = 0;  // from 1, as the table counts

    explicit operator bool() const { return kind != Kind::none; }
    bool operator==(const Selection&) const = default;
};

// What a selection is part of and what it consists of: found out behind the GUI thread. 0, empty where there is none.
struct SelectedThings {
    Selection selection;
    uint32_t connection = 0;
    uint32_t session = 0;
    uint64_t command = 0;           // of a packet: the first it has part in
    uint64_t pdu = 0;               // of a packet: the first it completes, else has part in
    PacketNumber packet = 0;        // to show the details of
    TimeRange range;                // from its first moment to its last
    TimeRange story;                // what to frame: with what led to it and what came of it
    std::vector<uint64_t> pdus;     // row numbers, in order; of a connection or session left out
    std::vector<uint32_t> packets;  // numbers, in order; likewise

    // The first of that kind that belongs to it; 0: none.
    uint64_t first(Selection::Kind kind) const;
    bool includes(Selection::Kind kind, uint64_t number) const;
};

}  // namespace sanscope
