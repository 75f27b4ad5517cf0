// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "captures/load/trace.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A trace as text, a request a line: "offset_ns,operation,offset,bytes", as in "0,read,4096,8192". First when it is due, since
// the load begins; then `read` or `write`; then the place on the LUN and the length, both bytes, multiples of 512.
constexpr std::string_view request_list_header = "offset_ns,operation,offset,bytes";

// Whether the file begins so. False also where it cannot be read, and of what is no regular file: nothing is taken out of a
// pipe.
bool is_request_list(const std::string& path);

// Of a whole list. An Error names the line that is no request.
Result<std::monostate> read_request_list(std::string_view text, TraceMaker& maker);

}  // namespace sanscope
