// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/line_chart.h"
#include "captures/experiment/result_table.h"

namespace sanscope::lab {

// The panels of an experiment's figure, of what has been measured.
std::vector<ChartPanel> figure_panels(const Experiment& experiment, const std::vector<ResultRow>& rows);

}  // namespace sanscope::lab
