// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "analyzer/budget/time_budgets.h"

namespace sanscope {

// Time budgets for several that ask now and then: found when the first one asks, once nothing is added to the store any more.
// Any thread. The store outlives this.
class SharedBudgets {
  public:
    // `held`: none are found before release(), since who asks first would keep others waiting.
    explicit SharedBudgets(const ResultStore& store, bool held = false) : store_(&store), held_(held) {}

    void release() { held_.store(false, std::memory_order_release); }

    // False while they are held or the store is not finished, or where it keeps no budgets.
    bool find(CommandNumber command, CommandBudget& budget) {
        if (held_.load(std::memory_order_acquire) || !store_->finished() || !store_->keeps_budgets())
            return false;
        const std::lock_guard lock(mutex_);
        if (budgets_ == nullptr) budgets_ = std::make_unique<TimeBudgets>(*store_);
        if (command.value() != last_) last_budget_ = budgets_->of(command);
        last_ = command.value();
        budget = last_budget_;
        return true;
    }

  private:
    const ResultStore* store_;
    std::atomic<bool> held_;
    std::mutex mutex_;
    std::unique_ptr<TimeBudgets> budgets_;
    // A row of a table asks once for each of its cells.
    uint64_t last_ = 0;
    CommandBudget last_budget_;
};

}  // namespace sanscope
