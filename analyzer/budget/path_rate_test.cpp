// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_rate.h"

#include <gtest/gtest.h>

#include "analyzer/store/word_pool.h"

namespace sanscope {
namespace {

constexpr uint32_t segment = 1448;
constexpr int64_t rtt_ns = 2'000'000;

class PathRate : public testing::Test {
  protected:
    void send(int64_t time_ns, uint32_t bytes) { add(time_ns, sent_ += bytes, acknowledged_); }
    void acknowledge(int64_t time_ns, uint32_t bytes) { add(time_ns, sent_, acknowledged_ += bytes); }

    WordPool words_;
    SendTrack track_{1, Side::b, words_};

  private:
    void add(int64_t time_ns, uint32_t sent, uint32_t acknowledged) {
        WindowRow row;
        row.time_ns = time_ns;
        row.snd_nxt = sent;
        row.snd_una = acknowledged;
        track_.add(row);
    }
    uint32_t sent_ = 0;
    uint32_t acknowledged_ = 0;
};

TEST_F(PathRate, SegmentsAsFarApartAsThePathHasThem) {
    for (int i = 0; i < 200; ++i) send(i * 240'000, segment);
    EXPECT_NEAR(byte_time_ns(track_, 1460, rtt_ns), 240'000.0 / segment, 0.5);
}

// A window of ten segments each 10 ms over a fast path: the pauses are the window's.
TEST_F(PathRate, PausesBetweenWindowsAreNotThePaths) {
    for (int i = 0; i < 100; ++i) {
        for (int j = 0; j < 10; ++j) send(i * 10'000'000 + j * 12'000, segment);
    }
    EXPECT_NEAR(byte_time_ns(track_, 1460, rtt_ns), 12'000.0 / segment, 0.5);
}

// Of six segments: no run of eight is without one. The path may be of any rate.
TEST_F(PathRate, NorAreThoseBetweenSmallWindows) {
    for (int i = 0; i < 100; ++i) {
        for (int j = 0; j < 6; ++j) send(i * 10'000'000 + j * 12'000, segment);
        for (int j = 0; j < 3; ++j) acknowledge(i * 10'000'000 + 2'000'000 + j * 24'000, 2 * segment);
    }
    EXPECT_EQ(byte_time_ns(track_, 1460, rtt_ns), 0);
}

// Its round trip is shorter than a segment.
TEST_F(PathRate, ASlowPathIsSilentBehindEachSegment) {
    for (int i = 0; i < 200; ++i) send(i * 3'000'000, segment);
    EXPECT_NEAR(byte_time_ns(track_, 1460, rtt_ns), 3'000'000.0 / segment, 0.5);
}

// At the sender, 64 KiB leave at once; how fast they are acknowledged shows the path.
TEST_F(PathRate, AtTheSenderAcknowledgementsShowIt) {
    for (int i = 0; i < 20; ++i) {
        const int64_t begin_ns = i * 100'000'000;
        for (int j = 0; j < 40; ++j) send(begin_ns + j * 1000, segment);
        for (int j = 0; j < 20; ++j) acknowledge(begin_ns + 2'000'000 + j * 480'000, 2 * segment);
    }
    EXPECT_NEAR(byte_time_ns(track_, 1460, rtt_ns), 240'000.0 / segment, 1);
}

TEST_F(PathRate, SmallAnswersShowNothing) {
    for (int i = 0; i < 1000; ++i) {
        send(i * 1'000'000, 560);
        acknowledge(i * 1'000'000 + 500'000, 560);
    }
    EXPECT_EQ(byte_time_ns(track_, 1460, rtt_ns), 0);
}

TEST_F(PathRate, NorDoesNothing) {
    EXPECT_EQ(byte_time_ns(track_, 0, rtt_ns), 0);
}

}  // namespace
}  // namespace sanscope
