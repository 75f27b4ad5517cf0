// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/student_t.h"

#include <cmath>

namespace sanscope {
namespace {

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated by Lentz's method.
double beta_fraction(double a, double b, double x) {
    constexpr int most_terms = 500;
    constexpr double tiny = 1e-300;
    constexpr double exact_enough = 1e-14;
    const auto not_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1;
    double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < most_terms; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        fraction *= d * c;
        if (std::abs(d * c - 1) < exact_enough) break;
    }
    return fraction;
}

double incomplete_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_t_beyond(double t, double freedom) {
    const double tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
    return t >= 0 ? tail : 1 - tail;
}

double student_t_exceeded(double chance, double freedom) {
    double low = 0;
    double high = 1;
    while (student_t_beyond(high, freedom) > chance && high < 1e12) high *= 2;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (student_t_beyond(middle, freedom) > chance ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace sanscope
