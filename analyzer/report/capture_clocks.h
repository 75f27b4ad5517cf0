// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// Whether the capture's times tell what came before what, and how long after it: not where its clock was set back, nor where its
// two directions were stamped by clocks that are too far apart beside commands' times, or by one of too coarse steps.
enum class CaptureClocks : uint8_t { in_order, set_back, apart, coarse };

inline CaptureClocks capture_clocks(const Issues& issues, const ResultStore& store) {
    if (!issues.times_in_order()) return CaptureClocks::set_back;
    if (store.commands_comparable()) return CaptureClocks::in_order;
    const bool apart = std::ranges::any_of(
        store.connections(), [](const ConnectionRow& row) { return row.clocks_apart_ns() > 0; });
    return apart ? CaptureClocks::apart : CaptureClocks::coarse;
}

// Of clocks that are not in order: how a sentence about that begins.
inline std::string_view capture_clocks_words(CaptureClocks clocks) {
    if (clocks == CaptureClocks::apart) return "The clocks of the two directions are apart";
    if (clocks == CaptureClocks::coarse) return "The capture's clock has coarse steps";
    return "The capture's clock was set back";
}

}  // namespace sanscope
