// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/compare/capture_figures.h"

namespace sanscope {

// One figure in both captures.
struct FigureChange {
    enum class Verdict : uint8_t {
        not_told,   // how far it varies by itself is not known
        not_shown,  // what was seen may be chance
        higher,     // beyond chance
        lower,
    };

    const Figure* before = nullptr;  // nullptr where only the other capture has it
    const Figure* after = nullptr;
    Verdict verdict = Verdict::not_told;
    NoError no_error = NoError::none;  // why it is not told
    // By how much: after / before - 1 where compared by ratio, else after - before. With its 95 % interval, for this figure
    // by itself.
    double change = 0;
    double low = 0;
    double high = 0;
    double chance =
        1;  // of at least so much beyond `least_change` if nothing had changed; of this figure by itself

    const Figure& any() const { return before != nullptr ? *before : *after; }
};

struct SessionComparison {
    size_t before = 0;  // of CaptureFigures::sessions
    size_t after = 0;
    std::vector<FigureChange> figures;
};

struct FindingChange {
    enum class State : uint8_t { appeared, gone, stayed };
    State state = State::stayed;
    const PlacedFinding* before = nullptr;
    const PlacedFinding* after = nullptr;
};

struct Comparison {
    std::vector<SessionComparison> sessions;
    std::vector<size_t> only_before;
    std::vector<size_t> only_after;
    std::vector<FindingChange> findings;  // problems and notices of one capture or both
    size_t figures_compared = 0;          // whose chance was looked at
    size_t figures_changed = 0;
};

// Of all figures of a comparison together, the chance that one is said to have changed though none did (Holm's correction).
constexpr double chance_of_false_alarm = 0.05;

// Two recordings of the same load are never the same: caches, clocks and other tenants of the hosts differ from one minute to
// the next, and one recording of each cannot show by how much. What differs by less is never said to have changed.
constexpr double least_ratio = 1.05;
constexpr double least_difference = 0.05;

// Refers to both captures' figures, which must outlive it.
Comparison compare_captures(const CaptureFigures& before, const CaptureFigures& after);

}  // namespace sanscope
