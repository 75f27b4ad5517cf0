// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/points/points_of_path.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A moment of another point's clock, put on this one's by the middle of what their offset can be: it is that, or up to
// `plus_minus_ns` earlier or later. All moments of a stretch without steps are off by nearly the same.
struct MeasuredMoment {
    int64_t time_ns = no_time;  // no_time: the clocks are not known then
    int64_t plus_minus_ns = 0;
    bool known() const { return time_ns != no_time; }
};

// One packet at two points: this one, whose capture is open, and the far one.
struct MeasuredPacket {
    PacketNumber packet = 0;      // here; 0: this capture lacks it
    PacketNumber far_packet = 0;  // there, the first with its bytes; 0: none has any
    uint32_t far_packets = 0;     // how many carried them: offload makes others
    MeasuredMoment far;           // there: when the last of its bytes arrived, or the first left
    uint32_t seq = 0;             // as in the header; of what was seen there alone, as the next one
    uint32_t length = 0;
    uint32_t lost = 0;  // of its bytes, how many did not come from one point to the other
    // What became of it, if the points tell more than that both saw it.
    bool judged = false;
    CopyVerdict verdict = CopyVerdict::unclear;
};

// The packets of one connection at two points of its path.
class MeasuredTransits {
  public:
    // In `side_of`: of each of the connection's directions, by Way of the first point's capture.
    struct Ends {
        size_t far_point = 0;           // index into PathPoints::points; this one is 0
        bool here_is_initiator = true;  // this point is nearer to the initiator than the far one
    };

    // Of the connection that is `near` at the first two points, and has the index `connection_far` at the far one. `turned`: what
    // that calls `out` is `in` here.
    MeasuredTransits(const PathPoints& path, const Ends& ends, const ConnectionAtPoints& near,
                     size_t connection_far, bool turned);

    const Ends& ends() const { return ends_; }
    // By packet, of what this capture has; nullptr for one that says nothing.
    const MeasuredPacket* find(Role sender, PacketNumber packet) const;
    // What the far point alone saw, in order of time here; only such of which it is known what became of it.
    std::span<const MeasuredPacket> far_only(Role sender) const { return far_only_[index_of(sender)]; }
    // The stretch of time here in which both captures were on.
    int64_t first_ns() const { return first_ns_; }
    int64_t last_ns() const { return last_ns_; }
    // The least time there and back between the points, which is how wide the band of their offset is at best; no_time where the
    // clocks are not known.
    int64_t round_trip_ns() const { return round_trip_ns_; }

  private:
    struct Sides;
    void add_way(const Sides& sides, Way way);
    void add_fates(const Sides& sides, Way way);

    Ends ends_;
    std::vector<MeasuredPacket> here_[2];  // by Role of the sender
    std::vector<MeasuredPacket> far_only_[2];
    int64_t first_ns_ = no_time;
    int64_t last_ns_ = no_time;
    int64_t round_trip_ns_ = no_time;
};

// The same moment by a's clock, of one that b's shows.
MeasuredMoment at_a(const ClockEstimate& clock, int64_t time_at_b_ns);

}  // namespace sanscope
