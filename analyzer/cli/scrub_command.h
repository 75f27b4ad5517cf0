// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "captures/scrub/scrub_capture.h"

#include "analyzer/cli/anonymize_options.h"
#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

// `sanscope scrub IN OUT`: a copy of a capture without users' data.
class ScrubCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run();

  private:
    ExitStatus report(const ScrubbedCapture& outcome) const;

    CLI::App* command_ = nullptr;
    std::string capture_;
    std::string target_;
    std::string keep_ = "headers";
    bool force_ = false;
    AnonymizeOptions anonymize_;
};

}  // namespace sanscope
