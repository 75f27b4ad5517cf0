// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/workload.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

using Pattern = WorkloadOptions::Pattern;
using testing::HasSubstr;

Workload made(const WorkloadOptions& options, const std::vector<LunShape>& luns) {
    auto workload = Workload::create(options, luns);
    EXPECT_TRUE(workload) << workload.error().message;
    return *workload;
}

std::string refusal(const WorkloadOptions& options, const std::vector<LunShape>& luns) {
    auto workload = Workload::create(options, luns);
    return workload ? "" : workload.error().message;
}

std::vector<uint64_t> next_lbas(Workload& workload, size_t count) {
    std::vector<uint64_t> lbas(count);
    for (uint64_t& lba : lbas) lba = workload.next().lba;
    return lbas;
}

TEST(Workload, ASequenceGoesOnToTheEndAndBack) {
    // Ten requests of four blocks, and two blocks that make no whole one.
    Workload workload = made({.request_bytes = 2048}, {{42, 512}});
    EXPECT_THAT(next_lbas(workload, 12), testing::ElementsAre(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 0, 4));
    const WorkloadCommand command = workload.next();
    EXPECT_EQ(command.blocks, 4u);
    EXPECT_EQ(command.lun, 0u);
    EXPECT_FALSE(command.write);
}

TEST(Workload, EachWorkerOfASequenceHasItsOwnRegion) {
    std::set<uint64_t> all;
    for (unsigned worker = 0; worker < 3; ++worker) {
        Workload workload = made({.request_bytes = 4096, .worker = worker, .workers = 3}, {{11, 4096}});
        EXPECT_EQ(workload.region_begin(), worker * 3 * 4096u);
        EXPECT_EQ(workload.region_end(), (worker + 1) * 3 * 4096u);
        const uint64_t first = worker * 3;
        EXPECT_THAT(next_lbas(workload, 4), testing::ElementsAre(first, first + 1, first + 2, first));
        for (const uint64_t lba : next_lbas(workload, 3)) EXPECT_TRUE(all.insert(lba).second);
    }
    EXPECT_EQ(all.size(), 9u);
}

TEST(Workload, RandomRequestsAreAlignedAndReachEveryPlaceAlike) {
    constexpr unsigned draws = 100'000;
    Workload workload = made({.pattern = Pattern::random, .request_bytes = 8192}, {{1600, 512}});
    std::map<uint64_t, unsigned> seen;
    for (unsigned i = 0; i < draws; ++i) {
        const WorkloadCommand command = workload.next();
        ASSERT_EQ(command.lba % 16, 0u);
        ASSERT_EQ(command.blocks, 16u);
        ASSERT_LE(command.lba + command.blocks, 1600u);
        ++seen[command.lba];
    }
    ASSERT_EQ(seen.size(), 100u);
    double chi_square = 0;
    for (const auto& [lba, count] : seen) chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
    EXPECT_LT(chi_square, 100 + 5 * std::sqrt(200.0));
}

TEST(Workload, WorkersDrawDifferentNumbersAndOneSeedTheSame) {
    const auto lbas = [](uint64_t seed, unsigned worker) {
        Workload workload = made({.pattern = Pattern::random, .seed = seed, .worker = worker, .workers = 2},
                                 {{1u << 30, 512}});
        return next_lbas(workload, 50);
    };
    EXPECT_EQ(lbas(3, 0), lbas(3, 0));
    EXPECT_NE(lbas(3, 0), lbas(3, 1));
    EXPECT_NE(lbas(3, 0), lbas(4, 0));
}

// How often each place is asked for, the most frequent first.
std::vector<std::pair<unsigned, uint64_t>> by_frequency(Workload& workload, unsigned draws) {
    std::map<uint64_t, unsigned> seen;
    for (unsigned i = 0; i < draws; ++i) ++seen[workload.next().lba];
    std::vector<std::pair<unsigned, uint64_t>> places;
    for (const auto& [lba, count] : seen) places.emplace_back(count, lba);
    std::sort(places.rbegin(), places.rend());
    return places;
}

