// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/line_chart.h"
#include "captures/experiment/result_table.h"

namespace sanscope::lab {

// Of lines with a single point beside others that go on: of another sweep, which varies something else – or of one that has
// only just begun.
enum class SinglePoints : uint8_t { left_out, drawn };

// The panels of an experiment's figure, in the order of its drawings, of what has been measured. A point's `row` is among
// these.
std::vector<ChartPanel> figure_panels(const Experiment& experiment, const std::vector<ResultRow>& rows,
                                      SinglePoints single_points = SinglePoints::left_out);

}  // namespace sanscope::lab
