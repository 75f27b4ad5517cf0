// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/result_table.h"
#include "captures/experiment/run_records.h"

namespace sanscope::lab {

// What is said of the machine: a name and its value.
using MachineFacts = std::vector<std::pair<std::string, std::string>>;

// Processor, memory, kernel, and the versions of what was used.
MachineFacts machine_facts(std::string_view version);

struct PageContents {
    const Experiment& experiment;
    const std::vector<ResultRow>& rows;
    const std::vector<RunRecord>& records;  // for what made the links
    unsigned repetitions;
    double seconds;
    std::string_view figure;                   // an SVG document
    const std::vector<std::string>& left_out;  // sentences on runs that could not be made here
    const MachineFacts& machine;
};

// One HTML file that stands by itself: the figure, the table, what was run and on what.
std::string experiment_page(const PageContents& contents);

}  // namespace sanscope::lab
