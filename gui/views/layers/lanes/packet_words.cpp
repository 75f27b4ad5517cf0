// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lanes/packet_words.h"

#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/translated.h"

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

using layers_view::tr;

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

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString column_moment(const LaneScene& scene, size_t index, const Lane::Moment& moment) {
    return tr("%1, %2 long")
        .arg(moment(scene.prepared.column(index).begin_ns), short_duration(scene.prepared.ns_per_column));
}

QString packet_words(const LaneScene& scene, const LaneHit& hit, const Lane::Moment& moment) {
    if (hit.what == LaneHit::What::column) {
        const TrafficColumn& column = scene.picture.traffic[hit.index];
        return column_moment(scene, hit.index, moment) + QLatin1Char('\n') +
               tr("%1 with %2 of payload")
                   .arg(counted(column.packets[hit.direction], tr("packet"), tr("packets")),
                        short_bytes(static_cast<double>(column.payload[hit.direction])));
    }
    const PacketTick& tick = scene.picture.ticks[hit.direction][hit.index];
    return tr("packet %1, %2\n%3\n%4 B of payload, %5 B on the wire\nseq %6, ack %7")
        .arg(tick.packet)
        .arg(hit.direction == 0 ? tr("to the target") : tr("to the initiator"),
             moment(tick.time_ns) + QStringLiteral("  ") + flags_text(tick.flags))
        .arg(tick.payload)
        .arg(tick.wire_length)
        .arg(tick.seq)
        .arg(tick.ack);
}

LaneHit packet_hit(const LaneScene& scene, size_t direction, QPointF at) {
    const auto& ticks = scene.picture.ticks[direction];
    // Anywhere above or below it.
    const size_t index = nearest(ticks, at, scene.place.height, [&](const PacketTick& tick) {
        return rect_of(tick, scene.place, 1, scene.viewport);
    });
    if (index >= ticks.size()) return {};
    return {LaneHit::What::item, direction, index, {Selection::Kind::packet, ticks[index].packet}, {}};
}

LaneHit traffic_hit(const LaneScene& scene, size_t direction, QPointF at) {
    size_t index = 0;
    const auto& columns = scene.picture.traffic;
    if (!column_at(columns, scene.prepared, scene.viewport.time_at(at.x()), index)) return {};
    if (columns[index].packets[direction] == 0) return {};
    return {LaneHit::What::column, direction, index, {}, {}};
}

}  // namespace sanscope
