// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/clock_band.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
using test::second;
using test::us;
constexpr int64_t epoch = 1'790'000'000 * second;

struct Step {
    int64_t at_ns;
    int64_t by_ns;
};

// Packets both ways between two points, each with a clock of its own.
struct Path {
    int64_t seconds = 10;
    int64_t every_ns = 500 * us;
    int64_t forward_ns = 2 * ms;
    int64_t backward_ns = 2 * ms;
    int64_t jitter_ns = 1 * ms;
    int64_t offset_ns = 0;
    double skew_ppm = 0;
    std::vector<Step> steps = {};
    unsigned seed = 1;

    int64_t truth(int64_t true_ns) const {
        int64_t offset = offset_ns + static_cast<int64_t>(skew_ppm * 1e-6 * static_cast<double>(true_ns));
        for (const Step& step : steps) offset += true_ns >= step.at_ns ? step.by_ns : 0;
        return offset;
    }
    // Of truth() at what A's clock shows.
    std::vector<ClockSample> samples() const {
        std::mt19937_64 random(seed);
        std::uniform_int_distribution<int64_t> jitter(0, jitter_ns);
        std::uniform_int_distribution<int64_t> pause(every_ns / 2, every_ns * 3 / 2);
        struct Seen {
            int64_t a_ns;
            int64_t b_ns;
            bool from_a;
        };
        std::vector<Seen> seen;
        for (int64_t now = 0; now < seconds * second; now += pause(random)) {
            const bool from_a = random() % 3 != 0;
            const int64_t later = now + (from_a ? forward_ns : backward_ns) + jitter(random);
            seen.push_back({from_a ? now : later, from_a ? later : now, from_a});
        }
        std::ranges::sort(seen, {}, &Seen::a_ns);
        std::vector<ClockSample> result;
        for (const Seen& packet : seen) {
            const int64_t b = packet.b_ns + truth(packet.b_ns);
            result.push_back({result.size() + 1, epoch + packet.a_ns, b - packet.a_ns, packet.from_a});
        }
        return result;
    }
};

// The truth lies in the band wherever the band says something, and the band is no wider than the least times there and back allow.
void expect_truth(const Path& path, size_t steps, double most = 1.2) {
    auto samples = path.samples();
    const ClockEstimate clock = estimate_clock(samples, 1);
    ASSERT_FALSE(clock.unstable);
    ASSERT_EQ(clock.steps.size(), steps);
    ASSERT_EQ(clock.stretches.size(), steps + 1);
    size_t known = 0;
    for (const ClockSample& sample : samples) {
        const TimeBand band = clock.offset(sample.packet, sample.time_ns);
        if (!band.bounded()) continue;
        ++known;
        const int64_t truth = path.truth(sample.time_ns - epoch);
        ASSERT_LE(band.low_ns, truth) << "packet " << sample.packet;
        ASSERT_GE(band.high_ns, truth) << "packet " << sample.packet;
    }
    EXPECT_GT(known, samples.size() * 9 / 10);
    for (const ClockStretch& stretch : clock.stretches) {
        int64_t least_forward = second;
        int64_t least_backward = second;
        for (const ClockSample& sample : samples) {
            if (sample.packet < stretch.first_packet || sample.packet > stretch.last_packet) continue;
            const int64_t way = sample.difference_ns - path.truth(sample.time_ns - epoch);
            if (sample.from_a) least_forward = std::min(least_forward, way);
            if (!sample.from_a) least_backward = std::min(least_backward, -way);
        }
        const int64_t middle = stretch.first_ns + (stretch.last_ns - stretch.first_ns) / 2;
        const auto allowed = static_cast<double>(least_forward + least_backward);
        EXPECT_LE(static_cast<double>(stretch.offset(middle).width_ns()), most * allowed);
        const SkewBand skew = stretch.skew();
        if (skew.known) {
            EXPECT_LE(skew.low_ppm, path.skew_ppm + 0.01);
            EXPECT_GE(skew.high_ppm, path.skew_ppm - 0.01);
        }
    }
    for (size_t i = 0; i < clock.steps.size(); ++i) {
        const ClockStep& step = clock.steps[i];
        EXPECT_LE(step.from_ns - epoch, path.steps[i].at_ns);
        EXPECT_GE(step.to_ns - epoch, path.steps[i].at_ns);
        ASSERT_TRUE(step.size.bounded());
        EXPECT_LE(step.size.low_ns, path.steps[i].by_ns + 200 * us);
        EXPECT_GE(step.size.high_ns, path.steps[i].by_ns - 200 * us);
    }
}

