// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_canvas.h"

#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "gui/document/plain_text.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/layers_view.h"

#include "analyzer/net/decoded_packet.h"
#include "analyzer/report/human_units.h"
#include "analyzer/scsi/status.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

constexpr int axis_height = 26;

QFont small(QFont font) {
    font.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.88));
    return font;
}

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString flags_text(uint8_t flags) {
    constexpr struct {
        uint16_t flag;
        const char* name;
    } names[] = {{tcp_syn, "SYN"}, {tcp_fin, "FIN"}, {tcp_rst, "RST"}, {tcp_psh, "PSH"},
                 {tcp_ack, "ACK"}, {tcp_urg, "URG"}, {tcp_ece, "ECE"}, {tcp_cwr, "CWR"}};
    QString text;
    for (const auto& name : names) {
        if ((flags & name.flag) == 0) continue;
        if (!text.isEmpty()) text += QLatin1Char(' ');
        text += QLatin1String(name.name);
    }
    return text;
}

}  // namespace

LayersCanvas::LayersCanvas(LayersView& view)
    : TimeCanvas(view.state(), Direction::rightwards, &view), view_(view) {
    set_margins(LayersPainter::gutter, 0);
    setAccessibleName(tr("Layers"));
    setAccessibleDescription(
        tr("Commands, PDUs, segments, sender states and packets of each connection over time"));
}

QRect LayersCanvas::area() const {
    return {0, axis_height, width(), std::max(0, height() - axis_height)};
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
    const LayersPainter::Scene scene{
        theme(), viewport(), view_.picture().prepared, state().selected(), small(font()),
        width(), area.top(), area.bottom() + 1};
    painter.save();
    painter.setClipRect(area);
    const int top = area.top() - view_.scrolled();
    const size_t first = view_.layout_.group_at(view_.scrolled());
    const auto for_groups = [&](auto draw_group) {
        for (size_t i = first; i < view_.groups_.size() && top + view_.layout_.top_of(i) <= area.bottom();
             ++i) {
            const GroupShape& shape = view_.groups_[i];
            const GroupPicture* picture = view_.picture().group(shape.connection);
            draw_group(LayersPainter::Group{picture, shape, view_.opening(i),
                                            state().connection() == shape.connection,
                                            top + view_.layout_.top_of(i)});
        }
    };
    for_groups([&](const LayersPainter::Group& group) { painter_.draw_background(painter, scene, group); });
    draw_time_grid(painter,
                   QRect(LayersPainter::gutter, area.top(), width() - LayersPainter::gutter, area.height()));
    for_groups([&](const LayersPainter::Group& group) { painter_.draw(painter, scene, group); });
    draw_cursor(painter,
                QRect(LayersPainter::gutter, area.top(), width() - LayersPainter::gutter, area.height()));
    painter.restore();
    draw_time_axis(painter, QRect(LayersPainter::gutter, 0, width() - LayersPainter::gutter, axis_height),
                   view_.document().first_ns());
}

