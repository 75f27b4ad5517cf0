// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_rate.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

// Chosen, not measured: shorter runs are too much at the mercy of a tap's timestamps, of longer ones a small load has none.
constexpr uint32_t segments_of_run = 8;
constexpr size_t fewest_runs = 8;
constexpr double fastest_share = 0.1;
constexpr uint32_t usual_mss = 1448;
// Chosen: a silence so many times as long as what came before it from segment to segment, and three quarters of a round trip at
// least, is a window's.
constexpr int64_t burst_factor = 8;

// What passes without a pause, cut into runs.
class Runs {
  public:
    explicit Runs(uint32_t least_bytes, int64_t rtt_ns)
        : least_bytes_(least_bytes), least_pause_ns_(rtt_ns == no_time ? no_time : rtt_ns / 4 * 3) {}

    void pass(uint32_t bytes, int64_t gap_ns) {
        if (ends_burst(gap_ns)) return pause();
        ++burst_gaps_;
        burst_ns_ += gap_ns;
        bytes_ += bytes;
        took_ns_ += gap_ns;
        if (bytes_ < least_bytes_) return;
        if (took_ns_ > 0) runs_.emplace_back(static_cast<double>(took_ns_) / bytes_, bytes_);
        bytes_ = 0;
        took_ns_ = 0;
    }
    void pause() {
        bytes_ = 0;
        took_ns_ = 0;
        burst_gaps_ = 0;
        burst_ns_ = 0;
    }

    // That of the fastest ones which have so large a share of the bytes.
    double fastest_byte_ns() {
        if (runs_.size() < fewest_runs) return 0;
        double all = 0;
        for (const auto& run : runs_) all += run.second;
        double passed = 0;
        // All runs are of some eight segments: the share of the bytes is about that of the runs.
        size_t sorted = 0;
        for (size_t wanted = runs_.size() / 8 + 1;; wanted *= 2) {
            const auto begin = runs_.begin() + static_cast<ptrdiff_t>(sorted);
            sorted = std::min(wanted, runs_.size());
            const auto end = runs_.begin() + static_cast<ptrdiff_t>(sorted);
            if (end != runs_.end()) std::nth_element(begin, end, runs_.end());
            std::sort(begin, end);
            for (auto run = begin; run != end; ++run) {
                passed += run->second;
                if (passed >= all * fastest_share) return run->first;
            }
            if (end == runs_.end()) return 0;
        }
    }

  private:
    // The sender had sent its window at once, and waited for the acknowledgements. A slow path has as long a silence behind each
    // segment, or each acknowledgement.
    bool ends_burst(int64_t gap_ns) const {
        return least_pause_ns_ != no_time && burst_gaps_ > 0 && gap_ns > least_pause_ns_ &&
               gap_ns / burst_factor > burst_ns_ / burst_gaps_;
    }

    uint32_t least_bytes_;
    int64_t least_pause_ns_;
    int64_t burst_gaps_ = 0;
    int64_t burst_ns_ = 0;
    uint32_t bytes_ = 0;
    int64_t took_ns_ = 0;
    std::vector<std::pair<double, uint32_t>> runs_;  // nanoseconds a byte, bytes
};

}  // namespace

uint32_t full_segment(uint32_t mss) {
    if (mss == 0) mss = usual_mss;
    return mss - mss / 8;
}

double byte_time_ns(const SendTrack& track, uint32_t mss, int64_t rtt_ns) {
    if (track.empty()) return 0;
    const uint32_t full = full_segment(mss);
    if (mss == 0) mss = usual_mss;
    Runs sent(segments_of_run * mss, rtt_ns);
    Runs acknowledged(segments_of_run * mss, rtt_ns);
    int64_t sent_ns = 0;
    int64_t acknowledged_ns = 0;
    bool within_write = false;
    SendStep before = track[0];
    track.for_each([&](const SendStep& step) {
        const auto added = static_cast<uint32_t>(before.snd_nxt().distance_to(step.snd_nxt()));
        if (added > 0) {
            if (within_write) sent.pass(added, step.time_ns() - sent_ns);
            sent_ns = step.time_ns();
            within_write = added >= full;
            if (!within_write) sent.pause();
        }
        const uint32_t outstanding = before.outstanding() + added;
        if (step.outstanding() < outstanding) {
            if (acknowledged_ns != 0)
                acknowledged.pass(outstanding - step.outstanding(), step.time_ns() - acknowledged_ns);
            acknowledged_ns = step.outstanding() > 0 ? step.time_ns() : 0;
            if (acknowledged_ns == 0) acknowledged.pause();
        }
        before = step;
    });
    return std::max(sent.fastest_byte_ns(), acknowledged.fastest_byte_ns());
}

}  // namespace sanscope
