// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/cli/captures.h"

namespace sanscope {

// `sanscope report FILE...`: what a storage engineer wants to know first, for reading.
class ReportCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    ExitStatus report_points() const;

    CLI::App* command_ = nullptr;
    CaptureOptions captures_;
    bool points_ = false;
    std::string fail_on_;  // a severity; empty: findings do not change the exit status
};

}  // namespace sanscope
