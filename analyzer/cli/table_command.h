// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "analyzer/cli/captures.h"

namespace CLI {
class Option;
}

namespace sanscope {

class RowFilter;
class Table;

// `sanscope table TABLE FILE...`: one table of the analysis, or some of its rows, for other programs to read.
class TableCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    ExitStatus write(const Table& whole, const RowFilter* filter, ExitStatus status) const;
    ExitStatus write_points(const RowFilter* filter) const;

    CLI::App* command_ = nullptr;
    CaptureOptions captures_;
    bool points_ = false;
    std::string table_;
    std::string format_ = "csv";
    std::string output_ = "-";
    std::string where_;
    CLI::Option* where_option_ = nullptr;
};

}  // namespace sanscope
