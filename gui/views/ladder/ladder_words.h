// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "gui/views/ladder/ladder_picture.h"

namespace sanscope {

// Labels of things in the ladder, and their words under the pointer. Any thread.

// "64 KiB", where it is whole ones; else "1448 B", "65.5 kB".
QString data_size(uint64_t bytes);
// "Data-In 64 KiB", "READ(10) 64 KiB" (of a command's request), "Response CHECK CONDITION".
QString pdu_words(const PduRow& pdu, const CommandRow* command);
// "READ(10) 64 KiB, 2.40 ms".
QString command_words(const CommandRow& command);
// Along an arrow: "seq 1449, 1448 B", "ACK 4345, SACK 5793–7241".
QString arrow_words(const LadderArrow& arrow);
// "Open → Recovery: loss found by RACK".
QString transition_words(const LadderTransition& transition);
// What the ends of a path's points are, and how sure their times.
QString points_words(const LadderPoints& points, const PathDelay& delay);
// Where the capture was taken, and what that makes of the times.
QString delay_words(const PathDelay& delay);

}  // namespace sanscope
