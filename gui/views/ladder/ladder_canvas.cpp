// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_canvas.h"

#include <QEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/document/plain_text.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
#include "gui/views/ladder/ladder_words.h"

namespace sanscope {

LadderCanvas::LadderCanvas(ViewState& state, const LadderPicture& picture, QWidget* parent)
    : TimeCanvas(state, Direction::downwards, parent), picture_(&picture) {
    set_margins(LadderLayout::header(), LadderLayout::footer);
    setMinimumSize(260, 160);
    setAccessibleName(tr("Packet ladder"));
    setAccessibleDescription(
        tr("Packets of a connection between the time lines of initiator and target, with the sender's "
           "congestion "
           "window and state beside them"));
    connect(&state, &ViewState::range_changed, this, &LadderCanvas::forget_layer);
    connect(&state, &ViewState::time_format_changed, this, &LadderCanvas::forget_layer);
    connect(&state, &ViewState::selected_things_changed, this, [this] {
        take_selection();
        forget_layer();
    });
}

void LadderCanvas::take_picture() {
    take_selection();
    forget_layer();
}

void LadderCanvas::set_empty_text(const QString& text) {
    if (text == empty_text_) return;
    empty_text_ = text;
    forget_layer();
}

void LadderCanvas::forget_layer() {
    layer_good_ = false;
    update();
}

LadderGeometry LadderCanvas::geometry_now() const {
    const LadderLayout layout = layout_now();
    return {viewport(), layout.x_initiator, layout.x_target};
}

double LadderCanvas::lane_width() const {
    const LadderLayout layout = layout_now();
    const double room = layout.x_initiator - layout.ladder.left() - 10;
    return std::clamp(room / std::max<double>(1, picture_->lanes), 1.5, 9.0);
}

void LadderCanvas::take_selection() {
    highlighted_arrows_.clear();
    highlighted_pdus_.clear();
    highlighted_commands_.clear();
    dims_ = false;
    outlines_ = false;
    const SelectedThings& things = state().selected();
    const Selection::Kind kind = things.selection.kind;
    if (kind == Selection::Kind::none || kind == Selection::Kind::connection ||
        kind == Selection::Kind::session)
        return;
    bool any = false;
    const auto highlight = [&](std::vector<uint8_t>& highlighted, const auto& list, auto is_highlighted) {
        highlighted.resize(list.size());
        for (size_t i = 0; i < list.size(); ++i) {
            highlighted[i] = is_highlighted(list[i]) ? 1 : 0;
            any = any || highlighted[i] != 0;
        }
    };
    highlight(highlighted_arrows_, picture_->arrows, [&](const LadderArrow& arrow) {
        return arrow.packet != 0 &&
               std::ranges::binary_search(things.packets, static_cast<uint32_t>(arrow.packet));
    });
    highlight(highlighted_pdus_, picture_->pdus, [&](const LadderPdu& pdu) {
        return kind == Selection::Kind::packet ? pdu.number == things.pdu
                                               : std::ranges::binary_search(things.pdus, pdu.number);
    });
    highlight(highlighted_commands_, picture_->commands,
              [&](const LadderCommand& command) { return command.number == things.command; });
    constexpr auto most_outlines = 12;
    outlines_ = std::ranges::count(highlighted_arrows_, uint8_t{1}) <= most_outlines;
    dims_ = any && (kind == Selection::Kind::command || kind == Selection::Kind::pdu);
}

void LadderCanvas::paintEvent(QPaintEvent*) {
    const double ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF(size()) * ratio).toSize();
    if (layer_.size() != pixels) {
        layer_ = QImage(pixels, QImage::Format_RGB32);
        layer_good_ = false;
    }
    if (!layer_good_) {
        layer_.setDevicePixelRatio(ratio);
        raster_.emplace(reinterpret_cast<uint32_t*>(layer_.bits()), layer_.bytesPerLine() / 4,
                        layout_now().ladder.intersected(rect()), ratio);
        QPainter painter(&layer_);
        painter.setFont(font());
        draw(painter);
        raster_.reset();
        layer_good_ = true;
    }
    QPainter painter(this);
    painter.drawImage(0, 0, layer_);
    const LadderLayout layout = layout_now();
    const int right = layout.curves.width() > 0 ? layout.curves.right() : layout.band.right();
    draw_cursor(painter, QRect(QPoint(layout.ladder.left(), layout.ladder.top()),
                               QPoint(right, layout.ladder.bottom())));
}

