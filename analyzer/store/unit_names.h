// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a logical unit calls itself: the same behind each of its paths.
struct UnitName {
    uint32_t session = 0;
    uint64_t lun = unknown<uint64_t>;
    std::string name;  // hexadecimal: type and identifier of its designator
};

// Those of a whole capture, in bounded memory: the first ones.
class UnitNames {
  public:
    static constexpr size_t most_kept = 4096;

    void add(uint32_t session, uint64_t lun, const std::string& name) {
        if (names_.size() < most_kept && of(session, lun).empty()) names_.push_back({session, lun, name});
    }
    // Empty where it was not asked for while the capture ran.
    const std::string& of(uint32_t session, uint64_t lun) const {
        static const std::string none;
        const auto found = std::ranges::find_if(
            names_, [=](const UnitName& unit) { return unit.session == session && unit.lun == lun; });
        return found == names_.end() ? none : found->name;
    }

  private:
    std::vector<UnitName> names_;
};

}  // namespace sanscope
