// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// One statement about a capture, with the place that shows it.
struct Finding {
    enum class Severity : uint8_t { problem, notice, information };

    enum class Kind : uint8_t {
#define FINDING(kind) kind,
#include "analyzer/report/finding_kinds.def"
#undef FINDING
    };

    // Whose data it is about.
    enum class Sender : uint8_t { unknown, initiator, target };

    // Where it is to be mended.
    enum class Side : uint8_t { none, initiator, target, path, both, capture };

    // How sure it is: `firm` only where independent signs agree.
    enum class Confidence : uint8_t { possible, likely, firm };

    Kind kind = Kind::nothing_wrong;
    Severity severity = Severity::information;
    Side side = Side::none;
    Confidence confidence = Confidence::firm;
    std::string title;        // one line, no full stop
    std::string explanation;  // one to three sentences: what it means, what to look at or change
    // What shows it: a sign each, none of which follows from another. A problem has two at least.
    std::vector<std::string> evidence;
    std::string place;  // the connection, session or logical unit, in words

    // An estimate of the time lost to it; 0 where it costs none, or nobody can tell.
    int64_t cost_ns = 0;

    // Each 0 or `no_time` where it is not about one.
    uint32_t connection = 0;
    uint32_t session = 0;
    std::vector<uint32_t> connections = {};  // where it is about several, all of them
    uint64_t command = 0;                    // 1-based row
    uint64_t lun = UINT64_MAX;
    PacketNumber packet = 0;
    int64_t begin_ns = no_time;  // the time that shows it best
    int64_t end_ns = no_time;
    Sender sender = Sender::unknown;
    // Of what its connection's TCP did, and how long commands took, nobody can tell.
    bool doubts_connection = false;
    bool doubts_durations = false;  // of what was under way then, nobody can tell how long it took

    void add_sign(std::string_view sign);
};

// What the findings are told from; all of it analysed to the end.
struct FindingsInput {
    const ResultStore& store;  // rows that are not kept are not missed: less is said
    const Engine::Totals& totals;
    const Issues& issues;
    std::span<const Damage> damage;
    std::span<const CaptureInterface> interfaces;
    const std::atomic<bool>* stop = nullptr;  // set from elsewhere to end early: nothing is found then
    // Called every 65536 rows. Of a capture that grows it may let others add to the store, so that they need not wait for the
    // end of it; rows, totals and issues stay where they are, and what came meanwhile is told of in part.
    std::function<void()> between = {};
    size_t most_of_a_kind = 4;  // that are listed; the last of them tells how many more there are
};

// What a storage engineer should see first: problems before notices before information; among these, what failed before
// what was slow, then the costliest first. Of each kind a handful. Never empty unless stopped.
//
// One pass over each of the tables commands, losses, windows and pdus; besides, n log n in the number of slow commands.
// Any thread, so long as nothing is added to the store meanwhile but in `between`.
std::vector<Finding> findings(const FindingsInput& input);

std::string_view finding_severity_name(Finding::Severity severity);        // "problem"
std::string_view finding_side_name(Finding::Side side);                    // "target"; empty for none
std::string_view finding_confidence_name(Finding::Confidence confidence);  // "likely"

// The rows that are looked at; all findings() needs to be told in full.
constexpr ResultStore::Keep rows_for_findings{.commands = true,
                                              .pdus = false,
                                              .windows = true,
                                              .ca_transitions = true,
                                              .losses = true,
                                              .kernel_windows = false,
                                              .kernel_ca_transitions = false,
                                              .segments = false,
                                              .window_intervals = false,
                                              .budgets = true};

// A kind's name, stable, in lower case with underscores: "zero_window_stall". Static storage.
std::string_view finding_kind_name(Finding::Kind kind);

}  // namespace sanscope
