// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "captures/experiment/experiment.h"
#include "captures/experiment/run_records.h"

namespace sanscope::lab {

// The repetitions of a measure: their median, between the two middle ones where their number is even, and how far they
// spread.
struct Spread {
    double median = 0;
    double lowest = 0;
    double highest = 0;
    size_t count = 0;
};

// Empty where there are none.
std::optional<Spread> spread_of(std::vector<double> values);

// What came out for one choice of settings.
struct ResultRow {
    RunSettings settings;
    std::array<std::optional<Spread>, measures> measured;

    const std::optional<Spread>& operator[](Measure measure) const {
        return measured[static_cast<size_t>(measure)];
    }
};

// A row for each of the settings that has been run for so many seconds, in their order.
std::vector<ResultRow> summarise(const std::vector<RunSettings>& settings,
                                 const std::vector<RunRecord>& records, double seconds);

// All settings and, of each measure, median, lowest and highest in base units; an unknown is empty.
std::string table_csv(const Experiment& experiment, const std::vector<ResultRow>& rows);

// For people, as a table in Markdown or HTML: the settings that differ, and medians with their spread.
std::string table_markdown(const Experiment& experiment, const std::vector<ResultRow>& rows);
std::string table_html(const Experiment& experiment, const std::vector<ResultRow>& rows);

}  // namespace sanscope::lab
