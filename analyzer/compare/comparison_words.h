// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "analyzer/compare/comparison.h"

namespace sanscope {

// A comparison in words, for whoever shows one to people. What comes from a capture is cleaned: one line, no control characters.

// "9836 packets, 2.98 s from 2026-11-23 23:34:54.720968 UTC"
std::string capture_words(const CaptureFigures& capture);
// "iqn.2026-01.org.example:host -> iqn.2026-01.org.example:disk"
std::string session_words(const SessionFigures& session);
// "captured at the initiator before, at the target after"
std::string vantage_words(const SessionFigures& before, const SessionFigures& after);
// "9804 commands before, 8392 after; 2 and 2 sessions taken as one"
std::string commands_words(const SessionFigures& before, const SessionFigures& after);
// Of one that is in one capture only: with its addresses and how many commands it has.
std::string unmatched_words(const SessionFigures& session);
// "LUN 0, READ(10) <= 64 KiB", "target's TCP", "session"
std::string place_words(const FigurePlace& place);

// "1.12 ms"; "-" of nullptr.
std::string value_words(const Figure* figure);
// "+18.2 %", "-0.12 points", "only after"; empty where it is not told.
std::string difference_words(const FigureChange& change);
// "+14.9 % … +21.5 %"; empty where there is none.
std::string interval_words(const FigureChange& change);
// "HIGHER", "LOWER", nothing, or why it is not told.
std::string_view verdict_words(const FigureChange& change);
bool differs(const FigureChange& change);
// Nothing before, nothing after: not worth a line.
bool is_nothing(const FigureChange& change);

// What differs beyond chance, in a sentence: "4 of 12 figures; …".
std::string outcome_words(const Comparison& comparison);

// "appeared", "gone", "stayed"
std::string_view finding_state_name(FindingChange::State state);
// "42 segments of target … lost on the path [lost_segments]"
std::string finding_words(const PlacedFinding& finding);

}  // namespace sanscope
