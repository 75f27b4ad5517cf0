// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/bench/capture_maker.h"

#include <gtest/gtest.h>

#include "analyzer/bench/capture_likeness.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

class BytesInMemory final : public ByteSource {
  public:
    explicit BytesInMemory(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
    size_t read(std::span<uint8_t> into) override {
        const size_t n = std::min(into.size(), bytes_.size() - at_);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), n, into.begin());
        at_ += n;
        return n;
    }
    const std::string& fault() const override { return fault_; }
    uint64_t stored_bytes_read() const override { return at_; }

  private:
    std::vector<uint8_t> bytes_;
    size_t at_ = 0;
    std::string fault_;
};

std::vector<uint8_t> written(const CaptureMaker& maker, uint64_t packets) {
    std::vector<uint8_t> bytes;
    maker.write(packets, [&](std::span<const uint8_t> more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
        return true;
    });
    return bytes;
}

std::unique_ptr<Engine> analysed(PacketSource& source) {
    auto engine = std::make_unique<Engine>(ResultStore::Keep{});
    analyse(source, *engine, {});
    return engine;
}

class EveryLikeness : public testing::TestWithParam<CaptureLikeness> {};

TEST_P(EveryLikeness, RepeatsWhatIsFoundInItsSample) {
    const std::string sample = std::string(SANSCOPE_SAMPLES) + "/" + std::string(GetParam().sample);
    auto source = open_capture(sample);
    ASSERT_TRUE(source) << source.error().message;
    const auto recorded = analysed(**source);

    constexpr unsigned repetitions = 6;
    const auto maker = CaptureMaker::make({.sample = sample, .connections = 3, .snap_length = 0});
    ASSERT_TRUE(maker) << maker.error().message;
    // The last lane ends last, when the others have begun anew: a few packets more would be theirs.
    auto made_source = open_capture_stream(
        std::make_unique<BytesInMemory>(written(*maker, maker->packets_of_sample() * repetitions)), "made", 0,
        default_block_length);
    ASSERT_TRUE(made_source) << made_source.error().message;
    const auto made = analysed(**made_source);

    EXPECT_TRUE((*made_source)->damage().empty());
    EXPECT_EQ(made->totals().packets, maker->packets_of_sample() * repetitions);
    // With three lanes a third of a period apart, 6 periods' worth of packets are of 6 to 9 repetitions.
    EXPECT_GE(made->store().connections().size(), repetitions * recorded->store().connections().size());
    EXPECT_NEAR(static_cast<double>(made->store().pdus().size()),
                static_cast<double>(repetitions * recorded->store().pdus().size()),
                0.02 * static_cast<double>(repetitions * recorded->store().pdus().size()));
    for (const ConnectionRow& row : made->store().connections()) {
        EXPECT_TRUE(row.iscsi);
        EXPECT_EQ(row.retransmissions_in + row.retransmissions_out, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(CaptureMaker, EveryLikeness, testing::ValuesIn(capture_likenesses),
                         [](const auto& info) {
                             std::string name(info.param.name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace sanscope
