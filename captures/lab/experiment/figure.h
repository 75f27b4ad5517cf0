// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "captures/lab/experiment/experiment.h"
#include "captures/lab/experiment/line_chart.h"
#include "captures/lab/experiment/result_table.h"

namespace sanscope::lab {

// The panels of an experiment's figure, of what has been measured.
std::vector<ChartPanel> figure_panels(const Experiment& experiment, const std::vector<ResultRow>& rows);

}  // namespace sanscope::lab
