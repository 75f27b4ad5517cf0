// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/lanes/packet_words.h"
#include "gui/views/layers/translated.h"

#include "analyzer/net/decoded_packet.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

int tcp_height() {
    return beside_text(36);
}
constexpr double closest_marks = 4;
constexpr size_t losses_one_by_one = 300;
constexpr int64_t columns_of_mark = 8;

using layers_view::tr;

class TcpLane final : public Lane {
  public:
    explicit TcpLane(size_t direction)
        : Lane(direction == 0 ? LaneKind::tcp_out : LaneKind::tcp_in, direction) {}

    bool is_in(const TrackRows&) const override { return true; }
    int height(const GroupShape&, bool compact) const override {
        return compact ? loss_strip + compact_height() : tcp_height();
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override { return direction() == 0 ? tr("TCP out") : tr("TCP in"); }
    QString hint(const GroupShape&) const override { return tr("segments, ACKs short"); }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override;
};

// Losses; the segments are those of the lane of packets.
void TcpLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    const FilterResult* const filter = group.filter();
    const size_t direction = this->direction();
    const auto& store = rows.store().losses();
    const auto& list = rows.sender(direction).losses;
    const auto time_at = [&](uint32_t row) { return group.reading().timeline().time_of_loss(row); };
    const size_t first = first_not_before(list, group.range().begin_ns, time_at);
    const size_t last = first_not_before(list, group.range().end_ns, time_at);
    const int64_t together =
        last - first > losses_one_by_one ? group.prepared().ns_per_column * columns_of_mark : 1;
    auto& marks = group.picture().losses[direction];
    struct Latest {
        int64_t column = no_time;
        size_t mark = 0;
    };
    std::array<std::array<Latest, loss_kinds>, 2> latest;
    for (size_t i = first; i < last; ++i) {
        const LossRow& row = store[list[i]];
        const bool faint = filter != nullptr && !filter->rows.losses.test(list[i]);
        Latest& same = latest[faint ? 1 : 0][static_cast<size_t>(row.kind)];
        const int64_t time_ns = time_at(list[i]);
        const int64_t column = time_ns / together;
        if (together > 1 && same.column == column) {
            ++marks[same.mark].count;
            continue;
        }
        same = {column, marks.size()};
        LaneLoss mark;
        mark.time_ns = time_ns;
        mark.sent_ns = row.time_ns;
        mark.packet = row.packet;
        mark.original = row.original_packet;
        mark.delay_ns = row.delay_ns;
        mark.row = list[i];
        mark.length = row.length;
        mark.kind = row.kind;
        mark.faint = faint;
        marks.push_back(mark);
    }
}

