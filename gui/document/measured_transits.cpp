// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/measured_transits.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analyzer/points/clock_band.h"
#include "analyzer/points/copy_matching.h"

namespace sanscope {
namespace {

// Where the clocks of two points that are no neighbours are compared by this connection alone.
ClockEstimate clock_of(const PointCapture& a, const PointCapture& b,
                       const std::array<StreamMatch, 2>& matches) {
    std::vector<ClockSample> samples;
    for (const Way way : {Way::out, Way::in}) {
        const StreamMatch& match = matches[index_of(way)];
        const auto add = [&](uint32_t place_a, uint32_t place_b) {
            const SegmentRecord& at_a = a.record(place_a);
            samples.push_back(
                {at_a.packet, at_a.time_ns, b.record(place_b).time_ns - at_a.time_ns, way == Way::out});
        };
        for (const CopyPair& pair : match.pairs) {
            if (pair.sure) add(match.a[pair.a].place, match.b[pair.b].place);
        }
        for (const StreamMatch::EmptyPair& pair : match.empty_pairs) add(pair.a, pair.b);
    }
    return estimate_clock(samples, a.resolution_ns() + b.resolution_ns());
}

MeasuredMoment moment(int64_t time_at_b_ns, const TimeBand& offset) {
    if (!offset.bounded()) return {};
    return {time_at_b_ns - offset.middle_ns(), (offset.width_ns() + 1) / 2};
}

}  // namespace

// Both captures, and what they make of the connection: `out` is from a to b, whoever the initiator is.
struct MeasuredTransits::Sides {
    const PointCapture& a;
    const PointCapture& b;
    std::array<StreamMatch, 2> matches;
    std::array<const WayResult*, 2> results;
    const ClockEstimate& clock;
};

MeasuredMoment at_a(const ClockEstimate& clock, int64_t time_at_b_ns) {
    // The stretch in which a's clock showed what it did then; before the first and behind the last one their lines go on.
    for (size_t i = 0; i < clock.stretches.size(); ++i) {
        const ClockStretch& stretch = clock.stretches[i];
        MeasuredMoment guess = moment(time_at_b_ns, stretch.offset(stretch.first_ns));
        if (!guess.known()) continue;
        guess = moment(time_at_b_ns, stretch.offset(guess.time_ns));
        const bool first = i == 0;
        const bool last = i + 1 == clock.stretches.size() && !clock.unstable;
        if ((first || guess.time_ns >= stretch.first_ns - guess.plus_minus_ns) &&
            (last || guess.time_ns <= stretch.last_ns + guess.plus_minus_ns))
            return guess;
    }
    return {};
}

MeasuredTransits::MeasuredTransits(const PathPoints& path, const Ends& ends, const ConnectionAtPoints& near,
                                   size_t connection_far, bool turned)
    : ends_(ends) {
    const PointCapture& a = *path.points.front();
    const PointCapture& b = *path.points[ends.far_point];
    first_ns_ = a.first_ns();
    last_ns_ = a.last_ns();
    ConnectionPlaces places{a, b, near.connection_a, connection_far, false, turned};
    if (near.contrary) {
        places.turned_a = !places.turned_a;
        places.turned_b = !places.turned_b;
    }
    std::array<StreamMatch, 2> matches;
    for (const Way way : {Way::out, Way::in}) {
        matches[index_of(way)] =
            match_streams(a, places.connection_a, places.at_a(way), b, places.connection_b, places.at_b(way));
    }
    ClockEstimate own_clock;
    std::array<WayResult, 2> own_results;
    std::array<const WayResult*, 2> results{&near.ways[near.contrary ? 1 : 0],
                                            &near.ways[near.contrary ? 0 : 1]};
    const bool neighbours = ends.far_point == 1;
    if (!neighbours) {
        own_clock = clock_of(a, b, matches);
        own_results = judge_ways(places, matches, own_clock);
        results = {own_results.data(), &own_results[1]};
    }
    const ClockEstimate& clock = neighbours ? path.pairs.front().clock : own_clock;
    for (const ClockStretch& stretch : clock.stretches) {
        if (!stretch.has_low || !stretch.has_high) continue;
        round_trip_ns_ = round_trip_ns_ == no_time ? stretch.least_round_trip_ns
                                                   : std::min(round_trip_ns_, stretch.least_round_trip_ns);
    }
    const Sides sides{a, b, std::move(matches), results, clock};
    for (const Way way : {Way::out, Way::in}) {
        add_way(sides, way);
        add_fates(sides, way);
    }
    for (const Role sender : {Role::initiator, Role::target}) {
        std::ranges::sort(here_[index_of(sender)], {}, &MeasuredPacket::packet);
        std::ranges::stable_sort(far_only_[index_of(sender)], {},
                                 [](const MeasuredPacket& packet) { return packet.far.time_ns; });
    }
}

void MeasuredTransits::add_way(const Sides& sides, Way way) {
    const StreamMatch& match = sides.matches[index_of(way)];
    const bool leaves_here = way == Way::out;
    const Role sender = leaves_here == ends_.here_is_initiator ? Role::initiator : Role::target;
    auto& here = here_[index_of(sender)];
    const auto far_moment = [&](const SegmentRecord& at_here, int64_t far_ns) {
        return moment(far_ns, sides.clock.offset(at_here.packet, at_here.time_ns));
    };
    size_t next = 0;
    for (size_t i = 0; i < match.a.size(); ++i) {
        const Copy& copy = match.a[i];
        const SegmentRecord& record = sides.a.record(copy.place);
        MeasuredPacket packet;
        packet.packet = record.packet;
        packet.seq = record.seq;
        packet.length = record.length;
        int64_t far_ns = no_time;
        while (next < match.pairs.size() && match.pairs[next].a < i) ++next;
        for (; next < match.pairs.size() && match.pairs[next].a == i; ++next) {
            const SegmentRecord& there = sides.b.record(match.b[match.pairs[next].b].place);
            if (packet.far_packets++ == 0) {
                packet.far_packet = there.packet;
                far_ns = there.time_ns;
            }
            packet.far_packet = std::min<PacketNumber>(packet.far_packet, there.packet);
            far_ns = leaves_here ? std::max(far_ns, there.time_ns) : std::min(far_ns, there.time_ns);
        }
        if (packet.far_packets > 0) packet.far = far_moment(record, far_ns);
        here.push_back(packet);
    }
    for (const StreamMatch::EmptyPair& pair : match.empty_pairs) {
        const SegmentRecord& record = sides.a.record(pair.a);
        const SegmentRecord& there = sides.b.record(pair.b);
        here.push_back({.packet = record.packet,
                        .far_packet = there.packet,
                        .far_packets = 1,
                        .far = far_moment(record, there.time_ns),
                        .seq = record.seq});
    }
}

void MeasuredTransits::add_fates(const Sides& sides, Way way) {
    const StreamMatch& match = sides.matches[index_of(way)];
    const bool leaves_here = way == Way::out;
    const Role sender = leaves_here == ends_.here_is_initiator ? Role::initiator : Role::target;
    auto& here = here_[index_of(sender)];
    std::unordered_map<PacketNumber, size_t> of_packet;
    for (size_t i = 0; i < here.size(); ++i) of_packet.emplace(here[i].packet, i);
    // What carried here what a packet there did.
    std::unordered_map<PacketNumber, PacketNumber> here_of_far;
    for (const CopyPair& pair : match.pairs) {
        here_of_far.emplace(sides.b.record(match.b[pair.b].place).packet,
                            sides.a.record(match.a[pair.a].place).packet);
    }
    for (const CopyFate& fate : sides.results[index_of(way)]->fates) {
        PacketNumber packet = fate.packet;
        if (fate.at_b) {
            const auto found = here_of_far.find(fate.packet);
            const bool both = found != here_of_far.end() && (fate.verdict == CopyVerdict::lost_beyond ||
                                                             fate.verdict == CopyVerdict::unclear);
            if (!both) {
                MeasuredPacket only{.far_packet = fate.packet,
                                    .far_packets = 1,
                                    .far = at_a(sides.clock, fate.time_ns),
                                    .seq = fate.seq,
                                    .length = fate.length,
                                    .judged = true,
                                    .verdict = fate.verdict};
                only.lost = fate.verdict == CopyVerdict::lost_between ? fate.length : 0;
                if (only.far.known()) far_only_[index_of(sender)].push_back(only);
                continue;
            }
            packet = found->second;
        }
        const auto place = of_packet.find(packet);
        if (place == of_packet.end()) continue;
        MeasuredPacket& seen = here[place->second];
        // Of several ranges the gravest is told: what was lost, before what nobody knows of.
        if (!seen.judged || fate.verdict < seen.verdict) seen.verdict = fate.verdict;
        seen.judged = true;
        if (fate.verdict == CopyVerdict::lost_between) seen.lost += fate.length;
    }
}

const MeasuredPacket* MeasuredTransits::find(Role sender, PacketNumber packet) const {
    const auto& here = here_[index_of(sender)];
    const auto found = std::ranges::lower_bound(here, packet, {}, &MeasuredPacket::packet);
    return found == here.end() || found->packet != packet ? nullptr : &*found;
}

}  // namespace sanscope
