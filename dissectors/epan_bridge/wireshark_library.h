// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dissectors/epan_bridge/epan_bridge.h"

#include "analyzer/base/result.h"

namespace sanscope::wireshark {

// Starts libwireshark with the user's settings; once a process.
Result<std::monostate> start_library(const EpanBridge::Options& options);

// What it may read after that: its data, plugins and settings, and the files that preferences name, as keys of TLS.
std::vector<std::string> files_of_library();

}  // namespace sanscope::wireshark
