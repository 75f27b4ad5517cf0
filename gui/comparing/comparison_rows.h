// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "gui/comparing/measured_capture.h"

#include "analyzer/compare/comparison.h"

namespace sanscope {

// Two measured captures, held against each other.
struct ComparedCaptures {
    std::shared_ptr<const MeasuredCapture> before;
    std::shared_ptr<const MeasuredCapture> after;
    Comparison comparison;  // refers to both

    // A finding of either, with its place; nullptr of nullptr.
    const Finding* finding_before(const FindingChange& change) const;
    const Finding* finding_after(const FindingChange& change) const;
};
std::shared_ptr<const ComparedCaptures> compare(std::shared_ptr<const MeasuredCapture> before,
                                                std::shared_ptr<const MeasuredCapture> after);

// A line of the table. The words are those of the text.
struct ComparisonRow {
    enum class Mark : uint8_t { none, higher, lower, appeared, gone };

    QString text;  // one that goes on over all columns; empty: a figure
    QString of;
    QString figure;
    QString before;
    QString after;
    QString difference;
    QString interval;
    QString verdict;
    Mark mark = Mark::none;
    const FigureChange* change = nullptr;
    const FigurePlace* place = nullptr;  // that the figure is of
    const SessionComparison* session = nullptr;
    const FindingChange* finding = nullptr;
};

struct ComparisonGroup {
    QString title;
    std::vector<ComparisonRow> rows;
};

// What differs beyond chance, the findings, then each session with all its figures, or only what differs of them.
std::vector<ComparisonGroup> comparison_groups(const ComparedCaptures& captures, bool only_what_differs);

// An expression of the filter line for the commands that a figure is of; empty where it is of none.
QString filter_of(const SessionFigures& session, const FigurePlace& place);

}  // namespace sanscope