void LadderCanvas::resizeEvent(QResizeEvent* event) {
    TimeCanvas::resizeEvent(event);
    forget_layer();
    Q_EMIT resized();
}

void LadderCanvas::changeEvent(QEvent* event) {
    TimeCanvas::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) forget_layer();
}

LadderHit LadderCanvas::hit(QPointF at) const {
    const LadderLayout layout = layout_now();
    if (!layout.ladder.contains(at.toPoint())) return {};
    return hit_ladder(*picture_, geometry_now(), at, lane_width());
}

std::optional<size_t> LadderCanvas::transition_at(QPointF at) const {
    const LadderLayout layout = layout_now();
    const QRect area = layout.band.united(layout.names);
    if (!area.contains(at.toPoint())) return std::nullopt;
    const auto& transitions = picture_->sender.transitions;
    if (layout.names.contains(at.toPoint())) {
        const double half = QFontMetricsF(font()).height() / 2;
        for (const PlacedName& name : names_) {
            if (std::abs(name.y - at.y()) <= half) return name.transition;
        }
        return std::nullopt;
    }
    const TimeViewport view = viewport();
    std::optional<size_t> nearest;
    double distance = 4;
    for (size_t i = 0; i < transitions.size(); ++i) {
        const double here = std::abs(view.x_of(transitions[i].time_ns) - at.y());
        if (here > distance) continue;
        distance = here;
        nearest = i;
    }
    return nearest;
}

void LadderCanvas::on_click(QPoint at, Qt::KeyboardModifiers) {
    if (const auto transition = transition_at(at)) {
        state().select({Selection::Kind::packet, picture_->sender.transitions[*transition].packet});
        return;
    }
    const LadderHit found = hit(at);
    switch (found.kind) {
        case LadderHit::Kind::arrow: {
            const LadderArrow& arrow = picture_->arrows[found.index];
            if (arrow.packet != 0) {
                state().select({Selection::Kind::packet, arrow.packet});
            } else if (arrow.loss != 0) {
                state().select({Selection::Kind::loss, arrow.loss});
            }
            break;
        }
        case LadderHit::Kind::pdu:
            state().select({Selection::Kind::pdu, picture_->pdus[found.index].number});
            break;
        case LadderHit::Kind::command:
            state().select({Selection::Kind::command, picture_->commands[found.index].number});
            break;
        case LadderHit::Kind::losses:
            break;
        case LadderHit::Kind::none:
            if (layout_now().ladder.contains(at)) state().select({});
            break;
    }
}

