// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captures/load/random_numbers.h"
#include "captures/load/zipf_ranks.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A LUN as READ CAPACITY reports it (SBC-4 §5.15).
struct LunShape {
    uint64_t blocks = 0;      // the last LBA and one
    uint32_t block_size = 0;  // bytes
};

struct WorkloadOptions {
    enum class Pattern : uint8_t { sequential, random, zipf };

    Pattern pattern = Pattern::sequential;
    uint64_t request_bytes = 4096;  // a multiple of every LUN's block size
    unsigned read_percent = 100;    // of the requests, drawn one by one
    double zipf_theta =
        0.99;  // > 0: the request of rank k is drawn with a probability in proportion to k^-theta
    uint64_t stripe_bytes =
        0;  // a multiple of every LUN's block size; 0: as request_bytes. Without a meaning for one LUN
    uint64_t seed = 1;
    unsigned worker = 0;  // which of the `workers` that share the LUNs this one is
    unsigned workers = 1;
};

struct WorkloadCommand {
    uint64_t lba = 0;
    uint32_t blocks = 0;
    uint32_t lun = 0;  // index among those that the workload was made for
    bool write = false;
};

// Which command comes next, for one worker: a session, or a group of them, one to each target, that share a queue.
//
// Several LUNs are one volume striped like RAID-0, as far as the smallest of them goes. Requests are aligned to their
// size in the volume; one that crosses the edge of a stripe becomes several commands, one behind the other.
//
// Sequential: each worker has a region of its own, all of the same size, from whose end it goes back to its start. Were
// the requests of one sequence dealt out in turn, what each target saw would be sequential only while all sessions keep
// the same pace, which nothing makes them do. Random and zipf: all workers draw from the whole volume, each its own
// numbers; what is hot is the same for all of one seed, and lies scattered over the volume.
class Workload {
  public:
    // An Error where the options and the LUNs do not go together.
    static Result<Workload> create(const WorkloadOptions& options, std::span<const LunShape> luns);

    WorkloadCommand next() {
        if (left_ == 0) begin_request();
        return take_piece();
    }

    uint64_t volume_bytes() const { return requests_ * request_bytes_; }
    // The region within the volume from which requests come, in bytes; of random and zipf all of it.
    uint64_t region_begin() const { return begin_ * request_bytes_; }
    uint64_t region_end() const { return end_ * request_bytes_; }

  private:
    Workload(const WorkloadOptions& options, std::span<const LunShape> luns, uint64_t stripe_bytes,
             uint64_t requests);

    void begin_request();
    WorkloadCommand take_piece();

    WorkloadOptions::Pattern pattern_;
    bool write_ = false;
    unsigned read_percent_;
    uint64_t request_bytes_;
    uint64_t stripe_bytes_;
    uint64_t requests_;   // of the whole volume
    uint64_t begin_ = 0;  // region, in requests
    uint64_t end_ = 0;
    uint64_t position_ = 0;  // the next one of a sequence
    uint64_t at_ = 0;        // of what is left of the request, in the volume
    uint64_t left_ = 0;
    RandomNumbers random_;
    ZipfRanks ranks_;
    uint64_t scatter_step_ = 1;  // has no factor in common with the number of requests
    uint64_t scatter_start_ = 0;
    std::vector<uint32_t> block_sizes_;
};

}  // namespace sanscope
