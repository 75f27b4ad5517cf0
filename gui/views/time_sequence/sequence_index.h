// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gui/senders/sender_list.h"

#include "analyzer/timeline/lod_pyramid.h"

namespace sanscope {

// The sequence numbers of one sender's stream without their wrapping: bytes from where the stream begins (the first byte
// behind the SYN, where that was seen). Made when a sender is first looked at; some tens of nanoseconds and 6 bytes a
// segment. One thread at a time.
class SequenceIndex {
  public:
    // What is before the stream's begin (a SYN's own number, a keep-alive's) has negative numbers.
    using Sequence = int64_t;

    // Takes in what came since the last time.
    void follow(const CaptureData::Reading& reading, SenderId sender);

    // Positions among the sender's windows of what the receiver's packets told, in order of their capture: the sender's own
    // moments are estimated where the capture was taken far from it, and all that is drawn has one clock.
    const std::vector<uint32_t>& told() const { return told_; }
    // Of the segment, of the window (what is acknowledged, what may be sent) at a position of the sender's track.
    Sequence begin_of(const ResultStore& store, const SenderTrack& track, size_t segment) const;
    Sequence end_of(const ResultStore& store, const SenderTrack& track, size_t segment) const;
    Sequence acknowledged(const ResultStore& store, const SenderTrack& track, size_t window) const;
    // A number near the segment at that position.
    Sequence near(uint32_t seq, size_t segment) const {
        return unwrap(seq, segment_bases_[segment / stride]);
    }

    const LodPyramid<Sequence>& begins() const { return begins_; }  // of segments with payload
    const LodPyramid<Sequence>& ends() const { return ends_; }
    const LodPyramid<int64_t>& srtt() const { return srtt_; }  // of told(); nanoseconds

    static constexpr Sequence none = INT64_MIN;

    // The number with these lower 32 bits (counted from `zero`) that is nearest to `base`.
    Sequence unwrap(uint32_t seq, Sequence base) const {
        return base + static_cast<int32_t>(seq - zero_ - static_cast<uint32_t>(base));
    }

  private:
    static constexpr size_t stride = 256;  // segments or windows that share a base

    uint32_t zero_ = 0;
    bool begun_ = false;
    Sequence last_segment_ = 0;
    Sequence last_window_ = 0;
    size_t segments_ = 0;
    size_t windows_ = 0;
    std::vector<Sequence> segment_bases_;  // of every stride-th
    std::vector<Sequence> window_bases_;
    std::vector<uint32_t> told_;
    int64_t last_told_ns_ = no_time;
    LodPyramid<Sequence> begins_{none};
    LodPyramid<Sequence> ends_{none};
    LodPyramid<int64_t> srtt_{no_time};
};

// Those of the senders looked at so far. One thread at a time.
class SequenceIndexes {
  public:
    // Up to date with the reading; nullptr where the sender has no track.
    const SequenceIndex* of(const CaptureData::Reading& reading, SenderId sender);

  private:
    static constexpr size_t most = 64;
    std::map<SenderId, SequenceIndex> indexes_;
};

}  // namespace sanscope
