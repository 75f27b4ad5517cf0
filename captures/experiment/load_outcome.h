// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "captures/experiment/measurement.h"
#include "captures/experiment/run_settings.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// What `sanscope generate --json` printed. An Error where it is not that, or commands failed: such a run measures
// something else.
Result<Measurement> parse_generate_outcome(std::string_view json);

// What `iperf3 -J` printed at the initiator, of either direction: each text is that of one of several that ran at once, whose
// rates, retransmissions and processor shares add up. How the rate rose is of the intervals it told. An Error where one is
// not that, or iperf3 reported one.
Result<Measurement> parse_iperf_outcomes(std::span<const std::string> texts);

// What `udp_blast send` and `udp_blast receive` printed of one transfer. The rate is that of all of it, with the time that its
// repair took; retransmissions are datagrams sent again. An Error where one is not that, or they contradict each other.
Result<Measurement> parse_blast_outcome(std::string_view sender, std::string_view receiver,
                                        Operation operation);

}  // namespace sanscope::lab
