// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/prepare_ladder.h"

#include <algorithm>

#include "gui/senders/sender_list.h"
#include "gui/views/ladder/ladder_groups.h"
#include "gui/views/ladder/ladder_packets.h"
#include "gui/views/ladder/ladder_sender.h"

namespace sanscope {
namespace {

// Pixels that one of them takes at least, on average where there are any.
constexpr double least_packet_pixels = 3;  // of its direction
constexpr double least_group_pixels = 6;

// How many pixels of a stretch are near enough to one of some rows to count as theirs.
class Busy {
  public:
    explicit Busy(const LadderRequest& request)
        : begin_ns_(request.prepared.range.begin_ns),
          cell_ns_(std::max<int64_t>(1, static_cast<int64_t>(request.ns_per_pixel * cell_pixels))) {}

    // The moments of one list, in order.
    void begin_list() { last_ = -1; }
    void add(int64_t time_ns) {
        const int64_t cell = (time_ns - begin_ns_) / cell_ns_;
        if (cell != last_) ++cells_;
        last_ = cell;
    }
    double pixels() const { return static_cast<double>(cells_) * cell_pixels; }

  private:
    static constexpr double cell_pixels = 16;
    int64_t begin_ns_;
    int64_t cell_ns_;
    int64_t last_ = -1;
    size_t cells_ = 0;
};

bool has_room(const CaptureData::Reading& reading, const LadderRequest& request, const ConnectionTrack& track,
              LadderDetail detail) {
    const TimeRange range = request.prepared.range;
    const bool automatic = request.detail == LadderDetail::automatic;
    Busy busy(request);
    size_t count = 0;
    double least_pixels = least_group_pixels;
    const auto look = [&](const auto& rows, auto time_at) {
        busy.begin_list();
        for (size_t i = first_not_before(rows, range.begin_ns, time_at); i < rows.size(); ++i, ++count) {
            const int64_t time_ns = time_at(rows[i]);
            if (time_ns >= range.end_ns) break;
            busy.add(time_ns);
        }
    };
    switch (detail) {
        case LadderDetail::packets:
            if (count_segments(reading, track, range) > most_ladder_arrows) return false;
            least_pixels = least_packet_pixels;
            for (const SenderTrack& sender : track.senders)
                look(sender.segments, [&](uint32_t row) { return reading.timeline().time_of(row + 1); });
            break;
        case LadderDetail::pdus:
            if (track.pdus.empty() || count_pdus(reading, track, range) > most_ladder_groups) return false;
            look(track.pdus, [&](uint32_t row) { return time_of_pdu(reading, row); });
            break;
        default:
            if (track.commands.empty() || count_commands(reading, track, range) > most_ladder_groups)
                return false;
            look(track.commands,
                 [&](uint32_t row) { return Timeline::start_of(reading.store().commands()[row]); });
            break;
    }
    return !automatic || static_cast<double>(count) * least_pixels <= busy.pixels();
}

LadderDetail choose_detail(const CaptureData::Reading& reading, const LadderRequest& request,
                           const ConnectionTrack& track) {
    for (const LadderDetail detail : {LadderDetail::packets, LadderDetail::pdus, LadderDetail::commands}) {
        if (request.detail != LadderDetail::automatic && request.detail != detail) continue;
        if (has_room(reading, request, track, detail)) return detail;
    }
    return LadderDetail::density;
}

// What the far end of the path has to say of the connection; nullptr where it has nothing.
std::shared_ptr<const MeasuredTransits> take_points(const CaptureData::Reading& reading,
                                                    const LadderRequest& request, LadderPicture& picture) {
    if (request.points == nullptr) return nullptr;
    const auto name = [&](size_t point) {
        return QString::fromStdString(request.points->path().points[point]->name());
    };
    LadderPoints& points = picture.points.emplace();
    points.here = name(0);
    auto measured = request.points->transits(reading.store(), request.connection, request.farthest_point);
    if (measured == nullptr) return nullptr;
    points.far = name(measured->ends().far_point);
    points.here_is_initiator = measured->ends().here_is_initiator;
    points.known =
        measured->round_trip_ns() == no_time ? LadderPoints::Known::no_clock : LadderPoints::Known::both_ends;
    return measured;
}

void count_measured(LadderPicture& picture) {
    if (!picture.points) return;
    for (const LadderArrow& arrow : picture.arrows) {
        if (!arrow.measured) continue;
        picture.points->plus_minus_ns = std::max(picture.points->plus_minus_ns, arrow.plus_minus_ns);
        // Those that arrived; of the others one end is estimated.
        if (picture.detail != LadderDetail::packets || arrow.packet == 0 || arrow.far_packet == 0) continue;
        ++picture.points->measured;
        if (arrow.transit.arrival_ns - arrow.transit.left_ns < 2 * arrow.plus_minus_ns)
            ++picture.points->within_band;
    }
}

}  // namespace

LadderPicture prepare_ladder(const CaptureData::Reading& reading, const LadderRequest& request,
                             const StopFlag& stop) {
    LadderPicture picture;
    picture.prepared = request.prepared;
    picture.connection = request.connection;
    picture.sender_is_target = request.sender_is_target;
    picture.asked = request.detail;
    picture.farthest_point = request.farthest_point;
    if (request.connection == 0 || request.connection > reading.store().connections().size()) return picture;
    const ConnectionRow& row = reading.store().connections()[request.connection - 1];
    picture.initiator = endpoint_text(row.initiator);
    picture.target = endpoint_text(row.target);
    picture.iscsi = row.iscsi;
    auto measured = take_points(reading, request, picture);
    picture.delay = measured != nullptr && measured->round_trip_ns() != no_time
                        ? PathDelay::between(measured->round_trip_ns(), measured->ends().here_is_initiator)
                        : PathDelay::of(reading.store(), request.connection);
    if (row.start_ns != no_time && row.end_ns != no_time) {
        picture.life = {within_reach(row.start_ns) - picture.delay.one_way_ns(),
                        within_reach(row.end_ns) + picture.delay.one_way_ns() + 1};
    }
    const ConnectionTrack* track = reading.timeline().track(request.connection);
    if (track == nullptr || request.prepared.range.empty()) return picture;
    picture.has_track = true;
    const TransitFinder transits(reading, request.connection, request.prepared.range, std::move(measured));
    picture.detail = choose_detail(reading, request, *track);
    const bool packets = picture.detail == LadderDetail::packets;
    add_arrows(reading, request, transits, packets, picture, stop);
    if (picture.detail == LadderDetail::density) add_density(reading, request, picture);
    if (picture.detail == LadderDetail::pdus || packets) add_pdus(reading, request, transits, picture);
    if (picture.detail == LadderDetail::commands) add_commands(reading, request, transits, picture);
    count_measured(picture);
    add_sender(reading, request, picture);
    return picture;
}

}  // namespace sanscope
