// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/application_limit.h"

namespace sanscope {

bool ApplicationLimit::is_late(const SenderState& tp, int64_t pause_us, const PacedCandidate& paced) const {
    // Later on, what else delays a burst must not be taken for the application.
    const int64_t least_us = paced.starting_up() ? 0 : tp.srtt_us / 4;
    return pause_us > least_us && pause_us > 2 * paced.pacing_gap_us(burst_bytes_) + timer_slack_us;
}

}  // namespace sanscope
