// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope archive DIR --into LAKE`: done by the Python package sanscope, which this process becomes.
class ArchiveCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    // Returns only where Python cannot be started.
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    std::string folder_;
    std::string lake_;
    std::string host_;
    unsigned jobs_ = 0;  // 0: one a processor
    double settled_seconds_ = 60;
    std::vector<std::string> decode_as_;
};

}  // namespace sanscope
