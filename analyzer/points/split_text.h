// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/points/command_split.h"

namespace sanscope {

// For reading: of each two neighbouring points whose time the commands' was, by what commands they are, and what most of it is.
// For points_text(). `store`: what they were split by.
std::string split_text(const PathPoints& path, const ResultStore& store,
                       const ChunkedRows<CommandSplit>& splits);

}  // namespace sanscope
