// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "captures/fair_tcp/fair_tcp.h"

namespace sanscope {

// An address of a fair_tcp_key: "192.0.2.1", "2001:db8::1".
std::string fair_tcp_address(const uint32_t (&words)[4]);

// For people: what is started, its ensembles, and what has been repaired.
std::string fair_tcp_status_text(const std::vector<FairTcpStatus>& all);

// For programs: a JSON object for each that is started, one a line. Absent are thresholds that are infinite, and round trips
// that are not known.
std::string fair_tcp_status_json(const std::vector<FairTcpStatus>& all);

}  // namespace sanscope
