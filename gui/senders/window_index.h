// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "gui/senders/sender_list.h"

#include "analyzer/timeline/lod_pyramid.h"

namespace sanscope {

// What a sender's track lacks for drawing all of its windows at any scale: made when a sender is first looked at, some tens
// of nanoseconds a window, 3 bytes each. One thread at a time.
class WindowIndex {
  public:
    // Takes in the windows that came since the last time.
    void follow(const ResultStore& store, const SenderTrack& track);

    // Of the positions in SenderTrack::windows.
    const LodPyramid<uint32_t>& cwnd_low() const { return low_; }
    const LodPyramid<uint32_t>& cwnd_high() const { return high_; }
    const LodPyramid<uint32_t>& ssthresh() const { return ssthresh_; }
    // Positions whose `limit` is not that of the one before; the first is one.
    const std::vector<uint32_t>& limit_changes() const { return limit_changes_; }

  private:
    size_t taken_ = 0;
    SendLimit limit_ = SendLimit::unknown;
    LodPyramid<uint32_t> low_{unknown<uint32_t>};
    LodPyramid<uint32_t> high_{unknown<uint32_t>};
    LodPyramid<uint32_t> ssthresh_{unknown<uint32_t>};
    std::vector<uint32_t> limit_changes_;
};

// Those of the senders looked at so far. One thread at a time.
class WindowIndexes {
  public:
    // Up to date with the reading; nullptr where the sender has no track.
    const WindowIndex* of(const CaptureData::Reading& reading, SenderId sender);

  private:
    static constexpr size_t most = 64;  // senders remembered
    std::map<SenderId, WindowIndex> indexes_;
};

}  // namespace sanscope
