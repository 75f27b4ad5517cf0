// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"
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

// Of all of the capture, of what passes the filter where there is one (nullptr: all). One pass over the rows it sums up; of more than
// `most_statistics_rows` rows the first ones, and the note says so. Any thread.
constexpr size_t most_statistics_rows = 5000;
StatisticsTable capture_statistics(const CaptureData::Reading& reading, StatisticsPage page,
                                   const FilterResult* filter, const StopFlag& stop);

}  // namespace sanscope
