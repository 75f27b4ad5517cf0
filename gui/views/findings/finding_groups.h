// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gui/models/finding_rows.h"

namespace sanscope {

// Findings that differ in their place alone: of one kind, side, severity and target, about data of the same side. What is of no
// target stands alone.
struct FindingGroup {
    std::vector<size_t> findings;  // indices, the costliest first
    QString target;                // "192.0.2.2:3260", of more than one
    // The greatest of them: what they cost may be the same time, so that a sum would count it twice.
    int64_t cost_ns = 0;
    std::optional<FindingRows> rows;  // of all of them
};

// In order of their first ones.
std::vector<FindingGroup> group_findings(const ResultStore& store, std::span<const Finding> findings);

}  // namespace sanscope
