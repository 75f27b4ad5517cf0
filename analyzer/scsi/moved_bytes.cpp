// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/moved_bytes.h"

#include <algorithm>

#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

// What the sense data of a CHECK CONDITION tell without a residual count.
uint64_t moved_by_sense(const CommandRow& row) {
    // Another command failed; this one was not carried out.
    if (row.sense_deferred) return 0;
    switch (row.sense_key) {
        case sense_key::recovered_error:
            return row.bytes;
        case sense_key::not_ready:
        case sense_key::illegal_request:
        case sense_key::unit_attention:
        case sense_key::data_protect:
            return 0;
        default:
            return unknown<uint64_t>;
    }
}

}  // namespace

uint64_t moved_bytes(const CommandRow& row) {
    if (row.bytes == 0 || row.bytes == unknown<uint64_t>) return row.bytes;
    if (ending_of(row).lacks_status()) return unknown<uint64_t>;
    if (row.residual != unknown<int64_t> && row.residual > 0)
        return row.bytes - std::min(row.bytes, static_cast<uint64_t>(row.residual));
    switch (row.status) {
        case scsi_status::check_condition:
            return moved_by_sense(row);
        case scsi_status::busy:
        case scsi_status::reservation_conflict:
        case scsi_status::task_set_full:
        case scsi_status::aca_active:
            return 0;
        case scsi_status::command_terminated:
        case scsi_status::task_aborted:
            return unknown<uint64_t>;
        default:
            return row.bytes;
    }
}

}  // namespace sanscope
