// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "captures/scrub/payload_parts.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// The first bytes of a command's CDB, which decide what its data are.
struct CommandData {
    uint16_t opcode = no_scsi_opcode;
    uint8_t byte_1 = 0;
    uint8_t byte_2 = 0;
};

// Whether the data of a command are defined by its standard, and never blocks of the medium or what a vendor or user put there:
// INQUIRY but for vendors' pages, MODE SENSE, READ CAPACITY, UNMAP, … Whatever is not known to be so is users' data.
bool has_parameter_data(const CommandData& command);

// What a data segment is made of: `length` bytes of `first`, and what lies behind them is users' data.
struct DataSegmentKind {
    PayloadKind first = PayloadKind::users_data;
    uint32_t length = 0;
};
// Of a PDU with this header. `command`: the one it belongs to, as far as known.
DataSegmentKind data_segment_kind(const Bhs& bhs, const CommandData& command);

}  // namespace sanscope
