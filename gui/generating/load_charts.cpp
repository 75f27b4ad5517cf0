// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_charts.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr double least_value_pixels = 24;
constexpr double least_time_pixels = 60;
constexpr double least_dot_pixels = 7;  // between dots; closer, the line alone is clearer
constexpr double ns_per_second = 1e9;

// Round values with their unit, as on the axes of all views.
class UnitTicker : public QCPAxisTicker {
  public:
    UnitTicker(const QCPAxis& axis, ValueUnit unit, double factor)
        : axis_(axis), unit_(unit), factor_(factor) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
                  QVector<double>* minor, QVector<QString>* labels) override {
        const QRect area = axis_.axisRect()->rect();
        const bool upright = axis_.orientation() == Qt::Vertical;
        const ValueScale scale{range.lower * factor_, range.upper * factor_, 0,
                               static_cast<double>(upright ? area.height() : area.width()),
                               axis_.scaleType() == QCPAxis::stLogarithmic};
        const ValueTicks found = value_ticks(scale, unit_, upright ? least_value_pixels : least_time_pixels);
        ticks.clear();
        if (minor != nullptr) minor->clear();
        if (labels != nullptr) labels->clear();
        for (const ValueTicks::Tick& tick : found.major) {
            ticks.push_back(tick.value / factor_);
            if (labels != nullptr) labels->push_back(tick.label);
        }
        if (minor == nullptr) return;
        for (const double value : found.minor) minor->push_back(value / factor_);
    }

  private:
    const QCPAxis& axis_;
    ValueUnit unit_;
    double factor_;  // from the axis's values to the unit's
};

// What a chart shows, over its upper left corner, with the colours of its lines.
class ChartTitle : public QCPLayerable {
  public:
    struct Part {
        QString text;
        QColor color;
    };
    ChartTitle(QCustomPlot* plot, const QCPAxisRect& rect, std::function<std::vector<Part>()> parts)
        : QCPLayerable(plot, QStringLiteral("overlay")), rect_(rect), parts_(std::move(parts)) {}

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override {
        painter->setFont(parentPlot()->font());
        painter->setClipRect(QRect(rect_.left(), 0, rect_.width(), rect_.top()));
        const QFontMetrics metrics(parentPlot()->font());
        int x = rect_.left();
        for (const Part& part : parts_()) {
            if (x + metrics.horizontalAdvance(part.text) > rect_.right() && x > rect_.left()) break;
            painter->setPen(part.color);
            painter->drawText(QPoint(x, rect_.top() - metrics.descent() - 3), part.text);
            x += metrics.horizontalAdvance(part.text) + metrics.averageCharWidth();
        }
    }

  private:
    const QCPAxisRect& rect_;
    std::function<std::vector<Part>()> parts_;
};

}  // namespace

LoadCharts::LoadCharts(QWidget* parent) : QCustomPlot(parent) {
    setAutoAddPlottableToLegend(false);
    setInteractions(QCP::Interactions());
    setAccessibleName(tr("The load over time"));
    setAccessibleDescription(
        tr("Throughput, commands a second with errors, and the median and the 99th percentile of turnaround, "
           "over the time of "
           "the load; the figures beside it are those of the last second"));
    plotLayout()->clear();
    plotLayout()->setColumnSpacing(6);
    make_chart(0, tr("Throughput"), ValueUnit::bytes_per_second);
    make_chart(1, tr("Commands/s"), ValueUnit::count);
    make_chart(2, tr("Turnaround"), ValueUnit::nanoseconds);
    throughput_ = add_graph(0);
    commands_ = add_graph(1);
    errors_ = add_graph(1);
    p99_ = add_graph(2);
    p50_ = add_graph(2);
    charts_[2].rect->axis(QCPAxis::atLeft)->setScaleType(QCPAxis::stLogarithmic);
    new ChartTitle(this, *charts_[0].rect, [this] {
        return std::vector<ChartTitle::Part>{{charts_[0].title, Theme::of(palette()).text}};
    });
    new ChartTitle(this, *charts_[1].rect, [this] {
        const Theme& theme = Theme::of(palette());
        std::vector<ChartTitle::Part> parts{{charts_[1].title, theme.text}};
        if (errors_->dataCount() > 0) parts.push_back({tr("▲ errors"), theme.problem});
        return parts;
    });
    new ChartTitle(this, *charts_[2].rect, [this] {
        const Theme& theme = Theme::of(palette());
        return std::vector<ChartTitle::Part>{
            {charts_[2].title, theme.text}, {tr("p50"), theme.initiator}, {tr("p99"), theme.target}};
    });
    apply_theme();
    fill();
}

void LoadCharts::make_chart(size_t place, const QString& title, ValueUnit unit) {
    auto* const rect = new QCPAxisRect(this, false);
    rect->addAxes(QCPAxis::atLeft | QCPAxis::atBottom);
    rect->setAutoMargins(QCP::msNone);
    const QFontMetrics metrics(font());
    rect->setMargins(QMargins(metrics.horizontalAdvance(QStringLiteral("000.0 MB/s")) + 10,
                              metrics.height() + 6, 8, metrics.height() + 10));
    charts_[place] = {rect, unit, title};
    for (const auto side : {QCPAxis::atLeft, QCPAxis::atBottom}) {
        QCPAxis* const axis = rect->axis(side);
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
        axis->setTickLength(0, 4);
        axis->setSubTickLength(0, 2);
        axis->setTickLabelPadding(3);
        const bool upright = side == QCPAxis::atLeft;
        axis->setTicker(QSharedPointer<QCPAxisTicker>(
            new UnitTicker(*axis, upright ? unit : ValueUnit::nanoseconds, upright ? 1 : ns_per_second)));
    }
    plotLayout()->addElement(0, static_cast<int>(place), rect);
}

