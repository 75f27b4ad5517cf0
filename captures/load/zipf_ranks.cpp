// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/zipf_ranks.h"

#include <algorithm>
#include <cmath>

namespace sanscope {
namespace {

// (e^x - 1) / x and ln(1 + x) / x, also where x is so close to 0 that the quotient would be noise.
constexpr double close_to_zero = 1e-8;

double expm1_by_x(double x) {
    return std::abs(x) > close_to_zero ? std::expm1(x) / x : 1 + x / 2 * (1 + x / 3);
}
double log1p_by_x(double x) {
    return std::abs(x) > close_to_zero ? std::log1p(x) / x : 1 - x * (0.5 - x / 3);
}

}  // namespace

ZipfRanks::ZipfRanks(uint64_t count, double theta)
    : count_(static_cast<double>(count)),
      theta_(theta),
      integral_of_first_(integral(1.5) - 1),
      integral_of_last_(integral(count_ + 0.5)),
      sure_(2 - inverse_integral(integral(2.5) - density(2))) {}

uint64_t ZipfRanks::draw(RandomNumbers& random) const {
    while (true) {
        const double area = integral_of_last_ + random.fraction() * (integral_of_first_ - integral_of_last_);
        const double x = inverse_integral(area);
        const double rank = std::clamp(std::floor(x + 0.5), 1.0, count_);
        if (rank - x <= sure_ || area >= integral(rank + 0.5) - density(rank))
            return static_cast<uint64_t>(rank);
    }
}

// (x^(1 - theta) - 1) / (1 - theta), which for a theta of 1 is ln(x).
double ZipfRanks::integral(double x) const {
    const double logarithm = std::log(x);
    return expm1_by_x((1 - theta_) * logarithm) * logarithm;
}

double ZipfRanks::inverse_integral(double x) const {
    // Rounding must not take the power's base below 0.
    return std::exp(log1p_by_x(std::max(x * (1 - theta_), -1.0)) * x);
}

double ZipfRanks::density(double x) const {
    return std::exp(-theta_ * std::log(x));
}

}  // namespace sanscope
