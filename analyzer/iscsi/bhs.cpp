// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/bhs.h"

namespace sanscope {

const char* opcode_name(uint8_t opcode) {
    switch (Opcode{opcode}) {
        case Opcode::nop_out:
            return "NOP-Out";
        case Opcode::scsi_command:
            return "SCSI Command";
        case Opcode::task_management_request:
            return "Task Management Function Request";
        case Opcode::login_request:
            return "Login Request";
        case Opcode::text_request:
            return "Text Request";
        case Opcode::scsi_data_out:
            return "SCSI Data-Out";
        case Opcode::logout_request:
            return "Logout Request";
        case Opcode::snack_request:
            return "SNACK Request";
        case Opcode::nop_in:
            return "NOP-In";
        case Opcode::scsi_response:
            return "SCSI Response";
        case Opcode::task_management_response:
            return "Task Management Function Response";
        case Opcode::login_response:
            return "Login Response";
        case Opcode::text_response:
            return "Text Response";
        case Opcode::scsi_data_in:
            return "SCSI Data-In";
        case Opcode::logout_response:
            return "Logout Response";
        case Opcode::r2t:
            return "R2T";
        case Opcode::async_message:
            return "Asynchronous Message";
        case Opcode::reject:
            return "Reject";
    }
    return nullptr;
}

uint64_t lun_number(uint64_t lun_field) {
    const uint64_t first_level = lun_field >> 48;
    const bool single_level = (lun_field & 0xffffffffffffull) == 0;
    const uint64_t method = first_level >> 14;
    if (single_level && method == 0 && (first_level & 0x3f00) == 0) return first_level & 0xff;
    if (single_level && method == 1) return first_level & 0x3fff;
    const uint64_t extended = lun_field >> 56;
    if (extended == 0xd2 && (lun_field & 0xffffffffull) == 0) return lun_field >> 32 & 0xffffff;
    return lun_field;
}

}  // namespace sanscope
