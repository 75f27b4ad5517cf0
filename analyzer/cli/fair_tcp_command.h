// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope fair-tcp start|status|stop`: done by sanscope-fair-tcp, which may have the rights for it.
class FairTcpCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    CLI::App* start_ = nullptr;
    CLI::App* status_ = nullptr;
    CLI::App* stop_ = nullptr;
    std::vector<std::string> hosts_;
    std::string name_ = "fair";
    bool json_ = false;
    bool live_ = false;
    bool verbose_ = false;
};

}  // namespace sanscope
