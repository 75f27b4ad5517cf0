// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gui/document/measured_transits.h"

#include "analyzer/base/result.h"
#include "analyzer/base/spilling_memory.h"
#include "analyzer/points/points_of_path.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Captures that are open as points of one path: what follows from holding them against each other. Nothing in it changes; any
// thread may look at it.
class OpenPath {
  public:
    struct Options {
        const std::atomic<bool>* stop = nullptr;
        // So many bytes of all files together are read, of so many.
        std::function<void(uint64_t read, uint64_t total)> progress = {};
    };
    // Reads them one after the other: some seconds for a gigabyte. An Error, which names the file it is about, where one cannot
    // be read, two neighbouring ones have no connection in common, or it was stopped.
    static Result<std::shared_ptr<const OpenPath>> follow(const std::vector<std::string>& files,
                                                          const Options& options);
    OpenPath(const OpenPath&) = delete;
    OpenPath& operator=(const OpenPath&) = delete;

    const PathPoints& path() const { return path_; }
    // By point: from the initiators to the targets, if path().pairs know the order.
    const std::vector<std::string>& files() const { return files_; }
    // What was damaged, a sentence for each file.
    const std::vector<std::string>& damage() const { return damage_; }

    const ChunkedRows<PointRow>& points() const { return points_; }
    const ChunkedRows<PointLossRow>& losses() const { return losses_; }

    // When a moment of a point's clock was by the first point's: in the middle of what the clocks allow. Nothing where they are not
    // known then.
    MeasuredMoment at_first_point(size_t point, int64_t time_ns) const;

    // The connection of the first point's capture that `at`, of the first pair, is in `store`, which must be that of the same file,
    // complete; 0: none.
    static ConnectionNumber connection_in(const ResultStore& store, const PointCapture& first,
                                          size_t connection);
    // What the packets of that store's connection were at the farthest point that saw it, or at one no farther than `farthest`
    // (index into path().points); kept for the next who asks, of those asked for last. nullptr where no other point saw it.
    std::shared_ptr<const MeasuredTransits> transits(const ResultStore& store, ConnectionNumber connection,
                                                     size_t farthest = most_points) const;

  private:
    OpenPath();

    std::unique_ptr<SpillingMemory> memory_;  // of the records
    PathPoints path_;
    std::vector<std::string> files_;
    std::vector<std::string> damage_;
    ChunkedRows<PointRow> points_;
    ChunkedRows<PointLossRow> losses_;
    mutable std::mutex mutex_;  // of what follows
    // By the connection and the farthest point that was asked for.
    mutable std::map<std::pair<ConnectionNumber, size_t>, std::shared_ptr<const MeasuredTransits>> transits_;
};

}  // namespace sanscope
