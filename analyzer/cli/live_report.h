// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/cli/captures.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/growing_series.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/metrics/metrics_collector.h"
#include "analyzer/report/findings.h"
#include "analyzer/report/live_screen.h"

namespace sanscope {

// Analyses a recording from its files while they are written, on a thread of its own, which never keeps the recording
// waiting. Memory does not grow with the recording: what is wrong is found at its end, in the files, where none of them
// is gone.
class LiveReport {
  public:
    // `with_metrics`: for gather().
    explicit LiveReport(bool with_metrics = false);
    LiveReport(const LiveReport&) = delete;
    LiveReport& operator=(const LiveReport&) = delete;
    // Gives up what is not analysed yet.
    ~LiveReport();

    // What the recording reported.
    void take(const v1::RecordingEvent& event);
    // What was done since it was asked before.
    std::vector<std::string> screen(LiveScreen::Size size);
    // Has `metrics` take what is new; the analysis waits for no longer than that.
    void gather(MetricsCollector& metrics);
    // Recorded, and not analysed yet, as far as files are known by events.
    uint64_t unread_bytes() const;
    // Once the recording has ended: analyses the rest; the report on all of it, or why there is none.
    std::string finish();

  private:
    void analyse_series();
    // How often what is wrong so far is looked for: what that takes is one part in `share` of the time.
    struct Looking {
        std::chrono::nanoseconds least_pause;
        int share;
    };
    void look_for_findings(std::chrono::nanoseconds now, Looking looking);
    void end_file(uint64_t bytes);
    std::optional<Analysed> with_rows() const;

    std::shared_ptr<GrowingSeries> series_ = std::make_shared<GrowingSeries>();
    std::shared_ptr<FileGrowth> growth_;  // of the file being written
    uint64_t ended_bytes_ = 0;            // of the files before
    uint64_t readable_bytes_ = 0;         // of the file being written
    std::vector<std::string> paths_;
    std::unique_ptr<PacketSource> source_;
    std::string fault_;
    Engine engine_;
    std::shared_mutex engine_lock_;
    LiveScreen screen_;
    std::vector<Finding> so_far_;
    std::chrono::nanoseconds look_again_{0};  // when, on the steady clock
    std::atomic<bool> stop_ = false;
    bool with_metrics_;
    std::thread thread_;
};

}  // namespace sanscope
