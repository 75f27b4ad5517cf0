// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "captures/experiment/experiment.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

struct PlannedRun {
    RunSettings settings;
    unsigned repetition = 1;

    bool operator==(const PlannedRun&) const = default;
};

// A setting and values of it: those that it may have, or those that it is to have.
struct Selection {
    const SettingColumn* setting;
    std::vector<std::string> values;  // as the column's text() gives them
};

// Of "SETTING=VALUE[,VALUE…]". An Error says which settings there are, or what this one takes.
Result<Selection> parse_selection(std::string_view text);

// The experiment with other values of some settings than its own: each of its sweeps goes over them, in place of what it
// had. Settings that have the same value in it go on having that, unless each is given its own. What the figure shows
// follows. An Error where a setting is given twice.
Result<Experiment> with_values(Experiment experiment, const std::vector<Selection>& given);

// Of one sweep.
constexpr size_t most_combinations = 100'000;

// Every combination of each sweep, in the order of the factors, none twice, that has one of the values selected of each
// setting. An Error says that there are more than most_combinations, names the factor that cannot be set so, or says which settings exclude each other.
Result<std::vector<RunSettings>> settings_of(const Experiment& experiment,
                                             const std::vector<Selection>& selected);

// All settings once, then again: what else happens on the machine meanwhile falls on all alike. Within a repetition
// they are shuffled, always alike.
std::vector<PlannedRun> plan_runs(const std::vector<RunSettings>& settings, unsigned repetitions);

// How long so many runs take, estimated: hosts are built and removed around each load.
double estimated_seconds(size_t runs, double seconds_of_load, bool records_packets);

}  // namespace sanscope::lab
