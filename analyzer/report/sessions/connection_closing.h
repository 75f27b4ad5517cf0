// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "analyzer/store/result_store.h"

namespace sanscope {

// What ended a connection first.
struct Closing {
    int64_t time_ns;
    PacketNumber packet;  // 0 where it is not known
    bool by_target;
    bool reset;
};

std::optional<Closing> first_closing(const ConnectionRow& row);
// Both sides did, and the clocks that stamped the two directions are too far apart to tell who was first.
bool first_closer_in_doubt(const ConnectionRow& row);

// The first connection after `end_ns` in a later session of the same initiator and target; 0 where there is none, or the
// names are not known.
uint32_t login_anew(const ResultStore& store, uint32_t connection, int64_t end_ns);

// A Logout Request or Response. A response tells of a request too, where the capture lacks that.
bool is_of_logout(const SessionEvent& event);

// … and the target closed nothing: it answered with another response than 0 (RFC 7143 §11.15.1), or with a Reject.
bool is_refused_logout(const ResultStore& store, const SessionEvent& event);

// The connection of a session with that CID at a moment: the latest to begin until then. 0 where there is none.
uint32_t connection_with(const ResultStore& store, uint32_t session, uint32_t cid, int64_t time_ns);

// The connection that an event of a Logout closes: the one whose CID its request names (RFC 7143 §11.14.3), on whichever it came;
// its own where that is not known, and where the whole session is closed. 0 where it names none that was captured.
uint32_t logged_out_by(const ResultStore& store, const SessionEvent& event);

// The connection was logged out of (`logged_out_by`).
bool is_logged_out(const ResultStore& store, uint32_t connection);

// There were more Logout Requests than are kept: nobody knows of which connections.
bool hides_logouts(const ResultStore& store);

// Data that this side sent, or the other side's answers to it, are missing from the capture.
bool lacks_packets(const ResultStore& store, uint32_t connection);

}  // namespace sanscope
