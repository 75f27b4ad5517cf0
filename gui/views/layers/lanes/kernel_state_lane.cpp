// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>

#include "gui/plot/plot_drawing.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/kernel_states.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/translated.h"

namespace sanscope {
namespace {

int state_height() {
    return beside_text(16);
}

using layers_view::tr;

QString state_text(uint8_t state) {
    return ca_text(static_cast<CaState>(state));
}

// The congestion states as the sender's own kernel reported them, below those that are inferred.
class KernelStateLane final : public Lane {
  public:
    explicit KernelStateLane(size_t direction)
        : Lane(direction == 0 ? LaneKind::kernel_state_out : LaneKind::kernel_state_in, direction) {}

    bool is_in(const TrackRows& rows) const override {
        const SenderTrack& sender = rows.sender(direction());
        return !sender.kernel_windows.empty() || !sender.kernel_ca_transitions.empty();
    }
    int height(const GroupShape&, bool compact) const override {
        return compact ? compact_height() : state_height();
    }
    void prepare(GroupPreparation& group) const override {
        const TrackRows& rows = group.rows();
        group.picture().kernel_states[direction()] =
            kernel_ca_band(group.reading(), rows.sender(direction()), group.prepared());
    }
    QString name() const override {
        return direction() == 0 ? tr("kernel's state, initiator") : tr("kernel's state, target");
    }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override;
};

QString KernelStateLane::paint(QPainter& painter, const LanePainting& painting) const {
    const LanePlace& place = painting.place;
    const Theme& theme = painting.theme();
    const QRectF area(painting.viewport().origin, place.top + 1, painting.viewport().length,
                      place.height - 2);
    draw_state_band(
        painter, painting.viewport(), area, painting.picture.kernel_states[direction()],
        [&](uint8_t state) { return theme.ca_color(static_cast<CaState>(state)); },
        [&](uint8_t state) { return place.compact ? QString() : state_text(state); }, theme);
    return {};
}

LaneHit KernelStateLane::hit(const LaneScene& scene, QPointF at) const {
    const StateBand& band = scene.picture.kernel_states[direction()];
    const StateBand::Span* span = band.span_at(scene.viewport.time_at(at.x()));
    if (span == nullptr) return {};
    return {LaneHit::What::item,
            direction(),
            static_cast<size_t>(span - band.spans.data()),
            {},
            {span->range.begin_ns, span->range.end_ns}};
}

QString KernelStateLane::words(const LaneScene& scene, const LaneHit& hit, const Moment&) const {
    const StateBand& band = scene.picture.kernel_states[hit.direction];
    const StateBand::Span& span = band.spans[hit.index];
    const QString text = tr("%1 as the %2's kernel reported, %3 in sight")
                             .arg(state_text(span.state), hit.direction == 0 ? tr("initiator") : tr("target"),
                                  short_duration(span.range.span_ns()));
    return span.range.end_ns < band.until_ns ? text
                                             : text + QLatin1Char('\n') + tr("the kernel's record ends");
}

}  // namespace

const Lane& kernel_state_lane(size_t direction) {
    static const KernelStateLane lanes[] = {KernelStateLane(0), KernelStateLane(1)};
    return lanes[direction];
}

}  // namespace sanscope
