// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_figure.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/document/plain_text.h"
#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr double reach = 9;  // pixels from a point that a click may be
constexpr double dot_size = 6;
constexpr double ring_size = 13;
constexpr double line_width = 1.5;

// A reference has the text's own colour; of the others none is told by its colour alone.
QColor line_color(const Theme& theme, const PictureLine& line, size_t place) {
    if (line.reference) return theme.text;
    const std::array<QColor, 7> colors = {theme.initiator,    theme.target,    theme.acknowledgement,
                                          theme.ssthresh,     theme.in_flight, theme.problem,
                                          theme.other_command};
    return colors[place % colors.size()];
}

QCPScatterStyle::ScatterShape line_shape(size_t place) {
    constexpr std::array shapes = {
        QCPScatterStyle::ssDisc,    QCPScatterStyle::ssSquare, QCPScatterStyle::ssTriangle,
        QCPScatterStyle::ssDiamond, QCPScatterStyle::ssCross,  QCPScatterStyle::ssTriangleInverted,
        QCPScatterStyle::ssPlus,    QCPScatterStyle::ssCircle, QCPScatterStyle::ssStar};
    return shapes[place % shapes.size()];
}

}  // namespace

ExperimentFigure::ExperimentFigure(QWidget* parent) : QCustomPlot(parent) {
    setAutoAddPlottableToLegend(false);
    setInteractions(QCP::Interactions());
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Figure of the experiment"));
    setAccessibleDescription(
        tr("A line for each of the settings that are compared, through the medians of its runs, and a point "
           "for each run. "
           "Left and right go from point to point, up and down from line to line, Enter opens the run's "
           "capture"));
    // Beside the figure, which it would hide where lines are many.
    auto* const beside = new QCPLayoutGrid;
    plotLayout()->addElement(0, 1, beside);
    beside->addElement(0, 0, legend);
    beside->addElement(1, 0, new QCPLayoutElement(this));
    beside->setRowStretchFactor(0, 0.001);
    plotLayout()->setColumnStretchFactor(1, 0.001);
    legend->setVisible(true);
    fill();
}

void ExperimentFigure::set_picture(ExperimentPicture picture) {
    const auto before = marked();
    picture_ = std::move(picture);
    marked_.reset();
    for (size_t line = 0; before && line < picture_.lines.size(); ++line) {
        const auto& runs = picture_.lines[line].runs;
        const auto found = std::ranges::find(runs, *before, &PictureRun::record);
        if (found != runs.end()) marked_ = Place{line, static_cast<size_t>(found - runs.begin())};
    }
    fill();
}

std::optional<size_t> ExperimentFigure::marked() const {
    if (!marked_) return std::nullopt;
    return run_at(*marked_).record;
}

QPointF ExperimentFigure::pixels_of(const PictureRun& run) const {
    return {xAxis->coordToPixel(run.x), yAxis->coordToPixel(run.y)};
}

std::optional<QPointF> ExperimentFigure::place_of(size_t record) const {
    for (const PictureLine& line : picture_.lines) {
        const auto found = std::ranges::find(line.runs, record, &PictureRun::record);
        if (found != line.runs.end() && picture_.can_be_drawn(found->x, found->y)) return pixels_of(*found);
    }
    return std::nullopt;
}

std::optional<ExperimentFigure::Place> ExperimentFigure::nearest(QPointF to) const {
    std::optional<Place> found;
    double least = reach;
    for (size_t line = 0; line < picture_.lines.size(); ++line) {
        const auto& runs = picture_.lines[line].runs;
        for (size_t i = 0; i < runs.size(); ++i) {
            if (!picture_.can_be_drawn(runs[i].x, runs[i].y)) continue;
            const QPointF away = pixels_of(runs[i]) - to;
            const double distance = std::hypot(away.x(), away.y());
            if (distance > least) continue;
            least = distance;
            found = Place{line, i};
        }
    }
    return found;
}

void ExperimentFigure::mark(Place place) {
    marked_ = place;
    draw_mark();
    replot(rpQueuedReplot);
    Q_EMIT run_marked(run_at(place).record);
}

void ExperimentFigure::step(int along, int across) {
    if (picture_.lines.empty()) return;
    const auto moved = [](size_t from, int by, size_t count) {
        return static_cast<size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from) + by, 0,
                                                              static_cast<std::ptrdiff_t>(count) - 1));
    };
    if (!marked_) {
        const auto first =
            std::ranges::find_if(picture_.lines, [](const auto& line) { return !line.runs.empty(); });
        if (first != picture_.lines.end()) mark({static_cast<size_t>(first - picture_.lines.begin()), 0});
        return;
    }
    Place place = *marked_;
    if (across == 0) {
        place.run = moved(place.run, along, picture_.lines[place.line].runs.size());
        return mark(place);
    }
    place.line = moved(place.line, across, picture_.lines.size());
    const auto& runs = picture_.lines[place.line].runs;
    if (runs.empty()) return;
    const double x = run_at(*marked_).x;
    const auto closest =
        std::ranges::min_element(runs, {}, [x](const PictureRun& run) { return std::abs(run.x - x); });
    if (place.line != marked_->line) place.run = static_cast<size_t>(closest - runs.begin());
    mark(place);
}

