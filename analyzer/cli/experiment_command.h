// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/cli/exit_status.h"

namespace CLI {
class App;
}

namespace sanscope {

namespace lab {
struct ChosenExperiment;
struct RunTally;
class RunRecordFile;
}  // namespace lab

// `sanscope experiment NAME`: a sweep over the settings of hosts in network namespaces, and its table and figure.
class ExperimentCommand {
  public:
    void add_to(CLI::App& app);
    bool chosen() const;
    ExitStatus run() const;

    static std::vector<std::string> experiment_names();

  private:
    ExitStatus finish(const lab::ChosenExperiment& chosen, size_t remaining,
                      const Result<lab::RunTally>& tally, const lab::RunRecordFile& file,
                      const std::filesystem::path& folder) const;

    CLI::App* command_ = nullptr;
    std::string name_;
    bool dry_run_ = false;
    std::string folder_;
    unsigned repetitions_ = 0;  // 0: as many as the experiment has
    double seconds_ = 0;        // 0: as the experiment has it
    std::vector<std::string> only_;
    std::vector<std::string> set_;
    bool keep_captures_ = false;
    bool events_ = false;
};

}  // namespace sanscope
