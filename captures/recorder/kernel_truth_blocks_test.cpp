// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/kernel_truth_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/kernel_truth_block.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What a reader finds in blocks that stand one behind the other.
std::vector<v1::KernelTruth> read(const std::string& blocks) {
    std::vector<v1::KernelTruth> truths;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(blocks.data());
    for (size_t at = 0; at < blocks.size();) {
        const uint32_t length = load_le32(bytes + at + 4);
        const KernelTruthBlock block = read_kernel_truth_block({bytes + at + 8, length - 12});
        EXPECT_EQ(block.kind, KernelTruthBlock::Kind::kernel_truth);
        EXPECT_LE(block.payload.size(), max_kernel_truth_payload);
        EXPECT_TRUE(truths.emplace_back().ParseFromArray(block.payload.data(),
                                                         static_cast<int>(block.payload.size())));
        at += length;
    }
    return truths;
}

TEST(KernelTruthBlocks, OfManyEventsEachBlockIsOneThatReadersBelieve) {
    v1::KernelTruth truth;
    truth.set_method(v1::KernelTruth::METHOD_BPF);
    truth.set_events_lost(7);
    truth.add_sockets()->set_socket(1);
    constexpr int windows = 60'000;
    for (int i = 0; i < windows; ++i) {
        auto& window = *truth.add_windows();
        window.set_socket(1);
        window.set_time_ns(i * 10);
        window.set_cwnd(static_cast<uint32_t>(i));
        if (i % 100 == 0) truth.add_transitions()->set_time_ns(i * 10 + 5);
    }
    const std::vector<v1::KernelTruth> parts = read(kernel_truth_blocks(truth));
    EXPECT_GT(parts.size(), 10u);
    v1::KernelTruth all;
    int64_t last_ns = 0;
    for (const v1::KernelTruth& part : parts) {
        EXPECT_EQ(part.method(), v1::KernelTruth::METHOD_BPF);
        for (const auto& window : part.windows()) EXPECT_GE(window.time_ns(), last_ns);
        for (const auto& transition : part.transitions()) EXPECT_GE(transition.time_ns(), last_ns);
        if (part.windows_size() > 0) last_ns = part.windows(part.windows_size() - 1).time_ns();
        all.MergeFrom(part);
        all.set_events_lost(all.events_lost());
    }
    EXPECT_EQ(parts.front().events_lost(), 7u);
    EXPECT_EQ(parts.back().events_lost(), 0u);
    EXPECT_EQ(all.sockets_size(), 1);
    ASSERT_EQ(all.windows_size(), windows);
    EXPECT_EQ(all.transitions_size(), truth.transitions_size());
    for (int i = 0; i < windows; ++i) ASSERT_EQ(all.windows(i).cwnd(), static_cast<uint32_t>(i));
}

TEST(KernelTruthBlocks, NothingToTellNeedsNoBlock) {
    v1::KernelTruth truth;
    truth.set_method(v1::KernelTruth::METHOD_INET_DIAG);
    EXPECT_THAT(kernel_truth_blocks(truth), IsEmpty());
    truth.set_events_lost(3);
    EXPECT_EQ(read(kernel_truth_blocks(truth)).size(), 1u);
}

TEST(KernelTruthBlocks, OnlyAFilterThatIsAboutPortsAloneLeavesSocketsOut) {
    EXPECT_THAT(ports_of_filter("tcp port 3260"), ElementsAre(3260));
    EXPECT_THAT(ports_of_filter(" port 3260 or tcp port 860 "), ElementsAre(3260, 860));
    for (const char* const filter :
         {"", "tcp", "not port 22", "port 3260 or host 10.0.0.1", "portrange 1-9", "port 70000", "port 0",
          "port 3260 and not port 22", "vlan and tcp port 3260", "port 3260 or", "port 3260 port 860",
          "port"}) {
        EXPECT_THAT(ports_of_filter(filter), IsEmpty()) << filter;
    }
}

}  // namespace
}  // namespace sanscope
