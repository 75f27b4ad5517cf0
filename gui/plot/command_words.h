// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A logical unit as the column `lun` has it: its number; one that has none (SAM-5 §4.7: several levels, well known) by all of its
// field; "not known".
QString lun_text(uint64_t lun);

// A SCSI status as SAM-5 writes it: "CHECK CONDITION".
QString status_text(uint8_t status);

// How a command that was answered otherwise than with GOOD ended: its status, or "target failure (iSCSI response 0x01)".
QString ending_name(const CommandRow& row);

}  // namespace sanscope
