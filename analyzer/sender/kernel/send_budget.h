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

  private:
    size_t taken_ = 0;
};

}  // namespace sanscope
