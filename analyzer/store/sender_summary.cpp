// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/sender_summary.h"

#include <algorithm>

#include "analyzer/store/send_silence.h"

namespace sanscope {

void SenderSummary::on_window(const WindowRow& row) {
    ++windows_;
    if (track_ != nullptr) track_->add(row);
    const bool begun = last_ns_ != no_time;
    if (begun && row.time_ns > last_ns_) {
        const int64_t passed_ns = row.time_ns - last_ns_;
        observed_ns_ += passed_ns;
        const bool known =
            !is_beyond_timers(passed_ns, last_.srtt_ns, last_.in_flight, last_.limit, last_.state);
        if (known) in_state_ns_[static_cast<size_t>(last_.state)] += passed_ns;
        if (known && last_.limit != SendLimit::unknown)
            limited_ns_[static_cast<size_t>(last_.limit)] += passed_ns;
        if (last_.srtt_ns != no_time) {
            srtt_times_ns_ += static_cast<double>(last_.srtt_ns) * static_cast<double>(passed_ns);
            srtt_time_ns_ += passed_ns;
        }
    }
    last_ns_ = std::max(last_ns_, row.time_ns);  // a clock set back counts no time twice
    if (!begun || row.cwnd != last_.cwnd) cwnd_.set(last_ns_, row.cwnd);
    last_ = {row.srtt_ns, row.cwnd, row.in_flight, row.limit, row.ca_state};
    srtt_max_ns_ = std::max(srtt_max_ns_, row.srtt_ns);
    in_flight_max_ = std::max(in_flight_max_, row.in_flight);
    if (row.cwnd != unknown<uint32_t>) {
        cwnd_min_ = std::min(cwnd_min_, row.cwnd);
        cwnd_max_ = cwnd_max_ == unknown<uint32_t> ? row.cwnd : std::max(cwnd_max_, row.cwnd);
    }
}

}  // namespace sanscope
