// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <variant>

#include "gui/views/io_graph/graph_picture.h"

#include "analyzer/base/result.h"
#include "analyzer/export/byte_sink.h"

namespace sanscope {

// The series' names as a legend and a header have them: the line's, and which of its parts.
QString series_name(const GraphPicture& picture, const GraphSeries& series);

// A row for each interval that the range overlaps: `begin_s`, seconds since the capture began, and a column for each series; what is
// not known is an empty field. False when the sink refused.
bool write_graph_csv(const GraphPicture& picture, TimeRange range, ByteSink& sink);
// The same into a file, which is there once it is whole; `capture` is not overwritten.
Result<std::monostate> write_graph_csv(const GraphPicture& picture, TimeRange range,
                                       const std::string& capture, const std::string& path);

}  // namespace sanscope
