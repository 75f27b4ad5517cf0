// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "gui/document/capture_data.h"

namespace sanscope {

// One side of a TCP connection as the sender of its data.
struct SenderId {
    uint32_t connection = 0;  // 0: none
    Side side = Side::b;      // side a, which sent the connection's first packet
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const SenderId&) const = default;
};

// Stands for all sessions where a session's number does for one.
constexpr uint32_t all_sessions = UINT32_MAX;

// nullptr where the sender has no track.
const SenderTrack* track_of(const CaptureData::Reading& reading, SenderId sender);
// The target's side of a connection, or the initiator's. {} where the connection is none.
SenderId sender_of(const CaptureData::Reading& reading, uint32_t connection, bool is_target);
bool is_target(const CaptureData::Reading& reading, SenderId sender);
// Whether the capture was taken elsewhere, so that what its TCP did when is estimated.
bool moments_are_estimated(const CaptureData::Reading& reading, SenderId sender);
// Until when its last figures hold: the connection's end, else that of what is read.
int64_t end_of(const CaptureData::Reading& reading, SenderId sender);

// A connection that sent payload, to be chosen from.
struct ConnectionChoice {
    uint32_t connection = 0;
    uint32_t session = 0;
    Endpoint initiator;
    Endpoint target;
    uint64_t bytes_out = 0;  // initiator to target
    uint64_t bytes_in = 0;
    bool idle = false;
    bool operator==(const ConnectionChoice&) const = default;
};
// In order of their numbers; of more than `most`, those with the most bytes.
std::vector<ConnectionChoice> connection_choices(const CaptureData::Reading& reading, size_t most = 1000);

// "192.0.2.1:3260".
QString endpoint_text(const Endpoint& endpoint);
// "192.0.2.1:32916 → 192.0.2.2:3260", from initiator to target.
QString connection_text(const Endpoint& initiator, const Endpoint& target);
// The same of a connection (1-based), with its number: "connection 3, 192.0.2.1:32916 → …".
QString connection_text(const CaptureData::Reading& reading, uint32_t connection);
// Of the states, limits and kinds of the tables, for people. Names that tell a field's state stay as Linux has them.
QString ca_text(CaState state);
QString limit_text(SendLimit limit);  // "application", …
QString limit_tip(SendLimit limit);   // a sentence
QString loss_text(LossKind kind);     // "fast retransmission", …

}  // namespace sanscope
