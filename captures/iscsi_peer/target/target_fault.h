// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/base/result.h"

namespace sanscope {

// What a target may do wrong on purpose, for the tests of initiators.
enum class FaultKind : uint8_t {
    busy,                   // status BUSY
    task_set_full,          // status TASK SET FULL
    check_condition,        // MEDIUM ERROR
    short_read,             // half of the data of a read, reported as a residual
    corrupt_header_digest,  // of the answer's first PDU, where header digests were negotiated
    corrupt_data_digest,    // of the answer's first Data-In, where data digests were negotiated
    never_answer,
    reset,          // of the TCP connection
    close,          // of the TCP connection, without a word
    login_refused,  // out of resources (3/2)
    lost_write,     // GOOD for a write, but what was there before stays there
    async_logout,  // an Asynchronous Message that asks for logout (RFC 7143 §11.9.1, event 1), besides the answer
};

struct Fault {
    FaultKind kind{};
    // Every so many READs and WRITEs of a connection, or logins; 1 or more.
    uint32_t every = 1;
};

// "KIND" or "KIND:EVERY", the kinds with hyphens: "task-set-full:100".
Result<Fault> parse_fault(std::string_view text);

// "busy, task-set-full, …", for messages.
std::string_view fault_kinds();

}  // namespace sanscope
