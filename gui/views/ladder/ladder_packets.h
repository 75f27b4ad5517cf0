// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/latest_job.h"
#include "gui/views/ladder/ladder_picture.h"
#include "gui/views/ladder/transit_finder.h"

namespace sanscope {

// Beyond so many, arrows are not drawn one by one.
constexpr size_t most_ladder_arrows = 4000;
// Where there are more, nothing is written along them, and no packet is read for its SACK blocks.
constexpr size_t most_labelled_arrows = 700;

// Segments of the connection that were captured in the stretch.
size_t count_segments(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range);

// Fills in arrows, links and folded_losses: of all segments whose way touches picture.prepared.range, or only of those sent
// again and what they repeat. Arrows and links are cut to most_ladder_arrows; losses beyond are folded by pixel.
void add_arrows(const CaptureData::Reading& reading, const LadderRequest& request,
                const TransitFinder& transits, bool all, LadderPicture& picture, const StopFlag& stop);

// Fills in density.
void add_density(const CaptureData::Reading& reading, const LadderRequest& request, LadderPicture& picture);

}  // namespace sanscope
