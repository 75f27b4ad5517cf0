// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Where a command's PDUs lie in the two streams of its connection. Offsets are those of PduRow::bhs_offset, their low 32 bits;
// ends leave out digests, which lie in the same segment.
struct CommandMarks {
    int64_t out_of_permission_ns = no_time;  // all that the target had let the initiator send was sent
    uint32_t request_begin = 0;
    uint32_t request_end = 0;   // of the SCSI Command PDU, its immediate data included
    uint32_t data_out_end = 0;  // of the farthest SCSI Data-Out PDU
    uint32_t answer_begin = 0;  // of the first SCSI Data-In or SCSI Response PDU
    uint32_t answer_end = 0;    // of the one with the status
    uint32_t bytes_out = 0;     // of SCSI Data-Out PDUs, headers included
    uint32_t bytes_in = 0;      // of SCSI Data-In and SCSI Response PDUs, likewise
    uint32_t last_wait = 0;     // its last row of permission_waits, 1-based
    // R2T PDUs that are not answered in full, and a request whose unsolicited Data-Out PDUs have not all come.
    uint16_t grants = 0;
    bool has_request = false;
    bool has_data_out = false;
    bool has_answer = false;     // answer_begin
    bool has_status = false;     // answer_end
    bool retried : 1 = false;    // its request came again (RFC 7143 §7.2.1)
    bool doubtful : 1 = false;   // a PDU came over another connection, or its header was not captured
    bool immediate : 1 = false;  // it does not count by its CmdSN (§4.2.2.1)
};

// A command's initiator had sent all that the target let it send, until an R2T PDU came (RFC 7143 §11.8). At the tap.
struct PermissionWaitRow {
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    uint32_t previous = 0;  // the command's one before, 1-based
};

}  // namespace sanscope
