// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/bench/capture_maker.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

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

struct Analysed {
    std::unique_ptr<PacketSource> source;
    std::unique_ptr<Engine> engine;
    const ResultStore& store() const { return engine->store(); }
};

Analysed analysed(std::unique_ptr<PacketSource> source) {
    auto engine = std::make_unique<Engine>(ResultStore::Keep{});
    analyse(*source, *engine, {});
    return {std::move(source), std::move(engine)};
}

class CaptureMakerLike : public testing::TestWithParam<CaptureLikeness> {
  protected:
    const std::string sample = std::string(SANSCOPE_SAMPLES) + "/" + std::string(GetParam().sample);

    // A capture of so many samples' packets, `connections` at once.
    Analysed made(unsigned connections, uint64_t samples) const {
        const auto maker =
            CaptureMaker::make({.sample = sample, .connections = connections, .snap_length = 0});
        auto source = open_capture_stream(
            std::make_unique<BytesInMemory>(written(*maker, maker->packets_of_sample() * samples)), "made", 0,
            default_block_length);
        return analysed(std::move(*source));
    }
};

TEST_P(CaptureMakerLike, RepeatsWhatIsFoundInItsSample) {
    const Analysed recorded = analysed(std::move(*open_capture(sample)));
    const Analysed repeated = made(1, 3);
    EXPECT_TRUE(repeated.source->damage().empty());
    EXPECT_EQ(repeated.store().connections().size(), 3 * recorded.store().connections().size());
    EXPECT_EQ(repeated.store().sessions().size(), 3 * recorded.store().sessions().size());
    EXPECT_EQ(repeated.store().commands().size(), 3 * recorded.store().commands().size());
    EXPECT_EQ(repeated.store().pdus().size(), 3 * recorded.store().pdus().size());
    const size_t last = recorded.store().commands().size() - 1;
    EXPECT_EQ(repeated.store().commands()[last + last + 1].turnaround_ns(),
              recorded.store().commands()[last].turnaround_ns());
}

TEST_P(CaptureMakerLike, LetsConnectionsRunAtOnce) {
    const Analysed together = made(3, 6);
    const auto& connections = together.store().connections();
    ASSERT_GE(connections.size(), 6u);
    EXPECT_LT(connections[1].start_ns, connections[0].end_ns);
    EXPECT_LT(connections[2].start_ns, connections[0].end_ns);
    EXPECT_LT(connections[2].start_ns, connections[1].end_ns);
    for (const ConnectionRow& row : connections) {
        EXPECT_TRUE(row.iscsi);
        EXPECT_EQ(row.retransmissions_in + row.retransmissions_out, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(, CaptureMakerLike, testing::ValuesIn(capture_likenesses), [](const auto& likeness) {
    std::string name(likeness.param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace sanscope
