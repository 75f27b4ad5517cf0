// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/prepare_ladder.h"

#include "gui/views/ladder/ladder_groups.h"
#include "gui/views/ladder/ladder_packets.h"
#include "gui/views/ladder/ladder_sender.h"

namespace sanscope {
namespace {

// Pixels that one of them takes at least, on average.
constexpr double least_packet_pixels = 1.7;
constexpr double least_group_pixels = 7;

QString endpoint_words(const Endpoint& endpoint) {
    return QString::fromStdString(format_endpoint(endpoint.address, endpoint.port));
}

LadderDetail choose_detail(const CaptureData::Reading& reading, const LadderRequest& request,
                           const ConnectionTrack& track) {
    const TimeRange range = request.prepared.range;
    const double pixels = static_cast<double>(range.span_ns()) / request.ns_per_pixel;
    const bool automatic = request.detail == LadderDetail::automatic;
    const auto fits = [&](LadderDetail detail, size_t count, size_t most, double least_pixels) {
        if (!automatic && request.detail != detail) return false;
        return count <= most && (!automatic || static_cast<double>(count) * least_pixels <= pixels);
    };
    if (fits(LadderDetail::packets, count_segments(reading, track, range), most_ladder_arrows,
             least_packet_pixels))
        return LadderDetail::packets;
    // Without any, there is nothing to group by.
    if (!track.pdus.empty() &&
        fits(LadderDetail::pdus, count_pdus(reading, track, range), most_ladder_groups, least_group_pixels))
        return LadderDetail::pdus;
    if (!track.commands.empty() && fits(LadderDetail::commands, count_commands(reading, track, range),
                                        most_ladder_groups, least_group_pixels))
        return LadderDetail::commands;
    return LadderDetail::density;
}

}  // namespace

LadderPicture prepare_ladder(const CaptureData::Reading& reading, const LadderRequest& request,
                             const StopFlag& stop) {
    LadderPicture picture;
    picture.prepared = request.prepared;
    picture.connection = request.connection;
    picture.sender_is_target = request.sender_is_target;
    picture.asked = request.detail;
    if (request.connection == 0 || request.connection > reading.store().connections().size()) return picture;
    const ConnectionRow& row = reading.store().connections()[request.connection - 1];
    picture.initiator = endpoint_words(row.initiator);
    picture.target = endpoint_words(row.target);
    picture.iscsi = row.iscsi;
    picture.delay = PathDelay::of(reading.store(), request.connection);
    const ConnectionTrack* track = reading.timeline().track(request.connection);
    if (track == nullptr || request.prepared.range.empty()) return picture;
    picture.has_track = true;
    const TripFinder trips(reading, request.connection, request.prepared.range);
    picture.detail = choose_detail(reading, request, *track);
    const bool packets = picture.detail == LadderDetail::packets;
    add_arrows(reading, request, trips, packets, picture, stop);
    if (picture.detail == LadderDetail::density) add_density(reading, request, picture);
    if (picture.detail == LadderDetail::pdus || (packets && picture.arrows.size() <= most_labelled_arrows))
        add_pdus(reading, request, trips, picture);
    if (picture.detail == LadderDetail::commands) add_commands(reading, request, trips, picture);
    add_sender(reading, request, picture);
    return picture;
}

}  // namespace sanscope
