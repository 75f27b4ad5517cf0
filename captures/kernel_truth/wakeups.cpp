// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/wakeups.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <sys/epoll.h>

namespace sanscope {

Wakeups::Wakeups() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

bool Wakeups::add(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Wakeups::wait(std::chrono::milliseconds timeout) {
    epoll_event event{};
    const auto most = std::clamp<int64_t>(timeout.count(), 0, INT_MAX);
    ::epoll_wait(epoll_.get(), &event, 1, static_cast<int>(most));
}

}  // namespace sanscope
