// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/vocabulary/decode_as.h"

namespace CLI {
class App;
}

namespace sanscope {

// The option -d, --decode-as, of every subcommand that looks into TCP connections.
void add_decode_as(CLI::App& command, std::vector<std::string>& rules);
// Of what that option has checked.
DecodeAs decode_as_of(const std::vector<std::string>& rules);

}  // namespace sanscope
