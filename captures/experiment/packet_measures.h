// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captures/experiment/measurement.h"
#include "captures/experiment/run_settings.h"
#include "captures/experiment/time_series.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// Adds what the packets of a run show: windows and retransmissions of the host that sends the data, how its rate rose. The
// capture was taken at that host. Out come the changes of its windows, when the first command was sent, and when the recording
// shows a sender last. An Error where the capture cannot be read whole, or holds no commands of this operation.
struct RecordedWindows {
    std::vector<WindowChange> changes;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
};
Result<RecordedWindows> add_packet_measures(const std::string& capture, Operation operation,
                                            Measurement& measured);

}  // namespace sanscope::lab