QString TcpLane::paint(QPainter& painter, const LanePainting& painting) const {
    const LanePlace& place = painting.place;
    const size_t direction = this->direction();
    QString scale;
    const Theme& theme = painting.theme();
    const GroupPicture& picture = painting.picture;
    const QColor& side = direction == 0 ? theme.initiator : theme.target;
    const double foot = place.top + place.height - 1;
    const double full = place.height - loss_strip - 2;
    if (!picture.ticks_are_all) {
        painting.scratch.values.clear();
        over_pixels(picture.traffic, painting.scene.prepared, painting.viewport(),
                    [&](int, int, const TrafficColumn& c, double ns) {
                        if (c.payload[direction] > 0) {
                            painting.scratch.values.push_back(static_cast<double>(c.payload[direction]) / ns);
                        }
                    });
        const double most = full_scale(painting.scratch.values);
        const auto columns = [&](const std::vector<TrafficColumn>& list, double strength) {
            // Packets of any kind along the foot, on it what they carry.
            painting.scratch.rects.clear();
            over_pixels(list, painting.scene.prepared, painting.viewport(),
                        [&](int left, int right, const TrafficColumn& c, double) {
                            if (c.packets[direction] > 0)
                                painting.scratch.rects.emplace_back(left, foot - 3, right - left, 3);
                        });
            fill(painter, painting.scratch.rects, painting.on_background(theme.acknowledgement, strength));
            painting.scratch.rects.clear();
            over_pixels(list, painting.scene.prepared, painting.viewport(),
                        [&](int left, int right, const TrafficColumn& c, double ns) {
                            if (c.payload[direction] == 0) return;
                            const double share =
                                std::min(1.0, static_cast<double>(c.payload[direction]) / ns / most);
                            const double high = std::max(2.0, share * full);
                            add_column(painting.scratch.rects, left, right, foot, high);
                        });
            fill(painter, painting.scratch.rects, painting.on_background(side, strength));
        };
        const double strength = painting.dims ? dimmed_strength : 0.75;
        columns(picture.traffic, picture.passing_traffic.empty() ? strength : filtered_strength);
        if (!picture.passing_traffic.empty()) columns(picture.passing_traffic, strength);
        if (most > 0) {
            scale = tr("payload to %1").arg(short_rate(most * 1e9));
        }
    }
    const uint32_t most = greatest_payload(picture);
    const double left_edge = painting.viewport().origin - 2;
    const double right_edge = painting.viewport().origin + painting.viewport().length;
    double letters_from = left_edge;
    const auto segments = [&](bool highlighted_ones) {
        for (const PacketTick& tick : picture.ticks[direction]) {
            const bool is_highlighted = painting.highlighted(tick);
            if (is_highlighted != highlighted_ones) continue;
            const QRectF rect = rect_of(tick, place, most, painting.viewport());
            if (rect.left() < left_edge || rect.left() > right_edge) continue;
            const bool handshake = (tick.flags & (tcp_syn | tcp_fin | tcp_rst)) != 0;
            const QColor& color = (tick.flags & tcp_rst) != 0 ? theme.problem
                                  : handshake                 ? theme.ssthresh
                                  : tick.payload > 0          ? side
                                                              : theme.acknowledgement;
            painter.fillRect(rect,
                             painting.on_background(color, painting.strength(tick.faint, is_highlighted)));
            if (is_highlighted)
                painter.fillRect(QRectF(rect.left() - 1, rect.top() - 2, 3.5, 2), theme.selection);
            if (handshake && rect.left() >= letters_from) {
                letters_from = rect.left() + 12;
                painter.setPen(color);
                const QChar letter = QLatin1Char((tick.flags & tcp_rst) != 0   ? 'R'
                                                 : (tick.flags & tcp_syn) != 0 ? 'S'
                                                                               : 'F');
                painter.drawText(QPointF(rect.left() + 3, foot), QString(letter));
            }
        }
    };
    segments(false);
    if (painting.selected_here) segments(true);
    std::array<double, loss_kinds> last_at;
    last_at.fill(-1e9);
    for (const LaneLoss& mark : picture.losses[direction]) {
        const QPointF center = center_of(mark, place, painting.viewport());
        if (center.x() < left_edge - 6 || center.x() > right_edge + 6) continue;
        double& last = last_at[static_cast<size_t>(mark.kind)];
        const bool is_highlighted = painting.highlighted(mark);
        if (center.x() - last < closest_marks && !is_highlighted) continue;
        last = center.x();
        painter.setOpacity(painting.strength(mark.faint, is_highlighted));
        if (is_highlighted)
            painter.fillRect(QRectF(center - QPointF(6, 5), center + QPointF(6, 5)), theme.selection_fill);
        draw_loss_mark(painter, theme, mark.kind, center);
    }
    painter.setOpacity(1);
    return scale;
}

LaneHit TcpLane::hit(const LaneScene& scene, QPointF at) const {
    if (at.y() < scene.place.top + loss_strip + 2) {
        const auto& marks = scene.picture.losses[direction()];
        const size_t index = nearest(marks, at, 6, [&](const LaneLoss& mark) {
            const QPointF center = center_of(mark, scene.place, scene.viewport);
            return QRectF(center - QPointF(3, 3), center + QPointF(3, 3));
        });
        if (index < marks.size()) {
            return {
                LaneHit::What::loss, direction(), index, {Selection::Kind::loss, marks[index].number()}, {}};
        }
    }
    const LaneHit packet = packet_hit(scene, direction(), at);
    return packet.what != LaneHit::What::nothing ? packet : traffic_hit(scene, direction(), at);
}

QString TcpLane::words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const {
    if (hit.what != LaneHit::What::loss) return packet_words(scene, hit, moment);
    const LaneLoss& mark = scene.picture.losses[hit.direction][hit.index];
    QString kind = text_of(loss_kind_names[static_cast<size_t>(mark.kind)]);
    kind.replace(QLatin1Char('_'), QLatin1Char(' '));
    QString text = kind + QLatin1Char('\n') + moment(mark.time_ns) + QLatin1Char('\n') +
                   tr("packet %1, %2").arg(mark.packet).arg(counted(mark.length, tr("byte"), tr("bytes")));
    if (mark.original != 0) text += tr(", first sent in packet %1").arg(mark.original);
    if (mark.delay_ns != no_time) text += tr(", %1 before").arg(short_duration(mark.delay_ns));
    if (mark.sent_ns < mark.time_ns) {
        text +=
            QLatin1Char('\n') +
            tr("sent %1 before it was captured, estimated").arg(short_duration(mark.time_ns - mark.sent_ns));
    }
    if (mark.count > 1) text += QLatin1Char('\n') + tr("and %1 more soon after").arg(mark.count - 1);
    return text;
}

}  // namespace

const Lane& tcp_lane(size_t direction) {
    static const TcpLane lanes[] = {TcpLane(0), TcpLane(1)};
    return lanes[direction];
}

}  // namespace sanscope
