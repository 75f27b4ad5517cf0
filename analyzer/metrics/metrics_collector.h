// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/budget/sampled_budgets.h"
#include "analyzer/engine/engine.h"
#include "analyzer/metrics/metrics_snapshot.h"
#include "analyzer/metrics/sample_pace.h"
#include "analyzer/report/findings.h"
#include "analyzer/store/command_sample.h"

namespace sanscope {

// The figures of a recording that goes on, under labels that stay when connections and sessions go: what an engine counted since
// it was asked before (LiveCounts) is added to them, so that no row is looked at twice. Bounded, whatever the capture has. One
// thread.
class MetricsCollector {
  public:
    MetricsCollector();

    // Of an engine that keeps live counts, between batches: takes what is new there. Rows of connections must be described
    // (Engine::describe_connections()). `now` is of any clock that does not go back, as everywhere here.
    void gather(Engine& engine, SamplePace::Moment now);
    // Without the engine: where the time of the commands went that gather() brought. To be called behind each of these.
    void examine_sample();
    // Findings that are never taken back, all of them each time.
    void note(std::span<const Finding> findings);
    void note(RecordingFigures figures) { snapshot_.recording = std::move(figures); }

    const MetricsSnapshot& snapshot() const { return snapshot_; }

  private:
    struct Path {
        PathLabels labels;
        bool iscsi = false;
    };
    static Path path_of(const ResultStore& store, uint32_t connection);
    void add_commands(const LiveCounts::Unit& unit, const ResultStore& store);
    void add_losses(const LiveCounts::Sender& sender, const ResultStore& store);
    void count_in_flight(const ResultStore& store);
    void follow_sample(Engine& engine, SamplePace::Moment now);

    MetricsSnapshot snapshot_;
    // By kind, as told by now: a packet's kind may be another one later, and a counter does not go back.
    std::map<SenderLabels, std::array<int64_t, loss_kinds>> losses_now_;
    size_t sessions_seen_ = 0;
    SamplePace pace_;
    std::unique_ptr<CommandSample> sample_;  // complete, to be examined
    std::map<uint32_t, ConnectionRow> sample_connections_;
    std::map<uint32_t, PathLabels> sample_paths_;
};

}  // namespace sanscope
