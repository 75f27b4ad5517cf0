// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// RFC 7143 §11.17.1.
inline std::string_view reject_words(uint16_t reason) {
    switch (reason) {
        case reject_reason::data_digest_error:
            return "data (payload) digest error";
        case reject_reason::snack_reject:
            return "SNACK reject";
        case reject_reason::protocol_error:
            return "protocol error";
        case reject_reason::command_not_supported:
            return "command not supported";
        case reject_reason::immediate_command_reject:
            return "immediate command reject: too many";
        case reject_reason::task_in_progress:
            return "task in progress";
        case reject_reason::invalid_data_ack:
            return "invalid data ack";
        case reject_reason::invalid_pdu_field:
            return "invalid PDU field";
        case reject_reason::long_operation_reject:
            return "long operation reject: out of resources";
        case reject_reason::waiting_for_logout:
            return "waiting for logout";
        case unknown<uint16_t>:
            return "for a reason that was not captured";
        default:
            return "reason not known";
    }
}

}  // namespace sanscope
