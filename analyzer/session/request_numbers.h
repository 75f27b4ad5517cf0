// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/bhs_field_ends.h"

namespace sanscope {

// Which CmdSN and ExpStatSN the next requests of one connection can have (RFC 7143 §4.2.2). Neither goes back, but for a command
// that is retried; and CmdSN advances by one a request, each of which takes a header's length of the stream at the least.
class RequestNumbers {
  public:
    // What the target's side tells of them.
    struct Answered {
        std::optional<Serial32> max_cmd_sn;
        std::optional<Serial32> stat_sn;  // of its latest status
    };

    // A whole header that is a request's without doubt and begins at this offset of the initiator's stream.
    void note(const Bhs& request, uint64_t offset) {
        if (has_cmd_sn(request)) {
            cmd_sn_ = request.cmd_sn();
            offset_ = offset;
        }
        exp_stat_sn_ = request.exp_stat_sn();
    }

    // Whether a header, of which so much is captured, can be a request that begins at this offset. True where nothing is known.
    bool admit(const Bhs& request, size_t captured, uint64_t offset, const Answered& answered) const {
        if (cmd_sn_ && captured >= cmd_sn_end && has_cmd_sn(request) && offset >= offset_ &&
            !admits_cmd_sn(request, offset, answered))
            return false;
        return !exp_stat_sn_ || captured < exp_stat_sn_end || admits_exp_stat_sn(request, answered);
    }

  private:
    // Requests of several threads may pass each other by as much.
    static constexpr int32_t passed = 64;
    // Statuses that were acknowledged before the capture shows them.
    static constexpr int32_t on_the_way = 4096;

    static bool has_cmd_sn(const Bhs& request) {
        return request.opcode() != Opcode::scsi_data_out && request.opcode() != Opcode::snack_request;
    }

    bool admits_cmd_sn(const Bhs& request, uint64_t offset, const Answered& answered) const {
        const uint64_t requests = std::min<uint64_t>((offset - offset_) / bhs_length, 1 << 24) + 1;
        const int32_t advance = cmd_sn_->distance_to(request.cmd_sn());
        if (advance < -passed) return false;
        if (advance <= static_cast<int32_t>(requests)) return true;
        // Other connections of the session take numbers, too. What is immediate has the number of the next that is not.
        return answered.max_cmd_sn && answered.max_cmd_sn->distance_to(request.cmd_sn()) <= 1;
    }

    bool admits_exp_stat_sn(const Bhs& request, const Answered& answered) const {
        const int32_t advance = exp_stat_sn_->distance_to(request.exp_stat_sn());
        if (advance < -passed) return false;
        return advance <= on_the_way ||
               (answered.stat_sn && answered.stat_sn->distance_to(request.exp_stat_sn()) <= on_the_way);
    }

    std::optional<Serial32> cmd_sn_;
    std::optional<Serial32> exp_stat_sn_;
    uint64_t offset_ = 0;
};

}  // namespace sanscope
