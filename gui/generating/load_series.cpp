// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_series.h"

#include <algorithm>

namespace sanscope {
namespace {

std::optional<double> mean_of(std::optional<double> a, double weight_a, std::optional<double> b,
                              double weight_b) {
    if (!a || !b) return a ? a : b;
    return (*a * weight_a + *b * weight_b) / (weight_a + weight_b);
}

// `a` lasted so many seconds, `b` so many as it says.
LoadSecond joined(const LoadSecond& a, double seconds_a, const LoadSecond& b, double seconds_b) {
    LoadSecond both = b;
    both.bytes_per_second = *mean_of(a.bytes_per_second, seconds_a, b.bytes_per_second, seconds_b);
    both.commands_per_second = *mean_of(a.commands_per_second, seconds_a, b.commands_per_second, seconds_b);
    both.p50_ns = mean_of(a.p50_ns, std::max(1.0, static_cast<double>(a.commands)), b.p50_ns,
                          std::max(1.0, static_cast<double>(b.commands)));
    both.p99_ns = std::max(a.p99_ns, b.p99_ns);
    both.commands += a.commands;
    both.bytes += a.bytes;
    both.errors += a.errors;
    both.cpu_seconds += a.cpu_seconds;
    return both;
}

}  // namespace

void LoadSeries::clear() {
    rows_.clear();
    each_ = 1;
    in_last_ = 0;
}

double LoadSeries::lasted(size_t row) const {
    constexpr double least = 1e-9;
    return std::max(least, rows_[row].at - (row == 0 ? 0 : rows_[row - 1].at));
}

void LoadSeries::add(const LoadSecond& second) {
    if (rows_.empty()) {
        rows_.push_back(second);
        in_last_ = 1;
        return;
    }
    constexpr double least = 1e-9;
    const double lasts = std::max(least, second.at - rows_.back().at);
    if (second.at < rows_.back().at) return;
    const bool is_rest = lasts < shortest_second;
    if (is_rest || in_last_ < each_) {
        rows_.back() = joined(rows_.back(), lasted(rows_.size() - 1), second, lasts);
        if (!is_rest) ++in_last_;
        return;
    }
    if (rows_.size() == most_rows) {
        std::vector<LoadSecond> halved;
        halved.reserve(most_rows);
        for (size_t i = 0; i < most_rows; i += 2)
            halved.push_back(joined(rows_[i], lasted(i), rows_[i + 1], lasted(i + 1)));
        rows_ = std::move(halved);
        each_ *= 2;
    }
    rows_.push_back(second);
    in_last_ = 1;
}

}  // namespace sanscope
