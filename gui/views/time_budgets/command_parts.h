// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/plot/budget_bar.h"
#include "gui/senders/connection_chooser.h"

namespace sanscope {

// Where the time of all commands of a capture went, found once: the parts that have some, 24 bytes a command and 8 a part, in
// order of the commands' completion. Immutable.
class CommandParts {
  public:
    struct Item {
        int64_t end_ns = 0;  // when the status came
        uint32_t row = 0;    // 0-based
        uint32_t first = 0;  // of its parts, in the list of all
        uint16_t which = 0;  // a bit for each part it has
    };

    // Visits each command; nullptr where it was stopped, or the capture is not whole yet.
    static std::shared_ptr<const CommandParts> of(const CaptureData::Reading& reading, const StopFlag& stop);

    const std::vector<Item>& items() const { return items_; }
    // All commands together.
    const BudgetSums& sums() const { return sums_; }
    // The first item that completed at or behind a moment.
    size_t first_at(int64_t time_ns) const;
    // Calls `visit(part, ns)` for each part that has some.
    template <class Visit>
    void parts_of(const Item& item, Visit visit) const {
        const uint32_t* ns = &ns_[item.first];
        for (unsigned bits = item.which; bits != 0; bits &= bits - 1) {
            visit(static_cast<size_t>(std::countr_zero(bits)), whole(*ns++));
        }
    }

  private:
    // What is longer than two seconds lies apart: its place there with the highest bit set.
    static constexpr uint32_t apart = uint32_t{1} << 31;
    int64_t whole(uint32_t ns) const { return (ns & apart) == 0 ? ns : long_ns_[ns & ~apart]; }
    void add(int64_t ns);

    std::vector<Item> items_;
    std::vector<uint32_t> ns_;
    std::vector<int64_t> long_ns_;
    BudgetSums sums_{};
};

// The same, found by the first job that asks. Any thread.
class SharedCommandParts {
  public:
    std::shared_ptr<const CommandParts> get(const CaptureData::Reading& reading, const StopFlag& stop) {
        const std::lock_guard lock(mutex_);
        if (parts_ == nullptr) parts_ = CommandParts::of(reading, stop);
        return parts_;
    }

  private:
    std::mutex mutex_;
    std::shared_ptr<const CommandParts> parts_;
};

// Whether a command is among those that a chooser of scopes stands at.
bool holds(const ConnectionChooser::Scope& scope, const CommandRow& row);

}  // namespace sanscope
