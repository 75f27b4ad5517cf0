// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "gui/plot/value_ticks.h"
#include "gui/views/io_graph/graph_line.h"

namespace sanscope {

// Lines of an I/O graph in words, for people.

// "rate per second", "p99".
QString function_title(GraphFunction function);
// "one line", "by LUN".
QString split_title(GraphSplit split);
// "Commands".
QString table_title(std::string_view table);
// "Turnaround", "Response time".
QString column_title(std::string_view table, std::string_view column);
// "commands per second", "p99 Turnaround (status == GOOD)".
QString line_name(const GraphLine& line);
QString unit_title(GraphUnit unit);
ValueUnit value_unit(GraphUnit unit);
// "1.2 k/s", "4 ms".
QString graph_value_text(double value, GraphUnit unit);

// Lines that answer a common question.
struct GraphPreset {
    QString title;
    std::vector<GraphLine> lines;
};
std::vector<GraphPreset> graph_presets();
// What is drawn as long as nobody has chosen anything: of any capture there is something to see.
std::vector<GraphLine> default_graph_lines();

}  // namespace sanscope
