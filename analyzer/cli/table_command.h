// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "analyzer/cli/captures.h"

namespace sanscope {

// `sanscope table TABLE FILE...`: one table of the analysis, for other programs to read.
class TableCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    CaptureOptions captures_;
    std::string table_;
    std::string format_ = "csv";
    std::string output_ = "-";
};

}  // namespace sanscope
