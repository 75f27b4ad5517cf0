// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/points/point_capture.h"

namespace sanscope {

// A connection that two captures have.
struct SharedConnection {
    size_t a = 0;  // indices into PointCapture::connections()
    size_t b = 0;
    bool translated = false;  // its addresses or ports are others at b
    // What b takes for the direction `out` is `in` at a: no SYN was captured at one of them.
    bool turned = false;
};

// By addresses and ports; where NAT changed those, by the sequence numbers of both SYNs, or by those of segments with their
// timestamps. Each connection is in one pair at most; what several could be is left out. In order of `a`.
std::vector<SharedConnection> match_connections(const PointCapture& a, const PointCapture& b);

}  // namespace sanscope
