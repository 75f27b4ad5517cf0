// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/line_chart.h"
#include "captures/experiment/time_series.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// Each connection's window in steps from `from_ns` until `end_ns`, as it is then, also long after it changed last; times count
// from `from_ns`, connections from 1 in the order of their numbers. In order of the connections. Changes may be in any order.
std::vector<WindowChange> sample_windows(std::vector<WindowChange> changes, int64_t from_ns, int64_t end_ns,
                                         int64_t step_ns);

// As a file's text, "seconds,connection,window_bytes", and back. An Error names the line that is none of it.
std::string window_trace_csv(const std::vector<WindowChange>& samples);
Result<std::vector<WindowChange>> parse_window_trace(std::string_view text);

// A line for each connection.
ChartPanel window_panel(std::string title, const std::vector<WindowChange>& samples);

}  // namespace sanscope::lab
