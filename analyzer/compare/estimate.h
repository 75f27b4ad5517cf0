// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/compare/blocked_values.h"

namespace sanscope {

// How two values of a figure are held against each other.
enum class Scale : uint8_t {
    ratio,       // by their quotient: times, rates, sizes
    difference,  // by their difference: shares of a whole
    rare,  // events among many chances, by the square roots of their rates, whose error does not depend on the rate
};

// Why the error of a value is not known, and nothing can be said of its change.
enum class NoError : uint8_t {
    none,
    too_few,      // commands, or blocks that have any
    never_moved,  // as a congestion window that nothing moved: one draw, however long it was looked at
    // Of two estimates: they are of the same thing seen from different places, or with more and less known of it.
    other_place,
    other_view,
};

// A figure of one capture, and how far another capture of the same would be expected to differ.
struct Estimate {
    double value = 0;
    // The standard error; of the logarithm where the scale is `ratio`, of the square root where it is `rare`.
    double error = 0;
    double freedom = 0;  // degrees of freedom of that error
    bool known = false;  // there is a value
    NoError no_error = NoError::too_few;
};

// Of the quotient of the sums. The error is that of resampled blocks (block bootstrap), widened by what blocks next to each
// other have in common, with as many degrees of freedom as blocks that are independent of each other. Deterministic.
Estimate estimate_quotient(const BlockedSums& sums, Scale scale);

// Of the duration that `fraction` of all do not exceed.
Estimate estimate_quantile(const BlockedDurations& durations, double fraction);

// Of events among `chances`; their number in each block shows by how much they come in bursts.
Estimate estimate_rate(const std::array<double, TimeBlocks::count>& events, double chances);

}  // namespace sanscope