void ExperimentFigure::mouseReleaseEvent(QMouseEvent* event) {
    QCustomPlot::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton) return;
    const auto place = nearest(event->position());
    if (!place) return;
    mark(*place);
    Q_EMIT run_opened(run_at(*place).record);
}

void ExperimentFigure::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            return step(-1, 0);
        case Qt::Key_Right:
            return step(1, 0);
        case Qt::Key_Up:
            return step(0, -1);
        case Qt::Key_Down:
            return step(0, 1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (const auto record = marked()) Q_EMIT run_opened(*record);
            return;
        default:
            QCustomPlot::keyPressEvent(event);
    }
}

void ExperimentFigure::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (ring_ != nullptr && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
        fill();
}

bool ExperimentFigure::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QCustomPlot::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    if (const auto place = nearest(help->pos())) {
        const PictureRun& run = run_at(*place);
        QToolTip::showText(help->globalPos(),
                           plain_text(tr("%1\n%2: %3\n%4: %5")
                                          .arg(picture_.lines[place->line].label, picture_.x_heading)
                                          .arg(run.x)
                                          .arg(picture_.y_heading)
                                          .arg(run.y)));
    } else {
        QToolTip::hideText();
    }
    return true;
}

void ExperimentFigure::draw_axis(QCPAxis& axis, const lab::AxisScale& scale, const QString& heading) {
    const Theme& theme = Theme::of(palette());
    const bool linear = scale.kind == lab::AxisScale::Kind::linear;
    axis.setScaleType(linear ? QCPAxis::stLinear : QCPAxis::stLogarithmic);
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (const lab::Tick& tick : scale.ticks) ticker->addTick(tick.value, QString::fromStdString(tick.label));
    axis.setTicker(ticker);
    // Points at the ends are seen whole.
    constexpr double room = 0.03;
    if (linear) {
        const double more = (scale.high - scale.low) * room;
        axis.setRange(scale.low - more, scale.high + more);
    } else {
        const double more = std::pow(scale.high / scale.low, room);
        axis.setRange(scale.low / more, scale.high * more);
    }
    axis.setLabel(heading);
    axis.setLabelColor(theme.text);
    axis.setLabelFont(font());
    axis.setTickLabelFont(font());
    axis.setTickLabelColor(theme.faint_text);
    axis.setBasePen(QPen(theme.axis));
    axis.setTickPen(QPen(theme.axis));
    axis.setSubTickPen(QPen(Qt::NoPen));
    axis.grid()->setPen(QPen(theme.grid));
    axis.grid()->setZeroLinePen(QPen(theme.grid));
}

void ExperimentFigure::draw_mark() {
    ring_->data()->clear();
    if (!marked_) return;
    const PictureRun& run = run_at(*marked_);
    if (picture_.can_be_drawn(run.x, run.y)) ring_->addData(run.x, run.y);
}

void ExperimentFigure::say_why_empty() {
    clearItems();
    const bool any =
        std::ranges::any_of(picture_.lines, [](const PictureLine& line) { return !line.runs.empty(); });
    if (any) return;
    auto* const words = new QCPItemText(this);
    words->position->setType(QCPItemPosition::ptAxisRectRatio);
    words->position->setCoords(0.5, 0.5);
    words->setPositionAlignment(Qt::AlignCenter);
    words->setText(tr("No run has come yet.\nStart makes them; each becomes a point here."));
    words->setFont(font());
    words->setColor(Theme::of(palette()).text);
}

void ExperimentFigure::fill() {
    say_why_empty();
    clearGraphs();
    ring_ = nullptr;
    const Theme& theme = Theme::of(palette());
    setBackground(theme.background);
    legend->setBrush(theme.background);
    legend->setBorderPen(QPen(Qt::NoPen));
    legend->setTextColor(theme.text);
    legend->setFont(font());
    draw_axis(*xAxis, picture_.scale_of_x(), picture_.x_heading);
    draw_axis(*yAxis, picture_.scale_of_y(), picture_.y_heading);
    for (size_t i = 0; i < picture_.lines.size(); ++i) {
        const PictureLine& line = picture_.lines[i];
        const QColor color = line_color(theme, line, i);
        const QCPScatterStyle shape(line_shape(i), color, color, dot_size);
        QCPGraph* const medians = addGraph();
        medians->setPen(QPen(color, line_width, line.reference ? Qt::DashLine : Qt::SolidLine));
        QCPGraph* const runs = addGraph();
        runs->setLineStyle(QCPGraph::lsNone);
        runs->setScatterStyle(shape);
        for (const PictureLine::Median& median : line.medians) {
            if (picture_.can_be_drawn(median.x, median.y)) medians->addData(median.x, median.y);
        }
        for (const PictureRun& run : line.runs) {
            if (picture_.can_be_drawn(run.x, run.y)) runs->addData(run.x, run.y);
        }
        runs->setName(line.label);
        runs->setPen(QPen(color, line_width));
        runs->addToLegend();
    }
    ring_ = addGraph();
    ring_->setLineStyle(QCPGraph::lsNone);
    ring_->setScatterStyle({QCPScatterStyle::ssCircle, theme.selection, ring_size});
    draw_mark();
    replot(rpQueuedReplot);
}

}  // namespace sanscope
