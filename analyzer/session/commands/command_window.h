// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How many commands a target lets its initiator send (RFC 7143 §4.2.2.1): the widest window it opened, and how long the
// initiator had sent all that MaxCmdSN allowed and had more to send.
class CommandWindow {
  public:
    // A command that is not immediate. `max_cmd_sn`: as known by then.
    void on_command(Serial32 cmd_sn, Serial32 max_cmd_sn, int64_t time_ns) {
        if (opened_ns_ != no_time) note_shut(time_ns);
        opened_ns_ = no_time;
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
        shut_ns_ = elapsed(shut_since_ns_, time_ns);
        if (shut_ns_ > 0) opened_ns_ = time_ns;
        shut_since_ns_ = no_time;
    }

    // The session is over. An initiator that sends its next command later than `longest_ns` after the window opened had none to
    // send before; no_time: how soon it could have is not known, and nothing is told.
    void finish(int64_t longest_ns, SessionRow& row) const {
        row.command_window_shuts = 0;
        row.command_window_shut_ns = 0;
        if (longest_ns == no_time) return;
        const size_t end = std::min(by_delay_.size(), class_of(longest_ns) + 1);
        for (size_t i = 0; i < end; ++i) {
            row.command_window_shuts += by_delay_[i].times;
            row.command_window_shut_ns += by_delay_[i].shut_ns;
        }
    }

  private:
    struct Shut {
        uint64_t times = 0;
        int64_t shut_ns = 0;
    };

    // 0 for what a clock that was set, or a packet of a made-up time, would make a wait.
    static int64_t elapsed(int64_t begin_ns, int64_t end_ns) {
        constexpr int64_t longest_ns = 60'000'000'000;
        int64_t ns = 0;
        const bool far = __builtin_sub_overflow(end_ns, begin_ns, &ns);
        return far || ns < 0 || ns >= longest_ns ? 0 : ns;
    }

    // Of delays that differ by an eighth at most.
    static size_t class_of(int64_t delay_ns) {
        constexpr unsigned eighths = 3;
        const auto delay = static_cast<uint64_t>(std::max<int64_t>(delay_ns, 0));
        const unsigned width = static_cast<unsigned>(std::bit_width(delay));
        if (width <= eighths) return static_cast<size_t>(delay);
        const unsigned shift = width - eighths - 1;
        return (size_t{shift + 1} << eighths) + static_cast<size_t>(delay >> shift) - (1u << eighths);
    }

    void note_shut(int64_t time_ns) {
        if (time_ns < opened_ns_) return;
        const size_t delay = class_of(elapsed(opened_ns_, time_ns));
        if (delay >= by_delay_.size()) by_delay_.resize(delay + 1);
        ++by_delay_[delay].times;
        by_delay_[delay].shut_ns += shut_ns_;
    }

    Serial32 newest_;
    int64_t shut_since_ns_ = no_time;
    int64_t shut_ns_ = 0;          // the last time, until …
    int64_t opened_ns_ = no_time;  // … then; no command was sent since
    std::vector<Shut> by_delay_;   // of the next command, by class_of() it
};

}  // namespace sanscope
