// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/iscsi_traffic.h"

#include <algorithm>

namespace sanscope {
namespace {

void add(TimeRange& range, int64_t begin_ns, int64_t last_ns) {
    if (begin_ns == no_time || last_ns == no_time) return;
    range.begin_ns = range.empty() ? begin_ns : std::min(range.begin_ns, begin_ns);
    range.end_ns = std::max(range.end_ns, last_ns + 1);
}

int64_t last_loss_ns(const CaptureData::Reading& reading, const ConnectionTrack& track) {
    int64_t last_ns = no_time;
    for (const SenderTrack& sender : track.senders) {
        for (size_t i = sender.losses.size(); i > 0; --i) {
            const LossRow& loss = reading.store().losses()[sender.losses[i - 1]];
            if (loss.kind == LossKind::keep_alive) continue;
            last_ns = std::max(last_ns, loss.time_ns);
            break;
        }
    }
    return last_ns;
}

// Somebody waits for the rest of a PDU, or for an answer, until the connection ends.
int64_t last_ns_of(const CaptureData::Reading& reading, const ConnectionTrack& track,
                   const ConnectionRow& connection) {
    const PduRow& last = reading.store().pdus()[track.pdus.back()];
    if (last.last_packet == 0 || !track.unended.empty())
        return connection.end_ns == no_time ? reading.timeline().last_ns() : connection.end_ns;
    return std::max(reading.timeline().time_of(last.last_packet), last_loss_ns(reading, track));
}

}  // namespace

TimeRange iscsi_traffic(const CaptureData::Reading& reading) {
    TimeRange range;
    const auto& connections = reading.store().connections();
    for (uint32_t number = 1; number <= connections.size(); ++number) {
        const ConnectionTrack* const track = reading.timeline().track(number);
        if (track == nullptr) continue;
        if (!track->pdus.empty()) {
            const PduRow& first = reading.store().pdus()[track->pdus.front()];
            add(range, reading.timeline().time_of(first.first_packet),
                last_ns_of(reading, *track, connections[number - 1]));
        }
        if (!track->commands.empty()) {
            const int64_t begin_ns = Timeline::start_of(reading.store().commands()[track->commands.front()]);
            add(range, begin_ns, std::max(begin_ns, track->last_end_ns));
        }
    }
    return range;
}

bool is_idle(const CaptureData::Reading& reading, uint32_t connection) {
    constexpr uint64_t handful = 4096;
    const ConnectionRow& row = reading.store().connection(connection);
    if (row.bytes_out + row.bytes_in > handful || row.retransmissions_out + row.retransmissions_in > 0)
        return false;
    const ConnectionTrack* const track = reading.timeline().track(connection);
    return track == nullptr || (track->pdus.empty() && track->commands.empty());
}

}  // namespace sanscope
