// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/compare/estimate.h"
#include "analyzer/report/findings.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

enum class Unit : uint8_t { nanoseconds, bytes, bytes_per_second, per_second, commands, share };

// What a figure is of, within its session: each empty or unknown where it is not of one.
struct FigurePlace {
    uint64_t lun = unknown<uint64_t>;
    std::string command;      // "READ(10)"
    unsigned size_class = 0;  // as Summary::GroupKey
    std::string sender;       // "initiator", "target"

    bool operator==(const FigurePlace&) const = default;
};

// What must be alike of two captures before a figure of one means the same as that of the other.
enum class RestsOn : uint8_t {
    nothing,
    place,  // where it was captured: at the target, a turnaround lacks the round trip
    view,   // … and whether the handshakes were: what a sender's TCP did is inferred from both
};

struct Figure {
    std::string name;  // stable, unit and all: "turnaround_p50_ns"
    Unit unit = Unit::share;
    Scale scale = Scale::ratio;
    RestsOn rests_on = RestsOn::nothing;
    FigurePlace place;
    Estimate estimate;
    // In its unit: what differs by less is no change, however clearly it does.
    double least_change = 0;
};

// Sessions between the same two iSCSI nodes and addresses, one after the other or at once, are one here: nothing tells which of
// them is which of another capture's.
struct SessionFigures {
    std::string initiator_name;  // empty where the login was not captured
    std::string target_name;
    IpAddress initiator_address;  // its port is another each time
    Endpoint target;
    uint32_t sessions = 0;
    std::vector<uint32_t> numbers;  // of these in the capture's table of sessions
    uint64_t commands = 0;
    Vantage vantage = Vantage::unknown;  // of all its connections
    bool vantages_differ = false;
    uint32_t connections = 0;
    uint32_t handshakes = 0;  // connections whose SYNs were captured
    // The first are those of the session, of its senders, and of its commands by LUN, kind and size.
    std::vector<Figure> figures;
};

struct PlacedFinding {
    static constexpr size_t no_session = SIZE_MAX;

    Finding::Kind kind = Finding::Kind::nothing_wrong;
    Finding::Severity severity = Finding::Severity::information;
    Finding::Sender sender = Finding::Sender::unknown;
    uint64_t lun = unknown<uint64_t>;
    size_t session = no_session;  // of CaptureFigures::sessions
    std::string title;
    std::string place;
};

// All that a comparison knows of a capture.
struct CaptureFigures {
    static constexpr size_t most_sessions = 128;
    static constexpr size_t most_groups = 24;       // of commands, of each session
    static constexpr uint64_t least_commands = 50;  // of a group

    uint64_t packets = 0;
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
    std::vector<SessionFigures> sessions;  // those with the most commands, most first
    size_t sessions_left_out = 0;
    std::vector<PlacedFinding> findings;
};

// Of a store with `rows_for_findings`, three passes over its commands, one over windows and losses.
CaptureFigures measure_capture(const ResultStore& store, const Engine::Totals& totals,
                               std::span<const Finding> findings);

}  // namespace sanscope
