// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/log_histogram.h"

#include <cmath>

namespace sanscope {

void LogHistogram::add(const LogHistogram& other) {
    if (other.count_ == 0) return;
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    count_ += other.count_;
    moments_.add(other.moments_);
}

LogHistogram LogHistogram::since(const LogHistogram& before) const {
    LogHistogram since;
    since.counts_ = counts_;
    for (size_t i = 0; i < std::min(counts_.size(), before.counts_.size()); ++i) {
        since.counts_[i] -= std::min(since.counts_[i], before.counts_[i]);
    }
    for (size_t bucket = 0; bucket < since.counts_.size(); ++bucket) {
        if (since.counts_[bucket] == 0) continue;
        since.count_ += since.counts_[bucket];
        since.max_ = std::clamp(middle_of(bucket), min_, max_);
        if (since.count_ == since.counts_[bucket]) since.min_ = since.max_;
    }
    since.moments_ = moments_.since(before.moments_);
    return since;
}

int64_t LogHistogram::percentile_ns(double fraction) const {
    if (count_ == 0) return 0;
    const auto rank = static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
    if (rank >= count_) return max_ns();
    uint64_t passed = 0;
    for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
        passed += counts_[bucket];
        if (passed >= std::max<uint64_t>(rank, 1)) {
            return static_cast<int64_t>(std::clamp(middle_of(bucket), min_, max_));
        }
    }
    return max_ns();
}

bool LogHistogram::percentile_holds(double fraction, uint64_t missing) const {
    if (count_ == 0 || missing == 0) return count_ != 0;
    const auto there = static_cast<double>(count_);
    const auto not_there = static_cast<double>(missing);
    const double rank = fraction * (there + not_there);
    if (rank > there || rank <= not_there) return false;
    const int64_t least_ns = percentile_ns((rank - not_there) / there);
    return percentile_ns(rank / there) - least_ns <= least_ns / 4;
}

}  // namespace sanscope
