// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/budget_strip.h"

#include <QHelpEvent>
#include <QToolTip>

#include "gui/document/plain_text.h"
#include "gui/plot/budget_colors.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int margin = 8;
constexpr int bar_height = 14;
constexpr int gap = 4;
constexpr int box = 10;

}  // namespace

BudgetStrip::BudgetStrip(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Where the time of a command went"));
    hide();
}

void BudgetStrip::show_parts(const QString& title, const BudgetSums& parts) {
    title_ = title;
    reason_.clear();
    parts_ = parts;
    setAccessibleDescription(title_ + QStringLiteral(": ") +
                             largest_parts(parts, budget_parts).join(QStringLiteral("; ")));
    changed();
}

void BudgetStrip::show_reason(const QString& title, const QString& reason) {
    title_ = title;
    reason_ = reason;
    parts_.reset();
    setAccessibleDescription(title_ + QStringLiteral(": ") + reason_);
    changed();
}

void BudgetStrip::show_nothing() {
    title_.clear();
    reason_.clear();
    parts_.reset();
    setAccessibleDescription({});
    hide();
}

void BudgetStrip::changed() {
    show();
    updateGeometry();
    update();
}

// In the order of the bar, from left to right, on as many lines as it takes.
std::vector<BudgetStrip::Entry> BudgetStrip::entries(int width) const {
    std::vector<Entry> entries;
    if (!parts_) return entries;
    const QFontMetrics metrics(font());
    const int64_t whole = sum_of(*parts_);
    const int line = metrics.height() + 2;
    int x = margin;
    int y = metrics.height() + 2 * gap + bar_height;
    for (size_t i = 0; i < budget_parts; ++i) {
        const int64_t ns = (*parts_)[i];
        if (ns == 0) continue;
        const auto part = static_cast<BudgetPart>(i);
        Entry entry{part, budget_title(part), {}};
        entry.text += tr(" %1, %2").arg(short_duration(ns),
                                        share_text(static_cast<double>(ns) / static_cast<double>(whole)));
        const int wide = box + gap + metrics.horizontalAdvance(entry.text);
        if (x > margin && x + wide > width - margin) {
            x = margin;
            y += line;
        }
        entry.place = {x, y, wide, line};
        x += wide + 3 * gap;
        entries.push_back(std::move(entry));
    }
    return entries;
}

int BudgetStrip::heightForWidth(int width) const {
    const int line = QFontMetrics(font()).height();
    const auto all = entries(width);
    return all.empty() ? line + 2 * gap : all.back().place.bottom() + 1 + gap;
}

void BudgetStrip::draw(QPainter& painter, const QRect& at) {
    const Theme& theme = Theme::of(palette());
    painter.save();
    painter.translate(at.topLeft());
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRect(QPoint(), at.size()), theme.background);
    painter.setFont(font());
    const QFontMetrics metrics(font());
    const QRect top(margin, gap / 2, at.width() - 2 * margin, metrics.height());
    const QString head = reason_.isEmpty() ? title_ : title_ + QStringLiteral(": ") + reason_;
    painter.setPen(theme.text);
    painter.drawText(top, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(head, Qt::ElideRight, top.width()));
    if (parts_) {
        const QRect bar(margin, top.bottom() + 1 + gap / 2, top.width(), bar_height);
        draw_budget_bar(painter, theme, bar, *parts_);
        painter.setPen(theme.axis);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
        for (const Entry& entry : entries(at.width())) {
            const QRect place(entry.place.left(), entry.place.center().y() - box / 2, box, box);
            fill_budget_part(painter, theme, entry.part, place);
            painter.setPen(theme.axis);
            painter.drawRect(place.adjusted(0, 0, -1, -1));
            painter.setPen(theme.text);
            painter.drawText(entry.place.adjusted(box + gap, 0, gap, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             entry.text);
        }
    }
    painter.restore();
}

void BudgetStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter, rect());
}

void BudgetStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) updateGeometry();
}

bool BudgetStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    for (const Entry& entry : entries(width())) {
        if (!entry.place.contains(help->pos())) continue;
        const QString text = budget_title(entry.part) + QStringLiteral(": ") + budget_meaning(entry.part);
        QToolTip::showText(help->globalPos(), plain_text(text), this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace sanscope
