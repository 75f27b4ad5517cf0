// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/request_pattern.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

double share_of_writes(const std::vector<BlockRequest>& requests) {
    return static_cast<double>(std::ranges::count_if(requests, &BlockRequest::write)) /
           static_cast<double>(requests.size());
}

uint64_t all_bytes(const std::vector<BlockRequest>& requests) {
    uint64_t bytes = 0;
    for (const BlockRequest& request : requests) bytes += request.bytes;
    return bytes;
}

TEST(RequestPattern, EachIsTheSameEachTimeOfWholeBlocksOnADiskOf64GiB) {
    EXPECT_THAT(requests_of(Pattern::sequential), IsEmpty());
    for (const Pattern pattern : {Pattern::postmark, Pattern::rewrite, Pattern::seeks}) {
        const auto requests = requests_of(pattern);
        EXPECT_EQ(requests, requests_of(pattern));
        ASSERT_FALSE(requests.empty());
        for (const BlockRequest& request : requests) {
            ASSERT_GT(request.bytes, 0u);
            ASSERT_EQ(request.bytes % file_system_block, 0u);
            ASSERT_EQ(request.offset % file_system_block, 0u);
            ASSERT_LE(request.offset + request.bytes, uint64_t{64} << 30);
        }
    }
}

TEST(RequestPattern, AnotherSeedIsAnotherPostmark) {
    const PostmarkShape small{.files = 100, .transactions = 200};
    EXPECT_EQ(postmark_requests(small, 7), postmark_requests(small, 7));
    EXPECT_NE(postmark_requests(small, 7), postmark_requests(small, 8));
}

TEST(RequestPattern, PostmarkMovesAboutAsMuchAsItsPublicationSays) {
    const auto requests = requests_of(Pattern::postmark);
    // "around 4GB", of the creation of the pool, about 1 GB, and the transactions.
    EXPECT_GT(all_bytes(requests), uint64_t{2} << 30);
    EXPECT_LT(all_bytes(requests), uint64_t{4} << 30);
    EXPECT_GT(share_of_writes(requests), 0.5);
    EXPECT_LT(share_of_writes(requests), 0.85);
    const auto largest = std::ranges::max_element(requests, {}, &BlockRequest::bytes);
    EXPECT_EQ(largest->bytes, 25 * file_system_block) << "100 KiB";
}

// What is read was there before or has been written since.
TEST(RequestPattern, PostmarkReadsFilesOfItsPoolAlone) {
    const PostmarkShape shape{.files = 50, .least_bytes = 500, .most_bytes = 8192, .transactions = 5000};
    constexpr uint64_t place_bytes = 8192;
    std::set<uint64_t> created;
    for (uint64_t place = 0; place < shape.files; ++place) created.insert(place);
    size_t reads = 0;
    for (const BlockRequest& request : postmark_requests(shape, 3)) {
        const uint64_t place = request.offset / place_bytes;
        if (place >= 2 * shape.files) continue;  // metadata
        if (request.write) created.insert(place);
        if (request.write) continue;
        ++reads;
        EXPECT_TRUE(created.contains(place)) << place;
    }
    EXPECT_GT(reads, 1000u);
}

TEST(RequestPattern, PostmarkWithoutFilesOrPlacesGoesOn) {
    const auto requests = postmark_requests({.files = 1, .transactions = 1000}, 1);
    EXPECT_GT(requests.size(), 100u);
    for (const BlockRequest& request : requests) EXPECT_LE(request.offset, 51 * file_system_block);
}

TEST(RequestPattern, RewritesReadAPieceAndWriteIt) {
    EXPECT_THAT(rewrite_requests(10'000, 4096),
                ElementsAre(BlockRequest{false, 0, 4096}, BlockRequest{true, 0, 4096},
                            BlockRequest{false, 4096, 4096}, BlockRequest{true, 4096, 4096}));
    EXPECT_EQ(all_bytes(requests_of(Pattern::rewrite)), uint64_t{2} << 30);
}

TEST(RequestPattern, OneSeekInTenIsWritten) {
    const auto requests = seek_requests(1 << 30, 10'000, 5);
    const auto writes = static_cast<size_t>(std::ranges::count_if(requests, &BlockRequest::write));
    EXPECT_EQ(requests.size() - writes, 10'000u);
    EXPECT_NEAR(static_cast<double>(writes), 1000, 150);
    std::set<uint64_t> places;
    for (size_t i = 0; i < requests.size(); ++i) {
        places.insert(requests[i].offset);
        EXPECT_LT(requests[i].offset, uint64_t{1} << 30);
        if (!requests[i].write) continue;
        EXPECT_EQ(requests[i].offset, requests[i - 1].offset) << "what was read";
    }
    EXPECT_GT(places.size(), 9000u) << "all over the file";
}

TEST(RequestPattern, AListIsWhatTheGeneratorTakes) {
    const std::vector<BlockRequest> requests{{false, 4096, 8192}, {true, 0, 4096}};
    EXPECT_EQ(request_list_text(requests),
              "offset_ns,operation,offset,bytes\n0,read,4096,8192\n0,write,0,4096\n");
}

}  // namespace
}  // namespace sanscope::lab
