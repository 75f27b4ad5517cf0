// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "gui/document/filter_result.h"
#include "gui/plot/step_series.h"
#include "gui/views/time_sequence/sequence_index.h"

namespace sanscope {

// A segment: from its first byte to the one behind its last.
struct SegmentBar {
    int64_t time_ns = 0;  // of capture
    int64_t begin = 0;
    int64_t end = 0;
    PacketNumber packet = 0;
    uint8_t flags = 0;
    bool passes = true;
};
// All segments of a column of time.
struct SegmentColumn {
    int64_t time_ns = 0;
    int64_t begin = 0;
    int64_t end = 0;
    uint32_t segments = 0;
};
// Bytes that were sent again, or that no packet captured.
struct LossBar {
    int64_t time_ns = 0;
    int64_t begin = 0;
    int64_t end = 0;
    uint64_t row = 0;  // 1-based
    PacketNumber packet = 0;
    LossKind kind = LossKind::rto;
    int64_t sent_ns = 0;  // estimated where the capture was not taken at the sender
    bool passes = true;
};
// Bytes that an acknowledgement says to have arrived beyond a gap.
struct SackBar {
    int64_t time_ns = 0;
    int64_t begin = 0;
    int64_t end = 0;
    PacketNumber packet = 0;
    bool duplicate = false;  // a D-SACK (RFC 2883): had arrived before
};
struct ThroughputBin {
    int64_t begin_ns = 0;
    uint64_t bytes = 0;
};

// What is drawn of one sender's stream. Sequence numbers are bytes from its begin.
struct SequencePicture {
    PreparedRange prepared;
    SenderId sender;
    bool is_target = false;
    int64_t until_ns = 0;
    bool near = false;                   // segments are reported one by one
    std::vector<SegmentBar> segments;    // in order of time; near only
    std::vector<SegmentColumn> columns;  // likewise; far only
    std::vector<LossBar> losses;         // far: not all of those that share some pixels
    StepSeries acknowledged;
    StepSeries window_edge;
    std::vector<SackBar> sacks;  // near only
    StepSeries srtt;             // nanoseconds
    int64_t bin_ns = 1;
    std::vector<ThroughputBin> throughput;
    bool any = false;  // the sender has segments at all
};

// Packets with acknowledgements whose options are read for a picture at most.
constexpr size_t most_sack_packets = 3000;

// Any thread; `indexes` is this one's alone meanwhile. Reads packets from the disk where single ones are in sight.
SequencePicture prepare_sequence(const CaptureData::Reading& reading, SenderId sender,
                                 const PreparedRange& prepared, const FilterResult* filter,
                                 SequenceIndexes& indexes);

// The bar nearest to a point in pixels, of those not farther from it than `reach`; nullptr: none.
const SegmentBar* segment_at(const SequencePicture& picture, const TimeViewport& time,
                             const ValueScale& scale, double x, double y, double reach);
const LossBar* loss_at(const SequencePicture& picture, const TimeViewport& time, const ValueScale& scale,
                       double x, double y, double reach);

// A round width of at least so many nanoseconds: 1, 2 or 5 times a power of ten.
int64_t round_bin(int64_t least_ns);

}  // namespace sanscope
