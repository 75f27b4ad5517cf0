// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/budget_bar.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gui/plot/budget_colors.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("BudgetPart", text);
}

QString part_line(const QString& name, int64_t ns, double share) {
    return tr("%1 %2, %3").arg(name, short_duration(ns), share_text(share));
}

}  // namespace

int64_t sum_of(const BudgetSums& parts) {
    return std::accumulate(parts.begin(), parts.end(), int64_t{0}, saturated_sum);
}

std::vector<BudgetSegment> budget_segments(const BudgetSums& parts, int length) {
    std::vector<BudgetSegment> segments;
    const int64_t whole = sum_of(parts);
    if (whole <= 0 || length <= 0) return segments;
    // Ends are rounded, not widths, whose roundings would add up.
    int64_t up_to = 0;
    double left = 0;
    for (size_t i = 0; i < budget_parts; ++i) {
        up_to = saturated_sum(up_to, parts[i]);
        const double right =
            std::round(static_cast<double>(up_to) / static_cast<double>(whole) * static_cast<double>(length));
        if (right > left) segments.push_back({static_cast<BudgetPart>(i), left, right});
        left = std::max(left, right);
    }
    return segments;
}

void draw_budget_bar(QPainter& painter, const Theme& theme, const QRectF& rect, const BudgetSums& parts,
                     double faded) {
    for (const BudgetSegment& segment : budget_segments(parts, static_cast<int>(std::lround(rect.width())))) {
        const QRectF place(rect.left() + segment.left, rect.top(), segment.right - segment.left,
                           rect.height());
        fill_budget_part(painter, theme, segment.part, place, faded);
    }
}

std::vector<BudgetShare> budget_shares(const BudgetSums& parts) {
    std::vector<BudgetShare> shares;
    const int64_t whole = sum_of(parts);
    for (size_t i = 0; i < budget_parts; ++i) {
        if (parts[i] <= 0) continue;
        shares.push_back({static_cast<BudgetPart>(i), parts[i],
                          static_cast<double>(parts[i]) / static_cast<double>(whole)});
    }
    std::ranges::stable_sort(shares, std::greater(), &BudgetShare::ns);
    return shares;
}

QString share_text(double share) {
    const double percent = 100 * share;
    if (percent > 0 && percent < 0.1) return QString::fromUtf8("< 0.1 %");
    // What is not all of it is not called so.
    if (percent >= 99.5 && share < 1) return QString::fromUtf8("> 99 %");
    return QString::fromUtf8("%1 %").arg(percent, 0, 'f', percent > 0 && percent < 9.95 ? 1 : 0);
}

QStringList largest_parts(const BudgetSums& parts, size_t most) {
    const std::vector<BudgetShare> shares = budget_shares(parts);
    QStringList lines;
    BudgetShare rest;
    for (size_t i = 0; i < shares.size(); ++i) {
        if (i < most || shares.size() == most + 1) {
            lines << part_line(budget_title(shares[i].part), shares[i].ns, shares[i].share);
        } else {
            rest.ns = saturated_sum(rest.ns, shares[i].ns);
            rest.share += shares[i].share;
        }
    }
    if (rest.ns > 0) lines << part_line(tr("the other parts"), rest.ns, rest.share);
    return lines;
}

}  // namespace sanscope
