// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/error_message.h"

#include <cstdio>
#include <fmt/format.h>

#include "analyzer/base/print_text.h"

namespace sanscope {

void print_error(std::string_view message) {
    print_text(stderr, "sanscope: {}\n", message);
}

}  // namespace sanscope
