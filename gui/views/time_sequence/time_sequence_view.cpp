// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_sequence/time_sequence_view.h"

#include <algorithm>

#include "gui/plot/time_axis.h"

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

constexpr double reach = 7;  // pixels around the pointer

QString exact(int64_t number) {
    return QLocale::c().toString(static_cast<qlonglong>(number));
}

QString flag_text(uint8_t flags) {
    QStringList names;
    if ((flags & tcp_syn) != 0) names << QStringLiteral("SYN");
    if ((flags & tcp_fin) != 0) names << QStringLiteral("FIN");
    if ((flags & tcp_rst) != 0) names << QStringLiteral("RST");
    return names.join(QLatin1Char(' '));
}

// Of bars in order of time: the positions of those in sight.
template <class Bar>
std::pair<size_t, size_t> bars_within(const std::vector<Bar>& bars, const TimeRange& range) {
    const auto before = [](const Bar& bar, int64_t at) { return bar.time_ns < at; };
    const auto first = std::lower_bound(bars.begin(), bars.end(), range.begin_ns, before);
    const auto last = std::lower_bound(first, bars.end(), range.end_ns, before);
    return {static_cast<size_t>(first - bars.begin()), static_cast<size_t>(last - bars.begin())};
}

// Where the capture was not taken at the sender.
QString sent_text(const LossBar& bar) {
    if (bar.sent_ns >= bar.time_ns) return {};
    return QStringLiteral("<br>") + TimeSequenceView::tr("sent %1 before it was captured, estimated")
                                        .arg(short_duration(bar.time_ns - bar.sent_ns));
}

QLineF upright(const PlotPane& pane, const TimeViewport& view, const ValueScale& scale, int64_t time_ns,
               int64_t begin, int64_t end) {
    const double x = std::floor(view.x_of(time_ns));
    // Nothing leaves the pane: not every device a picture is drawn to cuts it off.
    const double ceiling = pane.area().top();
    const double floor = pane.area().bottom();
    const double top = std::clamp(std::round(scale.y_of(static_cast<double>(end))), ceiling, floor);
    const double bottom = std::clamp(std::round(scale.y_of(static_cast<double>(begin))), ceiling, floor);
    return {x, bottom, x, std::min(top, bottom - 1)};
}

}  // namespace

TimeSequenceView::TimeSequenceView(Document& document, QWidget* parent)
    : PreparedView(document, parent),
      chooser_(new ConnectionChooser(document, ConnectionChooser::Offers::connections, this)) {
    setAccessibleName(tr("Time-sequence"));
    on_.fill(true);
    QHBoxLayout& bar = arrange();
    bar.addWidget(chooser_);
    bar.addStretch();
    plot_->setAccessibleName(tr("Sequence numbers over time"));
    plot_->setAccessibleDescription(
        tr("Segments of a TCP sender by their sequence numbers, what of them is acknowledged and what the "
           "receiver's "
           "window allows; below, smoothed round trip time and throughput"));
    build_plot();

    connect(&state(), &ViewState::connection_changed, this, &TimeSequenceView::renew);
    connect(&state(), &ViewState::selection_changed, plot_, &TimePlot::redraw);
    connect(plot_, &TimePlot::clicked, this, [this](QPoint at) { select_at(at); });
    connect(plot_, &TimePlot::double_clicked, this, [this](QPoint at) {
        if (select_at(at)) this->document().frame_when_resolved();
    });
}

void TimeSequenceView::build_plot() {
    legend_ = &plot_->add_legend();
    sequence_ = &plot_->add_pane({.label = tr("stream, bytes"), .unit = ValueUnit::bytes, .stretch = 3});
    srtt_ = &plot_->add_pane({.label = tr("round trip"), .unit = ValueUnit::nanoseconds, .stretch = 0.7});
    throughput_ =
        &plot_->add_pane({.label = tr("throughput"), .unit = ValueUnit::bytes_per_second, .stretch = 0.7});
    sequence_->add([this](QPainter& painter, const PlotPane& pane) { draw_sequence(painter, pane); });
    srtt_->add([this](QPainter& painter, const PlotPane& pane) {
        draw_selection(painter, pane);
        drawing_.line(painter, pane, picture().srtt, pane.theme().ssthresh, picture().until_ns);
        painter.setFont(plot_->font());
        draw_pane_title(painter, pane, tr("smoothed round trip time"));
    });
    throughput_->add([this](QPainter& painter, const PlotPane& pane) { draw_throughput(painter, pane); });
    make_legend();
}

