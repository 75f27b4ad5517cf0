// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <variant>

#include "dissectors/epan_bridge/epan_bridge.h"

#include "analyzer/base/result.h"

namespace sanscope::wireshark {

// Starts libwireshark with the user's settings; once a process.
Result<std::monostate> start_library(const EpanBridge::Options& options);

}  // namespace sanscope::wireshark
