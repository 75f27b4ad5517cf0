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

// Which StatSN, ExpCmdSN and MaxCmdSN the next answers of one connection can have (RFC 7143 §4.2.2). None goes back, unless a
// status is sent again; each status takes a header's length of the stream at the least; and as many commands are under way as the
// command window admits. So what lies between the last answer that surely was one and the next says how far these may have gone.
class AnswerNumbers {
  public:
    // What the initiator's side tells of them.
    struct Requested {
        std::optional<Serial32> cmd_sn;       // of its latest command
        std::optional<Serial32> exp_stat_sn;  // likewise
        bool status_again = false;            // it has asked for a status that it lacks
    };

    // A header up to and with MaxCmdSN, that is an answer's without doubt and begins at this offset of the target's stream.
    void note(const Bhs& answer, uint64_t offset) {
        if (has_stat_sn(answer)) stat_sn_ = answer.stat_sn();
        exp_cmd_sn_ = answer.exp_cmd_sn();
        window_ = std::max(window_, std::min(exp_cmd_sn_.distance_to(answer.max_cmd_sn()), most_window));
        offset_ = offset;
        known_ = true;
    }

    // Whether a header, of which so much is captured, can be an answer that begins at this offset. True where nothing is known.
    bool admit(const Bhs& answer, size_t captured, uint64_t offset, const Requested& requested) const {
        if (!known_ || offset < offset_) return true;
        const uint64_t between = (offset - offset_) / bhs_length;
        const auto answers = static_cast<int32_t>(std::min<uint64_t>(between, 1 << 24)) + 1;
        if (captured >= stat_sn_end && has_stat_sn(answer) && !admits_stat_sn(answer, answers, requested))
            return false;
        return captured < max_cmd_sn_end || admits_cmd_sn(answer, answers, requested);
    }

  private:
    // Answers of a target with several threads may pass each other by as much.
    static constexpr int32_t passed = 64;
    static constexpr int32_t usual_window = 4096;
    static constexpr int32_t most_window = 1 << 20;
    static constexpr int32_t on_the_way = 128;  // requests that the target has not received yet, or more

    static bool has_stat_sn(const Bhs& answer) {
        return answer.opcode() != Opcode::scsi_data_in || answer.has_status();
    }
    static bool lies_within(int32_t distance, int32_t from, int32_t to) {
        return distance >= from && distance <= to;
    }
    // Commands under way at most. What is left of a busy target's window says little of how many it admits.
    int32_t most_under_way() const { return std::max(4 * window_, usual_window); }

    bool admits_stat_sn(const Bhs& answer, int32_t answers, const Requested& requested) const {
        if (!stat_sn_ || requested.status_again) return true;
        if (lies_within(stat_sn_->distance_to(answer.stat_sn()), -passed, answers)) return true;
        return requested.exp_stat_sn &&
               lies_within(requested.exp_stat_sn->distance_to(answer.stat_sn()), -passed, most_under_way());
    }

    bool admits_cmd_sn(const Bhs& answer, int32_t answers, const Requested& requested) const {
        if (answer.exp_cmd_sn().distance_to(answer.max_cmd_sn()) > most_under_way()) return false;
        if (lies_within(exp_cmd_sn_.distance_to(answer.exp_cmd_sn()), -passed, most_under_way() + answers))
            return true;
        // Other connections of the session may have moved it on, and so far only the requests have told.
        return requested.cmd_sn && lies_within(requested.cmd_sn->distance_to(answer.exp_cmd_sn()),
                                               -std::max(window_, on_the_way) - passed, most_under_way());
    }

    bool known_ = false;
    std::optional<Serial32> stat_sn_;
    Serial32 exp_cmd_sn_;
    int32_t window_ = 0;  // the largest seen
    uint64_t offset_ = 0;
};

}  // namespace sanscope
