// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/windows/windows_view.h"

#include <algorithm>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int statistics_rest_ms = 120;  // statistics are computed once the range is at rest so long
constexpr double reach = 6;              // pixels around the pointer

// Other lines than the windows' own do not make these flat.
constexpr double most_times_higher = 2.5;

QString bytes_between(double low, double high) {
    return low == high ? short_bytes(low) : short_bytes(low) + QStringLiteral(" … ") + short_bytes(high);
}

QString table_row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td>%1</td><td>&nbsp;&nbsp;</td><td>%2</td></tr>").arg(name, value);
}

}  // namespace

WindowsView::WindowsView(Document& document, QWidget* parent)
    : PreparedView(document, parent),
      chooser_(new ConnectionChooser(document, ConnectionChooser::Offers::connections_and_sums, this)),
      logarithmic_(new QCheckBox(tr("logarithmic"), this)),
      statistics_debounce_(statistics_rest_ms, [this] { ask_statistics(); }) {
    setAccessibleName(tr("Windows"));
    on_.fill(true);
    on(SenderCurve::in_flight_area) = false;  // beside the lines of several senders it would cover them
    QHBoxLayout& bar = arrange();
    bar.addWidget(chooser_);
    bar.addWidget(logarithmic_);
    bar.addStretch();
    logarithmic_->setToolTip(tr("Lay windows out by their logarithm"));
    plot_->setAccessibleName(tr("Windows over time"));
    plot_->setAccessibleDescription(tr(
        "Congestion window, slow start threshold, bytes in flight and advertised window of a TCP sender, its "
        "congestion state, what holds it back, and its losses, over time"));
    table_ = &add_table(tr("Mean and deviation of the windows in sight"));
    table_->setFocusPolicy(Qt::NoFocus);
    build_plot();

    connect(&state(), &ViewState::connection_changed, this, &WindowsView::renew);
    connect(chooser_, &ConnectionChooser::scope_changed, this, &WindowsView::renew);
    connect(plot_, &TimePlot::clicked, this, &WindowsView::on_click);
    connect(plot_, &TimePlot::double_clicked, this, &WindowsView::on_double_click);
    connect(logarithmic_, &QCheckBox::toggled, this, &WindowsView::refresh);
}

void WindowsView::build_plot() {
    lines_legend_ = &plot_->add_legend();
    main_ = &plot_->add_pane({.label = tr("window"), .unit = ValueUnit::bytes});
    losses_ = &plot_->add_pane({.value_ticks = false, .height = 16});
    ca_ = &plot_->add_pane({.value_ticks = false, .height = 20});
    limit_ = &plot_->add_pane({.value_ticks = false, .height = 20});
    states_legend_ = &plot_->add_legend();
    main_->add([this](QPainter& painter, const PlotPane& pane) { draw_main(painter, pane); });
    losses_->add([this](QPainter& painter, const PlotPane& pane) { draw_losses(painter, pane); });
    ca_->add([this](QPainter& painter, const PlotPane& pane) { draw_ca(painter, pane); });
    limit_->add([this](QPainter& painter, const PlotPane& pane) { draw_limit(painter, pane); });
    arrange_rows();
    make_legends();
}

bool WindowsView::settled() const {
    return PreparedView::settled() && statistics_job_.idle() && !statistics_debounce_.waiting() &&
           chooser_->settled();
}

void WindowsView::on_loaded() {
    indexes_ = std::make_shared<WindowIndexes>();
    asked_range_ = {};
}

void WindowsView::want_statistics() {
    const bool asked = state().range() == asked_range_ && senders_shown() == asked_senders_;
    statistics_debounce_.look(document().loading(), asked);
}

std::vector<SenderId> WindowsView::senders_shown() const {
    std::vector<SenderId> senders;
    senders.reserve(picture().senders.size());
    for (const SenderPicture& sender : picture().senders) senders.push_back(sender.sender);
    return senders;
}

WindowsView::Preparation WindowsView::preparation() {
    return [data = document().data(), indexes = indexes_, filter = state().filter(),
            prepared = PreparedRange::around(plot_->time_viewport()), connection = state().connection(),
            target = state().sender_is_target(), scope = chooser_->scope()](const StopFlag&) {
        const auto reading = data->read();
        using Kind = ConnectionChooser::Scope::Kind;
        const std::vector<SenderId> senders =
            scope.kind == Kind::shared
                ? std::vector{sender_of(reading, connection, target)}
                : senders_of_session(reading, scope.kind == Kind::all ? all_sessions : scope.number, target);
        return prepare_windows(reading, senders, prepared, filter.get(), *indexes);
    };
}

