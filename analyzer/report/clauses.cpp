// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/clauses.h"

#include <cstddef>

namespace sanscope {

std::string lines_of_clauses(const std::vector<std::string>& clauses) {
    constexpr size_t widest = 128;
    std::string text;
    size_t width = 0;
    for (const std::string& clause : clauses) {
        if (width == 0) {
            text += "  ";
            width = 2;
        } else if (width + 2 + clause.size() <= widest) {
            text += "; ";
            width += 2;
        } else {
            text += ";\n      ";
            width = 6;
        }
        text += clause;
        width += clause.size();
    }
    return text + '\n';
}

}  // namespace sanscope
