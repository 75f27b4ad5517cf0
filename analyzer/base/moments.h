// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace sanscope {

// Mean and standard deviation of values as they come, each counting as much as its weight: a count of 1, or how long it
// held. By Welford's method (of weights, West's), which keeps its digits where the deviation is small beside the mean.
// The deviation is that of all the values, not an estimate from a sample of them.
class Moments {
  public:
    // A value without weight, or with a negative one, does not count.
    void add(double value, double weight = 1) {
        if (!(weight > 0)) return;
        weight_ += weight;
        const double distance = value - mean_;
        mean_ += distance * weight / weight_;
        squares_ += weight * distance * (value - mean_);
    }

    // As if the other's values had been added one by one.
    void add(const Moments& other) {
        if (!other.known()) return;
        const double weight = weight_ + other.weight_;
        const double distance = other.mean_ - mean_;
        squares_ += other.squares_ + distance * distance * (weight_ / weight) * other.weight_;
        mean_ += distance * other.weight_ / weight;
        weight_ = weight;
    }

    // What was added since this was like `before`, an earlier copy.
    Moments since(const Moments& before) const {
        Moments since;
        since.weight_ = weight_ - before.weight_;
        if (!(since.weight_ > 0)) return {};
        since.mean_ = mean_ + (mean_ - before.mean_) * before.weight_ / since.weight_;
        const double distance = since.mean_ - before.mean_;
        since.squares_ = std::max(0.0, squares_ - before.squares_ -
                                           distance * distance * (before.weight_ / weight_) * since.weight_);
        return since;
    }

    bool known() const { return weight_ > 0; }
    double weight() const { return weight_; }
    // 0 where nothing is known.
    double mean() const { return mean_; }
    double variance() const { return known() ? std::max(0.0, squares_ / weight_) : 0; }
    double standard_deviation() const { return std::sqrt(variance()); }
    // The coefficient of variation (%SD): the standard deviation in percent of the mean; 0 of a mean of 0.
    double percent_deviation() const {
        constexpr double percent = 100;
        return mean_ > 0 ? percent * standard_deviation() / mean_ : 0;
    }

  private:
    double weight_ = 0;
    double mean_ = 0;
    double squares_ = 0;  // of the distances from the mean, weighted
};

}  // namespace sanscope