// Of the senders in the picture, where TCP is judged of none.
QString WindowsView::why_unjudged() const {
    QStringList reasons;
    for (const SenderPicture& sender : picture().senders) {
        if (sender.unjudged.empty()) return {};
        reasons.append(QString::fromStdString(sender.unjudged));
    }
    reasons.removeDuplicates();
    return tr("What TCP did is not known: %1.").arg(reasons.join(tr("; ")));
}

void WindowsView::on_picture(const WindowsPicture& before) {
    if (picture().senders.size() != before.senders.size() || shows_kernel_ca() != has_kernel_ca(before)) {
        arrange_rows();
        make_legends();
    }
    QString message;
    if (picture().senders.empty()) {
        message = document().loading()        ? tr("Reading the capture …")
                  : state().connection() == 0 ? tr("This capture has no TCP connection that sent data.")
                                              : tr("This side of the connection sent no data.");
    } else {
        message = why_unjudged();
    }
    plot_->set_message(message);
}

ShownCurves WindowsView::shown() const {
    ShownCurves shown;
    for (size_t i = 0; i < on_.size(); ++i) shown[i] = on_[i];
    return shown;
}

QString WindowsView::name_of(SenderId sender) const {
    const auto reading = document().data()->try_read();
    return reading ? connection_text(*reading, sender.connection)
                   : tr("connection %1").arg(sender.connection);
}

// Below the inferred one; of senders that are summed there is no room for it.
bool WindowsView::has_kernel_ca(const WindowsPicture& picture) {
    return picture.senders.size() == 1 && picture.senders.front().has_kernel_ca;
}

void WindowsView::arrange_rows() {
    const size_t senders = std::max<size_t>(1, picture().senders.size());
    const int rows = static_cast<int>(senders);
    const int height = rows == 1 ? 20 : std::clamp(72 / rows, 6, 16);
    const auto names = [&](const QString& what) {
        QStringList list;
        for (int i = 0; i < rows; ++i) {
            if (rows == 1) {
                list << what;
            } else if (height >= 14) {
                list << tr("%1, %2").arg(what).arg(
                    picture().senders[static_cast<size_t>(i)].sender.connection);
            } else {
                list << (i == rows / 2 ? what : QString());
            }
        }
        return list;
    };
    losses_->set_rows(names(tr("losses")));
    const bool kernel_too = shows_kernel_ca();
    ca_->set_rows(kernel_too ? QStringList{tr("CA state"), tr("the kernel's")} : names(tr("CA state")));
    limit_->set_rows(names(tr("held back by")));
    losses_->set_height(rows == 1 ? 16 : rows * std::max(height, 10));
    ca_->set_height((kernel_too ? 2 : rows) * height);
    limit_->set_height(rows * height);
}

QColor WindowsView::member_color(size_t index) const {
    const Theme& theme = plot_->theme();
    // None of those of the lines that are sums.
    const std::array<QColor, 6> colors{theme.ssthresh, theme.target,  theme.other_command,
                                       theme.text,     theme.problem, theme.write};
    return colors[index % colors.size()];
}

