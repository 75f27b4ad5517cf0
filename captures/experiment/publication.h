// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "captures/experiment/measurement.h"
#include "captures/experiment/run_settings.h"

namespace sanscope::lab {

// A setting that has one of these values, which its column takes.
struct Condition {
    std::string_view setting;
    std::vector<std::string_view> values;
};

// Whether the settings fulfil all of them. What means nothing to their load fulfils any.
bool fulfil(const RunSettings& settings, const std::vector<Condition>& conditions);

// A number that a publication states, and the settings that stand for how it was measured there.
struct PublishedValue {
    std::string_view where;  // "table 5"
    std::string printed;     // as it stands there, with its unit: "17.0 segments"
    std::vector<Condition> settings;
    Measure measure;
    double value;  // in the measure's base unit
};

// A conclusion of a publication, and the rule by which runs decide on it: the ratio of a measure between two settings, all
// others being the same.
struct Claim {
    std::string_view where;      // "§4.1"
    std::string_view statement;  // in our words
    Measure measure;
    std::vector<Condition> among = {};      // runs that count
    std::vector<Condition> subject = {};    // a value each
    std::vector<Condition> reference = {};  // a value each
    // What the subject's measure, divided by that of the reference, has to be …
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
    double share = 0.75;  // … in this share of the pairs
};

// Where an experiment does not do what the publication did.
struct Departure {
    std::string_view what;
    std::string_view why;
};

// What a publication says, as far as it is in its text: numbers in its tables and its prose.
struct Publication {
    std::vector<PublishedValue> values = {};
    std::vector<Claim> claims = {};
};

}  // namespace sanscope::lab
