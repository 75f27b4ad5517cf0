// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
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

// One that lasts no time is left out, one that goes on with the last is made part of it.
void add_span(std::vector<StateSpan>& spans, const StateSpan& span) {
    if (span.end_ns <= span.begin_ns) return;
    if (!spans.empty() && spans.back().state == span.state) {
        spans.back().end_ns = span.end_ns;
    } else {
        spans.push_back(span);
    }
}

class StateLane final : public Lane {
  public:
    explicit StateLane(size_t direction)
        : Lane(direction == 0 ? LaneKind::state_out : LaneKind::state_in, direction) {}

    bool is_in(const TrackRows& rows) const override { return has_data_sender(rows, direction()); }
    int height(const GroupShape&, bool compact) const override {
        return compact ? compact_height() : state_height();
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override {
        return direction() == 0 ? tr("TCP state, initiator") : tr("TCP state, target");
    }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override;
};

void StateLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    const size_t direction = this->direction();
    const SenderTrack& sender = rows.sender(direction);
    if (sender.windows.empty() || !rows.connection().tcp_is_judged()) return;
    const auto& store = rows.store().ca_transitions();
    const auto& list = sender.ca_transitions;
    const TimeRange whole = rows.whole();
    const int64_t known_from = std::max(
        group.range().begin_ns, rows.store().windows().get<&WindowRow::time_ns>(sender.windows.front()));
    const int64_t known_to = std::min(group.range().end_ns, whole.end_ns);
    if (known_from >= known_to) return;
    const auto time_at = [&](uint32_t row) { return store[row].time_ns; };
    const size_t first = first_not_before(list, known_from + 1, time_at);
    const size_t last = first_not_before(list, known_to, time_at);
    auto& spans = group.picture().states[direction];
    StateSpan span;
    span.begin_ns = known_from;
    span.state = first > 0 ? store[list[first - 1]].to : !list.empty() ? store[list[0]].from : CaState::open;
    if (first > 0) span.cause = store[list[first - 1]].cause;
    // Several within a column are shown as the gravest of them.
    const bool fold = last - first > 2 * group.prepared().columns();
    for (size_t i = first; i < last; ++i) {
        const CaTransitionRow& row = store[list[i]];
        if (fold && row.time_ns - span.begin_ns < group.prepared().ns_per_column) {
            if (row.to > span.state) {
                span.state = row.to;
                span.cause = row.cause;
            }
            continue;
        }
        span.end_ns = row.time_ns;
        add_span(spans, span);
        span = {row.time_ns, 0, row.to, row.cause};
    }
    span.end_ns = known_to;
    add_span(spans, span);
}

QString StateLane::paint(QPainter& painter, const LanePainting& painting) const {
    const LanePlace& place = painting.place;
    const size_t direction = this->direction();
    const Theme& theme = painting.theme();
    const double left_edge = painting.viewport().origin;
    const double right_edge = left_edge + painting.viewport().length;
    for (const StateSpan& span : painting.picture.states[direction]) {
        const double left = std::clamp(painting.viewport().x_of(span.begin_ns), left_edge, right_edge);
        const double right = std::clamp(painting.viewport().x_of(span.end_ns), left_edge, right_edge);
        if (painting.viewport().x_of(span.end_ns) < left_edge || left >= right_edge) continue;
        const QRectF rect(left, place.top + 1, std::max(1.0, right - left), place.height - 2);
        painter.fillRect(rect, theme.ca_color(span.state));
        const QString name = ca_text(span.state);
        if (place.compact ||
            rect.width() < static_cast<double>(name.size()) * painting.metrics.averageCharWidth() + 12)
            continue;
        painter.setPen(theme.text);
        painter.drawText(rect.adjusted(4, 0, -2, 0), Qt::AlignVCenter, name);
    }
    return {};
}

LaneHit StateLane::hit(const LaneScene& scene, QPointF at) const {
    const int64_t time_ns = scene.viewport.time_at(at.x());
    const auto& spans = scene.picture.states[direction()];
    const auto behind = std::ranges::upper_bound(spans, time_ns, {}, &StateSpan::begin_ns);
    if (behind == spans.begin() || time_ns >= std::prev(behind)->end_ns) return {};
    const auto found = std::prev(behind);
    return {LaneHit::What::item,
            direction(),
            static_cast<size_t>(found - spans.begin()),
            {},
            {found->begin_ns, found->end_ns}};
}

QString StateLane::words(const LaneScene& scene, const LaneHit& hit, const Moment&) const {
    const StateSpan& span = scene.picture.states[hit.direction][hit.index];
    QString text = tr("%1 of the %2's TCP, %3 in sight")
                       .arg(ca_text(span.state), hit.direction == 0 ? tr("initiator") : tr("target"),
                            short_duration(span.end_ns - span.begin_ns));
    if (span.cause[0] != '\0')
        text += QLatin1Char('\n') + tr("entered by %1").arg(QString::fromUtf8(span.cause));
    if (scene.picture.curves[hit.direction].estimated)
        text += QLatin1Char('\n') + tr("at the sender, as estimated");
    return text;
}

}  // namespace

const Lane& state_lane(size_t direction) {
    static const StateLane lanes[] = {StateLane(0), StateLane(1)};
    return lanes[direction];
}

}  // namespace sanscope
