// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sanscope {

// What the points of a path are called after their files: as short as these can be told apart by. "-" is standard input.
std::vector<std::string> point_names(const std::vector<std::string>& files);

}  // namespace sanscope
