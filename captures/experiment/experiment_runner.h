// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/experiment_run.h"
#include "captures/experiment/run_plan.h"
#include "captures/experiment/run_records.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// An experiment as it was asked for.
struct ChosenExperiment {
    Experiment experiment;  // with the values that were given
    std::vector<RunSettings> settings;
    unsigned repetitions;
    double seconds;
    std::vector<std::string> left_out = {};  // sentences on runs that cannot be made here

    std::vector<PlannedRun> plan() const { return plan_runs(settings, repetitions); }
};

// A run in a few words: what the experiment varies.
std::string run_label(const Experiment& experiment, const RunSettings& settings);

// Takes out of the runs to come those whose congestion control is none of `available`, words of which an empty text says
// nothing: a sentence on each control, with what would make it available.
std::vector<std::string> leave_out(std::vector<PlannedRun>& remaining, std::string_view available);

// Each run that is to come, in order, and how long they take together.
std::string dry_run_text(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining);

struct RunTally {
    size_t done = 0;
    size_t failed = 0;
    bool interrupted = false;
};

// Makes the runs one after the other and appends each to the file as soon as it is done; `tell` gets a line for each.
// Runs that fail are reported and left out; it ends early after three in a row, or when `stop` is set. An Error where
// rows cannot be written.
Result<RunTally> make_runs(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                           const RunMeans& means, RunRecordFile& file, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& report);

// Writes table.csv, table.md, figure.svg, page.html and, with rsvg-convert, figure.png into the folder: the names of
// those written.
Result<std::vector<std::string>> write_results(const ChosenExperiment& chosen,
                                               const std::vector<RunRecord>& records,
                                               const std::filesystem::path& folder, std::string_view version);

}  // namespace sanscope::lab
