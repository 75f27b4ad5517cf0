// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/run_plan.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// What is asked for, as the command line has it.
struct Wishes {
    std::string name = {};               // of the experiment
    std::vector<std::string> set = {};   // other values, each "SETTING=VALUE[,VALUE…]"
    std::vector<std::string> only = {};  // of the values that there are, likewise
    unsigned repetitions = 0;            // 0: as many as the experiment has
    double seconds = 0;                  // of load in a run; 0: as the experiment has it
};

// An experiment as it was asked for.
struct ChosenExperiment {
    Experiment experiment;  // with the values that were given
    std::vector<RunSettings> settings;
    unsigned repetitions;
    double seconds;
    std::vector<std::string> left_out = {};  // sentences on runs that cannot be made here

    std::vector<PlannedRun> plan() const { return plan_runs(settings, repetitions); }
};

// Runs of one experiment, repetitions included: more would take months.
constexpr size_t most_runs = 1'000'000;

// An Error begins with the option that cannot be so, where it is one, and says what it takes.
Result<ChosenExperiment> choose(const Wishes& wishes);

// A run in a few words: what the experiment varies.
std::string run_label(const Experiment& experiment, const RunSettings& settings);

// Takes out of the runs to come those whose congestion control is none of `available`, words of which an empty text says
// nothing: a sentence on each control, with what would make it available.
std::vector<std::string> leave_out(std::vector<PlannedRun>& remaining, std::string_view available);

// "90 s", "3 min": whole minutes, rounded up, from two minutes on.
std::string duration_text(double seconds);

// How many runs are to come, how many were done before, and how long the former take together: one line. Those that cannot
// be made here are neither.
std::string plan_sentence(const ChosenExperiment& chosen, size_t remaining, size_t done,
                          bool records_packets);

// Each run that is to come, in order, and the sentence.
std::string dry_run_text(const ChosenExperiment& chosen, const std::vector<PlannedRun>& remaining,
                         size_t done, bool records_packets);

}  // namespace sanscope::lab
