// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Operation codes (byte 0 of a CDB) of SPC-4 and SBC-3 that are sent, answered or asked for by name. All that are known, with
// their names and fields: cdb.h.
namespace scsi_op {
constexpr uint8_t test_unit_ready = 0x00;
constexpr uint8_t request_sense = 0x03;
constexpr uint8_t read_6 = 0x08;
constexpr uint8_t write_6 = 0x0a;
constexpr uint8_t inquiry = 0x12;
constexpr uint8_t mode_sense_6 = 0x1a;
constexpr uint8_t read_capacity_10 = 0x25;
constexpr uint8_t read_10 = 0x28;
constexpr uint8_t write_10 = 0x2a;
constexpr uint8_t write_and_verify_10 = 0x2e;
constexpr uint8_t verify_10 = 0x2f;
constexpr uint8_t synchronize_cache_10 = 0x35;
constexpr uint8_t write_same_10 = 0x41;
constexpr uint8_t unmap = 0x42;
constexpr uint8_t mode_sense_10 = 0x5a;
constexpr uint8_t read_16 = 0x88;
constexpr uint8_t compare_and_write = 0x89;
constexpr uint8_t write_16 = 0x8a;
constexpr uint8_t write_and_verify_16 = 0x8e;
constexpr uint8_t verify_16 = 0x8f;
constexpr uint8_t synchronize_cache_16 = 0x91;
constexpr uint8_t write_same_16 = 0x93;
constexpr uint8_t service_action_in_16 = 0x9e;
constexpr uint8_t report_luns = 0xa0;
constexpr uint8_t maintenance_in = 0xa3;
constexpr uint8_t maintenance_out = 0xa4;
constexpr uint8_t read_12 = 0xa8;
constexpr uint8_t write_12 = 0xaa;
constexpr uint8_t write_and_verify_12 = 0xae;
constexpr uint8_t verify_12 = 0xaf;

// Service actions (the low five bits of byte 1).
constexpr uint8_t read_capacity_16 = 0x10;                  // of SERVICE ACTION IN(16)
constexpr uint8_t report_target_port_groups = 0x0a;         // of MAINTENANCE IN
constexpr uint8_t report_supported_operation_codes = 0x0c;  // likewise
constexpr uint8_t set_target_port_groups = 0x0a;            // of MAINTENANCE OUT
}  // namespace scsi_op

// READ and WRITE of 6, 10, 12 and 16 bytes: what moves blocks of a disk, and nothing else. `opcode` may be unknown<uint16_t>.
constexpr bool is_read_opcode(uint16_t opcode) {
    return opcode == scsi_op::read_6 || opcode == scsi_op::read_10 || opcode == scsi_op::read_12 ||
           opcode == scsi_op::read_16;
}
constexpr bool is_write_opcode(uint16_t opcode) {
    return opcode == scsi_op::write_6 || opcode == scsi_op::write_10 || opcode == scsi_op::write_12 ||
           opcode == scsi_op::write_16;
}
// Those that write, WRITE AND VERIFY and WRITE SAME: data goes to the medium.
constexpr bool writes_blocks(uint16_t opcode) {
    return is_write_opcode(opcode) || opcode == scsi_op::write_and_verify_10 ||
           opcode == scsi_op::write_and_verify_12 || opcode == scsi_op::write_and_verify_16 ||
           opcode == scsi_op::write_same_10 || opcode == scsi_op::write_same_16;
}

}  // namespace sanscope
