// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/interval_value.h"

#include <algorithm>
#include <limits>

namespace sanscope {
namespace {

constexpr double ns_per_second = 1e9;

int64_t magnitude_of(int64_t negative) {
    return negative == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -negative;
}

// So that the nearest rank, counted from 1, is met whatever is rounded.
double fraction_of(uint64_t rank, uint64_t count) {
    return (static_cast<double>(rank) - 0.5) / static_cast<double>(count);
}

}  // namespace

void ValueDistribution::Histograms::add(int64_t value) {
    if (value < 0) {
        negative.add(magnitude_of(value));
    } else {
        positive.add(value);
    }
}

void ValueDistribution::add(int64_t value) {
    ++count_;
    if (histograms_ != nullptr) return histograms_->add(value);
    values_.push_back(value);
    if (values_.size() > most_exact) take_to_histograms();
}

void ValueDistribution::take_to_histograms() {
    histograms_ = std::make_unique<Histograms>();
    for (const int64_t one : values_) histograms_->add(one);
    values_ = {};
}

void ValueDistribution::add(const ValueDistribution& other) {
    for (const int64_t value : other.values_) add(value);
    if (other.histograms_ == nullptr) return;
    if (histograms_ == nullptr) take_to_histograms();
    count_ += other.count_;
    histograms_->negative.add(other.histograms_->negative);
    histograms_->positive.add(other.histograms_->positive);
}

int64_t ValueDistribution::percentile(unsigned percent) const {
    const uint64_t rank = std::max<uint64_t>(1, (count_ * percent + 99) / 100);
    if (histograms_ == nullptr) {
        std::vector<int64_t> values = values_;
        const auto at = values.begin() + static_cast<ptrdiff_t>(rank - 1);
        std::ranges::nth_element(values, at);
        return *at;
    }
    const uint64_t negative = histograms_->negative.count();
    if (rank > negative) {
        const uint64_t positive = histograms_->positive.count();
        return histograms_->positive.percentile_ns(fraction_of(rank - negative, positive));
    }
    // The least value has the greatest magnitude.
    return -histograms_->negative.percentile_ns(fraction_of(negative - rank + 1, negative));
}

void IntervalValue::add(int64_t value, bool percentiles) {
    min_ = rows_ == 0 ? value : std::min(min_, value);
    max_ = rows_ == 0 ? value : std::max(max_, value);
    ++rows_;
    sum_ += static_cast<double>(value);
    if (!percentiles) return;
    if (distribution_ == nullptr) distribution_ = std::make_unique<ValueDistribution>();
    distribution_->add(value);
}

void IntervalValue::add(const IntervalValue& other) {
    if (other.rows_ == 0) return;
    min_ = rows_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = rows_ == 0 ? other.max_ : std::max(max_, other.max_);
    rows_ += other.rows_;
    sum_ += other.sum_;
    if (other.distribution_ == nullptr) return;
    if (distribution_ == nullptr) distribution_ = std::make_unique<ValueDistribution>();
    distribution_->add(*other.distribution_);
}

double IntervalValue::value(const GraphLine& line, int64_t length_ns) const {
    const auto rows = static_cast<double>(rows_);
    if (rows_ == 0) return is_zero_of_nothing(line.function) ? 0 : std::numeric_limits<double>::quiet_NaN();
    switch (line.function) {
        case GraphFunction::count:
            return rows;
        case GraphFunction::rate: {
            const double amount = line.column.empty() ? rows : sum_;
            const double per_second = amount * ns_per_second / static_cast<double>(length_ns);
            return is_duration(line) ? per_second / ns_per_second : per_second;
        }
        case GraphFunction::sum:
            return sum_;
        case GraphFunction::mean:
            return sum_ / rows;
        case GraphFunction::minimum:
            return static_cast<double>(min_);
        case GraphFunction::maximum:
            return static_cast<double>(max_);
        default:
            break;
    }
    return distribution_ == nullptr
               ? std::numeric_limits<double>::quiet_NaN()
               : static_cast<double>(distribution_->percentile(percent_of(line.function)));
}

}  // namespace sanscope
