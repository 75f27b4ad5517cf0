// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/load_report.h"

#include "analyzer/export/block_writer.h"
#include "analyzer/export/byte_sink.h"

namespace sanscope {

// One object in one line. `commands` are those that were done, `errors` those that were sent and failed, for whatever
// reason; both together are `sent`. False where the sink did not take it.
bool write_load_json(const LoadSummary& summary, ByteSink& sink);

// The same without an end of line, and parts of it, as members of other objects.
void append_load_object(const LoadSummary& summary, BlockWriter& out);
void append_negotiated_object(const LoginOutcome& outcome, BlockWriter& out);
void append_json_array(const std::vector<std::string>& texts, BlockWriter& out);

}  // namespace sanscope
