// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "captures/iscsi_peer/target/memory_backing.h"
#include "captures/iscsi_peer/target/scsi_device.h"

namespace sanscope {

// Does what an UNMAP, WRITE SAME or COMPARE AND WRITE asks for (SBC-3 §5.2, §5.28, §5.45): `plan` is ScsiDevice's, `data`
// is all that came of the command's data. Returns why it fails, in which case nothing was changed; a sense key of 0 where
// it does not.
Sense carry_out(const ScsiPlan& plan, std::span<const uint8_t> data, const ScsiDevice& device,
                MemoryBacking& backing);

}  // namespace sanscope
