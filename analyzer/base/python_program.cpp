// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/python_program.h"

#include <cstdlib>

namespace sanscope {

std::string python_program() {
    const char* const named = std::getenv("SANSCOPE_PYTHON");
    return named != nullptr && *named != '\0' ? named : "python3";
}

}  // namespace sanscope
