// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"
#include "gui/document/time_range.h"
#include "gui/views/statistics/statistics_table.h"

namespace sanscope {

enum class StatisticsPage : uint8_t {
    conversations,
    service_response_times,
    logical_units,
    negotiated_parameters,
    retransmissions,
};
constexpr size_t statistics_pages = 5;

// "service-response-times"; stable.
const char* statistics_page_name(StatisticsPage page);
// "Service response times".
QString statistics_page_title(StatisticsPage page);

// What statistics are of. A packet belongs to a range of time by its time, a loss by when its packet was captured, a command by the
// moment its answer was complete, or else by its request; what sessions negotiated holds in all of the capture.
struct StatisticsScope {
    std::shared_ptr<const FilterResult> filter;  // nullptr: all rows count
    std::optional<TimeRange> range;              // nothing: all of the capture

    bool operator==(const StatisticsScope&) const = default;
};
bool depends_on_range(StatisticsPage page);

// One pass over the rows it sums up; of more than `most_statistics_rows` rows the first ones, and the note says so. Any thread.
constexpr size_t most_statistics_rows = 5000;
StatisticsTable capture_statistics(const CaptureData::Reading& reading, StatisticsPage page,
                                   const StatisticsScope& scope, const StopFlag& stop);

}  // namespace sanscope
