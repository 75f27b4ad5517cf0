// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "captures/kernel_truth/kernel_event.h"

#include "analyzer/base/result.h"

namespace sanscope {

// What one asks the kernel by netlink for the TCP sockets of a family, and what it answers (sock_diag(7)).

// Room for the request.
constexpr size_t inet_diag_request_bytes = 72;

// Of the family AF_INET or AF_INET6, every socket that has another end.
std::array<uint8_t, inet_diag_request_bytes> inet_diag_request(uint8_t family, uint32_t sequence);

struct InetDiagAnswer {
    bool is_last = false;  // nothing more comes for this request
    std::optional<Error> error;
};

// Calls `found` for each socket that a datagram reports: a window without sequence numbers, which INET_DIAG lacks, and
// with the cookie as pointer. Its time is left to the caller. `sequence` is the request's: what answers another is
// ignored.
InetDiagAnswer parse_inet_diag(std::span<const uint8_t> datagram, uint32_t sequence,
                               const std::function<void(const kernel_event&)>& found);

}  // namespace sanscope
