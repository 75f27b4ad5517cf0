// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/document/time_range.h"

namespace sanscope {

// From when to when the rows of each block of a table are, so that those of other times need not be read again. Any thread.
class BlockTimes {
  public:
    static constexpr size_t rows = 4096;  // of a block

    // Of the times of a block's rows, as far as they have any.
    struct Extent {
        int64_t least_ns = std::numeric_limits<int64_t>::max();
        int64_t greatest_ns = std::numeric_limits<int64_t>::min();

        void add(int64_t time_ns) {
            if (time_ns < least_ns) least_ns = time_ns;
            if (time_ns > greatest_ns) greatest_ns = time_ns;
        }
        bool overlaps(const TimeRange& range) const {
            return least_ns < range.end_ns && greatest_ns >= range.begin_ns;
        }
    };

    // `time` is the column that says when a row counts. Nothing where it is not known.
    std::optional<Extent> find(std::string_view table, std::string_view time, size_t block) const {
        const std::lock_guard lock(mutex_);
        const auto found = extents_.find(Name(table, time));
        if (found == extents_.end() || block >= found->second.size()) return std::nullopt;
        return found->second[block];
    }
    void keep(std::string_view table, std::string_view time, size_t block, const Extent& extent) {
        const std::lock_guard lock(mutex_);
        auto& extents = extents_[Name(table, time)];
        if (block >= extents.size()) extents.resize(block + 1);
        extents[block] = extent;
    }

  private:
    using Name = std::pair<std::string, std::string>;

    mutable std::mutex mutex_;
    std::map<Name, std::vector<std::optional<Extent>>> extents_;
};

}  // namespace sanscope