void WindowsView::make_legends() {
    std::vector<LegendRow::Entry> lines;
    lines.push_back(
        {summed() ? tr("congestion windows, summed") : tr("congestion window"),
         tr("Bytes that the sender's congestion control lets it have in flight: the likeliest value"),
         line_icon(&Theme::cwnd, 2), &on(SenderCurve::cwnd)});
    lines.push_back({tr("its interval"), tr("The congestion window is within these bounds"),
                     fill_icon([](const Theme& theme) { return theme.cwnd_interval; }),
                     &on(SenderCurve::interval)});
    if (summed()) {
        size_t index = 0;
        for (const SenderPicture& sender : picture().senders) {
            lines.push_back({tr("connection %1").arg(sender.sender.connection),
                             tr("Congestion window of %1").arg(name_of(sender.sender)),
                             [this, index](QPainter& painter, const Theme&, const QRectF& box) {
                                 painter.setPen(member_color(index));
                                 painter.drawLine(QPointF(box.left(), std::floor(box.center().y())),
                                                  QPointF(box.right(), std::floor(box.center().y())));
                             },
                             nullptr});
            if (++index == 6) break;
        }
    } else {
        lines.push_back({tr("ssthresh"),
                         tr("Slow start threshold: below it the window doubles each round trip"),
                         line_icon(&Theme::ssthresh, 1, Qt::DashLine), &on(SenderCurve::ssthresh)});
    }
    lines.push_back({tr("in flight"), tr("Bytes sent and neither acknowledged nor SACKed nor held for lost"),
                     line_icon(&Theme::in_flight), &on(SenderCurve::in_flight)});
    lines.push_back({tr("advertised window"), tr("Bytes that the receiver lets the sender have in flight"),
                     line_icon(&Theme::advertised_window, advertised_line_width),
                     &on(SenderCurve::advertised_window)});
    bool has_kernel = false;
    for (const SenderPicture& sender : picture().senders)
        has_kernel = has_kernel || sender.curves.kernel_until_ns != no_time;
    if (has_kernel) {
        lines.push_back({tr("kernel's cwnd"), tr("The congestion window as the sender's kernel told it"),
                         line_icon(&Theme::kernel, 1, Qt::DotLine), &on(SenderCurve::kernel_cwnd)});
    }
    lines_legend_->set_entries(std::move(lines));

    std::vector<LegendRow::Entry> states;
    for (size_t i = 0; i < ca_states; ++i) {
        const auto state = static_cast<CaState>(i);
        states.push_back({ca_text(state), tr("A state of Linux's congestion control"),
                          fill_icon([state](const Theme& theme) { return theme.ca_color(state); }), nullptr});
    }
    for (size_t i = 0; i <= send_limits; ++i) {
        const auto limit = static_cast<SendLimit>(i);
        states.push_back({i == 0 ? tr("held back by: application") : limit_text(limit), limit_tip(limit),
                          fill_icon([limit](const Theme& theme) { return theme.limit_color(limit); }),
                          nullptr});
    }
    for (const LossKind kind : {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp, LossKind::spurious,
                                LossKind::out_of_order, LossKind::not_captured}) {
        states.push_back({loss_text(kind), tr("A mark among the losses"), loss_icon(kind), nullptr});
    }
    states_legend_->set_entries(std::move(states));
}

void WindowsView::fit_values() {
    const TimeRange range = state().range();
    const bool logarithmic = logarithmic_->isChecked();
    Extent own;
    Extent others;
    Extent above;
    const ShownCurves of_a_summand =
        only(SenderCurve::cwnd) | only(SenderCurve::in_flight) | only(SenderCurve::kernel_cwnd);
    const auto add = [&](const SenderCurves& curves, ShownCurves of) {
        const auto greatest = SenderCurvePainter::greatest(curves, range, shown() & of);
        own.add(greatest.own);
        others.add(greatest.others);
        above.add(greatest.advertised);
    };
    for (const SenderPicture& sender : picture().senders)
        add(sender.curves, summed() ? of_a_summand : shown());
    if (summed()) add(picture().sum.curves, shown());
    Extent all = own;
    if (!own.any || others.max <= own.max * most_times_higher || logarithmic) all.add(others);
    // A window that is far from being full would press all else to the ground.
    off_scale_ = 0;
    if (above.any) {
        if (!all.any || logarithmic || above.max <= all.max * most_times_higher) {
            all.add(above);
        } else if (above.min > all.max) {
            off_scale_ = above.max;
        }
    }
    main_->set_logarithmic(logarithmic);
    if (!all.any) {
        main_->set_values({logarithmic ? 1.0 : 0.0, 1000});
    } else if (logarithmic) {
        main_->set_values(round_log_range(std::max(all.min, 100.0), std::max(all.max, 1000.0)));
    } else {
        main_->set_values(round_range(0, all.max, true));
    }
}

