// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/generate_options.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope generate URL…`: puts a load of SCSI reads, or writes where that is allowed, on iSCSI targets.
class GenerateCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    GenerateOptions options_;
};

}  // namespace sanscope
