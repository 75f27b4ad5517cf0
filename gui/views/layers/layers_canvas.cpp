// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_canvas.h"

#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "gui/document/plain_text.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/layers_view.h"

namespace sanscope {
namespace {

int axis_height() {
    return beside_text(26);
}

QFont small(QFont font) {
    font.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.88));
    return font;
}

}  // namespace

LayersCanvas::LayersCanvas(LayersView& view)
    : TimeCanvas(view.state(), Direction::rightwards, &view), view_(view) {
    set_margins(layers_gutter(), 0);
    setAccessibleName(tr("Layers"));
    setAccessibleDescription(
        tr("Commands, PDUs, segments, sender states and packets of each connection over time"));
}

QRect LayersCanvas::area() const {
    return {0, axis_height(), width(), std::max(0, height() - axis_height())};
}

void LayersCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter);
}

void LayersCanvas::draw(QPainter& painter) {
    const QRect area = this->area();
    painter.fillRect(rect(), theme().background);
    if (view_.groups_.empty() || state().whole().empty()) {
        painter.setPen(theme().faint_text);
        const QString why = view_.document().loading() || !view_.surveyed_ ? tr("Reading the capture…")
                            : state().whole().empty() ? tr("The capture holds no packets.")
                                                      : tr("No TCP connection in this capture carries data.");
        painter.drawText(rect(), Qt::AlignCenter, why);
        return;
    }
    const LayersScene scene{theme(), viewport(), view_.picture().prepared, state().selected(), small(font()),
                            width(), area.top(), area.bottom() + 1};
    painter.save();
    painter.setClipRect(area);
    const int top = area.top() - view_.scrolled();
    const size_t first = view_.layout_.first_below(view_.scrolled());
    const auto for_groups = [&](auto draw_group) {
        for (size_t i = first; i < view_.layout_.groups() && top + view_.layout_.top_of(i) <= area.bottom();
             ++i) {
            const GroupShape& shape = view_.groups_[i];
            const GroupPicture* picture = view_.picture().group(shape.connection);
            draw_group(LayersPainter::Group{picture, shape, view_.opening(i),
                                            state().connection() == shape.connection,
                                            top + view_.layout_.top_of(i)});
        }
    };
    for_groups([&](const LayersPainter::Group& group) { painter_.draw_background(painter, scene, group); });
    draw_time_grid(painter, QRect(layers_gutter(), area.top(), width() - layers_gutter(), area.height()));
    for_groups([&](const LayersPainter::Group& group) { painter_.draw(painter, scene, group); });
    if (const auto idle_top = view_.layout_.idle_top()) {
        painter_.draw_idle_line(painter, scene, top + *idle_top, view_.layout_.idle(), view_.idle_open());
    }
    draw_cursor(painter, QRect(layers_gutter(), area.top(), width() - layers_gutter(), area.height()));
    painter.restore();
    draw_time_axis(painter, QRect(layers_gutter(), 0, width() - layers_gutter(), axis_height()),
                   view_.document().first_ns());
}

bool LayersCanvas::is_idle_line(QPoint at) const {
    return area().contains(at) && view_.layout_.is_idle_line(at.y() - area().top() + view_.scrolled());
}

std::optional<LayersCanvas::Under> LayersCanvas::under(QPoint at) const {
    if (!area().contains(at)) return std::nullopt;
    const int y = at.y() - area().top() + view_.scrolled();
    Under under;
    under.group = view_.layout_.group_at(y);
    if (under.group >= view_.layout_.groups()) return std::nullopt;
    const int within = y - view_.layout_.top_of(under.group);
    under.header = within < header_height();
    if (under.header) return under;
    const GroupShape& shape = view_.groups_[under.group];
    const LanePlaces lanes = lanes_of(shape, view_.opening(under.group));
    for (const LanePlace& lane : lanes.all()) {
        if (within < lane.top || within >= lane.top + lane.height) continue;
        under.lane = lane;
        const GroupPicture* picture = view_.picture().group(shape.connection);
        if (picture != nullptr && at.x() >= layers_gutter()) {
            const LaneScene scene{*picture, view_.picture().prepared, shape, lane, viewport()};
            under.hit = lane_of(lane.kind).hit(scene, QPointF(at.x(), within));
        }
    }
    return under;
}

