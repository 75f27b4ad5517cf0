// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/compare/capture_figures.h"

namespace sanscope {

struct SessionMatching {
    std::vector<std::pair<size_t, size_t>> pairs;  // before, after; in the order of those before
    std::vector<size_t> only_before;
    std::vector<size_t> only_after;
};

// Which session of one capture is which of the other: by names and addresses; then, where a change moved one to other
// addresses, by names alone; then, where the login of one was not captured, by addresses alone. Only where there is but one
// it can be: of several, none is guessed.
SessionMatching match_sessions(std::span<const SessionFigures> before, std::span<const SessionFigures> after);

}  // namespace sanscope
