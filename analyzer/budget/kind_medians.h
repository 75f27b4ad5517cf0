// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "analyzer/base/log_histogram.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What half of the commands of a session, logical unit, operation code and size class took at the most. Bounded: kinds beyond
// the first most_kinds are not known.
class KindMedians {
  public:
    static constexpr size_t most_kinds = 512;

    // One that has a turnaround; others are passed over.
    void add(const CommandRow& row);
    // Whether it took several times as long as half of its kind, as findings tell slow commands from others; false where its
    // kind has too few. `path_ns`: what its time is longer for the initiator than the capture shows.
    bool is_slow(const CommandRow& row, int64_t path_ns);

  private:
    using Key = std::tuple<uint32_t, uint64_t, uint16_t, uint64_t>;
    struct Kind {
        LogHistogram times;
        int64_t median_ns = 0;
        uint64_t known_of = 0;  // `median_ns` is of so many
    };
    Kind* find(const CommandRow& row, bool make);

    std::map<Key, Kind> kinds_;
    // The command before is mostly of the same one.
    Key last_key_{};
    Kind* last_ = nullptr;
};

}  // namespace sanscope