QColor TimeSequenceView::segment_color() const {
    return picture().is_target ? plot_->theme().target : plot_->theme().initiator;
}

void TimeSequenceView::make_legend() {
    std::vector<LegendRow::Entry> entries;
    entries.push_back({tr("segments"), tr("From the first byte to the last, at the moment of capture"),
                       [this](QPainter& painter, const Theme&, const QRectF& box) {
                           painter.setPen(segment_color());
                           for (int i = 0; i < 3; ++i) {
                               const double x = box.left() + 4 + 5 * i;
                               painter.drawLine(QPointF(x, box.bottom() - 4 * i),
                                                QPointF(x, box.bottom() - 4 * i - 4));
                           }
                       },
                       &on_[segments]});
    entries.push_back({tr("acknowledged"),
                       tr("All bytes below this line have arrived, as far as the sender knows"),
                       line_icon(&Theme::acknowledgement), &on_[acknowledged]});
    entries.push_back({tr("receiver's window"), tr("The sender may send the bytes below this line"),
                       line_icon(&Theme::advertised_window, 1, Qt::DashLine), &on_[window]});
    entries.push_back({tr("SACKed"),
                       tr("Bytes beyond a gap that the receiver says to have, shown where single packets "
                          "are in sight"),
                       [](QPainter& painter, const Theme& theme, const QRectF& box) {
                           painter.setPen(QPen(theme.ssthresh, 2));
                           painter.drawLine(QPointF(box.center().x(), box.top()),
                                            QPointF(box.center().x(), box.bottom()));
                       },
                       &on_[sacks]});
    for (const LossKind kind : {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp, LossKind::spurious,
                                LossKind::out_of_order, LossKind::not_captured}) {
        entries.push_back({loss_text(kind), tr("Bytes sent again, or seen otherwise than in order"),
                           loss_icon(kind), &on_[retransmissions]});
    }
    legend_->set_entries(std::move(entries));
}

bool TimeSequenceView::settled() const {
    return PreparedView::settled() && chooser_->settled();
}

void TimeSequenceView::on_loaded() {
    indexes_ = std::make_shared<SequenceIndexes>();
}

TimeSequenceView::Preparation TimeSequenceView::preparation() {
    return [data = document().data(), indexes = indexes_, filter = state().filter(),
            prepared = PreparedRange::around(plot_->time_viewport()), connection = state().connection(),
            target = state().sender_is_target()](const StopFlag&) {
        const auto reading = data->read();
        return prepare_sequence(reading, sender_of(reading, connection, target), prepared, filter.get(),
                                *indexes);
    };
}

void TimeSequenceView::on_picture(const SequencePicture&) {
    QString message;
    if (!picture().any) {
        message = document().loading()        ? tr("Reading the capture …")
                  : state().connection() == 0 ? tr("This capture has no TCP connection that sent data.")
                                              : tr("This side of the connection sent nothing.");
    }
    plot_->set_message(message);
}

void TimeSequenceView::fit_values() {
    const TimeRange range = state().range();
    Extent stream;
    if (on_[segments] || on_[retransmissions]) {
        const auto [first, last] = bars_within(picture().segments, range);
        for (size_t i = first; i < last; ++i) {
            const SegmentBar& bar = picture().segments[i];
            if ((bar.flags & tcp_rst) != 0 && bar.begin == bar.end) continue;
            stream.add(static_cast<double>(bar.begin));
            stream.add(static_cast<double>(bar.end));
        }
        // A column that began before the range reaches into it.
        const auto [from, to] =
            bars_within(picture().columns, {range.begin_ns - picture().prepared.ns_per_column, range.end_ns});
        for (size_t i = from; i < to; ++i) {
            stream.add(static_cast<double>(picture().columns[i].begin));
            stream.add(static_cast<double>(picture().columns[i].end));
        }
    }
    if (on_[acknowledged] && range.begin_ns < picture().until_ns)
        stream.add(extent_in(picture().acknowledged, range));
    window_off_scale_ = false;
    if (on_[window] && range.begin_ns < picture().until_ns) {
        const Extent edge = extent_in(picture().window_edge, range);
        const double span = std::max(stream.max - stream.min, 1000.0);
        // A window that is far from being full would press the segments to the ground.
        if (edge.any && (!stream.any || edge.max - stream.max <= span * 0.8)) {
            stream.add(edge);
        } else if (edge.any) {
            window_off_scale_ = edge.min > stream.max + span * 0.03;
        }
    }
    sequence_->set_values(stream.any ? round_range(stream.min, stream.max, false) : ValueRange{0, 1000});
    const Extent rtt = extent_in(picture().srtt, range);
    srtt_->set_values(rtt.any ? round_range(0, rtt.max, true) : ValueRange{0, 1e6});
    double most = 0;
    for (const ThroughputBin& bin : picture().throughput) {
        if (bin.begin_ns + picture().bin_ns <= range.begin_ns || bin.begin_ns >= range.end_ns) continue;
        most = std::max(most, static_cast<double>(bin.bytes) * 1e9 / static_cast<double>(picture().bin_ns));
    }
    throughput_->set_values(most > 0 ? round_range(0, most, true) : ValueRange{0, 1e6});
}

