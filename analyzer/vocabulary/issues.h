// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

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
    const Count& operator[](Issue issue) const { return counts_[static_cast<size_t>(issue)]; }

  private:
    std::array<Count, issue_infos.size()> counts_{};
};

}  // namespace sanscope
