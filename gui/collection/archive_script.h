// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace sanscope {

// captures_of_archive.py, put in by the build.
extern const std::span<const unsigned char> archive_script;

}  // namespace sanscope
