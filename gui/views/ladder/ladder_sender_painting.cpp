// SPDX-License-Identifier: GPL-3.0-or-later
// How what the sender's TCP held is drawn beside the ladder.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
#include "gui/views/ladder/ladder_canvas.h"
#include "gui/views/ladder/ladder_words.h"

namespace sanscope {
namespace {

// The first of 1, 2, 2.5, 5, 10 … that is not below.
double round_up(double value) {
    const double decade = std::pow(10, std::floor(std::log10(std::max(1.0, value))));
    for (const double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
        if (decade * factor >= value) return decade * factor;
    }
    return decade * 10;
}

}  // namespace

void LadderCanvas::draw_kernel_states(QPainter& painter, const LadderLayout& layout, double left) {
    const TimeViewport view = viewport();
    const double right = layout.band.right() + 1;
    const auto fill = [&](const TimeRange& range, uint8_t state) {
        const double begin = std::max(view.x_of(range.begin_ns), static_cast<double>(layout.band.top()));
        const double end = std::min(view.x_of(range.end_ns), static_cast<double>(layout.band.bottom() + 1));
        if (end > begin) {
            painter.fillRect(QRectF(left, begin, right - left, std::max(1.0, end - begin)),
                             theme().ca_color(static_cast<CaState>(state)));
        }
    };
    for (const StateBand::Span& span : picture_->sender.kernel_ca.spans) fill(span.range, span.state);
    // Of a column of several states the gravest, which comes last.
    for (const StateBand::Shares& shares : picture_->sender.kernel_ca.columns) {
        for (size_t state = ca_states; state-- > 0;) {
            if (shares.share[state] <= 0) continue;
            fill(shares.range, static_cast<uint8_t>(state));
            break;
        }
    }
    painter.setPen(QPen(theme().kernel, 1, Qt::DotLine));
    painter.drawLine(QPointF(left, layout.band.top()), QPointF(left, layout.band.bottom()));
}

void LadderCanvas::draw_states(QPainter& painter, const LadderLayout& layout) {
    const TimeViewport view = viewport();
    const double top = layout.band.top();
    const double bottom = layout.band.bottom() + 1;
    const LadderSender& sender = picture_->sender;
    painter.save();
    painter.setClipRect(QRect(layout.band.left(), layout.band.top(),
                              layout.band.width() + layout.names.width(), layout.band.height()));
    const QFontMetricsF metrics(painter.font());
    const double width = LadderLayout::own_states();
    for (const LadderState& state : sender.states) {
        const double begin = std::max(view.x_of(state.begin_ns), top);
        const double end = std::min(view.x_of(state.end_ns), bottom);
        if (end <= top || begin >= bottom) continue;
        const QRectF box(layout.band.left(), begin, width, std::max(1.0, end - begin));
        painter.fillRect(box, theme().ca_color(state.state));
        const QString name = ca_text(state.state);
        const double wide = metrics.horizontalAdvance(name);
        if (box.height() < wide + 10 || box.width() < metrics.height() - 2) continue;
        painter.save();
        painter.translate(box.center());
        painter.rotate(90);
        painter.setPen(theme().text);
        painter.drawText(QPointF(-wide / 2, metrics.ascent() / 2 - 1), name);
        painter.restore();
    }
    if (sender.has_kernel_ca) draw_kernel_states(painter, layout, layout.band.left() + width);
    names_.clear();
    painter.setRenderHint(QPainter::Antialiasing);
    const double height = metrics.height();
    double last_tick = top - 3;
    for (const LadderTransition& transition : sender.transitions) {
        const double y = view.x_of(transition.time_ns);
        // Side by side they would cover what they part.
        if (y < top || y > bottom || y < last_tick + 3) continue;
        last_tick = y;
        painter.setPen(QPen(theme().axis, 1));
        painter.drawLine(QPointF(layout.band.left(), y), QPointF(layout.band.right() + 3, y));
    }
    if (layout.names.width() > 0) {
        const std::vector<size_t> chosen = choose_named(sender.transitions, view, height);
        std::vector<double> wanted;
        wanted.reserve(chosen.size());
        for (const size_t i : chosen) wanted.push_back(view.x_of(sender.transitions[i].time_ns));
        const std::vector<double> centres = spread_labels(wanted, height, top, bottom);
        const double left = layout.names.left() + 16;
        for (size_t i = 0; i < chosen.size(); ++i) {
            const LadderTransition& transition = sender.transitions[chosen[i]];
            names_.push_back({chosen[i], centres[i]});
            painter.setPen(QPen(theme().axis, 1));
            const QPointF points[3] = {QPointF(layout.band.right() + 3, wanted[i]),
                                       QPointF(left - 6, centres[i]), QPointF(left - 2, centres[i])};
            painter.drawPolyline(points, 3);
            const bool grave = transition.to == CaState::recovery || transition.to == CaState::loss;
            painter.setPen(grave ? theme().problem : theme().text);
            const double room = layout.names.right() - left;
            painter.drawText(QRectF(left, centres[i] - height / 2, room, height),
                             Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(transition_words(transition), Qt::ElideRight, room));
        }
        if (sender.transitions.empty() && sender.transitions_in_range > 0) {
            painter.setPen(theme().faint_text);
            painter.drawText(
                QRectF(layout.names.left() + 8, top, layout.names.width() - 8, 3 * height),
                Qt::AlignLeft | Qt::TextWordWrap,
                tr("%1: zoom in for the names")
                    .arg(counted(sender.transitions_in_range, tr("transition"), tr("transitions"))));
        }
    }
    painter.restore();
    painter.setPen(theme().faint_text);
    if (layout.names.width() > 0) {
        QString title = picture_->sender_is_target ? tr("Congestion state of the target")
                                                   : tr("Congestion state of the initiator");
        if (picture_->sender.has_kernel_ca) title += tr("; right: kernel");
        painter.drawText(QRect(layout.band.left(), 4, layout.names.width() + layout.band.width() - 6,
                               LadderLayout::header() - 6),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, title);
    }
}

void LadderCanvas::draw_curves(QPainter& painter, const LadderLayout& layout) {
    if (layout.curves.width() < 40) return;
    const TimeViewport view = viewport();
    const SenderCurves& curves = picture_->sender.curves;
    const QFontMetricsF metrics(painter.font());
    const double left = layout.curves.left() + 0.5;
    const double room = layout.curves.width() - 10;
    if (curves.empty()) {
        painter.setPen(theme().faint_text);
        painter.drawText(layout.curves.adjusted(4, 8, -4, 0),
                         Qt::AlignTop | Qt::AlignHCenter | Qt::TextWordWrap,
                         !picture_->sender.judged     ? tr("What its TCP did is not known")
                         : picture_->sender_is_target ? tr("The target sent no data here")
                                                      : tr("The initiator sent no data here"));
        return;
    }
    const ShownCurves all = ~ShownCurves();
    const auto greatest = SenderCurvePainter::greatest(curves, view.range, all);
    const double own = std::max(greatest.own.max, 1.0);
    const double advertised = greatest.advertised.max;
    // A window far greater than what is ever used would flatten everything else.
    const bool advertised_fits = advertised <= 2.5 * own;
    const double most = round_up(advertised_fits ? std::max(own, advertised) : own * 1.05);
    const auto x = [&](double value) { return left + std::min(1.02, value / most) * room; };

    painter.save();
    painter.setClipRect(layout.curves.adjusted(0, 0, 1, 0));
    painter.setPen(theme().axis);
    painter.drawLine(QPointF(left, layout.curves.top()), QPointF(left, layout.curves.bottom() + 1));
    const CurvePlace place{
        .time = view, .scale = {.upper = most, .top = 0, .bottom = room}, .downwards = true, .left = left};
    curve_painter_.paint(painter, curves, place, theme(),
                         advertised_fits ? all : all & ~only(SenderCurve::advertised_window));
    painter.restore();

    // The axis of values, and which curve is which.
    const int header = LadderLayout::header();
    painter.setPen(theme().faint_text);
    const int parts = room < beside_text(160) ? 1 : 2;
    for (int part = 0; part <= parts; ++part) {
        const double value = most * part / parts;
        const QString words = part == 0 ? QStringLiteral("0") : short_bytes(value);
        const double wide = metrics.horizontalAdvance(words);
        const double at = std::min(x(value) - (part == 0 ? 0 : wide / 2), layout.curves.right() - wide);
        painter.setPen(theme().faint_text);
        painter.drawText(QPointF(at, header - 5 - metrics.descent()), words);
        painter.setPen(theme().axis);
        painter.drawLine(QPointF(x(value), header - 5), QPointF(x(value), header - 1));
    }
    double at = left;
    const auto legend = [&](const QString& name, const QColor& color, bool shown) {
        const double wide = metrics.horizontalAdvance(name);
        if (!shown || at + wide > layout.curves.right() + 1) return;
        painter.setPen(color);
        painter.drawText(QPointF(at, 4 + metrics.ascent()), name);
        at += wide + 9;
    };
    legend(tr("cwnd"), theme().cwnd, true);
    legend(tr("in flight"), theme().in_flight, true);
    legend(advertised_fits ? tr("window") : tr("window %1 →").arg(short_bytes(advertised)),
           theme().advertised_window, advertised > 0);
    legend(tr("ssthresh"), theme().ssthresh, extent_in(curves.ssthresh, view.range).any);
    legend(tr("kernel's cwnd"), theme().kernel, curves.kernel_until_ns != no_time);
}

}  // namespace sanscope
