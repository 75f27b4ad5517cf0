// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "captures/load/random_numbers.h"

namespace sanscope {

// Draws ranks 1 … `count`, rank k with a probability in proportion to k^-theta: Zipf's law. By rejection-inversion
// (Hörmann, Derflinger: Rejection-inversion to generate variates from monotone discrete distributions, ACM TOMACS 6(3),
// 1996): exact but for the rounding of doubles, without a table, in less than two attempts on average whatever the
// count.
class ZipfRanks {
  public:
    // 1 <= `count` < 2^53, 0 < `theta`, finite.
    ZipfRanks(uint64_t count, double theta);

    uint64_t draw(RandomNumbers& random) const;

  private:
    double integral(double x) const;          // of density(), but for a constant
    double inverse_integral(double x) const;  // the x at which the integral has this value
    double density(double x) const;           // x^-theta

    double count_;
    double theta_;
    double integral_of_first_;  // where that of rank 1 begins, and that of the last ends
    double integral_of_last_;
    double sure_;  // a rank so close to what was drawn needs no further look
};

}  // namespace sanscope
