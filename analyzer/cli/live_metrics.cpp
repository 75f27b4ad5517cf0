// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/live_metrics.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/utf8.h"

namespace sanscope {

Result<std::unique_ptr<LiveMetrics>> LiveMetrics::start(const ListenAddress& address,
                                                        const v1::RecordingRequest& request) {
    auto server = MetricsServer::start(address, SANSCOPE_VERSION);
    if (!server) return server.error();
    return std::unique_ptr<LiveMetrics>(new LiveMetrics(std::move(*server), request));
}

void LiveMetrics::take(const v1::RecordingEvent& event) {
    if (!event.has_progress() && !event.has_ended()) return;
    const v1::RecordingTotals& totals =
        event.has_ended() ? event.ended().totals() : event.progress().totals();
    // Another host's recorder may say anything: nothing goes back.
    const auto raise = [](uint64_t& told, uint64_t now) { told = std::max(told, now); };
    raise(recording_.packets, totals.packets());
    raise(recording_.bytes, totals.bytes());
    raise(recording_.files, totals.files());
    raise(recording_.lost_at_the_end, totals.lost_at_the_end());
    recording_.interfaces.resize(static_cast<size_t>(request_.interfaces_size()));
    for (int i = 0; i < std::min(totals.interfaces_size(), request_.interfaces_size()); ++i) {
        const auto& counts = totals.interfaces(i);
        InterfaceFigures& interface = recording_.interfaces[static_cast<size_t>(i)];
        interface.interface = cleaned_line(request_.interfaces(i));
        raise(interface.received, counts.received());
        raise(interface.dropped_by_kernel, counts.dropped_by_kernel());
        raise(interface.dropped_by_interface, counts.dropped_by_interface());
    }
}

void LiveMetrics::publish(LiveReport& analysis) {
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return;
    due_ = now + refresh;
    analysis.gather(collector_);
    collector_.examine_sample();
    recording_.unread_bytes = analysis.unread_bytes();
    collector_.note(recording_);
    server_->publish(std::make_shared<const MetricsSnapshot>(collector_.snapshot()));
}

}  // namespace sanscope
