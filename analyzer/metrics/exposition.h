// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <prometheus/metric_family.h>
#include <string_view>
#include <vector>

#include "analyzer/metrics/exposition_format.h"
#include "analyzer/metrics/metrics_snapshot.h"

namespace sanscope {

// Has a histogram for each of MetricsSnapshot::commands, in their order.
constexpr std::string_view turnaround_family = "sanscope_command_turnaround_seconds";

// By format, as it is written: how many scrapes were answered in it.
using Scrapes = std::array<uint64_t, exposition_formats>;

// The snapshot as families of samples, by Prometheus' conventions of names and units. Families without samples are left out.
// docs/metrics.md lists them.
std::vector<prometheus::MetricFamily> metric_families(const MetricsSnapshot& snapshot,
                                                      std::string_view version, const Scrapes& scrapes);

}  // namespace sanscope
