// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/base/time_spans.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How fast data were acknowledged within bursts of half a flight, while some were outstanding all along.
class AckedBursts {
  public:
    void pause() { begun_ = false; }
    void on_acknowledged(const WindowRow& row) {
        if (row.snd_una == row.snd_nxt) return pause();
        // Half of what is outstanding is acknowledged well within a round trip. Of a long queue, less would be no more than
        // what acknowledgements that come close together report.
        constexpr uint32_t least = 8 * 1460;
        constexpr uint32_t most = 1024 * 1460;
        if (!begun_) {
            begun_ = true;
            begin_ = row.snd_una;
            begin_ns_ = row.time_ns;
            size_ = std::clamp((row.snd_nxt - row.snd_una) / 2, least, most);
            return;
        }
        const int32_t acknowledged = Serial32(begin_).distance_to(Serial32(row.snd_una));
        if (acknowledged < 0) return pause();
        if (static_cast<uint32_t>(acknowledged) < size_) return;
        const int64_t took_ns = std::max<int64_t>(elapsed_ns(begin_ns_, row.time_ns), 1);
        if (rates_.size() < most_rates) rates_.push_back(acknowledged * 1e9 / static_cast<double>(took_ns));
        pause();
        on_acknowledged(row);
    }
    // Three quarters of the bursts came no faster; 0 where there were few.
    double upper_rate() {
        constexpr size_t least_bursts = 8;
        if (rates_.size() < least_bursts) return 0;
        const auto at = rates_.begin() + static_cast<ptrdiff_t>(rates_.size() * 3 / 4);
        std::ranges::nth_element(rates_, at);
        return *at;
    }

  private:
    static constexpr size_t most_rates = 4096;

    bool begun_ = false;
    uint32_t begin_ = 0;
    uint32_t size_ = 0;
    int64_t begin_ns_ = 0;
    std::vector<double> rates_;
};

}  // namespace sanscope