void LadderCanvas::on_double_click(QPoint at) {
    TimeRange range;
    if (const auto transition = transition_at(at)) {
        const int64_t time_ns = picture_->sender.transitions[*transition].time_ns;
        const int64_t about_ns = std::max<int64_t>(2 * picture_->delay.one_way_ns(), 100'000);
        range = {time_ns - about_ns, time_ns + about_ns};
    }
    const LadderHit found = hit(at);
    switch (found.kind) {
        case LadderHit::Kind::arrow: {
            const LadderArrow& arrow = picture_->arrows[found.index];
            range = {arrow.transit.left_ns, arrow.transit.arrival_ns + 1};
            // With what it repeats, or was repeated by.
            for (const LadderLink& link : picture_->links) {
                if (arrow.packet == 0 || link.sender != arrow.sender) continue;
                if (link.packet == arrow.packet || link.original == arrow.transit) {
                    range.begin_ns = std::min(range.begin_ns, link.original.left_ns);
                    range.end_ns = std::max(range.end_ns, link.again_ns + picture_->delay.one_way_ns());
                }
            }
            break;
        }
        case LadderHit::Kind::pdu: {
            const LadderPdu& pdu = picture_->pdus[found.index];
            range = {pdu.first.left_ns, pdu.last.arrival_ns + 1};
            break;
        }
        case LadderHit::Kind::command: {
            const LadderCommand& command = picture_->commands[found.index];
            range = {command.begin_ns, command.end_ns + 1};
            break;
        }
        case LadderHit::Kind::losses: {
            const int64_t time_ns = picture_->folded_losses[found.index].time_ns;
            const int64_t span_ns = state().range().span_ns() / 16;
            range = {time_ns - span_ns, time_ns + span_ns};
            break;
        }
        case LadderHit::Kind::none:
            break;
    }
    if (!range.empty()) state().set_range(range.widened(0.2));
}

void LadderCanvas::on_hover(std::optional<QPoint> at) {
    const QString words = at ? words_at(*at) : QString();
    if (words.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(mapToGlobal(*at + QPoint(14, 10)), plain_text(words), this);
    }
}

QString LadderCanvas::words_at(QPointF at) const {
    if (!picture_->has_track) return {};
    const int64_t zero_ns = state().whole().begin_ns;
    const auto moment = [&](int64_t time_ns) { return full_time(time_ns, zero_ns, state().time_format()); };
    if (const auto found = transition_at(at)) {
        const LadderTransition& transition = picture_->sender.transitions[*found];
        return transition_words(transition) + QLatin1Char('\n') +
               tr("at the sender %1, packet %2").arg(moment(transition.time_ns)).arg(transition.packet);
    }
    const LadderLayout layout = layout_now();
    if (layout.curves.contains(at.toPoint()) || layout.band.contains(at.toPoint()))
        return sender_words(viewport().time_at(at.y()));
    const LadderHit found = hit(at);
    switch (found.kind) {
        case LadderHit::Kind::arrow: {
            const LadderArrow& arrow = picture_->arrows[found.index];
            QString words = arrow.packet != 0 ? tr("Packet %1: ").arg(arrow.packet) : QString();
            words += arrow.label.isEmpty() ? arrow_words(arrow) : arrow.label;
            words += QLatin1Char('\n') +
                     (arrow.sender == Role::initiator ? tr("from the initiator") : tr("from the target"));
            if (arrow.captured_ns != no_time) words += tr(", captured %1").arg(moment(arrow.captured_ns));
            if (arrow.packet != 0 && arrow.length > 0 && (arrow.flags & tcp_ack) != 0)
                words += QLatin1Char('\n') + tr("acknowledges %1").arg(arrow.ack);
            if (picture_->points && arrow.measured) {
                words += point_words(arrow);
            } else if (picture_->delay.measured) {
                words += QLatin1Char('\n') +
                         tr("on its way %1, estimated")
                             .arg(short_duration(arrow.transit.arrival_ns - arrow.transit.left_ns));
            }
            for (const LadderLink& link : picture_->links) {
                if (arrow.packet == 0 || link.sender != arrow.sender) continue;
                const QString after = short_duration(link.again_ns - link.original.left_ns);
                if (link.packet == arrow.packet) {
                    words += QLatin1Char('\n') + tr("%1 after the original").arg(after);
                } else if (link.original == arrow.transit) {
                    words += QLatin1Char('\n') +
                             tr("sent again %1 later by packet %2").arg(after).arg(link.packet);
                }
            }
            return words;
        }
        case LadderHit::Kind::pdu: {
            const LadderPdu& pdu = picture_->pdus[found.index];
            QString words = tr("PDU %1: %2").arg(pdu.number).arg(pdu.label);
            if (pdu.command != 0) words += tr(", command %1").arg(pdu.command);
            words += QLatin1Char('\n');
            words += pdu.completed ? tr("%1 from its first packet's departure to its completion")
                                         .arg(short_duration(pdu.last.arrival_ns - pdu.first.left_ns))
                                   : tr("never completed");
            if (pdu.damaged) words += tr(", damaged");
            return words;
        }
        case LadderHit::Kind::command: {
            const LadderCommand& command = picture_->commands[found.index];
            return tr("Command %1: %2").arg(command.number).arg(command.label) + QLatin1Char('\n') +
                   tr("request %1").arg(moment(command.begin_ns));
        }
        case LadderHit::Kind::losses: {
            const LadderLosses& losses = picture_->folded_losses[found.index];
            return tr("%1 × %2").arg(losses.count).arg(loss_text(losses.kind));
        }
        case LadderHit::Kind::none:
            break;
    }
    return picture_->detail == LadderDetail::density && layout.ladder.contains(at.toPoint())
               ? density_words(at)
               : QString();
}

QString LadderCanvas::point_words(const LadderArrow& arrow) const {
    using Fate = LadderArrow::Fate;
    const LadderPoints& points = *picture_->points;
    QString words;
    const auto add = [&](const QString& line) { words += QLatin1Char('\n') + line; };
    if (arrow.far_packet != 0) add(tr("packet %1 at %2").arg(arrow.far_packet).arg(points.far));
    const QString before = points.at(arrow.sender);
    const QString behind = points.at(other_role(arrow.sender));
    if (arrow.fate == Fate::lost || arrow.lost_bytes > 0)
        add(tr("lost between %1 and %2").arg(before, behind));
    if (arrow.fate == Fate::lost_beyond) add(tr("lost beyond %1").arg(behind));
    if (arrow.fate == Fate::not_captured)
        add(tr("the capture at %1 lacks it").arg(arrow.packet != 0 ? points.far : points.here));
    if (arrow.packet == 0 || arrow.far_packet == 0) return words;
    const int64_t way_ns = arrow.transit.arrival_ns - arrow.transit.left_ns;
    add(tr("on its way %1 to %2, measured, as far as the clocks tell")
            .arg(short_duration(std::max<int64_t>(way_ns - arrow.plus_minus_ns, 0)),
                 short_duration(way_ns + arrow.plus_minus_ns)));
    return words;
}

QString LadderCanvas::sender_words(int64_t time_ns) const {
    const LadderSender& sender = picture_->sender;
    QStringList lines;
    const SenderCurves& curves = sender.curves;
    const auto add_value = [&](const QString& name, const StepSeries& series) {
        const double value = value_at(series, time_ns);
        if (!std::isnan(value)) lines << name + QStringLiteral(": ") + short_bytes(value);
    };
    for (const LadderState& state : sender.states) {
        if (state.begin_ns <= time_ns && time_ns < state.end_ns) lines << ca_text(state.state);
    }
    if (const StateBand::Span* span = sender.kernel_ca.span_at(time_ns)) {
        const QString state = ca_text(static_cast<CaState>(span->state));
        lines << (span->range.end_ns < sender.kernel_ca.until_ns
                      ? tr("kernel's state: %1").arg(state)
                      : tr("kernel's state: %1, until its record ends").arg(state));
    }
    add_value(tr("cwnd"), curves.cwnd);
    const double low = value_at(curves.cwnd_low, time_ns);
    const double high = value_at(curves.cwnd_high, time_ns);
    if (low < high) lines << tr("cwnd lies between %1 and %2").arg(short_bytes(low), short_bytes(high));
    if (const auto kernel = kernel_cwnd_text(curves, time_ns)) lines << tr("kernel's cwnd: %1").arg(*kernel);
    add_value(tr("ssthresh"), curves.ssthresh);
    add_value(tr("in flight"), curves.in_flight);
    add_value(tr("advertised window"), curves.advertised_window);
    return lines.join(QLatin1Char('\n'));
}

QString LadderCanvas::density_words(QPointF at) const {
    const int64_t into_ns = viewport().time_at(at.y()) - picture_->prepared.range.begin_ns;
    const int64_t row = into_ns / picture_->density_row_ns;
    if (into_ns < 0 || row >= static_cast<int64_t>(picture_->density.size())) return {};
    const LadderDensityRow& here = picture_->density[static_cast<size_t>(row)];
    return tr("%1 from the initiator, %2 from the target in %3")
        .arg(counted(here.packets[0], tr("packet"), tr("packets")))
        .arg(here.packets[1])
        .arg(short_duration(picture_->density_row_ns));
}

}  // namespace sanscope