void WindowsView::draw_main(QPainter& painter, const PlotPane& pane) {
    const Theme& theme = pane.theme();
    draw_selection(painter, pane);
    const CurvePlace place{pane.viewport(), pane.scale()};
    if (summed()) {
        const SenderCurves& sum = picture().sum.curves;
        const ShownCurves of_cwnd = only(SenderCurve::cwnd);
        drawing_.paint(painter, sum, place, theme, shown() & ~of_cwnd);
        for (size_t i = 0; i < picture().senders.size() && (shown() & of_cwnd).any(); ++i) {
            const SenderCurves& curves = picture().senders[i].curves;
            drawing_.line(painter, curves.cwnd, curves.until_ns, place, member_color(i));
        }
        drawing_.paint(painter, sum, place, theme, shown() & of_cwnd);
    } else if (!picture().senders.empty()) {
        drawing_.paint(painter, picture().senders.front().curves, place, theme, shown());
    }
    if (estimated()) {
        painter.setFont(plot_->font());
        draw_pane_title(painter, pane, tr("estimated moments: not captured at the sender"));
    }
    if (off_scale_ > 0) {
        painter.setPen(theme.advertised_window);
        painter.setFont(plot_->font());
        painter.drawText(pane.area().adjusted(0, 2, -6, 0), Qt::AlignRight | Qt::AlignTop,
                         tr("↑ advertised window %1").arg(short_bytes(off_scale_)));
    }
}

void WindowsView::draw_losses(QPainter& painter, const PlotPane& pane) {
    const TimeViewport view = pane.viewport();
    const Selection& selected = state().selection();
    for (int row = 0; row < static_cast<int>(picture().senders.size()); ++row) {
        const QRectF area = pane.row_area(row);
        const double size = std::min(10.0, area.height() - 1);
        double free_from = area.left() - size;
        for (const LossMark& mark : picture().senders[static_cast<size_t>(row)].losses) {
            const double x = view.x_of(mark.time_ns);
            if (x < area.left() - size) continue;
            if (x > area.right() + size) break;
            // While what was prepared for another range is drawn, marks may come close.
            const bool highlighted = selected.kind == Selection::Kind::loss && selected.number == mark.row;
            if (x < free_from && !highlighted) continue;
            painter.setOpacity(mark.passes ? 1 : 0.25);
            draw_loss_mark(painter, pane.theme(), mark.kind, {x, area.center().y()}, size);
            if (highlighted) {
                painter.setPen(QPen(pane.theme().selection, 1.5));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(QRectF(x - size / 2 - 2, area.top() + 1, size + 4, area.height() - 2));
            }
            free_from = x + size * 0.8;
        }
    }
    painter.setOpacity(1);
}

void WindowsView::draw_ca(QPainter& painter, const PlotPane& pane) {
    const Theme& theme = pane.theme();
    painter.setFont(plot_->font());
    const TimeViewport view = pane.viewport();
    for (int row = 0; row < static_cast<int>(picture().senders.size()); ++row) {
        const SenderPicture& sender = picture().senders[static_cast<size_t>(row)];
        const QRectF area = pane.row_area(row);
        const auto draw = [&](const QRectF& place, const StateBand& states) {
            draw_state_band(
                painter, view, place, states,
                [&](uint8_t state) { return theme.ca_color(static_cast<CaState>(state)); },
                [](uint8_t state) { return ca_text(static_cast<CaState>(state)); }, theme);
        };
        draw(area, sender.ca);
        if (shows_kernel_ca()) draw(pane.row_area(1), sender.kernel_ca);
        if (static_cast<double>(sender.transitions.size()) * 6 > view.length) continue;
        painter.setPen(theme.text);
        for (const TransitionMark& mark : sender.transitions) {
            const double x = std::floor(view.x_of(mark.time_ns));
            if (x < area.left() || x > area.right()) continue;
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.top() + 4));
        }
    }
}

void WindowsView::draw_limit(QPainter& painter, const PlotPane& pane) {
    const Theme& theme = pane.theme();
    painter.setFont(plot_->font());
    for (int row = 0; row < static_cast<int>(picture().senders.size()); ++row) {
        draw_state_band(
            painter, pane.viewport(), pane.row_area(row), picture().senders[static_cast<size_t>(row)].limit,
            [&](uint8_t state) { return theme.limit_color(static_cast<SendLimit>(state)); },
            [](uint8_t state) { return limit_text(static_cast<SendLimit>(state)); }, theme);
    }
}

bool WindowsView::estimated() const {
    return std::ranges::any_of(picture().senders,
                               [](const SenderPicture& sender) { return sender.curves.estimated; });
}

