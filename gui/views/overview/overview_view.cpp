// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/overview/overview_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/document/plain_text.h"
#include "gui/plot/selected_range.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int right_margin = 14;
constexpr int losses_height = 12;
constexpr int64_t least_slow_ns = 10'000;  // the foot of the scale of turnarounds

// As wide as that of the layers below it.
int gutter() {
    return beside_text(170);
}
int axis_height() {
    return beside_text(17);
}

// 0 to 1 on a logarithmic scale from `least_slow_ns`.
double slowness(int64_t duration_ns, int64_t slowest_ns) {
    const double top = std::log(std::max(static_cast<double>(slowest_ns) / least_slow_ns, 2.0));
    return std::clamp(std::log(std::max(static_cast<double>(duration_ns) / least_slow_ns, 1.0)) / top, 0.0,
                      1.0);
}

QFont small(QFont font) {
    font.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.85));
    return font;
}

QString retransmissions(uint64_t count) {
    return counted(count, OverviewView::tr("retransmission"), OverviewView::tr("retransmissions"));
}

}  // namespace

OverviewView::OverviewView(Document& document, QWidget* parent) : PreparedView(document, parent) {
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Overview"));
    setAccessibleDescription(
        tr("The whole capture: throughput, losses and the slowest commands, and the range "
           "that the other views show. Drag the range or its edges; drag elsewhere for a new one."));
    const auto repaint = [this] { update(); };
    connect(&state(), &ViewState::whole_changed, this, repaint);
    connect(&state(), &ViewState::cursor_changed, this, repaint);
    connect(&state(), &ViewState::selected_range_changed, this, repaint);
    connect(&state(), &ViewState::time_format_changed, this, repaint);
    connect(&state(), &ViewState::units_changed, this, repaint);
    connect(&state(), &ViewState::selected_things_changed, this, repaint);
    renew();
}

void OverviewView::set_marks(std::vector<OverviewMark> marks) {
    marks_ = std::move(marks);
    update();
}

QRect OverviewView::plot() const {
    const int top = picture().losses > 0 ? 3 + losses_height : 3;
    return {gutter(), top, std::max(1, width() - gutter() - right_margin),
            std::max(1, height() - axis_height() - top)};
}

QRect OverviewView::losses_area() const {
    const QRect area = plot();
    return {area.left(), 1, area.width(), losses_height};
}

TimeViewport OverviewView::strip() const {
    const QRect area = plot();
    TimeRange whole = state().whole();
    if (whole.empty()) whole = {0, 1};
    return {whole, static_cast<double>(area.left()), static_cast<double>(area.width())};
}

OverviewView::Preparation OverviewView::preparation() {
    return [data = document().data(), most = most_columns()](const StopFlag&) {
        const auto reading = data->read();
        const auto& overview = reading.timeline().overview();
        return overview_picture(overview.bins(), overview.begin_ns(), overview.width_ns(), most);
    };
}

void OverviewView::resizeEvent(QResizeEvent*) {
    refresh();
}

void OverviewView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
    PreparedView::changeEvent(event);
}

void OverviewView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter);
}

void OverviewView::draw(QPainter& painter) {
    painter.fillRect(rect(), theme().background);
    if (picture().empty() || state().whole().empty()) {
        painter.setPen(theme().faint_text);
        painter.drawText(
            rect(), Qt::AlignCenter,
            document().loading() ? tr("Reading the capture…") : tr("The capture holds no packets."));
        return;
    }
    const QRect area = plot();
    painter.save();
    painter.setClipRect(QRect(area.left(), 0, area.width(), height()));
    draw_traffic(painter, area);
    draw_slowest(painter, area);
    draw_losses(painter, losses_area());
    painter.restore();
    draw_axis(painter, area);
    draw_window(painter, area);
    draw_marks(painter, area);
    draw_selected_ranges(painter, theme(), state(), strip(), std::nullopt,
                         QRectF(area.left(), 0, area.width(), area.bottom() + 1));
    draw_legend(painter, QRect(0, 0, gutter(), height()));
    if (const auto cursor = state().cursor_ns(); cursor && state().whole().contains(*cursor)) {
        const double x = std::floor(strip().x_of(*cursor)) + 0.5;
        painter.setPen(QPen(theme().cursor, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, 0), QPointF(x, area.bottom()));
    }
}

