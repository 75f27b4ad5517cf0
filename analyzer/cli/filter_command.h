// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "dissectors/client/filter_run.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/dissector_options.h"
#include "analyzer/cli/exit_status.h"

namespace sanscope {

// `sanscope filter FILE 'DISPLAY FILTER'`: the packets that match a Wireshark display filter.
class FilterCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

  private:
    ExitStatus check(DissectClient& client) const;
    bool would_overwrite_input() const;

    CLI::App* command_ = nullptr;
    DissectorOptions dissectors_;
    std::string file_;
    std::string filter_;
    std::string output_;
    bool two_passes_ = false;
};

}  // namespace sanscope