const SenderPicture& WindowsView::sender_at(const PlotPane& pane, QPoint at) const {
    const int last = static_cast<int>(picture().senders.size()) - 1;
    const int row = &pane == main_ ? 0 : std::clamp(row_at(pane, at), 0, last);
    return picture().senders[static_cast<size_t>(row)];
}

int WindowsView::row_at(const PlotPane& pane, QPoint at) const {
    for (int row = 0; row < static_cast<int>(picture().senders.size()); ++row) {
        if (pane.row_area(row).adjusted(0, 0, 0, 1).contains(at)) return row;
    }
    return -1;
}

const LossMark* WindowsView::loss_at(QPoint at) const {
    if (plot_->pane_at(at) != losses_) return nullptr;
    const int row = row_at(*losses_, at);
    if (row < 0) return nullptr;
    const TimeViewport view = losses_->viewport();
    const LossMark* nearest = nullptr;
    double distance = reach;
    for (const LossMark& mark : picture().senders[static_cast<size_t>(row)].losses) {
        const double x = view.x_of(mark.time_ns);
        if (std::abs(x - at.x()) > distance) continue;
        distance = std::abs(x - at.x());
        nearest = &mark;
    }
    return nearest;
}

QString WindowsView::text_at(QPoint at) const {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr || picture().senders.empty()) return {};
    const TimeViewport view = pane->viewport();
    const int64_t time_ns = view.time_at(at.x());
    QString text = moment_text(time_ns);
    if (pane == losses_) {
        const LossMark* mark = loss_at(at);
        if (mark == nullptr) return {};
        text = moment_text(mark->time_ns);
        for (size_t i = 0; i < loss_kinds; ++i) {
            if (mark->kinds[i] == 0) continue;
            text +=
                QStringLiteral("<br>%1 × %2").arg(mark->kinds[i]).arg(loss_text(static_cast<LossKind>(i)));
        }
        if (mark->count > 1) text += tr("<br>within %1").arg(short_duration(mark->last_ns - mark->time_ns));
        return text;
    }
    const SenderPicture& sender = sender_at(*pane, at);
    if (estimated()) text += QStringLiteral("<br>") + tr("at the sender, as estimated");
    if (summed() && pane != main_) text += QStringLiteral("<br>") + name_of(sender.sender).toHtmlEscaped();
    QString table;
    const auto line = [&](const QString& name, const StepSeries& series, int64_t until_ns) {
        if (time_ns >= until_ns) return;
        const double value = value_at(series, time_ns);
        if (!std::isnan(value)) table += table_row(name, short_bytes(value));
    };
    const auto interval_line = [&](const StepSeries& low, const StepSeries& high) {
        const double least = value_at(low, time_ns);
        const double greatest = value_at(high, time_ns);
        if (!std::isnan(least) && !std::isnan(greatest)) {
            table += table_row(tr("its interval"), bytes_between(least, greatest));
        }
    };
    if (pane == main_ && summed()) {
        line(tr("congestion windows, summed"), picture().sum.curves.cwnd, picture().sum.curves.until_ns);
        interval_line(picture().sum.curves.cwnd_low, picture().sum.curves.cwnd_high);
        for (const SenderPicture& one : picture().senders)
            line(name_of(one.sender), one.curves.cwnd, one.curves.until_ns);
        line(tr("in flight"), picture().sum.curves.in_flight, picture().sum.curves.until_ns);
        line(tr("advertised windows"), picture().sum.curves.advertised_window, picture().sum.curves.until_ns);
        return text + QStringLiteral("<table>") + table + QStringLiteral("</table>");
    }
    if (pane == main_) {
        line(tr("congestion window"), sender.curves.cwnd, sender.curves.until_ns);
        interval_line(sender.curves.cwnd_low, sender.curves.cwnd_high);
        if (const auto kernel = kernel_cwnd_text(sender.curves, time_ns))
            table += table_row(tr("kernel's cwnd"), *kernel);
        line(tr("ssthresh"), sender.curves.ssthresh, sender.curves.until_ns);
        line(tr("in flight"), sender.curves.in_flight, sender.curves.until_ns);
        line(tr("advertised window"), sender.curves.advertised_window, sender.curves.until_ns);
    }
    const auto band = [&](const StateBand& states, const QString& name, auto text_of) {
        if (const auto* span = states.span_at(time_ns)) {
            const QString duration = short_duration(span->range.span_ns());
            const bool record_ends = &states == &sender.kernel_ca && span->range.end_ns >= states.until_ns;
            table +=
                table_row(name, (record_ends ? tr("%1, for %2, until its record ends") : tr("%1, for %2"))
                                    .arg(text_of(span->state), duration));
        } else if (const auto* shares = states.shares_at(time_ns)) {
            QStringList parts;
            for (size_t i = 0; i < StateBand::most_states; ++i) {
                if (shares->share[i] <= 0) continue;
                parts << QStringLiteral("%1 %2 %")
                             .arg(text_of(static_cast<uint8_t>(i)))
                             .arg(std::max(1, static_cast<int>(std::lround(shares->share[i] * 100))));
            }
            table += table_row(name, parts.join(QStringLiteral(", ")));
        }
    };
    if (pane != limit_) {
        band(sender.ca, tr("state"), [](uint8_t state) { return ca_text(static_cast<CaState>(state)); });
        if (shows_kernel_ca() && time_ns >= sender.kernel_ca.until_ns) {
            table += table_row(tr("as the kernel said"), tr("not known: its record ends before"));
        } else if (shows_kernel_ca()) {
            band(sender.kernel_ca, tr("as the kernel said"),
                 [](uint8_t state) { return ca_text(static_cast<CaState>(state)); });
        }
        // The last transition up to here, and one that the pointer is at.
        const TransitionMark* last = nullptr;
        for (const TransitionMark& mark : sender.transitions) {
            if (view.x_of(mark.time_ns) > at.x() + 3) break;
            last = &mark;
        }
        if (last != nullptr) {
            table += table_row(tr("since"), tr("%1 → %2 at packet %3: %4")
                                                .arg(ca_text(last->from), ca_text(last->to))
                                                .arg(last->packet)
                                                .arg(QString::fromUtf8(last->cause).toHtmlEscaped()));
        }
    }
    if (pane != ca_) {
        band(sender.limit, tr("held back by"),
             [](uint8_t state) { return limit_text(static_cast<SendLimit>(state)); });
    }
    return text + QStringLiteral("<table>") + table + QStringLiteral("</table>");
}

