// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// From so much on it is Issue::times_set_back: packets of several interfaces may come a little out of order; a clock that is set,
// or a file put behind another, is more.
constexpr int64_t least_set_back_ns = 100'000'000;
// Likewise, where TCP shows that packets stand in the order in which they passed.
constexpr int64_t least_shown_set_back_ns = 1'000'000;
// A clock is set seldom: more often than this it is interfaces whose clocks differ, or packets out of order.
constexpr uint64_t most_set_back = 8;

enum class Issue : uint8_t {
#define ISSUE(name, severity, sentence) name,
#include "analyzer/vocabulary/issues.def"
#undef ISSUE
};

enum class Severity : uint8_t { damage, missing, note };

struct IssueInfo {
    std::string_view name;
    Severity severity;
    std::string_view sentence;
};

constexpr std::array issue_infos = {
#define ISSUE(name, severity, sentence) IssueInfo{#name, Severity::severity, sentence},
#include "analyzer/vocabulary/issues.def"
#undef ISSUE
};

// How often each issue was met, and the first packet that showed it.
class Issues {
  public:
    struct Count {
        uint64_t count = 0;
        PacketNumber first_packet = 0;
    };

    void add(Issue issue, PacketNumber packet, uint64_t n = 1) {
        Count& count = counts_[static_cast<size_t>(issue)];
        if (count.count == 0) count.first_packet = packet;
        count.count += n;
    }
    // What was counted has another cause.
    void withdraw(Issue issue) { counts_[static_cast<size_t>(issue)] = {}; }
    const Count& operator[](Issue issue) const { return counts_[static_cast<size_t>(issue)]; }
    // The capture's clock was never set back, so that times tell what came before what.
    bool times_in_order() const { return (*this)[Issue::times_set_back].count == 0; }

  private:
    std::array<Count, issue_infos.size()> counts_{};
};

}  // namespace sanscope
