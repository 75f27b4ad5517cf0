// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Which way a command's data goes, seen from the initiator.
enum class DataDirection : uint8_t { none, in, out, bidirectional, unknown };

// Peripheral device types as INQUIRY tells them (SPC-4 §6.6.2, byte 0, bits 4 to 0). Any other value may be
// given.
enum class DeviceType : uint8_t {
    direct_access_block = 0x00,
    sequential_access = 0x01,
    write_once = 0x04,
    cd_dvd = 0x05,
    optical_memory = 0x07,
    media_changer = 0x08,
    simplified_direct_access = 0x0e,
    object_based_storage = 0x11,
    automation_drive_interface = 0x12,
    host_managed_zoned_block = 0x14,
    unknown = 0x1f,
};

// The standards of device types, one of which a device goes by: a bit for each of SBC, SSC, SMC, MMC and OSD.
using CommandSets = uint8_t;
constexpr CommandSets all_command_sets = 0x1f;

// Those that have the command; all where it is one of all devices, or of none known. `direction`: of its data, as far as known.
CommandSets command_sets_with(std::span<const uint8_t> cdb, DataDirection direction = DataDirection::unknown);

// What a command descriptor block says. What it does not say, or lies behind the last byte given, is
// `unknown<T>`.
struct CdbInfo {
    const char* name = "";                // as the standards print it, "READ(10)"; "" for no known command
    uint64_t lba = unknown<uint64_t>;     // first logical block; on tape the logical object identifier
    uint64_t blocks = unknown<uint64_t>;  // logical blocks to transfer, verify, map …
    uint64_t bytes = unknown<uint64_t>;   // transfer, allocation or parameter list length, where the CDB
                                          // counts bytes
    uint16_t opcode = unknown<uint16_t>;  // byte 0
    uint16_t service_action = unknown<uint16_t>;  // of commands that have one
    DataDirection direction = DataDirection::unknown;
};

// Decodes a CDB of any length, 0 included: a CDB cut short yields what its bytes still say. Bytes beyond the
// command's own length (iSCSI pads to 16, RFC 7143 §11.3.5) are ignored. A CDB longer than 16 bytes must be
// given in one piece, its Extended CDB (RFC 7143 §11.2.2.3) joined on.
//
// Operation codes mean different things to different devices. The standard of the device's own type decides,
// then the commands of all devices. Where that lacks the operation code, the first standard that has it, of SPC,
// SBC (block devices), SSC (tape), SMC (changers), MMC (CD and DVD) and OSD (objects).
//
// Of a device of unknown type all that may be meant count: those of `sets`, and of these, if any do, those whose data go in
// `direction`.
// Where they differ, the name is of them all ("START STOP UNIT or LOAD UNLOAD or …"), and other fields are as far as they agree.
CdbInfo decode_cdb(std::span<const uint8_t> cdb, DeviceType device = DeviceType::unknown,
                   CommandSets sets = all_command_sets, DataDirection direction = DataDirection::unknown);

}  // namespace sanscope
