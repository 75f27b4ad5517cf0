// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope compare BEFORE AFTER`: what a change changed.
class CompareCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    std::string before_;
    std::string after_;
    std::string format_ = "text";
    unsigned threads_ = 0;
    std::vector<std::string> decode_as_;
};

}  // namespace sanscope
