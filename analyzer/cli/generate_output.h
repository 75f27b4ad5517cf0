// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/load_account.h"
#include "captures/load/load_events.h"
#include "captures/load/load_report.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/generate_options.h"
#include "analyzer/export/file_sink.h"

namespace sanscope {

// What `sanscope generate` reports of a load: in lines on standard error and the outcome on standard output, or all of
// it there as events; and each second in a file of rows.
class GenerateOutput {
  public:
    // `options` outlive this.
    explicit GenerateOutput(const GenerateOptions& options);

    // Creates the file of rows, where one is wanted.
    Result<std::monostate> open_rows();

    void message(std::string_view text);
    // Before all seconds; only the first call counts.
    void begun(const std::optional<LoginOutcome>& negotiated);
    // False where it could not be written: nobody reads what this load does.
    bool second(const LoadAccount& second, double at_seconds, uint64_t in_flight);
    // False where rows are missing.
    bool close_rows();
    // On standard output; nothing where events are reported.
    void summary(const LoadSummary& summary);
    void report(std::string_view text);
    void ended(ExitStatus status, const LoadSummary& summary);

  private:
    bool write_row(std::string_view text);

    const GenerateOptions& options_;
    FileSink standard_output_;
    std::optional<LoadEvents> events_;
    std::unique_ptr<FileSink> rows_;
    bool rows_whole_ = true;
    bool begun_ = false;
};

}  // namespace sanscope