QCPGraph* LoadCharts::add_graph(size_t place) {
    const QCPAxisRect& rect = *charts_[place].rect;
    QCPGraph* const graph = addGraph(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
    graph->setSelectable(QCP::stNone);
    return graph;
}

void LoadCharts::apply_theme() {
    const Theme& theme = Theme::of(palette());
    setBackground(theme.background);
    for (const Chart& chart : charts_) {
        for (const auto side : {QCPAxis::atLeft, QCPAxis::atBottom}) {
            QCPAxis* const axis = chart.rect->axis(side);
            axis->setBasePen(QPen(theme.axis));
            axis->setTickPen(QPen(theme.axis));
            axis->setSubTickPen(QPen(theme.axis));
            axis->setTickLabelColor(theme.faint_text);
            axis->setTickLabelFont(font());
            axis->grid()->setPen(QPen(theme.grid));
            axis->grid()->setZeroLinePen(QPen(theme.grid));
        }
    }
    const auto line = [](QCPGraph* graph, const QColor& color) {
        constexpr double width = 1.5;
        graph->setPen(QPen(color, width));
    };
    line(throughput_, theme.initiator);
    line(commands_, theme.acknowledgement);
    line(p50_, theme.initiator);
    line(p99_, theme.target);
    QColor fill = theme.initiator;
    constexpr int faint = 40;
    fill.setAlpha(faint);
    throughput_->setBrush(fill);
    fill = theme.acknowledgement;
    fill.setAlpha(faint);
    commands_->setBrush(fill);
    errors_->setLineStyle(QCPGraph::lsNone);
    errors_->setScatterStyle({QCPScatterStyle::ssTriangle, theme.problem, theme.problem, 7});
    replot(rpQueuedReplot);
}

void LoadCharts::clear() {
    series_.clear();
    fill();
}

void LoadCharts::add(const LoadSecond& second) {
    series_.add(second);
    fill();
}

void LoadCharts::fill() {
    const auto& rows = series_.rows();
    for (QCPGraph* const graph : {throughput_, commands_, errors_, p50_, p99_}) {
        graph->data()->clear();
        if (graph == errors_) continue;
        constexpr double dot = 4;
        const double apart = charts_[0].rect->width() / std::max(1.0, static_cast<double>(rows.size()));
        graph->setScatterStyle(apart >= least_dot_pixels ? QCPScatterStyle(QCPScatterStyle::ssDisc, dot)
                                                         : QCPScatterStyle::ssNone);
    }
    double most_bytes = 0;
    double most_commands = 0;
    double least_ns = INFINITY;
    double most_ns = 0;
    for (const LoadSecond& row : rows) {
        throughput_->addData(row.at, row.bytes_per_second);
        commands_->addData(row.at, row.commands_per_second);
        if (row.errors > 0) errors_->addData(row.at, 0);
        if (row.p50_ns) p50_->addData(row.at, *row.p50_ns);
        if (row.p99_ns) p99_->addData(row.at, *row.p99_ns);
        most_bytes = std::max(most_bytes, row.bytes_per_second);
        most_commands = std::max(most_commands, row.commands_per_second);
        for (const auto& value : {row.p50_ns, row.p99_ns}) {
            if (!value || *value <= 0) continue;
            least_ns = std::min(least_ns, *value);
            most_ns = std::max(most_ns, *value);
        }
    }
    constexpr double least_span = 10;  // seconds
    const double until = rows.empty() ? least_span : std::max(least_span, rows.back().at);
    for (const Chart& chart : charts_) chart.rect->axis(QCPAxis::atBottom)->setRange(0, until);
    const auto set_range = [&](size_t place, ValueRange range) {
        charts_[place].rect->axis(QCPAxis::atLeft)->setRange(range.lower, range.upper);
    };
    constexpr double room = 1.05;
    constexpr double nothing_yet_bytes = 1e6;
    constexpr double nothing_yet_commands = 100;
    set_range(0, round_range(0, most_bytes > 0 ? most_bytes * room : nothing_yet_bytes, true));
    set_range(1, round_range(0, most_commands > 0 ? most_commands * room : nothing_yet_commands, true));
    const bool any = most_ns > 0;
    set_range(2, round_log_range(any ? least_ns : 1e5, any ? most_ns : 1e7));
    replot(rpQueuedReplot);
}

void LoadCharts::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (throughput_ != nullptr &&
        (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
        apply_theme();
}

// The figures of the moment under the pointer.
bool LoadCharts::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QCustomPlot::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    for (const Chart& chart : charts_) {
        if (!chart.rect->rect().contains(help->pos())) continue;
        const double at = chart.rect->axis(QCPAxis::atBottom)->pixelToCoord(help->pos().x());
        const auto& rows = series_.rows();
        const auto found = std::ranges::lower_bound(rows, at, {}, &LoadSecond::at);
        if (found == rows.end()) break;
        const auto duration = [](std::optional<double> ns) {
            return ns ? value_text(*ns, ValueUnit::nanoseconds) : QStringLiteral("–");
        };
        QToolTip::showText(
            help->globalPos(),
            tr("%1 after the start\n%2, %3 commands/s\nturnaround %4 median, %5 p99\n%6 in flight, %7 errors")
                .arg(value_text(found->at * ns_per_second, ValueUnit::nanoseconds),
                     value_text(found->bytes_per_second, ValueUnit::bytes_per_second),
                     value_text(found->commands_per_second, ValueUnit::count), duration(found->p50_ns),
                     duration(found->p99_ns))
                .arg(found->in_flight)
                .arg(found->errors),
            this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace sanscope