TEST(Workload, HotRequestsOfZipfAreTheSameForAllWorkersAndScattered) {
    constexpr uint64_t blocks = 1'000'000;
    const auto places = [](unsigned worker) {
        Workload workload = made({.pattern = Pattern::zipf,
                                  .request_bytes = 512,
                                  .zipf_theta = 1.2,
                                  .worker = worker,
                                  .workers = 2},
                                 {{blocks, 512}});
        return by_frequency(workload, 100'000);
    };
    const auto one = places(0);
    const auto other = places(1);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(one[i].second, other[i].second) << i;
    EXPECT_NEAR(one[0].first / static_cast<double>(one[1].first), std::pow(2, 1.2), 0.1);
    for (size_t i = 1; i < 4; ++i) {
        const auto distance = static_cast<int64_t>(one[i].second) - static_cast<int64_t>(one[i - 1].second);
        EXPECT_GT(std::abs(distance), static_cast<int64_t>(blocks / 4)) << i;
    }
}

TEST(Workload, ZipfReachesEveryPlaceOfASmallLun) {
    for (const uint64_t blocks : {1u, 2u, 3u, 10u, 16u, 60u}) {
        Workload workload =
            made({.pattern = Pattern::zipf, .request_bytes = 512, .zipf_theta = 0.2}, {{blocks, 512}});
        EXPECT_EQ(by_frequency(workload, 20'000).size(), blocks);
    }
}

TEST(Workload, ReadsAndWritesComeInTheirShares) {
    const auto writes = [](unsigned read_percent) {
        Workload workload = made({.read_percent = read_percent}, {{1000, 512}});
        unsigned count = 0;
        for (int i = 0; i < 100'000; ++i) count += workload.next().write;
        return count;
    };
    EXPECT_EQ(writes(100), 0u);
    EXPECT_EQ(writes(0), 100'000u);
    EXPECT_NEAR(writes(70), 30'000, 1000);
    EXPECT_NEAR(writes(99), 1'000, 200);
}

TEST(Workload, StripesGoFromLunToLun) {
    // Two requests a stripe; the second LUN is longer, and has greater blocks.
    Workload workload = made({.request_bytes = 4096, .stripe_bytes = 8192}, {{40, 512}, {100, 4096}});
    EXPECT_EQ(workload.volume_bytes(), 2 * 2 * 8192u);
    const std::vector<std::vector<uint64_t>> expected = {
        {0, 0, 8}, {0, 8, 8}, {1, 0, 1}, {1, 1, 1}, {0, 16, 8}, {0, 24, 8}, {1, 2, 1}, {1, 3, 1}, {0, 0, 8}};
    for (const auto& one : expected) {
        const WorkloadCommand command = workload.next();
        EXPECT_EQ((std::vector<uint64_t>{command.lun, command.lba, command.blocks}), one);
    }
}

TEST(Workload, ARequestAcrossStripesBecomesSeveralCommandsOfOneKind) {
    Workload workload = made({.request_bytes = 6144, .read_percent = 50, .stripe_bytes = 4096},
                             {{64, 512}, {64, 512}, {64, 512}});
    // Volume: 24 stripes of 4096, and so 16 requests of one and a half.
    std::map<unsigned, std::set<uint64_t>> read_or_written;
    uint64_t total = 0;
    for (int request = 0; request < 16; ++request) {
        const WorkloadCommand first = workload.next();
        const WorkloadCommand second = workload.next();
        EXPECT_EQ(first.blocks + second.blocks, 12u);
        EXPECT_EQ(first.write, second.write);
        EXPECT_NE(first.lun, second.lun);
        for (const WorkloadCommand& command : {first, second}) {
            total += command.blocks;
            for (uint64_t block = command.lba; block < command.lba + command.blocks; ++block)
                EXPECT_TRUE(read_or_written[command.lun].insert(block).second);
        }
    }
    EXPECT_EQ(total, 3 * 64u);
    for (unsigned lun = 0; lun < 3; ++lun) EXPECT_EQ(read_or_written[lun].size(), 64u);
}

TEST(Workload, EveryCommandOfEveryPatternLiesWithinItsLun) {
    const std::vector<LunShape> luns = {{1003, 512}, {130, 4096}, {999'999, 512}};
    for (const Pattern pattern : {Pattern::sequential, Pattern::random, Pattern::zipf}) {
        for (const uint64_t request : {4096u, 12288u, 65536u}) {
            for (const uint64_t stripe : {0u, 4096u, 20480u}) {
                Workload workload =
                    made({.pattern = pattern, .request_bytes = request, .stripe_bytes = stripe}, luns);
                for (int i = 0; i < 5000; ++i) {
                    const WorkloadCommand command = workload.next();
                    ASSERT_LT(command.lun, luns.size());
                    ASSERT_GT(command.blocks, 0u);
                    ASSERT_LE(command.lba + command.blocks, luns[command.lun].blocks);
                }
            }
        }
    }
}

TEST(Workload, ALunThatClaimsToBeEndlessBearsALoad) {
    const LunShape endless{~uint64_t{0}, 4096};
    for (const Pattern pattern : {Pattern::sequential, Pattern::random}) {
        Workload workload = made({.pattern = pattern, .workers = 3}, {endless, endless, endless});
        for (int i = 0; i < 1000; ++i) EXPECT_LE(workload.next().lba, uint64_t{1} << 52);
    }
}

TEST(Workload, WhatDoesNotGoTogetherIsRefused) {
    const LunShape lun{1000, 512};
    EXPECT_THAT(refusal({}, {}), HasSubstr("at least one LUN"));
    EXPECT_THAT(refusal({}, {{0, 512}}), HasSubstr("without blocks"));
    EXPECT_THAT(refusal({}, {{10, 0}}), HasSubstr("without blocks"));
    EXPECT_THAT(refusal({.request_bytes = 0}, {lun}), HasSubstr("at least one block"));
    EXPECT_THAT(refusal({.request_bytes = 1000}, {lun}), HasSubstr("no multiple"));
    EXPECT_THAT(refusal({.request_bytes = uint64_t{1} << 32}, {{1u << 30, 512}}), HasSubstr("iSCSI"));
    EXPECT_THAT(refusal({.request_bytes = 1u << 20}, {lun}), HasSubstr("smaller than one request"));
    EXPECT_THAT(refusal({.read_percent = 101}, {lun}), HasSubstr("percentage"));
    EXPECT_THAT(refusal({.stripe_bytes = 4608}, {lun, {1000, 4096}}), HasSubstr("stripe of 4608"));
    EXPECT_THAT(refusal({.stripe_bytes = 1u << 20}, {lun, lun}), HasSubstr("smaller than one stripe"));
    EXPECT_THAT(refusal({.pattern = Pattern::zipf, .zipf_theta = 0}, {lun}), HasSubstr("theta"));
    EXPECT_THAT(refusal({.pattern = Pattern::zipf, .zipf_theta = NAN}, {lun}), HasSubstr("theta"));
    EXPECT_THAT(refusal({.worker = 1, .workers = 1}, {lun}), HasSubstr("worker"));
    EXPECT_THAT(refusal({.workers = 200}, {lun}), HasSubstr("too few"));
}

}  // namespace
}  // namespace sanscope
