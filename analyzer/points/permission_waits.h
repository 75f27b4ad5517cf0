// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/store/result_store.h"

namespace sanscope {

// A command's initiator had sent all that the target had let it send, until an R2T PDU let it send more (RFC 7143 §11.8), as
// places in the two streams: offsets like PduRow::bhs_offset, their low 32 bits.
struct PermissionWait {
    uint32_t permitted_end = 0;  // of the last byte that was let, in the initiator's stream
    uint32_t r2t_end = 0;        // of the R2T PDU, in the target's
};

// Of all commands of a store that keeps PDUs, commands and marks.
class PermissionWaits {
  public:
    explicit PermissionWaits(const ResultStore& store);

    // In order; good until the next call.
    std::span<const PermissionWait> of(CommandNumber command);

  private:
    enum class Kind : uint8_t { all_let_sent, granted, sent };
    struct Event {
        uint64_t command;
        uint32_t end;
        Kind kind;
    };
    std::vector<Event> events_;  // by command, then in the order of the capture
    std::vector<PermissionWait> waits_;
};

}  // namespace sanscope
