// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace sanscope {

// How whoever asked for a long export follows and ends it.
struct ExportControl {
    const std::atomic<bool>* stop = nullptr;
    // Called now and then on the thread that exports, with what is done of how much; both in the same unit, which is the
    // export's to choose. A total of 0 is unknown.
    std::function<void(uint64_t done, uint64_t total)> progress = {};

    bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
    void report_progress(uint64_t done, uint64_t total) const {
        if (progress) progress(done, total);
    }
};

}  // namespace sanscope
