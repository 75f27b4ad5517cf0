// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/plotted_view.h"

#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/plot/time_axis.h"

namespace sanscope {

QHBoxLayout& PlottedView::arrange() {
    plot_ = new TimePlot(state(), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 0);
    column->addLayout(bar);
    column->addWidget(plot_, 1);

    connect(&state(), &ViewState::selected_things_changed, plot_, &TimePlot::redraw);
    connect(plot_, &TimePlot::arranged, this, [this] { refresh(); });
    connect(plot_, &TimePlot::legend_switched, this, [this] { refresh(); });
    connect(plot_, &TimePlot::hovered, this, &PlottedView::on_hover);
    return *bar;
}

FigureTable& PlottedView::add_table(const QString& accessible_name) {
    table_ = new FigureTable(accessible_name, this);
    layout()->addWidget(table_);
    return *table_;
}

void PlottedView::redraw() {
    if (!wants_picture()) {
        if (!document().loading()) plot_->set_message(tr("The capture holds no packets."));
        return;
    }
    if (!ready()) return;
    fit_values();
    plot_->redraw();
    want_statistics();
}

QString PlottedView::moment_text(int64_t time_ns) const {
    return QStringLiteral("<b>%1</b>")
        .arg(full_time(time_ns, document().first_ns(), state().time_format()).toHtmlEscaped());
}

void PlottedView::draw_selection(QPainter& painter, const PlotPane& pane) const {
    const SelectedThings& things = state().selected();
    if (!things.selection || things.range.empty() || !things.range.overlaps(state().range())) return;
    const TimeViewport view = pane.viewport();
    const double x0 = std::max(view.origin, view.x_of(things.range.begin_ns));
    const double x1 = std::min(view.origin + view.length, view.x_of(things.range.end_ns));
    QColor fill = pane.theme().selection_fill;
    fill.setAlphaF(fill.alphaF() * 0.6F);
    painter.fillRect(QRectF(x0, pane.area().top(), std::max(1.0, x1 - x0), pane.area().height()), fill);
}

void PlottedView::on_hover(std::optional<QPoint> at) {
    const QString text = at ? text_at(*at) : QString();
    if (text.isEmpty()) return QToolTip::hideText();
    QToolTip::showText(plot_->mapToGlobal(*at), text, plot_);
}

void PlottedView::draw(QPainter& painter) {
    const Theme& theme = plot_->theme();
    painter.fillRect(rect(), theme.background);
    painter.setPen(theme.text);
    painter.setFont(font());
    painter.drawText(QRect(8, 0, width() - 16, plot_->y()), Qt::AlignLeft | Qt::AlignVCenter, title());
    plot_->draw_into(painter, plot_->pos());
    if (table_ != nullptr && table_->isVisibleTo(this)) {
        table_->render(&painter, table_->pos(), QRegion(), QWidget::DrawChildren);
    }
}

}  // namespace sanscope
