// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "gui/document/selection.h"
#include "gui/plot/budget_bar.h"
#include "gui/plot/state_band.h"
#include "gui/senders/sender_curves.h"
#include "gui/views/layers/track_summaries.h"

namespace sanscope {

// The lanes of a connection, as they stand below each other. Out is initiator to target.
enum class LaneKind : uint8_t {
    commands,
    pdus_out,
    pdus_in,
    tcp_out,
    tcp_in,
    window_out,
    window_in,
    state_out,
    state_in,
    kernel_state_out,
    kernel_state_in,
    packets
};
constexpr size_t lane_kinds = 12;
using LaneBits = uint16_t;  // one of each kind
constexpr LaneBits bit_of(LaneKind kind) {
    return static_cast<LaneBits>(1u << static_cast<unsigned>(kind));
}

// What the layout has to know of a connection.
struct GroupShape {
    uint32_t connection = 0;
    uint16_t slots = 0;  // of commands
    LaneBits lanes = 0;  // those it has
    bool idle = false;   // as is_idle(), where not all are
    bool operator==(const GroupShape&) const = default;
};

// Every connection that has a track: those that are iSCSI first, busiest first, idle ones last. While they still grow (not `complete`), those that
// carried about as much stand in order of appearance, so that they seldom change places.
std::vector<GroupShape> survey_groups(const CaptureData::Reading& reading, bool complete);

struct CommandBar {
    int64_t begin_ns = 0;
    int64_t end_ns = no_time;         // no_time: never
    int64_t first_data_ns = no_time;  // of its first byte, where that is known
    int64_t last_data_ns = no_time;
    QString label;  // of those wide enough; as is short_label
    QString short_label;
    const char* name = "";
    uint64_t bytes = unknown<uint64_t>;
    uint32_t row = 0;
    uint16_t opcode = 0;
    uint16_t slot = 0;
    uint16_t status = unknown<uint16_t>;
    uint16_t iscsi_response = unknown<uint16_t>;
    uint32_t queue_depth = unknown<uint32_t>;
    Outcome outcome = Outcome::unanswered;
    bool bad = false;    // ended without GOOD
    bool faint = false;  // does not pass the filter, as below
    bool inferred = false;
    static constexpr uint32_t no_parts = UINT32_MAX;
    uint32_t parts = no_parts;  // where its time went: an index into the group's command_parts
    uint64_t number() const { return uint64_t{row} + 1; }
};

struct PduBar {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    QString label;  // of those wide enough
    uint64_t command = 0;
    uint64_t first_packet = 0;
    uint64_t last_packet = 0;  // 0: it never completed
    uint32_t row = 0;
    uint32_t data_length = 0;
    uint8_t opcode = 0;
    uint8_t line = 0;  // one of pdu_lines
    bool damaged = false;
    bool faint = false;
    uint64_t number() const { return uint64_t{row} + 1; }
};
constexpr uint8_t pdu_lines = 2;

struct PacketTick {
    int64_t time_ns = 0;
    uint32_t packet = 0;
    uint32_t payload = 0;
    uint32_t wire_length = 0;
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint8_t flags = 0;
    uint8_t direction = 0;
    bool faint = false;
};

struct LaneLoss {
    int64_t time_ns = 0;
    int64_t sent_ns = 0;  // estimated where the capture was not taken at the sender
    uint64_t packet = 0;
    uint64_t original = 0;
    int64_t delay_ns = no_time;
    uint32_t row = 0;
    uint32_t length = 0;
    uint32_t count = 1;  // of that kind in its column, of which it is the first
    LossKind kind = LossKind::fast_retransmit;
    bool faint = false;
    uint64_t number() const { return uint64_t{row} + 1; }
};

struct StateSpan {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    CaState state = CaState::open;
    const char* cause = "";
};

// A connection drawn up for a stretch of time. A lane has either items or columns; with columns, its items are those selected.
// `passing`: with a filter, the columns of what passes it; empty without.
struct GroupPicture {
    uint32_t connection = 0;
    bool expanded = false;
    QString title;
    QString facts;
    std::vector<TrafficColumn> traffic;  // also of a collapsed group
    std::vector<TrafficColumn> passing_traffic;

    std::vector<CommandBar> commands;       // in order of begin_ns
    std::vector<BudgetSums> command_parts;  // of those wide enough, and of the selected one
    std::vector<CommandColumn> command_columns;
    std::vector<CommandColumn> passing_command_columns;

    std::array<std::vector<PduBar>, 2> pdus;
    std::vector<PduColumn> pdu_columns;
    std::vector<PduColumn> passing_pdu_columns;

    std::array<std::vector<PacketTick>, 2> ticks;  // by direction, in order of time
    bool ticks_are_all = false;                    // else the columns of traffic stand for them
    std::array<std::vector<LaneLoss>, 2> losses;
    std::array<SenderCurves, 2> curves;
    std::array<std::vector<StateSpan>, 2> states;
    std::array<StateBand, 2> kernel_states;  // as the senders' kernels reported
};

struct LayersPicture {
    PreparedRange prepared;
    std::vector<GroupPicture> groups;

    const GroupPicture* group(uint32_t connection) const;
};

struct GroupRequest {
    uint32_t connection = 0;
    bool expanded = false;
    bool compact_commands = false;  // as columns at any zoom
    bool operator==(const GroupRequest&) const = default;
};

// Draws a connection up for the range. `selected` may be of any connection.
GroupPicture prepare_group(const CaptureData::Reading& reading, TrackSummaries& summaries,
                           const GroupRequest& request, const PreparedRange& prepared,
                           const SelectedThings& selected, const std::shared_ptr<const FilterResult>& filter);

// "Data-In": as RFC 7143 names it, without "SCSI".
QString short_opcode_name(uint8_t opcode);

}  // namespace sanscope
