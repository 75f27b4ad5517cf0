// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace sanscope {

// How many outstanding segments all senders together may be followed with: a hostile capture could claim any number.
class SendBudget {
  public:
    static constexpr size_t max_segments = size_t{1} << 22;

    // Room for `more`; false if there is none.
    bool take(size_t more) {
        if (taken_ + more > max_segments) return false;
        taken_ += more;
        return true;
    }
    void give_back(size_t segments) { taken_ -= segments; }

    // Of the packets that wait until it shows where the capture was taken.
    static constexpr size_t max_waiting = size_t{1} << 18;
    bool take_waiting() {
        if (waiting_ >= max_waiting) return false;
        ++waiting_;
        return true;
    }
    void give_back_waiting(size_t packets) { waiting_ -= packets; }

  private:
    size_t taken_ = 0;
    size_t waiting_ = 0;
};

}  // namespace sanscope
