// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captures/experiment/run_settings.h"

namespace sanscope::lab {

// What a file system asks of its disk: bytes, whole blocks of the file system.
struct BlockRequest {
    bool write = false;
    uint64_t offset = 0;
    uint64_t bytes = 0;

    bool operator==(const BlockRequest&) const = default;
};

constexpr uint64_t file_system_block = 4096;

// Postmark (Katcher, TR-3022): transactions on a pool of small files, which is there before.
struct PostmarkShape {
    uint64_t files = 20'000;
    uint64_t least_bytes = 500;
    uint64_t most_bytes = 100 << 10;
    uint64_t transactions = 50'000;
};
std::vector<BlockRequest> postmark_requests(const PostmarkShape& shape, uint64_t seed);

// Bonnie++'s rewrites: a file is read in order, and each piece of it written again.
std::vector<BlockRequest> rewrite_requests(uint64_t file_bytes, uint64_t piece_bytes);

// Bonnie++'s seeks: a block at a random place of a file is read; one in ten of them is written again.
std::vector<BlockRequest> seek_requests(uint64_t file_bytes, uint64_t seeks, uint64_t seed);

// Of a load of this pattern, the shapes above and what `docs/experiments.md` says: always the same. Empty: sequential.
std::vector<BlockRequest> requests_of(Pattern pattern);

// As `sanscope generate --trace` takes them: all due at once, so that one goes out as soon as another was answered.
std::string request_list_text(std::span<const BlockRequest> requests);

}  // namespace sanscope::lab
