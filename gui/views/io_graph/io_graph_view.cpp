// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/io_graph_view.h"

#include <QFile>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/column_format.h"
#include "gui/plot/step_series.h"
#include "gui/plot/time_axis.h"
#include "gui/views/io_graph/graph_csv.h"
#include "gui/views/io_graph/graph_painting.h"
#include "gui/views/io_graph/graph_words.h"

namespace sanscope {
namespace {

constexpr auto setup_key = "io_graph/lines";
constexpr std::array<int64_t, 5> fixed_intervals_ns = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000,
                                                       10'000'000'000};

GraphSetup kept_setup() {
    const QByteArray kept = QSettings().value(QString::fromLatin1(setup_key)).toByteArray();
    if (auto setup = setup_from_json(kept)) return std::move(*setup);
    return {default_graph_lines(), 0};
}

}  // namespace

IoGraphView::IoGraphView(Document& document, QWidget* parent)
    : PreparedView(document, parent),
      interval_box_(new QComboBox(this)),
      edit_button_(new QToolButton(this)),
      editor_(new LineEditor(this)),
      note_(new QLabel(this)) {
    setAccessibleName(tr("I/O graph"));
    QHBoxLayout& bar = arrange();
    make_bar(bar);
    plot_->setAccessibleName(tr("Lines over time"));
    plot_->setAccessibleDescription(tr("What the chosen lines come to in each interval of time"));
    note_->setTextFormat(Qt::PlainText);
    note_->setWordWrap(true);
    note_->setContentsMargins(8, 0, 8, 2);
    note_->hide();
    layout()->addWidget(note_);
    layout()->addWidget(editor_);

    legend_ = &plot_->add_legend();
    for (size_t i = 0; i < panes_.size(); ++i) {
        panes_[i] = &plot_->add_pane({.label = {}, .unit = ValueUnit::count, .stretch = 1});
        panes_[i]->add([this, i](QPainter& painter, const PlotPane&) { draw_pane(painter, i); });
    }
    connect(editor_, &LineEditor::lines_changed, this, [this] {
        keep_setup();
        on_setup();
    });
    connect(interval_box_, &QComboBox::activated, this, [this] {
        keep_setup();
        refresh();
    });
    connect(plot_, &TimePlot::double_clicked, this, &IoGraphView::frame_interval);
    connect(&state(), &ViewState::units_changed, this, [this] { refresh(); });
    set_setup(kept_setup());
}

void IoGraphView::make_bar(QHBoxLayout& bar) {
    auto* const interval = new QLabel(tr("&Interval"), this);
    interval->setBuddy(interval_box_);
    interval_box_->setAccessibleName(tr("Interval"));
    interval_box_->addItem(tr("automatic"), QVariant::fromValue<qlonglong>(0));
    for (const int64_t length_ns : fixed_intervals_ns)
        interval_box_->addItem(short_duration(length_ns), QVariant::fromValue<qlonglong>(length_ns));
    auto* const presets = new QToolButton(this);
    presets->setText(tr("Presets"));
    presets->setAccessibleName(tr("Presets"));
    presets->setPopupMode(QToolButton::InstantPopup);
    presets->setToolTip(tr("Puts lines that answer a common question in place of those that are there"));
    auto* const menu = new QMenu(presets);
    for (const GraphPreset& preset : graph_presets()) {
        menu->addAction(preset.title, this, [this, lines = preset.lines] {
            set_setup({lines, wanted_interval_ns()});
            keep_setup();
        });
    }
    presets->setMenu(menu);
    auto* const add = new QToolButton(this);
    add->setText(tr("Add a line"));
    add->setAccessibleName(tr("Add a line"));
    connect(add, &QToolButton::clicked, editor_, &LineEditor::add_line);
    edit_button_->setText(tr("Lines"));
    edit_button_->setAccessibleName(tr("Show the list of lines"));
    edit_button_->setCheckable(true);
    edit_button_->setChecked(true);
    connect(edit_button_, &QToolButton::toggled, editor_, &QWidget::setVisible);
    for (QWidget* const widget : {static_cast<QWidget*>(interval), static_cast<QWidget*>(interval_box_)})
        bar.addWidget(widget);
    bar.addStretch();
    for (QToolButton* const button : {presets, add, edit_button_}) bar.addWidget(button);
}

GraphSetup IoGraphView::setup() const {
    return {editor_->lines(), wanted_interval_ns()};
}

void IoGraphView::set_setup(const GraphSetup& setup) {
    const int place = interval_box_->findData(QVariant::fromValue<qlonglong>(setup.interval_ns));
    interval_box_->setCurrentIndex(std::max(0, place));
    editor_->set_lines(setup.lines);
    on_setup();
}

void IoGraphView::keep_setup() const {
    QSettings().setValue(QString::fromLatin1(setup_key), to_json(setup()));
}

void IoGraphView::on_setup() {
    plan();
    renew();
}

void IoGraphView::plan() {
    plan_ = plan_of(editor_->lines());
    editor_->show_problems(plan_.problems);
    for (size_t i = 0; i < panes_.size(); ++i) {
        if (plan_.units[i]) {
            panes_[i]->set_unit(value_unit(*plan_.units[i]));
            panes_[i]->set_label(unit_title(*plan_.units[i]));
        }
        // One pane is always there: it has the time axis.
        if (i > 0) plot_->set_shown(*panes_[i], plan_.units[i].has_value());
    }
}

int64_t IoGraphView::length_in_sight() const {
    return interval_length(plot_->time_viewport(), wanted_interval_ns(), most_intervals(editor_->lines()));
}

bool IoGraphView::serves() const {
    return picture().prepared.range.contains(state().range()) &&
           picture().intervals.length_ns == length_in_sight();
}

IoGraphView::Preparation IoGraphView::preparation() {
    GraphQuestion question;
    question.prepared = PreparedRange::around(plot_->time_viewport());
    question.whole = state().whole();
    question.length_ns = length_in_sight();
    question.lines = editor_->lines();
    question.filter = state().filter();
    return [data = document().data(), times = times_, sums = sums_, question = std::move(question)](
               const StopFlag& stop) { return prepare_graph(*data, *times, *sums, question, stop); };
}

void IoGraphView::on_picture(const GraphPicture&) {
    make_legend();
}

void IoGraphView::make_legend() {
    std::vector<LegendRow::Entry> entries;
    for (const GraphSeries& series : picture().series) {
        LegendRow::Entry entry;
        entry.name = series_name(picture(), series);
        entry.tip = entry.name;
        // The picture may be another by the time it is drawn.
        const QColor light = series_color(Theme::light(), picture(), series);
        const QColor dark = series_color(Theme::dark_one(), picture(), series);
        entry.icon = [light, dark](QPainter& painter, const Theme& theme, const QRectF& box) {
            painter.setPen(QPen(theme.dark ? dark : light, 2));
            const double y = std::floor(box.center().y());
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        };
        entries.push_back(std::move(entry));
    }
    legend_->set_entries(std::move(entries));
}

bool IoGraphView::anything_in_sight() const {
    for (const GraphSeries& series : picture().series) {
        for (size_t i = 0; i < series.points.size(); ++i) {
            if (series.points[i].rows > 0 && picture().intervals.interval(i).overlaps(state().range()))
                return true;
        }
    }
    return false;
}

QString IoGraphView::message() const {
    if (state().whole().empty()) return tr("The capture holds no packets.");
    const auto& lines = editor_->lines();
    if (std::ranges::none_of(lines, &GraphLine::on))
        return tr("No line is drawn. Add one, or choose a preset.");
    if (!plan_.units[0]) return tr("None of the lines can be drawn.");
    if (!settled() || anything_in_sight()) return {};
    return tr("There is nothing of what the lines show in this stretch of time.");
}

void IoGraphView::show_note() {
    QStringList notes;
    const int64_t wanted_ns = wanted_interval_ns();
    const int64_t length_ns = picture().intervals.length_ns;
    if (wanted_ns > 0 && picture().intervals.count > 0 && length_ns > wanted_ns) {
        notes << tr("Intervals of %1 would be too many for what is in sight: they are of %2.")
                     .arg(short_duration(wanted_ns), short_duration(length_ns));
    }
    for (size_t i = 0; i < plan_.problems.size(); ++i) {
        if (!plan_.problems[i].isEmpty()) notes << tr("Line %1: %2").arg(i + 1).arg(plan_.problems[i]);
    }
    const QString text = notes.join(QLatin1Char('\n'));
    if (text == note_->text()) return;
    note_->setText(text);
    note_->setVisible(!text.isEmpty());
}

void IoGraphView::redraw() {
    show_note();
    plot_->set_message(message());
    PlottedView::redraw();
}

QString IoGraphView::title() const {
    return tr("I/O graph, in intervals of %1").arg(short_duration(picture().intervals.length_ns));
}

void IoGraphView::draw(QPainter& painter) {
    PlottedView::draw(painter);
    for (QWidget* const widget : {static_cast<QWidget*>(note_), static_cast<QWidget*>(editor_)}) {
        if (widget->isVisibleTo(this))
            widget->render(&painter, widget->pos(), QRegion(), QWidget::DrawChildren);
    }
}

// Of a picture of other lines than those that are chosen now there may be one that has no pane any more.
std::optional<size_t> IoGraphView::pane_of(const GraphSeries& series) const {
    const auto* const found =
        std::ranges::find(plan_.units, std::optional(unit_of(picture().line_of(series))));
    if (found == plan_.units.end()) return std::nullopt;
    return static_cast<size_t>(found - plan_.units.begin());
}

void IoGraphView::fit_values() {
    const TimeRange range = state().range();
    std::array<Extent, most_graph_units> extents;
    for (const GraphSeries& series : picture().series) {
        const auto pane = pane_of(series);
        if (!pane) continue;
        for (size_t i = 0; i < series.points.size(); ++i) {
            const double value = series.points[i].value;
            if (!std::isnan(value) && picture().intervals.interval(i).overlaps(range))
                extents[*pane].add(value);
        }
    }
    for (size_t i = 0; i < panes_.size(); ++i) {
        const Extent& extent = extents[i];
        const double most = extent.any && extent.max > 0 ? extent.max : 1;
        panes_[i]->set_values(extent.any && extent.min < 0 ? round_range(extent.min, extent.max, false)
                                                           : round_range(0, most, true));
    }
}

void IoGraphView::draw_pane(QPainter& painter, size_t index) const {
    const PlotPane& pane = *panes_[index];
    draw_selection(painter, pane);
    for (const GraphSeries& series : picture().series) {
        if (pane_of(series) != index) continue;
        draw_series(painter, pane.viewport(), pane.scale(), picture().intervals, series,
                    series_color(pane.theme(), picture(), series), pane.theme().background);
    }
}

std::optional<IoGraphView::Under> IoGraphView::under(QPoint at) const {
    const PlotPane* const pane = plot_->pane_at(at);
    if (pane == nullptr) return std::nullopt;
    const GraphIntervals& intervals = picture().intervals;
    const size_t interval = intervals.at(pane->viewport().time_at(at.x()));
    if (interval >= intervals.count) return std::nullopt;
    Under nearest{nullptr, interval};
    double least_distance = 0;
    for (const GraphSeries& series : picture().series) {
        const auto its = pane_of(series);
        if (!its || panes_[*its] != pane) continue;
        const double value = series.points[interval].value;
        if (std::isnan(value)) continue;
        const double distance = std::abs(pane->scale().y_of(value) - at.y());
        if (nearest.series != nullptr && distance >= least_distance) continue;
        nearest.series = &series;
        least_distance = distance;
    }
    return nearest;
}

QString IoGraphView::rows_text(const GraphSeries& series, const GraphSeries::Point& point) const {
    const GraphLine& line = picture().line_of(series);
    QString text = point.rows == 1 ? tr("of 1 row") : tr("of %1 rows").arg(grouped(point.rows));
    if (!point.firm) {
        text += tr(": their greatest, as a %1 needs %2")
                    .arg(function_title(line.function))
                    .arg(least_rows(line.function));
    } else if (percent_of(line.function) != 0 && !point.exact) {
        text += tr(", within 0.8 %");
    }
    return text;
}

QString IoGraphView::text_at(QPoint at) const {
    const auto found = under(at);
    if (!found) return {};
    const TimeRange interval = picture().intervals.interval(found->interval);
    const auto line = [](const QString& text) { return QStringLiteral("<br>") + text.toHtmlEscaped(); };
    QString text =
        moment_text(interval.begin_ns) + line(tr("and %1 on").arg(short_duration(interval.span_ns())));
    if (interval.end_ns > picture().whole.end_ns) text += line(tr("The capture ends before that."));
    if (found->series == nullptr) return text + line(tr("nothing is known here"));
    const GraphSeries& series = *found->series;
    const GraphSeries::Point& point = series.points[found->interval];
    text += line(series_name(picture(), series));
    text += line(QStringLiteral("%1 %2").arg(
        graph_value_text(point.value, unit_of(picture().line_of(series))), rows_text(series, point)));
    return text + line(tr("(a double click frames the interval)"));
}

void IoGraphView::frame_interval(QPoint at) {
    const auto found = under(at);
    if (found) state().set_range(picture().intervals.interval(found->interval));
}

std::function<Result<std::monostate>()> IoGraphView::csv_writing(const QString& path) const {
    return [picture = picture(), range = state().range(), target = QFile::encodeName(path).toStdString(),
            capture = QFile::encodeName(document().path()).toStdString()] {
        return write_graph_csv(picture, range, capture, target);
    };
}

}  // namespace sanscope
