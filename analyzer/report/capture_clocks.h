// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// Whether the capture's times tell what came before what, and how long after it: not where its clock was set back, nor where its
// two directions were stamped by clocks that are too far apart beside commands' times.
enum class CaptureClocks : uint8_t { in_order, set_back, apart };

inline CaptureClocks capture_clocks(const Issues& issues, const ResultStore& store) {
    if (!issues.times_in_order()) return CaptureClocks::set_back;
    return store.commands_comparable() ? CaptureClocks::in_order : CaptureClocks::apart;
}

}  // namespace sanscope