// To the initiator below, to the target on top of it, then what may have gone either way.
void OverviewView::draw_traffic(QPainter& painter, const QRect& area) {
    const TimeViewport view = strip();
    const double scale =
        picture().most_bytes_per_s > 0 ? (area.height() - 1) / picture().most_bytes_per_s : 0;
    const double to_rate = 1e9 / static_cast<double>(picture().column_ns);
    rects_.clear();
    more_rects_.clear();
    unknown_rects_.clear();
    const double foot = area.bottom() + 1;
    for (size_t i = 0; i < picture().columns.size(); ++i) {
        const OverviewBin& column = picture().columns[i];
        if (column.bytes_in + column.bytes_out + column.bytes_unknown == 0) continue;
        const double left = view.x_of(picture().begin_of(i));
        const double wide = std::max(1.0, view.x_of(picture().begin_of(i + 1)) - left);
        const double in = static_cast<double>(column.bytes_in) * to_rate * scale;
        const double out = static_cast<double>(column.bytes_out) * to_rate * scale;
        if (in > 0) rects_.emplace_back(left, foot - in, wide, in);
        const double either = static_cast<double>(column.bytes_unknown) * to_rate * scale;
        if (out > 0) more_rects_.emplace_back(left, foot - in - out, wide, out);
        if (either > 0) unknown_rects_.emplace_back(left, foot - in - out - either, wide, either);
    }
    painter.setPen(Qt::NoPen);
    const auto fill = [&](QColor color, const std::vector<QRectF>& rects) {
        color.setAlphaF(0.62F);
        painter.setBrush(color);
        painter.drawRects(rects.data(), static_cast<int>(rects.size()));
    };
    fill(theme().target, rects_);
    fill(theme().initiator, more_rects_);
    fill(theme().axis, unknown_rects_);
}

void OverviewView::draw_slowest(QPainter& painter, const QRect& area) {
    if (picture().slowest_ns == no_time) return;
    const TimeViewport view = strip();
    rects_.clear();
    for (size_t i = 0; i < picture().columns.size(); ++i) {
        const int64_t slowest = picture().columns[i].slowest_ns;
        if (slowest == no_time) continue;
        const double x = (view.x_of(picture().begin_of(i)) + view.x_of(picture().begin_of(i + 1))) / 2;
        const double y = area.bottom() - 1 - slowness(slowest, picture().slowest_ns) * (area.height() - 4);
        rects_.emplace_back(x - 1, y - 1, 2, 2);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().text);
    painter.drawRects(rects_.data(), static_cast<int>(rects_.size()));
}

// They hang from the upper edge, longer where there are more.
void OverviewView::draw_losses(QPainter& painter, const QRect& area) {
    if (picture().most_losses == 0) return;
    const TimeViewport view = strip();
    rects_.clear();
    for (size_t i = 0; i < picture().columns.size(); ++i) {
        const uint32_t losses = picture().columns[i].losses;
        if (losses == 0) continue;
        const double share = std::sqrt(static_cast<double>(losses) / picture().most_losses);
        const double left = view.x_of(picture().begin_of(i));
        const double wide = std::max(2.0, view.x_of(picture().begin_of(i + 1)) - left);
        rects_.emplace_back(left, area.top(), wide, 3 + share * (area.height() - 3));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().problem);
    painter.drawRects(rects_.data(), static_cast<int>(rects_.size()));
}

void OverviewView::draw_marks(QPainter& painter, const QRect& area) const {
    const TimeViewport view = strip();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().background);
    painter.setBrush(theme().in_flight);
    for (const OverviewMark& mark : marks_) {
        if (!view.range.contains(mark.time_ns)) continue;
        const double x = view.x_of(mark.time_ns);
        const QPointF flag[] = {{x, 0.0}, {x + 8, 4.0}, {x, 8.0}};
        painter.drawConvexPolygon(flag, 3);
        painter.fillRect(QRectF(x - 0.5, 0, 1, area.bottom() + 1), theme().in_flight);
    }
    painter.restore();
}

