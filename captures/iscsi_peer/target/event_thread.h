// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {

// A thread that waits for what happens to its files, and can be woken and stopped by others. Its owner stops it before
// anything goes that it uses.
class EventThread {
  public:
    EventThread()
        : epoll_(::epoll_create1(EPOLL_CLOEXEC)), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    // False, with errno, where the system has no room for it.
    template <class Run>
    bool start(Run run) {
        if (epoll_.get() < 0 || event_.get() < 0) return false;
        watch(event_.get(), EPOLLIN);
        thread_ = std::thread(std::move(run));
        return true;
    }
    void stop() {
        if (!thread_.joinable()) return;
        stopping_ = true;
        wake();
        thread_.join();
    }
    void wake() const {
        constexpr uint64_t one = 1;
        // A counter that is full wakes its reader as well.
        [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
    }

    // For the thread itself.
    bool stopping() const { return stopping_; }
    int epoll() const { return epoll_.get(); }
    void watch(int file, uint32_t events) const {
        epoll_event event{};
        event.events = events;
        event.data.fd = file;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, file, &event);
    }
    // Whether this event only woke it.
    bool is_wake(const epoll_event& event) const { return event.data.fd == event_.get(); }
    void take_wakes() const {
        uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
    }

  private:
    FileDescriptor epoll_;
    FileDescriptor event_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace sanscope
