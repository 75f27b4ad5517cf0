// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/report/finding_list.h"

namespace sanscope {

// One iSCSI connection that is in the capture as two, as before and behind a router that translates addresses (NAT), or a proxy: both
// are of the same session, or their TCP streams begin with the same sequence numbers, and they carry the same commands at about the
// same time.
struct ConnectionTwice {
    uint32_t first = 0;
    uint32_t second = 0;
    uint64_t commands = 0;  // that were compared, and are the same
    int64_t apart_ns = 0;   // the farthest of them
    bool of_one_session = false;
    bool begins_otherwise = false;  // the sequence numbers of their TCP streams are known, and differ
};

// Empty where commands are not kept. A connection is `second` once at most.
std::vector<ConnectionTwice> connections_twice(const ResultStore& store, const Stop& stop);

void add_connections_twice(FindingList& list, std::span<const ConnectionTwice> twice);

// Of connections that are in the capture twice (also Finding::doubts_connection): what is told of the second one and of the first one
// alike is told once, and what counts both, or rests on where it was captured, is no more than possible.
void doubt_what_is_twice(FindingList& list, const ResultStore& store, std::span<const ConnectionTwice> twice);

}  // namespace sanscope
