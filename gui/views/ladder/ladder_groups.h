// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/views/ladder/ladder_picture.h"
#include "gui/views/ladder/transit_finder.h"

namespace sanscope {

constexpr size_t most_ladder_groups = 1000;  // PDUs, commands in one picture

// By which PDUs are in order: completion, else the first packet; no_time where neither is known.
int64_t time_of_pdu(const CaptureData::Reading& reading, uint32_t row);

// Of the connection, in the stretch: PDUs completed, commands begun.
size_t count_pdus(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range);
size_t count_commands(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range);

// Fills in pdus, commands: those that are under way in picture.prepared.range, most_ladder_groups of them at most.
void add_pdus(const CaptureData::Reading& reading, const LadderRequest& request,
              const TransitFinder& transits, LadderPicture& picture);
void add_commands(const CaptureData::Reading& reading, const LadderRequest& request,
                  const TransitFinder& transits, LadderPicture& picture);

}  // namespace sanscope
