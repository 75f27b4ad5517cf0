// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/story.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr int neighbours = 6;  // packets of the connection on either side
constexpr int64_t long_pause_ns =
    1'000'000'000;  // what lies beyond one is another story, but for its first packet
constexpr int64_t short_round_trip_ns = 100'000;  // where none was measured
constexpr size_t most_packets_searched = 20'000;  // of other connections in between

class Story {
  public:
    Story(const CaptureData::Reading& reading, const SelectedThings& things)
        : store_(reading.store()), timeline_(reading.timeline()), reading_(reading), things_(things) {}

    TimeRange tell() {
        const PacketNumber packet = things_.packet;
        if (packet == 0 || packet > reading_.index().packets()) return things_.range;
        range_ = things_.range;
        include(timeline_.time_of(packet));
        include_loss(packet);
        include_pdu();
        include_answer();
        include_neighbours(packet, -1);
        include_neighbours(packet, 1);
        widen_to_a_round_trip(timeline_.time_of(packet));
        return range_;
    }

  private:
    void include(int64_t time_ns) {
        if (time_ns == no_time) return;
        if (range_.empty()) {
            range_ = {time_ns, time_ns + 1};
        } else {
            range_ = {std::min(range_.begin_ns, time_ns), std::max(range_.end_ns, time_ns + 1)};
        }
    }

    // The first copy; where it was lost before it came by here, the moment it was sent at as far as that is known.
    void include_loss(PacketNumber packet) {
        for (const LossRow& row : store_.losses()) {
            if (row.packet != packet) continue;
            repeats_ = true;
            include(row.time_ns);
            if (row.original_packet != 0 && row.original_packet <= reading_.index().packets()) {
                include(timeline_.time_of(row.original_packet));
            }
            if (row.delay_ns != no_time && row.time_ns != no_time) include(row.time_ns - row.delay_ns);
        }
    }

    void include_pdu() {
        if (things_.pdu == 0 || things_.pdu > store_.pdus().size()) return;
        const PduRow& row = store_.pdus()[things_.pdu - 1];
        include(row.time_ns);
        if (row.first_packet != 0 && row.first_packet <= reading_.index().packets()) {
            include(timeline_.time_of(row.first_packet));
        }
    }

    // What waited for the repeated data: the command, if its answer came about as soon as the data could be had.
    void include_answer() {
        if (!repeats_ || things_.command == 0 || things_.command > store_.commands().size()) return;
        const CommandRow& row = store_.commands()[things_.command - 1];
        const int64_t half_of_soon_ns = std::max(range_.span_ns(), round_trip_ns());
        if (row.response_ns == no_time || row.response_ns / 2 - range_.end_ns / 2 >= half_of_soon_ns) return;
        include(row.response_ns);
    }

    void include_neighbours(PacketNumber packet, int direction) {
        const auto& segments = store_.segments();
        int64_t last_ns = timeline_.time_of(packet);
        int found = 0;
        const size_t packets = std::min<size_t>(segments.size(), reading_.index().packets());
        for (size_t step = 1; step <= most_packets_searched && found < neighbours; ++step) {
            if (direction < 0 ? step >= packet : packet + step > packets) return;
            const PacketNumber number = direction < 0 ? packet - step : packet + step;
            if (things_.connection == 0 || segments[number - 1].connection != things_.connection) continue;
            const int64_t time_ns = timeline_.time_of(number);
            const bool paused = time_ns - last_ns > long_pause_ns || last_ns - time_ns > long_pause_ns;
            if (paused && found > 0) return;
            include(time_ns);
            if (paused) return;
            last_ns = time_ns;
            ++found;
        }
    }

    int64_t round_trip_ns() const {
        if (things_.connection == 0 || things_.connection > store_.connections().size()) {
            return short_round_trip_ns;
        }
        const int64_t rtt_ns = store_.connections()[things_.connection - 1].rtt_min_ns;
        return rtt_ns == no_time ? short_round_trip_ns : std::max(rtt_ns, short_round_trip_ns);
    }

    void widen_to_a_round_trip(int64_t about_ns) {
        const int64_t rtt_ns = round_trip_ns();
        if (range_.span_ns() >= rtt_ns) return;
        include(about_ns - rtt_ns / 2);
        include(about_ns + rtt_ns / 2);
    }

    const ResultStore& store_;
    const Timeline& timeline_;
    const CaptureData::Reading& reading_;
    const SelectedThings& things_;
    TimeRange range_;
    bool repeats_ = false;
};

}  // namespace

TimeRange story_of_packet(const CaptureData::Reading& reading, const SelectedThings& things) {
    return Story(reading, things).tell();
}

}  // namespace sanscope
