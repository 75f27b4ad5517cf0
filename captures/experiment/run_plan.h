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

// Which of an experiment's settings are wanted: a setting and the values it may have. Empty: all.
struct Selection {
    const SettingColumn* setting;
    std::vector<std::string> values;  // as the column's text() gives them
};

// Of "SETTING=VALUE[,VALUE…]".
Result<Selection> parse_selection(std::string_view text);

// Every combination of each sweep, in the order of the factors, none twice. An Error names the factor that cannot be
// set so.
Result<std::vector<RunSettings>> settings_of(const Experiment& experiment,
                                             const std::vector<Selection>& selected);

// All settings once, then again: what else happens on the machine meanwhile falls on all alike. Within a repetition
// they are shuffled, always alike.
std::vector<PlannedRun> plan_runs(const std::vector<RunSettings>& settings, unsigned repetitions);

// How long so many runs take, estimated: hosts are built and removed around each load.
double estimated_seconds(size_t runs, double seconds_of_load, bool records_packets);

}  // namespace sanscope::lab