void OverviewView::draw_axis(QPainter& painter, const QRect& area) const {
    painter.save();
    painter.setFont(small(font()));
    const QFontMetrics metrics(painter.font());
    const TimeTicks ticks = time_ticks(strip(), document().first_ns(), state().time_format(), 120);
    painter.setPen(theme().axis);
    painter.drawLine(area.left(), area.bottom() + 1, area.right(), area.bottom() + 1);
    int free_from = area.left();
    for (const TimeTick& tick : ticks.major) {
        const int x = static_cast<int>(std::lround(tick.x));
        painter.setPen(theme().axis);
        painter.drawLine(x, area.bottom() + 1, x, area.bottom() + 4);
        painter.setPen(theme().faint_text);
        // There is no other place for the base of what is added.
        const bool with_base = &tick == ticks.major.data() && !ticks.base.isEmpty();
        const QString label = with_base ? ticks.base + QLatin1Char(' ') + tick.label : tick.label;
        const int wide = metrics.horizontalAdvance(label);
        const int left = std::clamp(x - wide / 2, area.left(), std::max(area.left(), width() - wide - 2));
        if (left < free_from) continue;
        painter.drawText(left, area.bottom() + 4 + metrics.ascent(), label);
        free_from = left + wide + metrics.averageCharWidth();
    }
    painter.restore();
}

void OverviewView::draw_window(QPainter& painter, const QRect& area) const {
    const OverviewWindow window = OverviewWindow::of(state().range(), strip());
    const double top = 0;
    const double height = area.bottom() + 1;
    if (!window.everything) {
        QColor shade = theme().background;
        shade.setAlphaF(0.62F);
        painter.fillRect(QRectF(area.left(), top, window.left - area.left(), height), shade);
        painter.fillRect(QRectF(window.right, top, area.right() + 1 - window.right, height), shade);
        QColor veil = theme().axis;
        veil.setAlphaF(0.13F);
        painter.fillRect(QRectF(area.left(), top, window.left - area.left(), height), veil);
        painter.fillRect(QRectF(window.right, top, area.right() + 1 - window.right, height), veil);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().axis, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(
        QRectF(window.left + 0.5, top + 0.5, std::max(1.0, window.right - window.left - 1), height));
    // The handles stand outside of it, so that what is in it stays in sight.
    painter.setPen(QPen(theme().background, 1));
    painter.setBrush(theme().axis);
    const double middle = top + height / 2;
    for (const double x : {window.left, window.right}) {
        painter.drawRoundedRect(QRectF(x - 3.5, middle - 10, 7, 20), 2.5, 2.5);
    }
    painter.restore();
}

void OverviewView::draw_legend(QPainter& painter, const QRect& gutter_area) const {
    painter.save();
    painter.setFont(small(font()));
    const QFontMetrics metrics(painter.font());
    const int line = metrics.height();
    const int left = 8;
    const int text_left = left + 13;
    const int lines = 4 + (picture().losses > 0 ? 1 : 0) + (picture().bytes_unknown > 0 ? 1 : 0);
    int y = std::max(2, (gutter_area.height() - lines * line) / 2);
    const auto write = [&](const QString& text, const QColor& color) {
        painter.setPen(color);
        painter.drawText(QRect(text_left, y, gutter_area.right() - text_left - 4, line), Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, gutter_area.right() - text_left - 4));
        y += line;
    };
    const auto square = [&](QColor color) {
        color.setAlphaF(0.75F);
        painter.fillRect(left, y + line / 2 - 4, 8, 8, color);
    };
    write(tr("max %1").arg(short_rate(picture().most_bytes_per_s)), theme().text);
    square(theme().initiator);
    write(tr("to the target"), theme().faint_text);
    square(theme().target);
    write(tr("to the initiator"), theme().faint_text);
    if (picture().bytes_unknown > 0) {
        square(theme().axis);
        write(tr("direction not known"), theme().faint_text);
    }
    painter.fillRect(left + 3, y + line / 2 - 1, 3, 3, theme().text);
    write(picture().slowest_ns == no_time ? tr("no command ended")
                                          : tr("slowest %1 (log)").arg(short_duration(picture().slowest_ns)),
          theme().faint_text);
    if (picture().losses > 0) {
        painter.fillRect(left + 3, y + 2, 3, line - 5, theme().problem);
        write(retransmissions(picture().losses), theme().faint_text);
    }
    painter.restore();
}

// At the first view a drag chooses a range, as where all is in sight: nobody has chosen one yet.
OverviewWindow OverviewView::window_to_drag(TimeRange range) const {
    OverviewWindow window = OverviewWindow::of(range, strip());
    window.everything = window.everything || range == state().first_view();
    return window;
}

