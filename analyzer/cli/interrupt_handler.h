// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace sanscope {

// While one lives, the first Ctrl-C only sets `interrupted`, also where something waits for more of standard input; the
// second ends the program, or, where two are endured, only sets `interrupted_twice`, and the third ends it.
class InterruptHandler {
  public:
    enum class Endures : uint8_t { one, two };

    static inline std::atomic<bool> interrupted = false;
    static inline std::atomic<bool> interrupted_twice = false;
    // What the next Ctrl-C sets.
    static const std::atomic<bool>& next_interrupt() { return interrupted ? interrupted_twice : interrupted; }

    explicit InterruptHandler(Endures endures = Endures::one);
    InterruptHandler(const InterruptHandler&) = delete;
    InterruptHandler& operator=(const InterruptHandler&) = delete;
    ~InterruptHandler();

  private:
    struct sigaction before_ {};
};

}  // namespace sanscope
