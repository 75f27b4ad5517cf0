// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sanscope {

// Which version of Landlock's interface the kernel has (landlock_create_ruleset(2)); 0: none.
int landlock_abi();

// From here on this thread and those it begins may read the files named and what is below them, and nothing else of
// what the version knows: no other file, no change of any, no program, no TCP, no abstract socket, no signal to others.
// False where the kernel refuses; then nothing has changed.
bool restrict_by_landlock(int abi, const std::vector<std::string>& readable);

}  // namespace sanscope
