// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "captures/kernel_truth/file_handles.h"

namespace sanscope {

// Waits for the kernel to call, not for there to be something: each call wakes once. What trickles in meanwhile waits
// for the end of the time, so that it is read in large portions.
class Wakeups {
  public:
    Wakeups();

    // Whether `descriptor`'s calls wake from here on; errno says why not. It must stay open as long as this.
    bool add(int descriptor);

    void wait(std::chrono::milliseconds timeout);

  private:
    Descriptor epoll_;
};

}  // namespace sanscope
