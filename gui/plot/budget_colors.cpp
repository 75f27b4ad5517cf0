// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/budget_colors.h"

#include <QCoreApplication>

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("BudgetPart", text);
}

QColor own_color(const Theme& theme, QRgb light, QRgb dark) {
    return QColor::fromRgb(theme.dark ? dark : light);
}

}  // namespace

QColor budget_color(const Theme& theme, BudgetPart part) {
    switch (part) {
        case BudgetPart::request_path:
            return own_color(theme, 0x4b6fd0, 0x7ea6ff);
        case BudgetPart::cwnd:
            return theme.limit_color(SendLimit::congestion);
        case BudgetPart::recovery:
            return theme.limit_color(SendLimit::recovery);
        case BudgetPart::timeout:
            return theme.ca_color(CaState::loss);
        case BudgetPart::receiver_window:
            return theme.limit_color(SendLimit::receiver);
        case BudgetPart::pacing:
            return theme.limit_color(SendLimit::pacing);
        case BudgetPart::application:
            return theme.limit_color(SendLimit::application);
        case BudgetPart::r2t_wait:
            return own_color(theme, 0x6b4a12, 0xc79a3c);
        case BudgetPart::target:
            return own_color(theme, 0xf4df3c, 0xe6d24a);
        case BudgetPart::behind_others:
            return own_color(theme, 0x5f2a86, 0x6b3ad6);
        case BudgetPart::wire:
            return own_color(theme, 0x2b3340, 0xffffff);
        case BudgetPart::return_path:
            return own_color(theme, 0xcdd3fb, 0xc3d0ff);
        case BudgetPart::unknown:
            break;
    }
    return theme.limit.back();
}

void fill_budget_part(QPainter& painter, const Theme& theme, BudgetPart part, const QRectF& rect,
                      double faded) {
    const auto blend = [&](const QColor& color) {
        const auto mixed = [&](int from, int to) { return from + qRound((to - from) * faded); };
        return QColor(mixed(color.red(), theme.background.red()),
                      mixed(color.green(), theme.background.green()),
                      mixed(color.blue(), theme.background.blue()));
    };
    painter.fillRect(rect, blend(budget_color(theme, part)));
    if (part == BudgetPart::unknown) painter.fillRect(rect, QBrush(blend(theme.axis), Qt::BDiagPattern));
}

void fill_budget_part(QPainter& painter, const Theme& theme, BudgetPart part,
                      const std::vector<QRect>& rects) {
    const auto fill = [&](const QBrush& brush) {
        painter.setBrush(brush);
        painter.drawRects(rects.data(), static_cast<int>(rects.size()));
    };
    painter.save();
    painter.setPen(Qt::NoPen);
    fill(budget_color(theme, part));
    if (part == BudgetPart::unknown) fill(QBrush(theme.axis, Qt::BDiagPattern));
    painter.restore();
}

QString budget_title(BudgetPart part) {
    const std::string_view title = budget_part_title(part);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

QString budget_meaning(BudgetPart part) {
    switch (part) {
        case BudgetPart::request_path:
            return tr("the command, and the data sent with it, travelled to the target");
        case BudgetPart::cwnd:
            return tr("data were held back by their sender's congestion window");
        case BudgetPart::recovery:
            return tr("what was lost waited to be sent again, as acknowledgements asked for it");
        case BudgetPart::timeout:
            return tr("what was lost waited for a retransmission timer");
        case BudgetPart::receiver_window:
            return tr("data were held back by the window that the receiver advertised");
        case BudgetPart::pacing:
            return tr("data were held back by their sender's pacing");
        case BudgetPart::application:
            return tr("the initiator had Data-Out to send, and did not");
        case BudgetPart::r2t_wait:
            return tr("the initiator had sent all that the target had let it, and waited for an R2T");
        case BudgetPart::target:
            return tr("the target had all and sent nothing, though TCP would have let it");
        case BudgetPart::behind_others:
            return tr("its bytes stood behind those of other commands of the connection");
        case BudgetPart::wire:
            return tr("its own bytes were sent at the path's rate");
        case BudgetPart::return_path:
            return tr("the last byte travelled back");
        case BudgetPart::unknown:
            break;
    }
    return tr("the capture does not tell");
}

}  // namespace sanscope
