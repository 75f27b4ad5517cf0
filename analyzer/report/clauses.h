// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sanscope {

// A sentence of clauses as indented lines, "  one; two;\n      three\n", broken between clauses where it would grow too wide.
std::string lines_of_clauses(const std::vector<std::string>& clauses);

}  // namespace sanscope
