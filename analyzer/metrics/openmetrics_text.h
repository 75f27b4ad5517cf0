// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <prometheus/metric_family.h>
#include <string>
#include <vector>

namespace sanscope {

// Counters, gauges and histograms as OpenMetrics text 1.0 (github.com/OpenObservability/OpenMetrics, specification): a counter's
// family is named without `_total`, a gauge named `…_info` is an info. Neither timestamps nor exemplars.
std::string openmetrics_text(const std::vector<prometheus::MetricFamily>& families);

}  // namespace sanscope
