// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// Writes a command for a recorder to a pipe that may not block; a recorder reads its commands at once. False: it does
// not.
bool write_command(int descriptor, const v1::RecorderCommand& command);

}  // namespace sanscope
