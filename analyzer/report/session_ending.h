// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/store/result_store.h"

namespace sanscope {

// A Logout Request that closes the connection was captured: on itself, or, no later than it was closed, for its whole session on
// any connection of that (RFC 7143 §11.14.1, reason code 0).
bool is_closed_by_logout(const ResultStore& store, uint32_t connection);

// The target told, within two minutes before `until_ns`, that it wants a Logout, or drops the connection or all of the session
// (Async Message events 1 to 3, RFC 7143 §11.9.1): by an Async Message on any connection of its session.
bool is_end_announced(const ResultStore& store, uint32_t connection, int64_t until_ns);

// Up to which moment all events of the sessions are kept: `end_ns`, that of the capture, unless there were too many.
int64_t events_known_until_ns(const ResultStore& store, int64_t end_ns);

}  // namespace sanscope