void WindowsView::on_click(QPoint at) {
    if (const LossMark* mark = loss_at(at)) {
        state().select({Selection::Kind::loss, mark->row});
        return;
    }
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr || picture().senders.empty()) return;
    const TimeViewport view = pane->viewport();
    const SenderPicture& sender = sender_at(*pane, at);
    if (pane == ca_) {
        for (const TransitionMark& mark : sender.transitions) {
            if (mark.packet == 0 || std::abs(view.x_of(mark.time_ns) - at.x()) > reach) continue;
            state().select({Selection::Kind::packet, mark.packet});
            return;
        }
    }
    // The packet after which the figures were what they are here.
    const auto reading = document().data()->try_read();
    if (!reading) return;
    const SenderTrack* track = track_of(*reading, sender.sender);
    if (track == nullptr) return;
    const auto& windows = reading->store().windows();
    const size_t behind = first_not_before(track->windows, view.time_at(at.x()) + 1,
                                           [&](uint32_t i) { return windows[i].time_ns; });
    if (behind > 0) state().select({Selection::Kind::packet, windows[track->windows[behind - 1]].packet});
}

void WindowsView::on_double_click(QPoint at) {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr || picture().senders.empty()) return;
    const int64_t time_ns = pane->viewport().time_at(at.x());
    if (const LossMark* mark = loss_at(at)) {
        const int64_t around = std::max<int64_t>(state().range().span_ns() / 20, 1000);
        state().set_range(TimeRange{mark->time_ns - around, mark->last_ns + around});
        return;
    }
    if (pane != ca_ && pane != limit_) return;
    const SenderPicture& sender = sender_at(*pane, at);
    const bool of_kernel = shows_kernel_ca() && pane->row_area(1).contains(at);
    const StateBand& states = pane == limit_ ? sender.limit : of_kernel ? sender.kernel_ca : sender.ca;
    const StateBand::Span* span = states.span_at(time_ns);
    if (span != nullptr) state().set_range(span->range.widened(0.2));
}

