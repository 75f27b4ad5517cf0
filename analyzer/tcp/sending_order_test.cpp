// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/sending_order.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t millisecond_ns = 1'000'000;

// Two sides, each of which acknowledges 100 bytes more each millisecond.
class TwoSides {
  public:
    // What they sent from one millisecond to another; `late_ms`: by how much the capture has it later.
    void pass(int64_t from_ms, int64_t to_ms, int64_t late_ms = 0) {
        for (int64_t i = from_ms; i < to_ms; ++i) {
            sends(Side::a, i, late_ms);
            sends(Side::b, i, late_ms);
        }
    }
    void sends(Side from, int64_t at_ms, int64_t late_ms = 0) {
        const Serial32 ack(static_cast<uint32_t>(4'294'900'000 + at_ms * 100));
        const int64_t time_ns = (at_ms + late_ms) * millisecond_ns;
        Greatest& greatest = greatest_[index_of(from)];
        if (greatest.known && ack.before(greatest.ack)) {
            order.note_older(from, ack, time_ns);
        } else {
            order.note_newest(from, ack, time_ns);
            greatest = {ack, true};
        }
    }
    SendingOrder order;

  private:
    struct Greatest {
        Serial32 ack;
        bool known = false;
    };
    std::array<Greatest, 2> greatest_;
};

TEST(SendingOrder, OfPiecesOfAFileInAnotherOrderIsWrong) {
    TwoSides swapped;
    for (const int64_t quarter : {0, 2, 1, 3}) swapped.pass(quarter * 500, quarter * 500 + 500);
    EXPECT_TRUE(swapped.order.is_wrong());
    TwoSides twice;
    twice.pass(0, 2000);
    twice.pass(500, 1000);
    EXPECT_TRUE(twice.order.is_wrong());
    TwoSides last_first;
    last_first.pass(1000, 2000);
    last_first.pass(0, 1000);
    EXPECT_TRUE(last_first.order.is_wrong());
}

TEST(SendingOrder, OfShortPiecesIsWrong) {
    TwoSides swapped;
    for (const int64_t piece : {0, 1, 2, 4, 3, 5, 6}) swapped.pass(piece * 20, piece * 20 + 20);
    EXPECT_TRUE(swapped.order.is_wrong());
}

TEST(SendingOrder, OfPiecesThatWereStampedAnewIsWrong) {
    TwoSides swapped;
    swapped.pass(0, 500);
    swapped.pass(1000, 1500, -500);
    swapped.pass(500, 1000, 500);
    swapped.pass(1500, 2000);
    EXPECT_TRUE(swapped.order.is_wrong());
}

TEST(SendingOrder, OfWhatAPathHasLateIsRight) {
    TwoSides late;
    for (int64_t i = 0; i < 40; ++i) {
        late.pass(50 * i + 10, 50 * i + 50);
        for (int64_t j = 50 * i; j < 50 * i + 10; ++j) late.sends(Side::a, j, 300);
    }
    EXPECT_FALSE(late.order.is_wrong());
}

// Each of an interface's queues is written when it is full.
TEST(SendingOrder, OfAnInterfaceWithQueuesIsRight) {
    TwoSides queues;
    for (int64_t block = 0; block < 40; ++block) {
        for (const Side from : {Side::a, Side::b}) {
            for (const int64_t queue : {0, 1}) {
                for (int64_t i = queue; i < 64; i += 2) queues.sends(from, block * 64 + i);
            }
        }
    }
    EXPECT_FALSE(queues.order.is_wrong());
}

// A capture of another place, whose clock is behind, in order of time with this one.
TEST(SendingOrder, OfTwoPlacesIsRight) {
    TwoSides places;
    for (int64_t i = 0; i < 2000; ++i) {
        places.pass(i, i + 1);
        if (i >= 300) places.pass(i - 300, i - 299, 300);
    }
    places.pass(1700, 2000, 300);
    EXPECT_FALSE(places.order.is_wrong());
}

TEST(SendingOrder, OfAClockThatWasSetIsRight) {
    TwoSides set;
    set.pass(0, 1000);
    set.pass(1000, 2000, -700);
    set.pass(2000, 3000, 5000);
    set.pass(3000, 4000, -9'000'000);
    EXPECT_FALSE(set.order.is_wrong());
}

}  // namespace
}  // namespace sanscope