std::optional<LayersCanvas::Under> LayersCanvas::under(QPoint at) const {
    if (!area().contains(at)) return std::nullopt;
    const int y = at.y() - area().top() + view_.scrolled();
    Under under;
    under.group = view_.layout_.group_at(y);
    if (under.group >= view_.groups_.size()) return std::nullopt;
    const int within = y - view_.layout_.top_of(under.group);
    under.header = within < header_height;
    if (under.header) return under;
    const GroupShape& shape = view_.groups_[under.group];
    const LanePlaces lanes = lanes_of(shape, view_.opening(under.group));
    for (const LanePlace& lane : lanes.all()) {
        if (within < lane.top || within >= lane.top + lane.height) continue;
        under.lane = lane;
        const GroupPicture* picture = view_.picture().group(shape.connection);
        if (picture != nullptr && at.x() >= LayersPainter::gutter) {
            under.hit = hit_lane(*picture, view_.picture().prepared, shape, lane, viewport(),
                                 QPointF(at.x(), within));
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
    const auto what = under(at);
    if (!what) {
        if (at.x() >= LayersPainter::gutter) state().select({});
        return;
    }
    const uint32_t connection = view_.groups_[what->group].connection;
    const bool in_gutter = at.x() < LayersPainter::gutter;
    if (what->header) {
        if (in_gutter) return view_.set_expanded(connection, !view_.opening(what->group).expanded);
        return state().select({Selection::Kind::connection, connection});
    }
    if (!what->lane) return;
    if (in_gutter) return view_.toggle_compact(what->lane->kind);
    const GroupPicture* picture = view_.picture().group(connection);
    if (picture == nullptr) return;
    const Selection selection = what->hit.selection(*picture);
    state().select(selection);
    if (!selection) state().set_connection(connection);
}

void LayersCanvas::on_double_click(QPoint at) {
    const auto what = under(at);
    if (!what || at.x() < LayersPainter::gutter) return;
    const GroupPicture* picture = view_.picture().group(view_.groups_[what->group].connection);
    if (picture == nullptr) return;
    using What = LaneHit::What;
    if (what->hit.what == What::state) {
        const StateSpan& span = picture->states[what->hit.direction][what->hit.index];
        return state().set_range(TimeRange{span.begin_ns, span.end_ns}.widened(0.2));
    }
    if (what->hit.what == What::pdu_column || what->hit.what == What::traffic_column ||
        what->hit.what == What::nothing) {
        if (what->header) {
            state().select({Selection::Kind::connection, view_.groups_[what->group].connection});
            return view_.document().frame_when_resolved();
        }
        return state().zoom(4, viewport().time_at(at.x()), ViewState::Step::fresh);
    }
    state().select(what->hit.selection(*picture));
    view_.document().frame_when_resolved();
}

void LayersCanvas::on_hover(std::optional<QPoint> at) {
    const QString text = at ? told(*at) : QString();
    if (text.isEmpty()) {
        QToolTip::hideText();
        unsetCursor();
        return;
    }
    QToolTip::showText(mapToGlobal(*at + QPoint(12, 12)), plain_text(text), this);
}

QString LayersCanvas::told_command(const CommandBar& bar) const {
    const int64_t begin_ns = view_.document().first_ns();
    QString text = QString::fromUtf8(bar.name[0] != '\0' ? bar.name : "SCSI command");
    if (bar.bytes != unknown<uint64_t> && bar.bytes > 0) {
        text += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(bar.bytes));
    }
    text += tr(", command %1").arg(bar.number());
    text += QLatin1Char('\n') + full_time(bar.begin_ns, begin_ns, state().time_format());
    if (bar.outcome == Outcome::aborted) {
        text += QLatin1Char('\n') + tr("aborted after %1").arg(short_duration(bar.end_ns - bar.begin_ns));
    } else if (bar.end_ns == no_time) {
        text += QLatin1Char('\n') + tr("unanswered");
    } else if (bar.outcome == Outcome::response_only) {
        text += QLatin1Char('\n') + tr("request not captured");
    } else {
        text += QLatin1Char('\n') + tr("turnaround %1").arg(short_duration(bar.end_ns - bar.begin_ns));
        if (bar.first_data_ns != no_time && bar.last_data_ns != no_time) {
            text += tr(": %1 to the first data, %2 of data, %3 to the status")
                        .arg(short_duration(bar.first_data_ns - bar.begin_ns),
                             short_duration(bar.last_data_ns - bar.first_data_ns),
                             short_duration(bar.end_ns - bar.last_data_ns));
        }
    }
    if (bar.status != unknown<uint16_t>) {
        text += QLatin1Char('\n') +
                tr("status %1").arg(text_of(scsi_status_name(static_cast<uint8_t>(bar.status))));
    }
    if (bar.queue_depth != unknown<uint32_t>) text += tr(", queue depth %1").arg(bar.queue_depth);
    if (bar.inferred) text += QLatin1Char('\n') + tr("partly inferred: a header was not captured");
    return text;
}

QString LayersCanvas::told_column(const GroupPicture& group, const Under& under) const {
    const PreparedRange& prepared = view_.picture().prepared;
    const size_t i = under.hit.index;
    QString text =
        tr("%1, %2 long")
            .arg(full_time(prepared.column(i).begin_ns, view_.document().first_ns(), state().time_format()),
                 short_duration(prepared.ns_per_column));
    const auto line = [&](const QString& more) { text += QLatin1Char('\n') + more; };
    const size_t direction = under.hit.direction;
    if (under.hit.what == LaneHit::What::command_column) {
        const CommandColumn& column = group.command_columns[i];
        line(tr("%1 commands at once at most, %2 begun").arg(column.most).arg(column.begun));
        line(tr("slowest: command %1, %2 (click selects it)")
                 .arg(column.worst + 1)
                 .arg(short_duration(column.worst_ns)));
        if (column.bad > 0) line(tr("%1 failed").arg(column.bad));
    } else if (under.hit.what == LaneHit::What::pdu_column) {
        line(tr("%1 PDUs with %2 of data")
                 .arg(group.pdu_columns[i].pdus[direction])
                 .arg(short_bytes(static_cast<double>(group.pdu_columns[i].bytes[direction]))));
    } else {
        line(tr("%1 packets with %2 of payload")
                 .arg(group.traffic[i].packets[direction])
                 .arg(short_bytes(static_cast<double>(group.traffic[i].payload[direction]))));
    }
    return text;
}

QString LayersCanvas::told(QPoint at) const {
    const auto what = under(at);
    if (!what) return {};
    const GroupPicture* group = view_.picture().group(view_.groups_[what->group].connection);
    if (group == nullptr) return {};
    if (what->header) {
        return group->title + QLatin1Char('\n') + group->facts + QLatin1Char('\n') +
               (at.x() < LayersPainter::gutter ? tr("Click to open or close")
                                               : tr("Click to select the connection"));
    }
    if (!what->lane) return {};
    if (at.x() < LayersPainter::gutter) return tr("Click to make these lanes small or large");
    const int64_t begin_ns = view_.document().first_ns();
    const auto moment = [&](int64_t time_ns) { return full_time(time_ns, begin_ns, state().time_format()); };
    const LaneHit& hit = what->hit;
    switch (hit.what) {
        case LaneHit::What::nothing:
            return {};
        case LaneHit::What::command:
            return told_command(group->commands[hit.index]);
        case LaneHit::What::command_column:
        case LaneHit::What::pdu_column:
        case LaneHit::What::traffic_column:
            return told_column(*group, *what);
        case LaneHit::What::pdu: {
            const PduBar& bar = group->pdus[hit.direction][hit.index];
            QString text = tr("%1, PDU %2, %3 of data")
                               .arg(short_opcode_name(bar.opcode))
                               .arg(bar.number())
                               .arg(QString::fromStdString(human_binary_bytes(bar.data_length)));
            text += QLatin1Char('\n') + moment(bar.begin_ns);
            if (bar.last_packet == 0) {
                text += QLatin1Char('\n') + tr("never complete, from packet %1").arg(bar.first_packet);
            } else if (bar.first_packet == bar.last_packet) {
                text += QLatin1Char('\n') + tr("in packet %1").arg(bar.last_packet);
            } else {
                text += QLatin1Char('\n') + tr("packets %1 to %2, complete after %3")
                                                .arg(bar.first_packet)
                                                .arg(bar.last_packet)
                                                .arg(short_duration(bar.end_ns - bar.begin_ns));
            }
            if (bar.command != 0) text += QLatin1Char('\n') + tr("of command %1").arg(bar.command);
            if (bar.damaged) text += QLatin1Char('\n') + tr("damaged");
            return text;
        }
        case LaneHit::What::packet: {
            const PacketTick& tick = group->ticks[hit.direction][hit.index];
            return tr("packet %1, %2\n%3\n%4 bytes of payload, %5 on the wire\nseq %6, ack %7")
                .arg(tick.packet)
                .arg(hit.direction == 0 ? tr("to the target") : tr("to the initiator"),
                     moment(tick.time_ns) + QStringLiteral("  ") + flags_text(tick.flags))
                .arg(tick.payload)
                .arg(tick.wire_length)
                .arg(tick.seq)
                .arg(tick.ack);
        }
        case LaneHit::What::loss: {
            const LaneLoss& mark = group->losses[hit.direction][hit.index];
            QString kind = text_of(loss_kind_names[static_cast<size_t>(mark.kind)]);
            kind.replace(QLatin1Char('_'), QLatin1Char(' '));
            QString text = kind + QLatin1Char('\n') + moment(mark.time_ns) + QLatin1Char('\n') +
                           tr("packet %1, %2 bytes").arg(mark.packet).arg(mark.length);
            if (mark.original != 0) text += tr(", first sent in packet %1").arg(mark.original);
            if (mark.delay_ns != no_time) text += tr(", %1 before").arg(short_duration(mark.delay_ns));
            if (mark.count > 1) text += QLatin1Char('\n') + tr("and %1 more soon after").arg(mark.count - 1);
            return text;
        }
        case LaneHit::What::state: {
            const StateSpan& span = group->states[hit.direction][hit.index];
            QString text = tr("%1 of the %2's TCP, %3 in sight")
                               .arg(text_of(ca_state_names[static_cast<size_t>(span.state)]),
                                    hit.direction == 0 ? tr("initiator") : tr("target"),
                                    short_duration(span.end_ns - span.begin_ns));
            if (span.cause[0] != '\0')
                text += QLatin1Char('\n') + tr("entered by %1").arg(QString::fromUtf8(span.cause));
            return text;
        }
    }
    return {};
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
