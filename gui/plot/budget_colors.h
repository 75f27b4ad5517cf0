// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <vector>

#include "gui/plot/theme.h"

#include "analyzer/budget/budget_parts.h"

namespace sanscope {

// The one palette of the parts of a command's time. What is a limit or a state of TCP has the colour it has in the views of
// senders. Told apart by those who cannot tell red from green, neighbours in the order of the parts above all.
QColor budget_color(const Theme& theme, BudgetPart part);
// Fills a stretch of a bar: what is unknown is hatched besides, so that it looks like no part that is known. `faded`, 0 to 1:
// how much of the background shines through.
void fill_budget_part(QPainter& painter, const Theme& theme, BudgetPart part, const QRectF& rect,
                      double faded = 0);
// The same of many stretches, of which none lies over another.
void fill_budget_part(QPainter& painter, const Theme& theme, BudgetPart part,
                      const std::vector<QRect>& rects);

// "congestion window".
QString budget_title(BudgetPart part);
// Whose time it is, in a sentence.
QString budget_meaning(BudgetPart part);

}  // namespace sanscope
