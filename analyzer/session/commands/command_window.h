// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How many commands a target lets its initiator send (RFC 7143 §4.2.2.1): the widest window it opened, and how long the
// initiator had sent all that MaxCmdSN allowed.
class CommandWindow {
  public:
    // A command that is not immediate. `max_cmd_sn`: as known by then.
    void on_command(Serial32 cmd_sn, Serial32 max_cmd_sn, int64_t time_ns) {
        newest_ = cmd_sn;
        if (cmd_sn == max_cmd_sn && shut_since_ns_ == no_time) shut_since_ns_ = time_ns;
    }

    void on_answer(Serial32 exp_cmd_sn, Serial32 max_cmd_sn, int64_t time_ns, SessionRow& row) {
        const int32_t width = exp_cmd_sn.distance_to(max_cmd_sn) + 1;
        if (width >= 0) {
            const auto known = row.command_window == unknown<uint32_t> ? 0 : row.command_window;
            row.command_window = std::max(known, static_cast<uint32_t>(width));
        }
        if (shut_since_ns_ == no_time || !newest_.before(max_cmd_sn)) return;
        // A clock that was set, or a packet of a made-up time, is no wait.
        constexpr int64_t longest_ns = 60'000'000'000;
        int64_t shut_ns = 0;
        const bool far = __builtin_sub_overflow(time_ns, shut_since_ns_, &shut_ns);
        if (!far && shut_ns > 0 && shut_ns < longest_ns) {
            ++row.command_window_shuts;
            row.command_window_shut_ns += shut_ns;
        }
        shut_since_ns_ = no_time;
    }

  private:
    Serial32 newest_;
    int64_t shut_since_ns_ = no_time;
};

}  // namespace sanscope