void TimeSequenceView::draw_sequence(QPainter& painter, const PlotPane& pane) {
    const Theme& theme = pane.theme();
    draw_selection(painter, pane);
    if (on_[window]) {
        drawing_.line(painter, pane, picture().window_edge, theme.advertised_window, picture().until_ns, 1,
                      Qt::DashLine);
        if (window_off_scale_) {
            painter.setPen(theme.advertised_window);
            painter.setFont(plot_->font());
            painter.drawText(pane.area().adjusted(0, 2, -6, 0), Qt::AlignRight | Qt::AlignTop,
                             tr("↑ receiver's window"));
        }
    }
    if (on_[acknowledged]) {
        drawing_.line(painter, pane, picture().acknowledged, theme.acknowledgement, picture().until_ns);
    }
    if (on_[sacks]) {
        const TimeViewport view = pane.viewport();
        const ValueScale scale = pane.scale();
        const auto [first, last] = bars_within(picture().sacks, view.range);
        bars_.clear();
        faint_bars_.clear();
        for (size_t i = first; i < last; ++i) {
            const SackBar& bar = picture().sacks[i];
            (bar.duplicate ? faint_bars_ : bars_)
                .push_back(upright(pane, view, scale, bar.time_ns, bar.begin, bar.end));
        }
        painter.setPen(QPen(theme.ssthresh, 2, Qt::SolidLine, Qt::FlatCap));
        painter.drawLines(bars_.data(), static_cast<int>(bars_.size()));
        painter.setPen(QPen(theme.ssthresh, 1, Qt::DotLine, Qt::FlatCap));
        painter.drawLines(faint_bars_.data(), static_cast<int>(faint_bars_.size()));
    }
    if (on_[segments]) draw_segments(painter, pane);
    if (on_[retransmissions]) draw_losses(painter, pane);
}