void WindowsView::ask_statistics() {
    asked_senders_ = senders_shown();
    asked_range_ = state().range();
    if (asked_senders_.empty() || asked_range_.empty()) return table_->hide();
    statistics_job_.request(
        [data = document().data(), senders = asked_senders_, range = asked_range_](const StopFlag& stop) {
            const auto reading = data->read();
            return window_statistics(reading, senders, range, stop);
        },
        [this](WindowStatistics statistics) { take_statistics(std::move(statistics)); });
}

void WindowsView::fill_differences(int row) {
    const auto& statistics = shown_statistics_;
    const QString unknown_text = tr("not known");
    table_->set(row, 0, tr("difference between connections, over time"));
    QString deviation = unknown_text;
    if (statistics.difference_deviation) {
        deviation = short_bytes(*statistics.difference_deviation);
        if (statistics.mss != unknown<uint32_t>) {
            deviation +=
                tr(" (%1 segments)").arg(*statistics.difference_deviation / statistics.mss, 0, 'f', 2);
        }
    }
    table_->set(row, 2, deviation);
    table_->item(row, 0)->setToolTip(tr(
        "Standard deviation of the difference between two connections' congestion windows; of more than two "
        "the root mean square over all pairs. Where it is larger than each window's own, one connection has "
        "what the other has not"));
    table_->set(row + 1, 0, tr("Jain's index of the mean windows"));
    table_->set(row + 1, 1,
                statistics.fairness ? QString::number(*statistics.fairness, 'f', 3) : unknown_text);
    table_->item(row + 1, 0)
        ->setToolTip(tr("1 where all connections' means are equal, 1/n where one of n has everything"));
    table_->set(row + 2, 0, tr("time in which all windows are known"));
    table_->set(row + 2, 1, QStringLiteral("%1 %").arg(100 * statistics.known_share, 0, 'f', 0));
}

void WindowsView::take_statistics(WindowStatistics statistics) {
    if (!statistics.complete) return;
    shown_statistics_ = std::move(statistics);
    struct Row {
        QString name;
        FigureStatistics figure;
    };
    std::vector<Row> rows;
    if (shown_statistics_.senders.size() > 1) {
        rows.push_back({tr("all, summed"), shown_statistics_.sum});
        for (const auto& sender : shown_statistics_.senders) {
            rows.push_back({name_of(sender.sender), sender.cwnd});
        }
    } else if (!shown_statistics_.senders.empty()) {
        const auto& sender = shown_statistics_.senders.front();
        rows.push_back({tr("congestion window"), sender.cwnd});
        rows.push_back({tr("in flight"), sender.in_flight});
        rows.push_back({tr("advertised window"), sender.advertised_window});
    }
    const bool difference = shown_statistics_.senders.size() > 1;
    const int figures = static_cast<int>(rows.size());
    const int count = figures + (difference ? 4 : 0);
    table_->begin({tr("in sight, by time"), tr("mean"), tr("standard deviation"), tr("%SD"), tr("least"),
                   tr("greatest")},
                  count);
    for (int i = 0; i < figures; ++i) {
        const Row& row = rows[static_cast<size_t>(i)];
        table_->set(i, 0, row.name);
        if (row.figure.known_ns == 0) {
            table_->set(i, 1, tr("not known"));
            continue;
        }
        table_->set(i, 1, short_bytes(row.figure.mean));
        table_->set(i, 2, short_bytes(row.figure.standard_deviation));
        table_->set(i, 3, QStringLiteral("%1 %").arg(row.figure.percent(), 0, 'f', 1));
        table_->set(i, 4, short_bytes(row.figure.least));
        table_->set(i, 5, short_bytes(row.figure.greatest));
    }
    if (difference) {
        table_->set(figures, 0, tr("difference of the connections' means"));
        table_->set(figures, 1, short_bytes(shown_statistics_.difference));
        table_->set(figures, 3, QStringLiteral("%1 %").arg(shown_statistics_.difference_percent, 0, 'f', 1));
        fill_differences(figures + 1);
        table_->item(figures, 0)
            ->setToolTip(tr(
                "The greatest mean less the least, and in percent of the mean of the means: how unequal the "
                "connections' shares are"));
    }
    table_->fit();
}

}  // namespace sanscope
