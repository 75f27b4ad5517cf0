// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <fmt/core.h>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/findings.h"
#include "analyzer/report/human_units.h"

namespace sanscope {

// The parts of findings(): each looks at one side of the matter and adds what it finds, in any order.
using FindingList = std::vector<Finding>;

// To be asked now and then in a long pass.
class Stop {
  public:
    static constexpr size_t rows_between = 65536;

    // `between`, which may be empty, is called as often as that.
    Stop(const std::atomic<bool>* flag, const std::function<void()>& between)
        : flag_(flag), between_(&between) {}
    bool asked() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
    // In a pass, at its row number `row`.
    bool asked_at(size_t row) const {
        if (row % rows_between != 0) return false;
        if (row > 0 && *between_) (*between_)();
        return asked();
    }

  private:
    const std::atomic<bool>* flag_;
    const std::function<void()>* between_;
};

inline double share_of(int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

inline std::string human_rate(double bytes_per_second) {
    return human_bytes(bytes_per_second) + "/s";
}

}  // namespace sanscope
