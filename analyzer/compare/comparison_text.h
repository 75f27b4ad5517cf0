// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/compare/comparison.h"

namespace sanscope {

struct ComparedFiles {
    std::string before;
    std::string after;
};

// For reading: what changed beyond chance, which findings came and went, and then every figure of each session side by side.
std::string comparison_text(const ComparedFiles& files, const CaptureFigures& before,
                            const CaptureFigures& after, const Comparison& comparison);

}  // namespace sanscope
