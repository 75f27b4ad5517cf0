// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/points/point_capture.h"

namespace sanscope {

// What two points saw of one direction of a connection, laid side by side: by bytes, since segmentation and receive offload
// make other packets of them at each point.

// A segment as it lies in its stream. Positions count from the first segment at the first point, beyond 32 bits.
struct Copy {
    int64_t begin = 0;
    int64_t end = 0;     // begin where it carries no bytes
    uint32_t place = 0;  // of its record in its PointCapture
    int64_t shared = 0;  // of its bytes so many were found at the other point
    // It is one of several that nothing tells apart, of which not all were seen at both points.
    bool ambiguous = false;

    bool operator==(const Copy&) const = default;
};

// The same transmission of some bytes at both points.
struct CopyPair {
    uint32_t a = 0;  // indices into StreamMatch::a and ::b
    uint32_t b = 0;
    int64_t begin = 0;  // the bytes they have in common
    int64_t end = 0;
    bool sure = true;  // false: one of several that are told apart by their order alone
};

struct StreamMatch {
    std::vector<Copy>
        a;  // segments with payload, in the order of the capture, the same one captured twice but once
    std::vector<Copy> b;
    std::vector<CopyPair> pairs;  // in the order of `a`
    // Segments without payload, found by what their headers say: places of the records.
    struct EmptyPair {
        uint32_t a = 0;
        uint32_t b = 0;
    };
    std::vector<EmptyPair> empty_pairs;
    bool ip_ids_kept = false;  // IPv4 identifications are the same at both points
    int64_t bytes_a = 0;       // payload of all copies
    int64_t bytes_b = 0;
    int64_t bytes_shared = 0;
};

// One direction of one connection in both captures. Nothing is found where the streams have nothing in common, or nothing
// tells which of several stretches of 4 GiB is meant.
StreamMatch match_streams(const PointCapture& a, size_t connection_a, Way way_a, const PointCapture& b,
                          size_t connection_b, Way way_b);

}  // namespace sanscope
