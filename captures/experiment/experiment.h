// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/measurement.h"
#include "captures/experiment/publication.h"
#include "captures/experiment/run_settings.h"

namespace sanscope::lab {

// What is varied: settings that have the same value, and the values.
struct Factor {
    std::vector<std::string_view> settings;  // names of setting_columns()
    std::vector<std::string> values;         // as their columns take them
};

// One panel of the figure: a measure against a setting, a line for each combination of others.
struct Drawing {
    enum class Axis : uint8_t {
        linear,
        logarithmic,
        sizes
    };  // sizes: logarithmic, in powers of two of bytes

    std::string_view title = {};
    std::string_view x;  // a setting
    Axis x_axis = Axis::linear;
    Measure y = Measure::bytes_per_second;
    Axis y_axis = Axis::linear;
    std::vector<std::string_view> lines;  // settings that distinguish lines
    // Whether lines of other loads than iSCSI are drawn: of plain sockets, which have no PDUs, not against what means nothing
    // to them; a blast, which has no connections, is a level line against those.
    bool with_sockets = true;
    // Only what has these: pairs of a setting and its value. Of other loads, what means something to them.
    std::vector<std::pair<std::string_view, std::string_view>> only = {};
};

// A sweep over settings, as data: everything that is done follows from it.
struct Experiment {
    std::string_view name;
    std::string_view title = {};
    std::string_view source = {};  // the publication whose figures it redraws
    std::string_view method = {};  // what is done
    std::vector<Departure> departures = {};
    Publication publication = {};  // what these runs are held against
    RunSettings base = {};
    std::vector<std::vector<Factor>> sweeps = {};  // of each, every combination
    unsigned repetitions = 3;
    double seconds = 3;            // of load in a run
    bool records_packets = false;  // at the target, for what only packets show
    std::vector<Measure> measured = {};
    std::vector<Drawing> drawings = {};
    // Of these runs, the first of each, each connection's window is kept and drawn over time; none where this is empty.
    std::vector<Condition> traced = {};
    std::string_view traced_title = {};
};

// All that there are.
std::span<const Experiment> experiments();

// Null where there is none of this name.
const Experiment* find_experiment(std::string_view name);

}  // namespace sanscope::lab
