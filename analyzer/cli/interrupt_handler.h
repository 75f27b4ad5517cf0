// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>

namespace sanscope {

// While one lives, the first Ctrl-C only sets `interrupted`, also where something waits for more of standard input; the second
// ends the program.
class InterruptHandler {
  public:
    static inline std::atomic<bool> interrupted = false;

    InterruptHandler();
    InterruptHandler(const InterruptHandler&) = delete;
    InterruptHandler& operator=(const InterruptHandler&) = delete;
    ~InterruptHandler();

  private:
    struct sigaction before_ {};
};

}  // namespace sanscope
