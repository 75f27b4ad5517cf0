// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/trend_panels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/collection/collection_model.h"
#include "gui/document/plain_text.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_axis.h"
#include "gui/plot/time_viewport.h"
#include "gui/plot/value_ticks.h"

namespace sanscope {
namespace {

constexpr double dot_radius = 3;
constexpr double reach = 8;  // of a click beside a dot
constexpr double least_panel_width = 260;
constexpr double least_panel_height = 80;

// What a file is grouped by: the first folder of its name, as of a host; of a whole path the one that it lies in.
QString group_of(const CaptureRow& row) {
    const QString file = QString::fromStdString(row.file);
    if (file.startsWith(QLatin1Char('/'))) return file.section(QLatin1Char('/'), -2, -2);
    return file.contains(QLatin1Char('/')) ? file.section(QLatin1Char('/'), 0, 0) : QString();
}

bool has_dot(const CaptureRow& row) {
    return row.start_ns != no_time && row.turnaround_p99_ns != no_time && row.turnaround_p99_ns > 0;
}

}  // namespace

TrendPanels::TrendPanels(CollectionModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setAccessibleName(tr("Captures over time"));
    setAccessibleDescription(
        tr("A panel a folder; a dot a capture: when it was taken, and the 99th percentile of turnaround"));
    setMouseTracking(true);
}

QSize TrendPanels::minimumSizeHint() const {
    return {200, 140};
}

void TrendPanels::refresh() {
    std::map<QString, std::vector<size_t>> groups;
    without_times_ = 0;
    int64_t begin = INT64_MAX;
    int64_t end = INT64_MIN;
    double least = INFINITY;
    double greatest = 0;
    for (const size_t number : model_.shown()) {
        const CaptureRow& row = model_.capture(number);
        if (!has_dot(row)) {
            ++without_times_;
            continue;
        }
        groups[group_of(row)].push_back(number);
        begin = std::min(begin, row.start_ns);
        end = std::max(end, row.start_ns);
        least = std::min(least, static_cast<double>(row.turnaround_p99_ns));
        greatest = std::max(greatest, static_cast<double>(row.turnaround_p99_ns));
    }
    all_.clear();
    for (auto& [name, captures] : groups) all_.push_back({name, std::move(captures), {}});
    panels_ = all_;
    if (!panels_.empty()) {
        // Room beside the first and the last dot.
        const int64_t margin = std::max<int64_t>((end - begin) / 40, 500'000'000);
        begin_ns_ = begin - margin;
        end_ns_ = end + margin;
        const ValueRange range = round_log_range(least, greatest);
        values_ = {.lower = range.lower, .upper = range.upper, .logarithmic = true};
    }
    update();
}

void TrendPanels::select(std::optional<size_t> number) {
    selected_ = number;
    update();
}

void TrendPanels::arrange() {
    const QFontMetricsF letters(font());
    const double label_room = letters.horizontalAdvance(QStringLiteral("100 ms")) + 8;
    const double line = letters.height();
    const double foot = left_out_ > 0 || without_times_ > 0 ? line + 4 : 0;
    const int most_columns = std::max(1, static_cast<int>(width() / least_panel_width));
    const int most_lines = std::max(1, static_cast<int>(height() / least_panel_height));
    const size_t room = static_cast<size_t>(most_columns) * static_cast<size_t>(most_lines);
    panels_ = all_;
    left_out_ = 0;
    if (panels_.size() > room) {
        std::ranges::stable_sort(
            panels_, [](const Panel& a, const Panel& b) { return a.captures.size() > b.captures.size(); });
        left_out_ = panels_.size() - room;
        panels_.resize(room);
        std::ranges::sort(panels_, {}, &Panel::name);
    }
    columns_ = std::clamp(most_columns, 1, std::max(1, static_cast<int>(panels_.size())));
    const int lines = (static_cast<int>(panels_.size()) + columns_ - 1) / columns_;
    const double cell_width = (width() - label_room - 8) / columns_;
    const double axis_room = line + 8;  // of moments
    const double cell_height = (height() - foot - axis_room) / std::max(lines, 1);
    for (size_t i = 0; i < panels_.size(); ++i) {
        const int column = static_cast<int>(i) % columns_;
        const int row = static_cast<int>(i) / columns_;
        panels_[i].plot = QRectF(label_room + column * cell_width, row * cell_height + line + 4,
                                 cell_width - 10, std::max(cell_height - line - 8, 8.0));
    }
}

QPointF TrendPanels::place_of(const Panel& panel, size_t number) const {
    const CaptureRow& row = model_.capture(number);
    const TimeViewport times{
        .range = {begin_ns_, end_ns_}, .origin = panel.plot.left(), .length = panel.plot.width()};
    ValueScale values = values_;
    values.top = panel.plot.top();
    values.bottom = panel.plot.bottom();
    return {times.x_of(row.start_ns), values.y_of(static_cast<double>(row.turnaround_p99_ns))};
}

std::optional<size_t> TrendPanels::capture_at(QPointF at) const {
    std::optional<size_t> nearest;
    double least = reach * reach;
    for (const Panel& panel : panels_) {
        if (!panel.plot.adjusted(-reach, -reach, reach, reach).contains(at)) continue;
        for (const size_t number : panel.captures) {
            const QPointF away = place_of(panel, number) - at;
            const double distance = QPointF::dotProduct(away, away);
            if (distance > least) continue;
            least = distance;
            nearest = number;
        }
    }
    return nearest;
}

void TrendPanels::paint_axes(QPainter& painter, const Panel& panel, bool has_values, bool has_times) const {
    const Theme& theme = Theme::of(palette());
    const QFontMetricsF letters(font());
    ValueScale values = values_;
    values.top = panel.plot.top();
    values.bottom = panel.plot.bottom();
    for (const ValueTicks::Tick& tick :
         value_ticks(values, ValueUnit::nanoseconds, letters.height() * 1.6).major) {
        if (tick.label.isEmpty()) continue;
        const double y = values.y_of(tick.value);
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(panel.plot.left(), y), QPointF(panel.plot.right(), y));
        if (!has_values) continue;
        painter.setPen(theme.faint_text);
        painter.drawText(QRectF(0, y - letters.height() / 2, panel.plot.left() - 6, letters.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    if (has_times) {
        const TimeViewport times{
            .range = {begin_ns_, end_ns_}, .origin = panel.plot.left(), .length = panel.plot.width()};
        painter.setPen(theme.faint_text);
        const auto moment = [&](int64_t time_ns, Qt::AlignmentFlag side) {
            constexpr qsizetype to_the_minute = 16;
            painter.drawText(
                QRectF(panel.plot.left(), panel.plot.bottom() + 3, panel.plot.width(), letters.height()),
                side, full_time(time_ns, begin_ns_, TimeFormat::local).left(to_the_minute));
        };
        moment(times.range.begin_ns, Qt::AlignLeft);
        moment(times.range.end_ns, Qt::AlignRight);
    }
    painter.setPen(theme.axis);
    painter.drawRect(panel.plot);
}

void TrendPanels::paintEvent(QPaintEvent* /*event*/) {
    arrange();
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.background);
    const QFontMetricsF letters(font());
    if (panels_.empty()) {
        painter.setPen(theme.faint_text);
        painter.drawText(rect(), Qt::AlignCenter,
                         model_.captures() == 0
                             ? tr("No capture has been read")
                             : tr("No capture among these has commands whose turnaround is known"));
        return;
    }
    for (size_t i = 0; i < panels_.size(); ++i) {
        const Panel& panel = panels_[i];
        const bool is_last_of_column = i + static_cast<size_t>(columns_) >= panels_.size();
        paint_axes(painter, panel, i % static_cast<size_t>(columns_) == 0, is_last_of_column);
        painter.setPen(theme.text);
        const QString name = panel.name.isEmpty() ? tr("in the folder itself") : panel.name;
        painter.drawText(
            QRectF(panel.plot.left(), panel.plot.top() - letters.height() - 2, panel.plot.width(),
                   letters.height()),
            Qt::AlignLeft | Qt::AlignVCenter,
            letters.elidedText(QStringLiteral("%1: %2").arg(
                                   name, counted(panel.captures.size(), tr("capture"), tr("captures"))),
                               Qt::ElideMiddle, panel.plot.width()));
        painter.save();
        painter.setClipRect(panel.plot.adjusted(-4, -4, 4, 4));
        for (const size_t number : panel.captures) {
            const CaptureRow& row = model_.capture(number);
            const QPointF at = place_of(panel, number);
            // By shape as well as by colour.
            if (row.problems > 0) {
                painter.setPen(Qt::NoPen);
                painter.setBrush(theme.problem);
                painter.drawPolygon(
                    QPolygonF({at + QPointF(0, -dot_radius * 1.5), at + QPointF(dot_radius * 1.3, dot_radius),
                               at + QPointF(-dot_radius * 1.3, dot_radius)}));
            } else {
                painter.setPen(Qt::NoPen);
                painter.setBrush(theme.read);
                painter.drawEllipse(at, dot_radius, dot_radius);
            }
            if (selected_ == number) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(theme.selection, 2));
                painter.drawEllipse(at, dot_radius * 2.5, dot_radius * 2.5);
            }
        }
        painter.restore();
    }
    QStringList missing;
    if (left_out_ > 0) {
        missing
            << tr("%1 with fewer captures not shown").arg(counted(left_out_, tr("folder"), tr("folders")));
    }
    if (without_times_ > 0) {
        missing << tr("%1 without a turnaround that is known")
                       .arg(counted(without_times_, tr("capture"), tr("captures")));
    }
    painter.setPen(theme.faint_text);
    painter.drawText(rect().adjusted(8, 0, -8, -2), Qt::AlignRight | Qt::AlignBottom,
                     missing.join(QStringLiteral("; ")));
}

void TrendPanels::mousePressEvent(QMouseEvent* event) {
    if (const auto number = capture_at(event->position())) Q_EMIT selected(*number);
}

void TrendPanels::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto number = capture_at(event->position())) Q_EMIT activated(*number);
}

bool TrendPanels::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto number = capture_at(help->pos());
    if (!number) {
        QToolTip::hideText();
        return true;
    }
    const CaptureRow& row = model_.capture(*number);
    QString text =
        QStringLiteral("%1\n%2\n%3")
            .arg(QString::fromStdString(row.file), full_time(row.start_ns, row.start_ns, TimeFormat::local),
                 tr("99 of 100 commands took at most %1").arg(short_duration(row.turnaround_p99_ns)));
    if (!row.finding_title.empty()) text += QLatin1Char('\n') + QString::fromStdString(row.finding_title);
    QToolTip::showText(help->globalPos(), plain_text(text), this);
    return true;
}

}  // namespace sanscope