bool LayersCanvas::wheel_scrolls(QWheelEvent* event) {
    if (view_.layout_.height() <= area().height()) return false;
    view_.scroll_to(view_.scrolled() - event->angleDelta().y() / 2);
    return true;
}

void LayersCanvas::on_click(QPoint at, Qt::KeyboardModifiers) {
    if (is_idle_line(at)) return view_.set_idle_open(!view_.idle_open());
    const auto what = under(at);
    if (!what) {
        if (at.x() >= layers_gutter()) state().select({});
        return;
    }
    const uint32_t connection = view_.groups_[what->group].connection;
    const bool in_gutter = at.x() < layers_gutter();
    if (what->header) {
        if (in_gutter) return view_.set_expanded(connection, !view_.opening(what->group).expanded);
        return state().select({Selection::Kind::connection, connection});
    }
    if (!what->lane) return;
    if (in_gutter) return view_.toggle_compact(what->lane->kind);
    const GroupPicture* picture = view_.picture().group(connection);
    if (picture == nullptr) return;
    state().select(what->hit.selection);
    if (!what->hit.selection) state().set_connection(connection);
}

void LayersCanvas::on_double_click(QPoint at) {
    const auto what = under(at);
    if (!what || at.x() < layers_gutter()) return;
    const GroupPicture* picture = view_.picture().group(view_.groups_[what->group].connection);
    if (picture == nullptr) return;
    const LaneHit& hit = what->hit;
    if (!hit.range.empty()) return state().set_range(hit.range.widened(0.2));
    if (!hit.selection && !what->header)
        return state().zoom(4, viewport().time_at(at.x()), ViewState::Step::fresh);
    state().select(what->header
                       ? Selection{Selection::Kind::connection, view_.groups_[what->group].connection}
                       : hit.selection);
    view_.document().frame_when_resolved();
}

void LayersCanvas::on_hover(std::optional<QPoint> at) {
    const QString text = at ? words_at(*at) : QString();
    if (text.isEmpty()) {
        QToolTip::hideText();
        unsetCursor();
        return;
    }
    QToolTip::showText(mapToGlobal(*at + QPoint(12, 12)), plain_text(text), this);
}

QString LayersCanvas::words_at(QPoint at) const {
    if (is_idle_line(at)) {
        return tr("Connections without a PDU or a retransmission, and with 4 KiB of data at most") +
               QLatin1Char('\n') + (view_.idle_open() ? tr("Click to hide them") : tr("Click to show them"));
    }
    const auto what = under(at);
    if (!what) return {};
    const GroupShape& shape = view_.groups_[what->group];
    const GroupPicture* picture = view_.picture().group(shape.connection);
    if (picture == nullptr) return {};
    const bool in_gutter = at.x() < layers_gutter();
    if (what->header) {
        return picture->title + QLatin1Char('\n') + picture->facts + QLatin1Char('\n') +
               (in_gutter ? tr("Click to open or close") : tr("Click to select the connection"));
    }
    if (!what->lane) return {};
    if (in_gutter) return tr("Click to make these lanes small or large");
    if (what->hit.what == LaneHit::What::nothing) return {};
    const LaneScene scene{*picture, view_.picture().prepared, shape, *what->lane, viewport()};
    return lane_of(what->lane->kind).words(scene, what->hit, [this](int64_t time_ns) {
        return full_time(time_ns, view_.document().first_ns(), state().time_format());
    });
}

void LayersCanvas::keyPressEvent(QKeyEvent* event) {
    const int page = std::max(20, area().height() - 40);
    const auto scroll_by = [&](int by) {
        view_.scroll_to(view_.scrolled() + by);
        event->accept();
    };
    const bool scrolls = view_.layout_.height() > area().height();
    if (scrolls && (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier)) == 0) {
        switch (event->key()) {
            case Qt::Key_Up:
                return scroll_by(-40);
            case Qt::Key_Down:
                return scroll_by(40);
            case Qt::Key_PageUp:
                return scroll_by(-page);
            case Qt::Key_PageDown:
                return scroll_by(page);
            default:
                break;
        }
    }
    TimeCanvas::keyPressEvent(event);
}

}  // namespace sanscope
