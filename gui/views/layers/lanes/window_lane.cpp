// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <cmath>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/translated.h"

namespace sanscope {
namespace {

int window_height() {
    return beside_text(40);
}

using layers_view::tr;

// cwnd, its interval and what is in flight: those that tell why the lane above has gaps. A window that the receiver advertises
// is mostly far above.
ShownCurves shown_curves() {
    return only(SenderCurve::cwnd) | only(SenderCurve::interval) | only(SenderCurve::in_flight) |
           only(SenderCurve::in_flight_area) | only(SenderCurve::kernel_cwnd);
}

class WindowLane final : public Lane {
  public:
    explicit WindowLane(size_t direction)
        : Lane(direction == 0 ? LaneKind::window_out : LaneKind::window_in, direction) {}

    bool is_in(const TrackRows& rows) const override { return has_data_sender(rows, direction()); }
    int height(const GroupShape&, bool compact) const override {
        return compact ? compact_height() : window_height();
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override { return direction() == 0 ? tr("cwnd, initiator") : tr("cwnd, target"); }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    void paint_legend(QPainter& painter, const LanePainting& painting, int y) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override;
};

void WindowLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    const uint32_t connection = group.request().connection;
    const Role sender = direction() == 0 ? Role::initiator : Role::target;
    group.picture().curves[direction()] =
        prepare_sender_curves(group.reading(), {connection, rows.connection().side_of(sender)},
                              rows.sender(direction()), group.prepared());
}

QString WindowLane::paint(QPainter& painter, const LanePainting& painting) const {
    const SenderCurves& curves = painting.picture.curves[direction()];
    const LanePlace& place = painting.place;
    const auto greatest = SenderCurvePainter::greatest(curves, painting.viewport().range, shown_curves());
    if (!greatest.own.any || greatest.own.max <= 0) return {};
    // An interval far above the figure itself would press it to the ground.
    const double most = std::min(std::max(greatest.own.max, greatest.others.max), 2 * greatest.own.max);
    const CurvePlace curve_place{.time = painting.viewport(),
                                 .scale = {.upper = most,
                                           .top = static_cast<double>(place.top + 2),
                                           .bottom = static_cast<double>(place.top + place.height - 2)}};
    painting.scratch.curves.paint(painter, curves, curve_place, painting.theme(), shown_curves());
    return tr("to %1").arg(short_bytes(most));
}

void WindowLane::paint_legend(QPainter& painter, const LanePainting& painting, int y) const {
    if (painting.place.compact) return;
    painter.setPen(painting.theme().in_flight);
    painter.drawText(QPointF(24, y + painting.metrics.ascent()), tr("in flight"));
}

LaneHit WindowLane::hit(const LaneScene& scene, QPointF at) const {
    const SenderCurves& curves = scene.picture.curves[direction()];
    const int64_t time_ns = scene.viewport.time_at(at.x());
    if (std::isnan(value_at(curves.in_flight, time_ns)) && std::isnan(value_at(curves.cwnd, time_ns)))
        return {};
    const int64_t around_ns = scene.viewport.range.span_ns() / 8;
    return {LaneHit::What::column, direction(), 0, {}, {time_ns - around_ns, time_ns + around_ns + 1}};
}

QString WindowLane::words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const {
    const SenderCurves& curves = scene.picture.curves[hit.direction];
    const int64_t time_ns = hit.range.begin_ns + hit.range.span_ns() / 2;
    QString text = moment(time_ns);
    const auto add = [&](const QString& name, const StepSeries& series) {
        const double value = value_at(series, time_ns);
        if (!std::isnan(value)) text += QLatin1Char('\n') + tr("%1: %2").arg(name, short_bytes(value));
    };
    add(tr("cwnd"), curves.cwnd);
    const double low = value_at(curves.cwnd_low, time_ns);
    const double high = value_at(curves.cwnd_high, time_ns);
    if (low < high) {
        text +=
            QLatin1Char('\n') + tr("cwnd lies between %1 and %2").arg(short_bytes(low), short_bytes(high));
    }
    if (const auto kernel = kernel_cwnd_text(curves, time_ns))
        text += QLatin1Char('\n') + tr("%1: %2").arg(tr("kernel's cwnd"), *kernel);
    add(tr("in flight"), curves.in_flight);
    add(tr("advertised window"), curves.advertised_window);
    if (curves.estimated) text += QLatin1Char('\n') + tr("at the sender, as estimated");
    return text;
}

}  // namespace

const Lane& window_lane(size_t direction) {
    static const WindowLane lanes[] = {WindowLane(0), WindowLane(1)};
    return lanes[direction];
}

}  // namespace sanscope
