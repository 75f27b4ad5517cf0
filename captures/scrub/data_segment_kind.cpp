// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/data_segment_kind.h"

#include <algorithm>

#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

// Those that opcodes.h does not name (SPC-4, SBC-3).
constexpr uint8_t reassign_blocks = 0x07;
constexpr uint8_t mode_select_6 = 0x15;
constexpr uint8_t read_defect_data_10 = 0x37;
constexpr uint8_t log_select = 0x4c;
constexpr uint8_t log_sense = 0x4d;
constexpr uint8_t mode_select_10 = 0x55;
constexpr uint8_t persistent_reserve_in = 0x5e;
constexpr uint8_t persistent_reserve_out = 0x5f;
constexpr uint8_t extended_copy = 0x83;
constexpr uint8_t receive_copy_results = 0x84;
constexpr uint8_t read_defect_data_12 = 0xb7;

constexpr uint8_t service_action_mask = 0x1f;
constexpr uint8_t first_vendor_page = 0xc0;  // of vital product data (SPC-4 §7.8.1)

bool is_any_of(uint8_t value, std::initializer_list<uint8_t> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool has_parameter_data(const CommandData& command) {
    if (command.opcode > 0xff) return false;
    const auto service_action = static_cast<uint8_t>(command.byte_1 & service_action_mask);
    switch (static_cast<uint8_t>(command.opcode)) {
        case scsi_op::request_sense:
        case scsi_op::report_luns:
        case scsi_op::mode_sense_6:
        case scsi_op::mode_sense_10:
        case scsi_op::read_capacity_10:
        case scsi_op::unmap:
        case reassign_blocks:
        case mode_select_6:
        case mode_select_10:
        case read_defect_data_10:
        case read_defect_data_12:
        case log_select:
        case log_sense:
        case persistent_reserve_in:
        case persistent_reserve_out:
            return true;
        case scsi_op::inquiry: {
            const bool vital_product_data = (command.byte_1 & 1) != 0;
            return !vital_product_data || command.byte_2 < first_vendor_page;
        }
        case scsi_op::service_action_in_16: {
            constexpr uint8_t get_lba_status = 0x12;
            constexpr uint8_t report_referrals = 0x13;
            return is_any_of(service_action, {scsi_op::read_capacity_16, get_lba_status, report_referrals});
        }
        case scsi_op::maintenance_in: {
            constexpr uint8_t report_task_management_functions = 0x0d;
            constexpr uint8_t report_priority = 0x0e;
            constexpr uint8_t report_timestamp = 0x0f;
            return is_any_of(service_action,
                             {scsi_op::report_target_port_groups, scsi_op::report_supported_operation_codes,
                              report_task_management_functions, report_priority, report_timestamp});
        }
        case scsi_op::maintenance_out: {
            constexpr uint8_t set_priority = 0x0e;
            constexpr uint8_t set_timestamp = 0x0f;
            return is_any_of(service_action, {scsi_op::set_target_port_groups, set_priority, set_timestamp});
        }
        case extended_copy: {
            constexpr uint8_t populate_token = 0x10;
            constexpr uint8_t write_using_token = 0x11;
            return is_any_of(service_action, {0x00, 0x01, populate_token, write_using_token});
        }
        case receive_copy_results: {
            // RECEIVE DATA, 01h, gives what was copied.
            return is_any_of(service_action, {0x00, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08});
        }
        default:
            return false;
    }
}

DataSegmentKind data_segment_kind(const Bhs& bhs, const CommandData& command) {
    const uint32_t length = bhs.data_segment_length();
    switch (bhs.opcode()) {
        case Opcode::login_request:
        case Opcode::login_response:
        case Opcode::text_request:
        case Opcode::text_response:
            return {PayloadKind::text, length};
        case Opcode::scsi_response: {
            constexpr uint32_t sense_length_field = 2;
            constexpr uint32_t longest_sense_data = 252;  // SPC-4 §4.5.1
            return {PayloadKind::sense_data, std::min(length, sense_length_field + longest_sense_data)};
        }
        case Opcode::scsi_command:
        case Opcode::scsi_data_in:
        case Opcode::scsi_data_out:
            return {has_parameter_data(command) ? PayloadKind::parameter_data : PayloadKind::users_data,
                    length};
        case Opcode::nop_in:
        case Opcode::nop_out:
            return {PayloadKind::ping_data, length};
        case Opcode::async_message: {
            constexpr uint8_t scsi_event = 0;
            return {bhs.async_event() == scsi_event ? PayloadKind::async_data : PayloadKind::users_data,
                    length};
        }
        case Opcode::reject:
            return {PayloadKind::reject_data, std::min(length, static_cast<uint32_t>(bhs_length))};
        default:
            return {PayloadKind::users_data, length};
    }
}

}  // namespace sanscope