TEST(ClockBand, HoldsTheTruthForAnyOffsetAndSkew) {
    for (const int64_t offset : {-5 * second, int64_t{0}, 5 * second}) {
        for (const double skew : {-100.0, 0.0, 3.0, 100.0}) {
            SCOPED_TRACE(testing::Message() << offset << " ns, " << skew << " ppm");
            expect_truth({.offset_ns = offset, .skew_ppm = skew}, 0);
        }
    }
}

TEST(ClockBand, AssumesNoSymmetry) {
    expect_truth({.forward_ns = 100 * us, .backward_ns = 9 * ms, .offset_ns = second, .skew_ppm = -40}, 0);
    expect_truth({.forward_ns = 9 * ms, .backward_ns = 100 * us, .offset_ns = second, .skew_ppm = -40}, 0);
}

TEST(ClockBand, TellsTheSkewOfALongCapture) {
    auto samples = Path{.seconds = 100, .skew_ppm = 100}.samples();
    const ClockEstimate clock = estimate_clock(samples, 1);
    ASSERT_EQ(clock.stretches.size(), 1u);
    const SkewBand skew = clock.stretches[0].skew();
    ASSERT_TRUE(skew.known);
    EXPECT_LT(skew.high_ppm - skew.low_ppm, 120);
    // A tenth of a second says nothing of it.
    auto few = Path{.every_ns = 50 * us, .skew_ppm = 100}.samples();
    few.resize(few.size() / 1000);
    const ClockEstimate short_one = estimate_clock(few, 1);
    ASSERT_EQ(short_one.stretches.size(), 1u);
    EXPECT_FALSE(short_one.stretches[0].skew().known);
}

TEST(ClockBand, SplitsWhereTheClockWasStepped) {
    for (const int64_t by : {-5 * second, -30 * ms, -6 * ms, 6 * ms, 30 * ms, 5 * second}) {
        for (const unsigned seed : {1u, 2u, 3u, 4u}) {
            SCOPED_TRACE(testing::Message() << by << " ns, seed " << seed);
            expect_truth({.offset_ns = 5 * second,
                          .skew_ppm = 100,
                          .steps = {{3 * second, by}, {7 * second, -by / 2 * 3}},
                          .seed = seed},
                         2);
        }
    }
}

// Where a line still fits although the clock was stepped, the truth must not be outside of the band.
TEST(ClockBand, HoldsTheTruthOfStepsSmallerThanThePath) {
    for (const auto& [forward, backward] : std::initializer_list<std::pair<int64_t, int64_t>>{
             {2 * ms, 2 * ms}, {100 * us, 4 * ms}, {4 * ms, 100 * us}}) {
        for (int64_t by = -4 * ms; by <= 4 * ms; by += 500 * us) {
            for (const unsigned seed : {1u, 2u}) {
                Path path{.seconds = 20,
                          .every_ns = 1 * ms,
                          .forward_ns = forward,
                          .backward_ns = backward,
                          .steps = {{11 * second, by}},
                          .seed = seed};
                auto samples = path.samples();
                const ClockEstimate clock = estimate_clock(samples, 1);
                size_t wrong = 0;
                for (const ClockSample& sample : samples) {
                    const TimeBand band = clock.offset(sample.packet, sample.time_ns);
                    if (!band.bounded()) continue;
                    const int64_t truth = path.truth(sample.time_ns - epoch);
                    wrong += band.low_ns > truth || band.high_ns < truth ? 1 : 0;
                }
                EXPECT_EQ(wrong, 0u) << "step of " << by << " ns, path " << forward << " and " << backward
                                     << ", seed " << seed << ", " << clock.stretches.size() << " stretches";
            }
        }
    }
}

TEST(ClockBand, OneWayAloneBoundsOneSide) {
    auto samples = Path{}.samples();
    std::erase_if(samples, [](const ClockSample& sample) { return !sample.from_a; });
    const ClockEstimate clock = estimate_clock(samples, 1);
    ASSERT_EQ(clock.stretches.size(), 1u);
    const TimeBand band = clock.stretches[0].offset(epoch + second);
    EXPECT_EQ(band.low_ns, no_time);
    EXPECT_NE(band.high_ns, no_time);
    EXPECT_FALSE(clock.stretches[0].skew().known);
}

TEST(ClockBand, SaysSoWhereAClockIsNoClock) {
    std::mt19937_64 random(7);
    auto samples = Path{}.samples();
    for (ClockSample& sample : samples) sample.difference_ns += static_cast<int64_t>(random() % second);
    EXPECT_TRUE(estimate_clock(samples, 1).unstable);
}

TEST(ClockBand, OfNothingNothingIsKnown) {
    std::vector<ClockSample> none;
    EXPECT_TRUE(estimate_clock(none, 1).stretches.empty());
    EXPECT_FALSE(estimate_clock(none, 1).offset(1, epoch).bounded());
}

}  // namespace
}  // namespace sanscope
