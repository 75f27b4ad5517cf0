// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/report/findings.h"

namespace sanscope::wireshark {

// The groups of Wireshark's expert infos (PI_CHECKSUM and so on) that findings go to. Knows nothing of Wireshark's API.
enum class FindingGroup : uint8_t {
    sequence,  // what TCP, a connection or a session did, one after the other
    response_code,  // what was answered: a SCSI status, a login status, a task management response; or late, or never
    protocol,   // what was asked for and agreed on in iSCSI and SCSI
    checksum,   // digests
    malformed,  // what cannot be read
    assumption  // what the capture lacks, and what was inferred of it
};
constexpr unsigned finding_groups = 6;

constexpr FindingGroup group_of(Finding::Kind kind) {
    using Kind = Finding::Kind;
    switch (kind) {
        case Kind::error_recovery:
        case Kind::session_reconnect:
        case Kind::connection_refused:
        case Kind::duplicate_address:
        case Kind::ping_timeout:
        case Kind::connection_reset:
        case Kind::mtu_black_hole:
        case Kind::incast:
        case Kind::retransmission_timeout:
        case Kind::path_stall:
        case Kind::lost_segments:
        case Kind::needless_retransmission:
        case Kind::reordering:
        case Kind::zero_window_stall:
        case Kind::receiver_window:
        case Kind::congestion_window:
        case Kind::delayed_ack:
        case Kind::pacing:
        case Kind::path_queue:
        case Kind::send_buffer:
        case Kind::path_skew:
            return FindingGroup::sequence;
        case Kind::unanswered_commands:
        case Kind::aborted_commands:
        case Kind::command_status:
        case Kind::target_queue_full:
        case Kind::async_message:
        case Kind::task_management:
        case Kind::login_refused:
        case Kind::login_unanswered:
        case Kind::slow_login:
        case Kind::login_redirected:
        case Kind::stalling_command:
        case Kind::lock_contention:
        case Kind::slow_commands:
        case Kind::slow_command:
        case Kind::target_wait:
        case Kind::initiator_wait:
        case Kind::saturated:
            return FindingGroup::response_code;
        case Kind::rejected_pdu:
        case Kind::duplicate_initiator:
        case Kind::head_of_line:
        case Kind::shallow_queue:
        case Kind::split_requests:
        case Kind::command_window:
        case Kind::r2t_waits:
        case Kind::connection_imbalance:
        case Kind::negotiation:
            return FindingGroup::protocol;
        case Kind::bad_digest:
            return FindingGroup::checksum;
        case Kind::capture_damaged:
            return FindingGroup::malformed;
        case Kind::no_packets:
        case Kind::no_iscsi:
        case Kind::passed_over:
        case Kind::capture_drops:
        case Kind::not_captured:
        case Kind::unseen_answers:
        case Kind::captured_twice:
        case Kind::snap_length:
        case Kind::capture_issue:
        case Kind::vantage:
        case Kind::offload:
        case Kind::kernel_truth:
        case Kind::under_way_at_end:
        case Kind::nothing_wrong:
            break;
    }
    return FindingGroup::assumption;
}

}  // namespace sanscope::wireshark
