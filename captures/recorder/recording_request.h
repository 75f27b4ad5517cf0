// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// What in a request cannot be done by anybody, as a sentence; nothing where it makes sense.
std::optional<std::string> fault_of(const v1::RecordingRequest& request);

}  // namespace sanscope
