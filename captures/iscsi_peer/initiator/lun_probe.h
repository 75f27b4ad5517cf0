// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/scsi_commands.h"
#include "captures/iscsi_peer/initiator/target_client.h"

#include "analyzer/base/result.h"

namespace sanscope {

// What a logical unit says of itself.
struct LunFacts {
    InquiryData inquiry;
    std::string serial_number;  // empty where it reports none
    Capacity capacity;
};

// An Error where there is no disk behind the number.
Result<LunFacts> probe_lun(TargetClient& client, uint64_t lun_field);

// The LUN fields that the target reports.
Result<std::vector<uint64_t>> list_luns(TargetClient& client);

// The first and the last bytes of a unit, as far as there are so many: where what it holds shows.
struct LunEnds {
    std::vector<uint8_t> first;
    std::vector<uint8_t> last;
};
Result<LunEnds> read_ends(TargetClient& client, uint64_t lun_field, const Capacity& capacity,
                          uint64_t first_bytes, uint64_t last_bytes);

// What is on a unit that someone would miss, as lun_content() words it. An Error where that cannot be read, or is not
// recognised.
Result<std::string> probe_content(TargetClient& client, uint64_t lun_field, const Capacity& capacity);

}  // namespace sanscope
