// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/plot/state_band.h"
#include "gui/senders/sender_list.h"

namespace sanscope {

// How far the record of that sender's kernel reaches: behind its last word, nanoseconds; no_time where it said none. What it
// had from then on is not known: the record may have ended long before the capture.
int64_t end_of_kernel_record(const ResultStore& store, const SenderTrack& track);

// Whether the kernel told any congestion state of that sender, in sight or not.
bool has_kernel_ca(const ResultStore& store, const SenderTrack& track);

// The congestion states of a sender as its own kernel reported them, CaState by number; nothing where it reported none.
// Holds until the end of that record.
StateBand kernel_ca_band(const CaptureData::Reading& reading, const SenderTrack& track,
                         const PreparedRange& prepared);

}  // namespace sanscope
