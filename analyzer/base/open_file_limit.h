// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Raises this process's soft limit on open files, of which some are kept for others than the caller, until `files` more than
// those may be open, or as far as the hard limit lets it (getrlimit(2), RLIMIT_NOFILE). How many may.
uint64_t allow_open_files(uint64_t files);

}  // namespace sanscope
