// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "analyzer/export/block_writer.h"

namespace sanscope {

// The text as a JSON string, quotes included (RFC 8259 §7). Bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string_view text, BlockWriter& out);

}  // namespace sanscope
