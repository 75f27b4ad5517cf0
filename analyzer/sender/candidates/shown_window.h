// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Whether a window that grew before the capture began has shown since how large it is. A sender with more to send stops at its
// cwnd, and as well where its send buffer, or the receiver's window of unknown scale, lets it have no more in flight: these stay, a
// window that is full grows (tcp_is_cwnd_limited), and is below what they let pass when it has been reduced. An application that
// sends less shows nothing of it.
class ShownWindow {
  public:
    void begin_late() {
        *this = {};
        unknown_ = true;
    }
    bool is_unknown() const { return unknown_; }

    // The sender stopped, with more to send, after an acknowledgement; `burst`: the segments that it hands down at once.
    void on_stop(const SenderState& tp, uint32_t burst) {
        if (!unknown_ || tp.ca_state != CaState::open) return;
        if (stops_ > 0 && !tp.snd_una.before(round_end_)) end_round(burst);
        if (stops_ == 0) {
            least_ = most_ = tp.in_flight();
            round_end_ = tp.snd_nxt;
        }
        ++stops_;
        least_ = std::min(least_, tp.in_flight());
        most_ = std::max(most_, tp.in_flight());
    }
    void on_reduction() {
        if (last_least_ > 0) before_reduction_ = last_least_;
        last_least_ = last_most_ = stops_ = 0;
        rounds_below_ = rounds_grown_ = growth_ = 0;
    }

  private:
    void end_round(uint32_t burst) {
        const bool below = most_ < before_reduction_ - before_reduction_ / 8;
        rounds_below_ = below ? rounds_below_ + 1 : 0;
        const bool in_one_place = most_ - least_ <= burst + 2 && burst <= most_ / 8;
        if (last_most_ > 0 && in_one_place && most_ >= last_most_) {
            ++rounds_grown_;
            growth_ += most_ - last_most_;
        } else {
            rounds_grown_ = growth_ = 0;
        }
        if (rounds_below_ >= enough_below || (rounds_grown_ >= enough_grown && growth_ >= enough_growth))
            unknown_ = false;
        last_least_ = least_;
        last_most_ = most_;
        stops_ = 0;
    }
    // Chosen by captures of captures/lab whose beginnings were cut off: of a send buffer's varying room, rounds in a row that grow so
    // long are chance seldom.
    static constexpr uint32_t enough_below = 2;
    static constexpr uint32_t enough_grown = 8;
    static constexpr uint32_t enough_growth = 4;

    bool unknown_ = false;
    // Segments in flight at the stops of this round trip, and of the one before; 0: there was none since the last reduction.
    uint32_t stops_ = 0;
    uint32_t least_ = 0;
    uint32_t most_ = 0;
    uint32_t last_least_ = 0;
    uint32_t last_most_ = 0;
    Serial32 round_end_;
    uint32_t before_reduction_ = 0;  // the least of the last round trip before it
    uint32_t rounds_below_ = 0;
    uint32_t rounds_grown_ = 0;
    uint32_t growth_ = 0;
};

}  // namespace sanscope
