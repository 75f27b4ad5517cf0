// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/document/open_path.h"
#include "gui/plot/state_band.h"
#include "gui/plot/time_viewport.h"
#include "gui/senders/sender_curves.h"
#include "gui/views/ladder/path_delay.h"

#include "analyzer/net/tcp_options.h"

namespace sanscope {

// How closely packets are looked at: what is drawn between the two lines of time.
enum class LadderDetail : uint8_t {
    automatic,  // whatever there is room for
    packets,
    pdus,
    commands,
    density,  // never asked for: how many packets a stretch holds, where single things would run into each other
};

// One segment on its way, or one that was not seen but must have been.
struct LadderArrow {
    enum class Fate : uint8_t {
        arrived,
        lost,          // captured, then lost
        lost_unseen,   // lost before the tap: known from the hole it left and from its retransmission
        not_captured,  // arrived, though the capture lacks it; with points, that of one of them
        lost_beyond,   // with points: both saw it, and it was lost behind the far one
        unclear,       // with points: one of them saw it, and nothing tells what became of it
    };

    PacketTransit transit;
    int64_t captured_ns = no_time;  // no_time: it was not
    PacketNumber packet = 0;        // 0: was not captured
    uint32_t seq = 0;               // relative: the sender's first byte is 1
    uint32_t ack = 0;               // likewise, of the other side
    uint32_t length = 0;            // bytes of payload
    uint32_t loss = 0;              // what it repeats, or shows, is this row of losses; 0: none
    uint16_t window = 0;            // as in the header
    uint8_t flags = 0;              // TcpFlag
    LossKind kind{};                // of `loss`
    Fate fate = Fate::arrived;
    Role sender = Role::target;
    bool passes = true;  // the filter
    // With points: the ends of `transit` that it came to were measured, the far one up to so much earlier or later.
    bool measured = false;
    int64_t plus_minus_ns = 0;
    PacketNumber far_packet = 0;  // at the far point, the first with its bytes; 0: none
    uint32_t lost_bytes = 0;      // of an arrived one: what the network made packets of lost some
    uint8_t sack_blocks = 0;
    bool d_sack = false;                                  // the first block reports a duplicate (RFC 2883)
    std::array<std::pair<uint32_t, uint32_t>, 4> sack{};  // relative, begin and one past the end
    QString label;                                        // where there are few enough

    bool pure_ack() const { return length == 0 && (flags & (tcp_syn | tcp_fin | tcp_rst)) == 0; }
};

// From what was lost, or thought to be, to what was sent for it.
struct LadderLink {
    PacketTransit original;
    int64_t again_ns = 0;  // leaves
    LossKind kind{};
    Role sender = Role::target;
    PacketNumber packet = 0;  // the repetition
};

// Where retransmissions are too many to be drawn one by one: those of a stretch.
struct LadderLosses {
    int64_t time_ns = 0;  // of the first
    uint32_t count = 0;
    LossKind kind{};
    Role sender = Role::target;
};

struct LadderPdu {
    PacketTransit first;  // of the packet that begins it
    PacketTransit last;   // of that which completes it
    uint64_t number = 0;
    uint64_t command = 0;
    uint32_t data_length = 0;
    uint8_t opcode = 0;
    Role sender = Role::target;
    bool completed = true;
    bool damaged = false;
    bool passes = true;
    QString label;  // what it is, in a few words
};

struct LadderCommand {
    int64_t begin_ns = 0;  // at the initiator, as the next one
    int64_t end_ns = 0;    // of what never ended, the end of what is drawn
    uint64_t number = 0;
    bool has_request = false;
    bool has_data = false;
    bool has_response = false;
    bool ended = false;
    bool failed = false;  // aborted, or with a status that is not GOOD
    Role data_sender = Role::target;
    bool passes = true;
    uint16_t opcode = 0;
    uint16_t lane = 0;
    PacketTransit request;
    PacketTransit first_data;
    PacketTransit last_data;
    PacketTransit response;
    QString label;
};

// Packets that passed the tap in a stretch.
struct LadderDensityRow {
    uint32_t packets[2] = {0, 0};  // from the initiator, from the target
};

struct LadderState {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    CaState state = CaState::open;
};

struct LadderTransition {
    int64_t time_ns = 0;
    PacketNumber packet = 0;
    const char* cause = "";  // static storage
    CaState from = CaState::open;
    CaState to = CaState::open;
};

// What the sender's TCP held, at the sender's end.
struct LadderSender {
    bool judged = true;  // what its TCP did can be told
    SenderCurves curves;
    std::vector<LadderState> states;  // without gaps, shorter ones than a pixel as the worst of them
    std::vector<LadderTransition> transitions;  // in order of time; none where there are too many to name
    size_t transitions_in_range = 0;
    StateBand kernel_ca;         // as the sender's kernel reported; empty where it did not
    bool has_kernel_ca = false;  // it did, in sight or not
};

// Of a capture that is open as a point of a path: what its ends are.
struct LadderPoints {
    enum class Known : uint8_t {
        both_ends,      // measured at both
        no_clock,       // the far point saw the packets, but its clock cannot be compared
        not_elsewhere,  // no other point saw this connection, or nothing tells their order
    };
    Known known = Known::not_elsewhere;
    QString here;  // names of the points
    QString far;
    bool here_is_initiator = true;
    int64_t plus_minus_ns = 0;  // of far times, the most in the picture
    size_t measured = 0;        // arrows
    size_t within_band = 0;     // of these, were on their way for less than the band of the clocks is wide
    // Names of the points at an end.
    const QString& at(Role role) const { return (role == Role::initiator) == here_is_initiator ? here : far; }
};

// All that is drawn for a stretch of time of one connection: made behind the GUI thread, then only looked at.
struct LadderPicture {
    PreparedRange prepared;
    uint32_t connection = 0;
    bool sender_is_target = true;
    LadderDetail asked = LadderDetail::automatic;
    LadderDetail detail = LadderDetail::packets;  // what it has come to, never `automatic`
    bool has_track = false;                       // the connection has payload
    PathDelay delay;
    std::optional<LadderPoints> points;  // none where the capture is open by itself
    TimeRange
        life;  // from the connection's first packet at an end to its last; empty where that is not known yet
    QString initiator;  // its address and port
    QString target;
    bool iscsi = false;
    size_t farthest_point = 0;  // as it was asked for

    // In detail `packets` all segments, in order of capture; else repetitions and what they repeat alone.
    std::vector<LadderArrow> arrows;
    std::vector<LadderLink> links;
    std::vector<LadderLosses> folded_losses;
    std::vector<LadderPdu> pdus;  // in detail `pdus` as bands, in `packets` as labels at the ends
    std::vector<LadderCommand> commands;
    uint16_t lanes = 0;
    int64_t density_row_ns = 1;
    std::vector<LadderDensityRow> density;  // from prepared.range.begin_ns on, in detail `density`
    uint32_t densest = 0;
    LadderSender sender;
};

// What a picture is made of.
struct LadderRequest {
    uint32_t connection = 0;
    bool sender_is_target = true;
    PreparedRange prepared;
    double ns_per_pixel = 1;
    LadderDetail detail = LadderDetail::automatic;
    bool read_packets = false;                   // the capture is complete: its packets may be read
    std::shared_ptr<const OpenPath> points;      // of a complete capture; nullptr: it is open by itself
    size_t farthest_point = SIZE_MAX;            // of them: OpenPath::transits()
    std::shared_ptr<const FilterResult> filter;  // may be nullptr
};

}  // namespace sanscope
