// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/cli/dissector_options.h"
#include "analyzer/cli/exit_status.h"

namespace sanscope {

// `sanscope details FILE PACKET...`: packets as Wireshark's dissectors see it.
class DetailsCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    CLI::App* command_ = nullptr;
    DissectorOptions dissectors_;
    std::string file_;
    std::vector<std::string> packets_;  // N or FIRST-LAST
    bool json_ = false;
    bool bytes_ = false;
    bool two_passes_ = false;
};

}  // namespace sanscope
