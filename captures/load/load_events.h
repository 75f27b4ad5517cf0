// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/load_account.h"
#include "captures/load/load_report.h"

#include "analyzer/export/byte_sink.h"

namespace sanscope {

// A load reported to a program: JSON objects, one a line, each of which the sink gets in one piece at once. All
// functions give false where it did not take one.
class LoadEvents {
  public:
    // The sink outlives this.
    explicit LoadEvents(ByteSink& sink) : sink_(sink) {}

    bool begun(const std::vector<std::string>& targets, const std::optional<LoginOutcome>& negotiated);
    // The columns are those of load_csv_row(); what has no value there is null.
    bool second(const LoadAccount& second, double at_seconds, uint64_t in_flight);
    bool message(std::string_view text);
    // Of a process that will end with `exit_status`.
    bool ended(int exit_status, const LoadSummary& summary);

  private:
    ByteSink& sink_;
};

}  // namespace sanscope
