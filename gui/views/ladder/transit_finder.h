// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/measured_transits.h"
#include "gui/document/time_range.h"
#include "gui/views/ladder/path_delay.h"

namespace sanscope {

// When packets of a connection left and arrived. The end seen in the capture is exact. The other one is half a round trip
// away, unless the replay of a far sender knows better when a packet left: it may have waited in a queue on its way.
class TransitFinder {
  public:
    // For packets about that range; the connection must have a track.
    // `points`: what the far point of a path saw of it, in place of all that is estimated; nullptr: none.
    TransitFinder(const CaptureData::Reading& reading, uint32_t connection, TimeRange range,
                  std::shared_ptr<const MeasuredTransits> points = nullptr);

    const MeasuredTransits* points() const { return points_.get(); }

    const PathDelay& delay() const { return delay_; }
    Role role_of(Side side) const { return side == initiator_ ? Role::initiator : Role::target; }
    PacketTransit transit(PacketNumber packet, Role sender, int64_t captured_ns) const;
    // How long before and behind a stretch of time the capture of a packet may lie whose way touches it.
    int64_t reach_ns() const { return reach_ns_; }

  private:
    void take_windows(const CaptureData::Reading& reading, const SenderTrack& track, Role sender,
                      TimeRange range);

    std::shared_ptr<const MeasuredTransits> points_;
    PathDelay delay_;
    Side initiator_ = Side::a;
    int64_t reach_ns_ = 0;
    std::vector<std::pair<uint32_t, int64_t>> left_[2];  // by packet; of the initiator, of the target
};

}  // namespace sanscope
