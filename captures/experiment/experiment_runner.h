// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/chosen_experiment.h"
#include "captures/experiment/experiment_run.h"
#include "captures/experiment/run_news.h"
#include "captures/experiment/run_records.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

struct RunTally {
    size_t done = 0;
    size_t failed = 0;
    bool interrupted = false;
};

// Makes the runs one after the other and appends each to the file as soon as it is done; `tell` gets its news. Runs that
// fail are told and left out; it ends early after three in a row, or when `stop` is set. With `keep_captures`, the packets
// of those whose load is iSCSI stay in the folder `captures` of the scratch folder, called by capture_name(); what lies there
// under the name of a run that is made goes. An Error where rows cannot be written.
Result<RunTally> make_runs(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                           const RunMeans& means, bool keep_captures, RunRecordFile& file,
                           const std::atomic<bool>& stop, const std::function<void(const RunNews&)>& tell);

// Writes table.csv, table.md, figure.svg, page.html and, with rsvg-convert, figure.png into the folder: the names of
// those written.
Result<std::vector<std::string>> write_results(const ChosenExperiment& chosen,
                                               const std::vector<RunRecord>& records,
                                               const std::filesystem::path& folder, std::string_view version);

}  // namespace sanscope::lab
