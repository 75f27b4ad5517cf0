// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// What stands in single bits and bytes of a PDU's header, for those who write headers. Bhs reads them.
namespace sanscope {

// Byte 1. Which of them an opcode has is said by its section of RFC 7143 §11.
namespace pdu_flag {
constexpr unsigned final = 0x80;
constexpr unsigned transit = 0x80;  // Login (§11.12, §11.13)
constexpr unsigned read = 0x40;     // SCSI Command (§11.3)
constexpr unsigned write = 0x20;
constexpr unsigned simple_task = 0x01;  // its attribute (§11.3.1)
constexpr unsigned overflow = 0x04;     // SCSI Response and Data-In (§11.4.1, §11.7.1)
constexpr unsigned underflow = 0x02;
constexpr unsigned status = 0x01;  // Data-In
}  // namespace pdu_flag

// Responses of a SCSI Response (§11.4.3).
namespace scsi_response {
constexpr uint8_t completed_at_target = 0x00;
constexpr uint8_t target_failure = 0x01;
}  // namespace scsi_response

// Reasons of a Reject (§11.17.1).
namespace reject_reason {
constexpr uint8_t data_digest_error = 0x02;
constexpr uint8_t snack_reject = 0x03;
constexpr uint8_t protocol_error = 0x04;
constexpr uint8_t command_not_supported = 0x05;
constexpr uint8_t immediate_command_reject = 0x06;
constexpr uint8_t task_in_progress = 0x07;
constexpr uint8_t invalid_data_ack = 0x08;
constexpr uint8_t invalid_pdu_field = 0x09;
constexpr uint8_t long_operation_reject = 0x0a;
constexpr uint8_t waiting_for_logout = 0x0c;
}  // namespace reject_reason

// Types of a SNACK Request (§11.16.1).
namespace snack_type {
constexpr uint8_t data_or_r2t = 0;
constexpr uint8_t status = 1;
constexpr uint8_t data_ack = 2;
constexpr uint8_t r_data = 3;
}  // namespace snack_type

// Events of an Async Message (§11.9.1).
namespace async_event {
constexpr uint8_t logout_requested = 1;
constexpr uint8_t connection_dropped = 2;
constexpr uint8_t session_dropped = 3;
constexpr uint8_t tasks_terminated = 5;
}  // namespace async_event

// Reasons of a Logout Request (§11.14.1).
namespace logout_reason {
constexpr uint8_t close_session = 0;
constexpr uint8_t close_connection = 1;
constexpr uint8_t remove_connection = 2;
}  // namespace logout_reason

// Functions and responses of task management (§11.5.1, §11.6.1).
namespace task_management {
constexpr uint8_t abort_task = 1;
constexpr uint8_t abort_task_set = 2;
constexpr uint8_t clear_task_set = 4;
constexpr uint8_t logical_unit_reset = 5;
constexpr uint8_t target_warm_reset = 6;
constexpr uint8_t target_cold_reset = 7;

constexpr uint8_t function_complete = 0;
constexpr uint8_t task_does_not_exist = 1;
constexpr uint8_t lun_does_not_exist = 2;
constexpr uint8_t reassignment_not_supported = 4;
constexpr uint8_t function_not_supported = 5;
constexpr uint8_t function_rejected = 255;
}  // namespace task_management

// CSG and NSG (§11.12.3).
namespace login_stage {
constexpr uint8_t security_negotiation = 0;
constexpr uint8_t operational_negotiation = 1;
constexpr uint8_t full_feature_phase = 3;
}  // namespace login_stage

// Classes of a login's status (§11.13.5).
namespace login_status_class {
constexpr uint8_t success = 0;
constexpr uint8_t redirection = 1;
}  // namespace login_status_class

}  // namespace sanscope
