// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/lanes/packet_words.h"
#include "gui/views/layers/translated.h"

namespace sanscope {
namespace {

int packets_height() {
    return beside_text(36);
}

using layers_view::tr;

PacketTick packet_tick(const GroupPreparation& group, uint32_t row_index) {
    const TrackRows& rows = group.rows();
    const FilterResult* const filter = group.filter();
    const SegmentRow& row = rows.store().segments()[row_index];
    PacketTick tick;
    tick.packet = row_index + 1;
    tick.time_ns = rows.time_of(tick.packet);
    tick.payload = row.payload_length;
    tick.wire_length = group.reading().index().place<&PacketPlace::wire_length>(tick.packet);
    tick.seq = row.seq;
    tick.ack = row.ack;
    tick.flags = row.flags;
    tick.direction = static_cast<uint8_t>(rows.direction_of(row.sender));
    tick.faint = filter != nullptr && !filter->rows.packets.test(row_index);
    return tick;
}

class PacketsLane final : public Lane {
  public:
    PacketsLane() : Lane(LaneKind::packets, 0) {}

    bool is_in(const TrackRows&) const override { return true; }
    int height(const GroupShape&, bool compact) const override {
        return compact ? compact_height() : packets_height();
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override { return tr("Packets"); }
    QString hint(const GroupShape&) const override { return tr("out up, in down"); }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override {
        return packet_words(scene, hit, moment);
    }
};

// Of both directions; the lanes of TCP show the same.
void PacketsLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    GroupPicture& picture = group.picture();
    const TrackRows::Run runs[2] = {rows.segments_in(0, group.range()), rows.segments_in(1, group.range())};
    picture.ticks_are_all = group.few(std::max(runs[0].size(), runs[1].size()), 2);
    if (picture.ticks_are_all) {
        for (size_t direction = 0; direction < 2; ++direction) {
            auto& ticks = picture.ticks[direction];
            ticks.reserve(runs[direction].size());
            const auto& segments = rows.sender(direction).segments;
            for (size_t i = runs[direction].first; i < runs[direction].last; ++i) {
                ticks.push_back(packet_tick(group, segments[i]));
            }
        }
        return;
    }
    group.add_traffic_columns();
    if (!group.selected_here()) return;
    for (size_t i = 0; i < std::min(group.selected().packets.size(), most_selected); ++i) {
        const uint32_t packet = group.selected().packets[i];
        if (packet == 0 || packet > rows.store().segments().size() ||
            packet > group.reading().index().packets())
            continue;
        const PacketTick highlighted = packet_tick(group, packet - 1);
        picture.ticks[highlighted.direction].push_back(highlighted);
    }
}

QString PacketsLane::paint(QPainter& painter, const LanePainting& painting) const {
    const LanePlace& place = painting.place;
    QString scale;
    const Theme& theme = painting.theme();
    const GroupPicture& picture = painting.picture;
    const double middle = place.top + place.height / 2.0;
    const double half = place.height / 2.0 - 1;
    if (!picture.ticks_are_all) {
        double most = 0;
        over_pixels(picture.traffic, painting.scene.prepared, painting.viewport(),
                    [&](int, int, const TrafficColumn& c, double ns) {
                        most = std::max(most, std::max(c.packets[0], c.packets[1]) / ns);
                    });
        const auto columns = [&](const std::vector<TrafficColumn>& list, double strength) {
            for (size_t direction = 0; direction < 2; ++direction) {
                painting.scratch.rects.clear();
                over_pixels(list, painting.scene.prepared, painting.viewport(),
                            [&](int left, int right, const TrafficColumn& c, double ns) {
                                if (c.packets[direction] == 0) return;
                                const double high =
                                    std::max(1.0, std::sqrt(c.packets[direction] / ns / most) * half);
                                painting.scratch.rects.emplace_back(
                                    left, direction == 0 ? middle - high : middle, right - left, high);
                            });
                fill(painter, painting.scratch.rects,
                     painting.on_background(direction == 0 ? theme.initiator : theme.target, strength));
            }
        };
        const double strength = painting.dims ? dimmed_strength : 0.75;
        columns(picture.traffic, picture.passing_traffic.empty() ? strength : filtered_strength);
        if (!picture.passing_traffic.empty()) columns(picture.passing_traffic, strength);
        if (most > 0) scale = tr("max %1/s").arg(short_count(most * 1e9));
    }
    const uint32_t most = greatest_wire_length(picture);
    const double left_edge = painting.viewport().origin - 2;
    const double right_edge = painting.viewport().origin + painting.viewport().length;
    for (size_t direction = 0; direction < 2; ++direction) {
        double free_from = left_edge;
        const auto& ticks = picture.ticks[direction];
        for (size_t i = 0; i < ticks.size(); ++i) {
            const PacketTick& tick = ticks[i];
            const QRectF rect = rect_of(tick, place, most, painting.viewport());
            if (rect.left() < left_edge || rect.left() > right_edge) continue;
            const bool is_highlighted = painting.highlighted(tick);
            const double strength = painting.strength(tick.faint, is_highlighted);
            painter.fillRect(
                rect, painting.on_background(direction == 0 ? theme.initiator : theme.target, strength));
            if (is_highlighted) painter.fillRect(QRectF(rect.left(), middle - 1, 3, 2), theme.selection);
            if (place.compact || !picture.ticks_are_all || rect.left() < free_from) continue;
            // Its number, where there is room before the next one.
            const double next =
                i + 1 < ticks.size() ? painting.viewport().x_of(ticks[i + 1].time_ns) : right_edge;
            const int digits = tick.packet < 10 ? 1 : static_cast<int>(std::log10(tick.packet)) + 1;
            const double wide = digits * painting.metrics.horizontalAdvance(QLatin1Char('0')) + 6.0;
            if (next - rect.left() < wide) continue;
            free_from = rect.left() + wide;
            painter.setPen(strength < 0.3 ? theme.axis : theme.faint_text);
            painter.drawText(QPointF(rect.left() + 3,
                                     direction == 0 ? middle - 4 : middle + painting.metrics.ascent() + 2),
                             QString::number(tick.packet));
        }
    }
    return scale;
}

LaneHit PacketsLane::hit(const LaneScene& scene, QPointF at) const {
    const size_t half = at.y() < scene.place.top + scene.place.height / 2.0 ? 0 : 1;
    for (const auto& find : {packet_hit, traffic_hit}) {
        for (const size_t side : {half, 1 - half}) {
            const LaneHit hit = find(scene, side, at);
            if (hit.what != LaneHit::What::nothing) return hit;
        }
    }
    return {};
}

}  // namespace

const Lane& packets_lane() {
    static const PacketsLane lane;
    return lane;
}

}  // namespace sanscope
