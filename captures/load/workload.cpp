// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/workload.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace sanscope {
namespace {

__extension__ using Wide = unsigned __int128;

// No volume is greater, whatever targets report of their LUNs: places in it fit into all types that they go through.
constexpr uint64_t most_volume_bytes = uint64_t{1} << 62;
// Ranks are drawn as doubles, which are exact so far.
constexpr uint64_t most_ranks = uint64_t{1} << 53;

uint64_t usable_bytes(const LunShape& lun, size_t luns) {
    return std::min(lun.blocks, most_volume_bytes / luns / lun.block_size) * lun.block_size;
}

std::optional<Error> wrong_options(const WorkloadOptions& options) {
    if (options.request_bytes == 0) return Error{"a request needs at least one block"};
    // ExpectedDataTransferLength has 32 bits (RFC 7143 §11.3.4).
    if (options.request_bytes > std::numeric_limits<uint32_t>::max()) {
        return Error{fmt::format("a request of {} bytes is more than iSCSI can ask for at once: {}",
                                 options.request_bytes, std::numeric_limits<uint32_t>::max())};
    }
    if (options.read_percent > 100) return Error{"the share of reads is a percentage: 0 to 100"};
    if (options.pattern == WorkloadOptions::Pattern::zipf &&
        (!std::isfinite(options.zipf_theta) || options.zipf_theta <= 0 || options.zipf_theta > 100)) {
        return Error{"theta of the Zipf distribution is above 0 and at most 100"};
    }
    return std::nullopt;
}

std::optional<Error> wrong_luns(const WorkloadOptions& options, std::span<const LunShape> luns,
                                uint64_t stripe_bytes) {
    if (luns.empty()) return Error{"a load needs at least one LUN"};
    for (const LunShape& lun : luns) {
        if (lun.blocks == 0 || lun.block_size == 0) return Error{"a LUN without blocks bears no load"};
        if (options.request_bytes % lun.block_size != 0) {
            return Error{fmt::format("a request of {} bytes is no multiple of the LUN's block size, {}",
                                     options.request_bytes, lun.block_size)};
        }
        if (luns.size() > 1 && stripe_bytes % lun.block_size != 0) {
            return Error{fmt::format("a stripe of {} bytes is no multiple of a LUN's block size, {}",
                                     stripe_bytes, lun.block_size)};
        }
    }
    return std::nullopt;
}

// Whole requests in the volume.
uint64_t count_requests(std::span<const LunShape> luns, uint64_t stripe_bytes, uint64_t request_bytes) {
    uint64_t smallest = most_volume_bytes;
    for (const LunShape& lun : luns) smallest = std::min(smallest, usable_bytes(lun, luns.size()));
    if (luns.size() == 1) return smallest / request_bytes;
    return smallest / stripe_bytes * stripe_bytes * luns.size() / request_bytes;
}

// About the golden section of the count, so that ranks which follow each other lie far apart.
uint64_t scatter_step(uint64_t count) {
    auto step = static_cast<uint64_t>(static_cast<double>(count) * 0.6180339887498949);
    while (std::gcd(step, count) != 1) ++step;
    return step;
}

}  // namespace

Result<Workload> Workload::create(const WorkloadOptions& options, std::span<const LunShape> luns) {
    if (auto wrong = wrong_options(options)) return *std::move(wrong);
    const uint64_t stripe_bytes = options.stripe_bytes == 0 ? options.request_bytes : options.stripe_bytes;
    if (auto wrong = wrong_luns(options, luns, stripe_bytes)) return *std::move(wrong);
    const uint64_t requests = count_requests(luns, stripe_bytes, options.request_bytes);
    if (requests == 0) {
        return Error{fmt::format("{} smaller than {} of {} bytes",
                                 luns.size() == 1 ? "the LUN is" : "the smallest LUN is",
                                 luns.size() == 1 ? "one request" : "one stripe or request",
                                 std::max(luns.size() == 1 ? 0 : stripe_bytes, options.request_bytes))};
    }
    if (options.workers == 0 || options.worker >= options.workers) return Error{"a load needs a worker"};
    if (options.pattern == WorkloadOptions::Pattern::sequential && requests < options.workers) {
        return Error{fmt::format("{} requests of {} bytes are too few for a region for each of {} sessions",
                                 requests, options.request_bytes, options.workers)};
    }
    if (options.pattern == WorkloadOptions::Pattern::zipf && requests >= most_ranks)
        return Error{"the volume has too many requests for the Zipf distribution; take greater ones"};
    return Workload(options, luns, stripe_bytes, requests);
}

Workload::Workload(const WorkloadOptions& options, std::span<const LunShape> luns, uint64_t stripe_bytes,
                   uint64_t requests)
    : pattern_(options.pattern),
      read_percent_(options.read_percent),
      request_bytes_(options.request_bytes),
      stripe_bytes_(stripe_bytes),
      requests_(requests),
      end_(requests),
      random_(RandomNumbers::mixed(RandomNumbers::mixed(options.seed) + options.worker)),
      ranks_(std::min(requests, most_ranks), options.zipf_theta) {
    for (const LunShape& lun : luns) block_sizes_.push_back(lun.block_size);
    if (pattern_ == WorkloadOptions::Pattern::sequential) {
        const uint64_t region = requests / options.workers;
        begin_ = region * options.worker;
        end_ = begin_ + region;
    }
    position_ = begin_;
    if (pattern_ == WorkloadOptions::Pattern::zipf) {
        scatter_step_ = scatter_step(requests);
        scatter_start_ = RandomNumbers(options.seed).below(requests);
    }
}

void Workload::begin_request() {
    uint64_t request = 0;
    switch (pattern_) {
        case WorkloadOptions::Pattern::sequential:
            request = position_;
            position_ = position_ + 1 == end_ ? begin_ : position_ + 1;
            break;
        case WorkloadOptions::Pattern::random:
            request = random_.below(requests_);
            break;
        case WorkloadOptions::Pattern::zipf: {
            const uint64_t rank = ranks_.draw(random_) - 1;
            request = static_cast<uint64_t>((Wide{rank} * scatter_step_ + scatter_start_) % requests_);
            break;
        }
    }
    at_ = request * request_bytes_;
    left_ = request_bytes_;
    write_ = read_percent_ < 100 && (read_percent_ == 0 || random_.below(100) >= read_percent_);
}

WorkloadCommand Workload::take_piece() {
    uint64_t offset = at_;
    uint64_t bytes = left_;
    uint64_t lun = 0;
    if (block_sizes_.size() > 1) {
        const uint64_t unit = at_ / stripe_bytes_;
        const uint64_t within = at_ % stripe_bytes_;
        lun = unit % block_sizes_.size();
        offset = unit / block_sizes_.size() * stripe_bytes_ + within;
        bytes = std::min(left_, stripe_bytes_ - within);
    }
    at_ += bytes;
    left_ -= bytes;
    const uint32_t block_size = block_sizes_[lun];
    return {.lba = offset / block_size,
            .blocks = static_cast<uint32_t>(bytes / block_size),
            .lun = static_cast<uint32_t>(lun),
            .write = write_};
}

}  // namespace sanscope