void OverviewView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || state().whole().empty()) return event->ignore();
    const double x = event->position().x();
    if (x < plot().left() - 8) return;
    drag_ = Drag{window_to_drag(state().range()).part_at(x), x, state().range()};
}

void OverviewView::mouseMoveEvent(QMouseEvent* event) {
    const TimeViewport view = strip();
    const double x = event->position().x();
    if (!drag_) {
        const bool inside = x >= view.origin && x < view.origin + view.length && !state().whole().empty();
        state().set_cursor(inside ? std::optional(view.time_at(x)) : std::nullopt);
        const auto part = window_to_drag(state().range()).part_at(x);
        const bool edge = part == OverviewWindow::Part::begin || part == OverviewWindow::Part::end;
        setCursor(edge                                   ? Qt::SizeHorCursor
                  : part == OverviewWindow::Part::inside ? Qt::OpenHandCursor
                  : x >= view.origin && inside           ? Qt::CrossCursor
                                                         : Qt::ArrowCursor);
        if (inside) show_tip(event->pos(), event->globalPosition().toPoint());
        return;
    }
    if (!drag_->moved && std::abs(x - drag_->from_x) < QApplication::startDragDistance() / 2.0) return;
    const auto step = std::exchange(drag_->moved, true) ? ViewState::Step::continued : ViewState::Step::fresh;
    QToolTip::hideText();
    state().set_range(dragged_range(drag_->part, drag_->range, view, drag_->from_x, x), step);
}

void OverviewView::mouseReleaseEvent(QMouseEvent* event) {
    if (!drag_ || event->button() != Qt::LeftButton) return;
    const Drag drag = *std::exchange(drag_, std::nullopt);
    if (drag.moved || window_to_drag(drag.range).everything) return;
    const int64_t middle = strip().time_at(drag.from_x);
    const int64_t span = drag.range.span_ns();
    state().set_range({middle - span / 2, middle - span / 2 + span});
}

void OverviewView::mouseDoubleClickEvent(QMouseEvent* event) {
    drag_.reset();
    if (event->button() == Qt::LeftButton) state().show_all();
}

void OverviewView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const double clicks = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    if (clicks == 0 || state().whole().empty()) return event->ignore();
    const ViewState::Step step = wheel_steps_.next();
    if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        state().pan(-clicks * wheel_pan, step);
    } else {
        const TimeRange range = state().range();
        const int64_t under = strip().time_at(event->position().x());
        state().zoom(std::pow(wheel_zoom, clicks),
                     range.contains(under) ? under : range.begin_ns + range.span_ns() / 2, step);
    }
    event->accept();
}

void OverviewView::leaveEvent(QEvent*) {
    state().set_cursor(std::nullopt);
}

void OverviewView::show_tip(QPoint at, QPoint global) {
    const TimeViewport view = strip();
    for (const OverviewMark& mark : marks_) {
        if (std::abs(view.x_of(mark.time_ns) - at.x()) < 5 && at.y() < 16 && !mark.label.isEmpty()) {
            return QToolTip::showText(global, plain_text(mark.label), this);
        }
    }
    const size_t i = picture().column_at(view.time_at(at.x()));
    if (i >= picture().columns.size()) return QToolTip::hideText();
    const OverviewBin& column = picture().columns[i];
    const double to_rate = 1e9 / static_cast<double>(picture().column_ns);
    QString text = tr("%1, %2 long\nto the target %3, to the initiator %4\n%5, %6 ended")
                       .arg(full_time(picture().begin_of(i), document().first_ns(), state().time_format()),
                            short_duration(picture().column_ns),
                            short_rate(static_cast<double>(column.bytes_out) * to_rate),
                            short_rate(static_cast<double>(column.bytes_in) * to_rate),
                            counted(column.packets, tr("packet"), tr("packets")),
                            counted(column.commands, tr("command"), tr("commands")));
    if (column.bytes_unknown > 0) {
        text +=
            QLatin1Char('\n') +
            tr("direction not known %1").arg(short_rate(static_cast<double>(column.bytes_unknown) * to_rate));
    }
    if (column.slowest_ns != no_time) {
        text += QLatin1Char('\n') + tr("slowest of them %1").arg(short_duration(column.slowest_ns));
    }
    if (column.losses > 0) {
        text += QLatin1Char('\n') + retransmissions(column.losses);
    }
    QToolTip::showText(global, plain_text(text), this);
}

}  // namespace sanscope
