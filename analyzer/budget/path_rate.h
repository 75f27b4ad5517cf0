// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/send_track.h"

namespace sanscope {

// A segment of at least so many bytes is a full one, behind which more may follow at once: TCP options and padding leave it
// below what was announced. `mss` as below.
uint32_t full_segment(uint32_t mss);

// How long one byte takes on the path of a sender's data, nanoseconds: what the fastest tenth of its bytes took, in runs of
// several segments back to back, as sent and as acknowledged, whichever is slower: where the tap is at the sender, what it
// sends comes in bursts, and where it is not, acknowledgements tell of bytes that were given up. A round trip in which the
// window stood still counts among the slow ones. 0: there were too few such runs to tell.
//
// `mss`: the largest segment's payload, bytes; 0 if unknown. `rtt_ns`: the least round trip, no_time if unknown; a silence of about
// that behind a burst is the window's, not the path's. One pass over the steps.
double byte_time_ns(const SendTrack& track, uint32_t mss, int64_t rtt_ns);

}  // namespace sanscope
