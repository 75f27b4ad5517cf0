// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/budget/budget_groups.h"
#include "analyzer/budget/budget_parts.h"
#include "analyzer/store/live_counts.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// One path between an initiator and a target. Texts as labels bear them: well-formed UTF-8, bounded in length; empty where the
// capture does not tell.
struct PathLabels {
    std::string initiator_name;  // as in the table `sessions`
    std::string target_name;
    std::string initiator;  // address alone: every connection has another port
    std::string target;     // address and port, as in the table `connections`
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const PathLabels&) const = default;
};

struct UnitLabels {
    PathLabels path;
    std::string lun;  // decimal; empty where it is not known
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const UnitLabels&) const = default;
};

struct CommandLabels {
    UnitLabels unit;
    Transfer direction = Transfer::none;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const CommandLabels&) const = default;
};

struct SenderLabels {
    PathLabels path;
    std::string sender;  // whose data it is about: initiator, target; empty on connections that are not iSCSI
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const SenderLabels&) const = default;
};

// What LiveCounts had of one set of labels, since the recording began.
struct CommandFigures : CommandCounts {
    std::array<uint64_t, exponential_buckets::places> exponential{};  // turnarounds by their places there

    void add(const LiveCounts::Unit& unit) {
        CommandCounts::add(unit.counts);
        for (size_t place = 0; place < exponential.size(); ++place)
            exponential[place] += unit.exponential[place];
    }
};

// Of the commands that were examined.
struct LostTime {
    uint64_t commands = 0;
    std::array<int64_t, budget_parts> parts_ns{};  // their turnarounds
};

// One of a capture's interfaces.
struct InterfaceFigures {
    std::string interface;
    uint64_t received = 0;
    uint64_t dropped_by_kernel = 0;
    uint64_t dropped_by_interface = 0;
};

// What the recorder says.
struct RecordingFigures {
    std::vector<InterfaceFigures> interfaces;
    uint64_t packets = 0;  // written
    uint64_t bytes = 0;
    uint64_t files = 0;
    uint64_t lost_at_the_end = 0;
    uint64_t unread_bytes = 0;  // recorded and not analysed yet, of the files that are known
};

// All that a scrape shows, as plain values: nothing of it goes back while a recording lasts but what is called a gauge in
// exposition.cpp.
struct MetricsSnapshot {
    // In place of names, of what found no place of its own.
    static constexpr std::string_view others = "others";
    // Beyond so many sets of labels what comes is added to one whose names are `others`.
    static constexpr size_t most_commands = 1000;
    static constexpr size_t most_times = 250;
    static constexpr size_t most_senders = 500;
    static constexpr size_t most_sessions = 500;

    std::map<CommandLabels, CommandFigures> commands;
    uint64_t folded_commands = 0;  // that found no place of their own
    std::map<UnitLabels, LostTime> times;
    uint64_t examined_left_out = 0;  // commands of samples that took too long to be examined
    std::map<SenderLabels, std::array<uint64_t, loss_kinds>> losses;
    std::map<std::pair<std::string, std::string>, uint64_t> in_flight;  // by names of initiator and target
    std::map<std::pair<std::string, std::string>, uint64_t> findings;   // by kind and severity
    uint64_t packets = 0;                                               // analysed
    RecordingFigures recording;
    double analysed_until = 0;  // of the capture, seconds since the epoch; 0: nothing yet
};

}  // namespace sanscope
