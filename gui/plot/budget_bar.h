// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <vector>

#include "gui/plot/theme.h"

#include "analyzer/budget/budget_parts.h"

namespace sanscope {

// Nanoseconds of each part: of one command, or summed over several.
using BudgetSums = std::array<int64_t, budget_parts>;

int64_t sum_of(const BudgetSums& parts);
// What timestamps that lie centuries apart add up to stays at the greatest number there is.
inline int64_t saturated_sum(int64_t a, int64_t b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// The stretch of a bar that stands for a part.
struct BudgetSegment {
    BudgetPart part = BudgetPart::unknown;
    double left = 0;
    double right = 0;
    bool operator==(const BudgetSegment&) const = default;
};
// The parts that have some, in their order and without a gap from 0 to `length`, each as wide as its share to a pixel: its ends
// are whole pixels, and what is less than that may vanish. Nothing where all are 0.
std::vector<BudgetSegment> budget_segments(const BudgetSums& parts, int length);

// Of a bar along the upper edge of `rect`, whose left edge is a whole pixel.
void draw_budget_bar(QPainter& painter, const Theme& theme, const QRectF& rect, const BudgetSums& parts,
                     double faded = 0);

// A part with its share of the whole.
struct BudgetShare {
    BudgetPart part = BudgetPart::unknown;
    int64_t ns = 0;
    double share = 0;
};
// Those that have some, the largest first.
std::vector<BudgetShare> budget_shares(const BudgetSums& parts);
// "12 %", "0.4 %", "< 0.1 %".
QString share_text(double share);
// A line each: "recovery 4.20 ms, 28 %"; those beyond `most` in one line of their own.
QStringList largest_parts(const BudgetSums& parts, size_t most);

}  // namespace sanscope
