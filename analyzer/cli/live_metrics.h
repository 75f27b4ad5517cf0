// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <memory>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/live_report.h"
#include "analyzer/metrics/listen_address.h"
#include "analyzer/metrics/metrics_collector.h"
#include "analyzer/metrics/metrics_server.h"

namespace sanscope {

// The figures of a recording for whoever monitors: what its analysis and its recorder say, once a second, on a server.
class LiveMetrics {
  public:
    static constexpr std::chrono::milliseconds refresh{1000};

    // An Error where nobody can listen there. `request`: outlives this.
    static Result<std::unique_ptr<LiveMetrics>> start(const ListenAddress& address,
                                                      const v1::RecordingRequest& request);

    // What the recording reported.
    void take(const v1::RecordingEvent& event);
    // Publishes what is known by now, where that is due.
    void publish(LiveReport& analysis);
    const ListenAddress& address() const { return server_->address(); }

  private:
    LiveMetrics(std::unique_ptr<MetricsServer> server, const v1::RecordingRequest& request)
        : server_(std::move(server)), request_(request) {}

    std::unique_ptr<MetricsServer> server_;
    const v1::RecordingRequest& request_;
    MetricsCollector collector_;
    RecordingFigures recording_;
    std::chrono::steady_clock::time_point due_{};
};

}  // namespace sanscope