void TimeSequenceView::draw_segments(QPainter& painter, const PlotPane& pane) {
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    const Theme& theme = pane.theme();
    bars_.clear();
    faint_bars_.clear();
    const auto [from, to] = bars_within(
        picture().columns, {view.range.begin_ns - picture().prepared.ns_per_column, view.range.end_ns});
    for (size_t i = from; i < to; ++i) {
        const SegmentColumn& column = picture().columns[i];
        bars_.push_back(upright(pane, view, scale, column.time_ns, column.begin, column.end));
    }
    const auto [first, last] = bars_within(picture().segments, view.range);
    // Arrowheads at both ends, as tcptrace has them, where there is room between the segments.
    const bool roomy = static_cast<double>(last - first) * 5 < view.length;
    for (size_t i = first; i < last; ++i) {
        const SegmentBar& bar = picture().segments[i];
        auto& lines = bar.passes ? bars_ : faint_bars_;
        const QLineF line = upright(pane, view, scale, bar.time_ns, bar.begin, bar.end);
        lines.push_back(line);
        if (!roomy || line.length() < 8) continue;
        const double x = line.x1();
        lines.emplace_back(x - 2, line.y2() + 3, x, line.y2());
        lines.emplace_back(x + 2, line.y2() + 3, x, line.y2());
        lines.emplace_back(x - 2, line.y1() - 3, x, line.y1());
        lines.emplace_back(x + 2, line.y1() - 3, x, line.y1());
    }
    QColor color = segment_color();
    painter.setPen(QPen(color, roomy ? 1.5 : 1, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(bars_.data(), static_cast<int>(bars_.size()));
    color.setAlphaF(0.25F);
    painter.setPen(QPen(color, 1, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(faint_bars_.data(), static_cast<int>(faint_bars_.size()));
    // What is selected is highlighted.
    const auto& packets = state().selected().packets;
    if (state().selection() && !packets.empty()) {
        bars_.clear();
        for (size_t i = first; i < last; ++i) {
            const SegmentBar& bar = picture().segments[i];
            if (!std::ranges::binary_search(packets, static_cast<uint32_t>(bar.packet))) continue;
            bars_.push_back(upright(pane, view, scale, bar.time_ns, bar.begin, bar.end));
        }
        painter.setPen(QPen(theme.selection, 3, Qt::SolidLine, Qt::FlatCap));
        painter.drawLines(bars_.data(), static_cast<int>(bars_.size()));
    }
    draw_labels(painter, pane, first, last);
}

// SYN, FIN and RST by name; where few are in sight, lengths and packet numbers too.
void TimeSequenceView::draw_labels(QPainter& painter, const PlotPane& pane, size_t first, size_t last) {
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    painter.setFont(plot_->font());
    const QFontMetrics metrics(plot_->font());
    const bool few = (last - first) * 30 < static_cast<size_t>(view.length);
    constexpr uint8_t named = tcp_syn | tcp_fin | tcp_rst;
    QRectF before;
    for (size_t i = first; i < last; ++i) {
        const SegmentBar& bar = picture().segments[i];
        if (!few && (bar.flags & named) == 0) continue;
        QString text = flag_text(bar.flags);
        if (few && bar.end > bar.begin) {
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                    tr("#%1, %2 B").arg(bar.packet).arg(bar.end - bar.begin);
        }
        const double x = view.x_of(bar.time_ns) + 5;
        const double y = std::clamp(scale.y_of(static_cast<double>(bar.begin + bar.end) / 2),
                                    pane.area().top() + metrics.height() / 2.0,
                                    pane.area().bottom() - metrics.height() / 2.0);
        QRectF place(x, y - metrics.height() / 2.0, metrics.horizontalAdvance(text), metrics.height());
        if (place.right() > pane.area().right()) place.moveRight(view.x_of(bar.time_ns) - 5);
        if (!before.isNull() && before.intersects(place)) continue;
        before = place;
        QColor ground = pane.theme().background;
        ground.setAlphaF(0.75F);
        painter.fillRect(place, ground);
        painter.setPen((bar.flags & named) != 0 ? pane.theme().text : pane.theme().faint_text);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void TimeSequenceView::draw_losses(QPainter& painter, const PlotPane& pane) {
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    const Theme& theme = pane.theme();
    const auto [first, last] = bars_within(picture().losses, view.range);
    // Marks that would lie on each other: the first stands for those.
    QPointF before(-100, -100);
    const double size = (last - first) * 25 > static_cast<size_t>(view.length) ? 6 : 8;
    const Selection& selected = state().selection();
    for (size_t i = first; i < last; ++i) {
        const LossBar& bar = picture().losses[i];
        const QLineF line = upright(pane, view, scale, bar.time_ns, bar.begin, bar.end);
        painter.setOpacity(bar.passes ? 1 : 0.25);
        painter.setPen(QPen(theme.loss_color(bar.kind), 2, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(line);
        const bool highlighted = selected.kind == Selection::Kind::loss && selected.number == bar.row;
        // Beside the bar where that is long, so that both are seen.
        const QPointF center(line.x1(), line.length() > 16 ? line.y2() - 7 : line.center().y());
        if (highlighted) {
            painter.setPen(QPen(theme.selection, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(center, 8, 8);
        }
        if ((center - before).manhattanLength() < 7 && !highlighted) continue;
        before = center;
        draw_loss_mark(painter, theme, bar.kind, center, size);
    }
    painter.setOpacity(1);
}

void TimeSequenceView::draw_throughput(QPainter& painter, const PlotPane& pane) {
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    draw_selection(painter, pane);
    QColor fill = segment_color();
    fill.setAlphaF(0.55F);
    for (const ThroughputBin& bin : picture().throughput) {
        if (bin.begin_ns + picture().bin_ns <= view.range.begin_ns) continue;
        if (bin.begin_ns >= view.range.end_ns) break;
        const double x0 = std::max(view.origin, std::floor(view.x_of(bin.begin_ns)));
        const double x1 =
            std::min(view.origin + view.length, std::floor(view.x_of(bin.begin_ns + picture().bin_ns)));
        const double rate = static_cast<double>(bin.bytes) * 1e9 / static_cast<double>(picture().bin_ns);
        const double top = std::min(std::round(scale.y_of(rate)), scale.bottom - 1);
        painter.fillRect(QRectF(x0, top, std::max(1.0, x1 - x0), scale.bottom - top + 1), fill);
    }
    painter.setFont(plot_->font());
    draw_pane_title(painter, pane,
                    tr("TCP payload sent, in bins of %1").arg(short_duration(picture().bin_ns)));
}

QString TimeSequenceView::text_at(QPoint at) const {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr || !picture().any) return {};
    const TimeViewport view = pane->viewport();
    const auto line = [](const QString& text) { return QStringLiteral("<br>") + text; };
    const int64_t time_ns = view.time_at(at.x());
    if (pane == sequence_) {
        const ValueScale scale = pane->scale();
        if (const LossBar* bar = on_[retransmissions]
                                     ? sanscope::loss_at(picture(), view, scale, at.x(), at.y(), reach)
                                     : nullptr) {
            return moment_text(bar->time_ns) + line(loss_text(bar->kind)) +
                   line(tr("bytes %1 … %2, %3 B")
                            .arg(exact(bar->begin), exact(bar->end), exact(bar->end - bar->begin))) +
                   line(tr("packet %1").arg(bar->packet)) + sent_text(*bar);
        }
        if (const SegmentBar* bar =
                on_[segments] ? segment_at(picture(), view, scale, at.x(), at.y(), reach) : nullptr) {
            QString text = moment_text(bar->time_ns) + line(tr("packet %1").arg(bar->packet)) +
                           line(tr("bytes %1 … %2, %3 B")
                                    .arg(exact(bar->begin), exact(bar->end), exact(bar->end - bar->begin)));
            const QString flags = flag_text(bar->flags);
            return flags.isEmpty() ? text : text + line(flags);
        }
    }
    QString text = moment_text(time_ns);
    const double una = sanscope::value_at(picture().acknowledged, time_ns);
    const double edge = sanscope::value_at(picture().window_edge, time_ns);
    if (pane == sequence_) {
        if (!std::isnan(una)) text += line(tr("acknowledged %1").arg(exact(static_cast<int64_t>(una))));
        if (!std::isnan(edge) && !std::isnan(una)) text += line(tr("window %1").arg(short_bytes(edge - una)));
    }
    const double rtt = sanscope::value_at(picture().srtt, time_ns);
    if (pane != throughput_ && !std::isnan(rtt)) {
        text += line(tr("smoothed round trip %1").arg(value_text(rtt, ValueUnit::nanoseconds)));
    }
    if (pane == throughput_) {
        for (const ThroughputBin& bin : picture().throughput) {
            if (time_ns < bin.begin_ns || time_ns >= bin.begin_ns + picture().bin_ns) continue;
            text +=
                line(tr("%1 in %2: %3")
                         .arg(short_bytes(static_cast<double>(bin.bytes)), short_duration(picture().bin_ns),
                              value_text(static_cast<double>(bin.bytes) * 1e9 /
                                             static_cast<double>(picture().bin_ns),
                                         ValueUnit::bytes_per_second)));
        }
    }
    return text;
}

bool TimeSequenceView::select_at(QPoint at) {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane != sequence_) return false;
    const TimeViewport view = pane->viewport();
    const ValueScale scale = pane->scale();
    if (const LossBar* bar = sanscope::loss_at(picture(), view, scale, at.x(), at.y(), reach)) {
        state().select({Selection::Kind::loss, bar->row});
        return true;
    }
    if (const SegmentBar* bar = segment_at(picture(), view, scale, at.x(), at.y(), reach)) {
        state().select({Selection::Kind::packet, bar->packet});
        return true;
    }
    if (picture().near) return false;
    // Among many, the packet nearest in time.
    const auto reading = document().data()->try_read();
    const SenderTrack* track = reading ? track_of(*reading, picture().sender) : nullptr;
    if (track == nullptr || track->segments.empty()) return false;
    const size_t behind = first_not_before(track->segments, view.time_at(at.x()), [&](uint32_t packet) {
        return reading->timeline().time_of(packet + uint64_t{1});
    });
    const uint32_t row = track->segments[std::min(behind, track->segments.size() - 1)];
    state().select({Selection::Kind::packet, row + uint64_t{1}});
    return true;
}

}  // namespace sanscope
