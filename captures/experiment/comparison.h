// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "captures/experiment/publication.h"
#include "captures/experiment/result_table.h"

namespace sanscope::lab {

// What the runs say of a claim.
struct Judgement {
    enum class Verdict : uint8_t { not_measured, holds, does_not_hold };

    Verdict verdict = Verdict::not_measured;
    size_t pairs = 0;   // of the subject's and the reference's runs
    size_t within = 0;  // of which the ratio is as the claim has it
    double lowest = 0;  // of the ratios
    double median = 0;
    double highest = 0;
};

// By the medians of the rows; not measured where no two rows are a pair.
Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows);

// The rule, as a sentence.
std::string rule_text(const Claim& claim);

// "holds: in 5 of 6 pairs; the ratio is 0.62 (0.41 … 1.08)".
std::string judgement_text(const Judgement& judgement);

// Sections of a page in HTML, with their headings; empty where there is nothing: the publication's numbers beside the rows',
// its conclusions with what the rows say, and where the experiment departs from it.
std::string published_values_html(const Publication& publication, const std::vector<ResultRow>& rows);
std::string claims_html(const Publication& publication, const std::vector<ResultRow>& rows);
std::string departures_html(const std::vector<Departure>& departures);

}  // namespace sanscope::lab
