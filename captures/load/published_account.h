// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <mutex>

#include "captures/load/load_account.h"

namespace sanscope {

// A thread's account as others may see it while its load runs: they ask, and the thread hands out a copy at its next
// turn. A turn costs it a look at a flag; nothing else of the account is shared.
class PublishedAccount {
  public:
    // The thread that owns the account, once in each round of its loop.
    void publish_if_asked(const LoadAccount& account) {
        if (!asked_.load(std::memory_order_relaxed)) [[likely]]
            return;
        publish(account);
    }
    // … and when its load has ended.
    void publish(const LoadAccount& account) {
        asked_.store(false, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        latest_ = account;
    }

    // Whoever reports: the last copy. The next one is asked for.
    LoadAccount latest() {
        asked_.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        return latest_;
    }

  private:
    std::atomic<bool> asked_ = true;
    std::mutex mutex_;
    LoadAccount latest_;
};

}  // namespace sanscope
