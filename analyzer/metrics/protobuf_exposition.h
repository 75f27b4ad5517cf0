// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <prometheus/metric_family.h>
#include <string>
#include <vector>

#include "analyzer/metrics/metrics_snapshot.h"

namespace sanscope {

// What metric_families() made of `snapshot`, as messages of io.prometheus.client.MetricFamily
// (analyzer/proto/io/prometheus/client/metrics.proto), each behind its length as a varint. The histograms of turnarounds are
// native ones besides, by what the snapshot has in exponential buckets.
std::string protobuf_exposition(const std::vector<prometheus::MetricFamily>& families,
                                const MetricsSnapshot& snapshot);

}  // namespace sanscope
