// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/stream_reassembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;

constexpr int64_t millisecond = 1'000'000;

// Streams of letters: what comes out reads as the text it is. `.` is a byte the snap length cut off, `?` one that no
// packet held.
class Stream {
  public:
    explicit Stream(uint32_t start = 1000) : start_(start) {}

    // A segment whose first byte is the stream's `offset`-th. Each is a packet more, a millisecond later.
    StreamReassembler::Added segment(int64_t offset, std::string_view bytes, uint32_t cut = 0) {
        ++packet_;
        Segment segment;
        segment.seq = Serial32(start_ + static_cast<uint32_t>(offset));
        segment.length = static_cast<uint32_t>(bytes.size());
        segment.captured = segment.length - cut;
        const std::vector<uint8_t> exact(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(cut));
        segment.data = exact.data();
        segment.arrival = now();
        StreamPiece piece;
        const StreamReassembler::Added added = stream.add(segment, piece);
        if (added == StreamReassembler::Added::in_order) take(piece);
        while (stream.holding() && stream.next(now(), piece)) take(piece);
        return added;
    }
    void acknowledge(uint32_t offset) {
        ++packet_;
        stream.acknowledged(Serial32(start_ + offset), now());
        drain();
    }
    void wait(int64_t ns) {
        time_ns_ += ns;
        drain();
    }
    void drain() {
        StreamPiece piece;
        while (stream.holding() && stream.next(now(), piece)) take(piece);
    }
    void flush() {
        StreamPiece piece;
        while (stream.flush(piece)) take(piece);
    }

    ReassemblyBudget budget;
    StreamReassembler stream{budget};
    std::string out;
    std::vector<uint64_t> carried;    // packet of each piece
    std::vector<uint64_t> delivered;  // of each piece

  private:
    Arrival now() const { return {packet_, time_ns_ + static_cast<int64_t>(packet_) * millisecond}; }
    void take(const StreamPiece& piece) {
        EXPECT_EQ(piece.offset, out.size());
        EXPECT_LE(piece.captured, piece.length);
        if (piece.captured > 0) out.append(reinterpret_cast<const char*>(piece.data), piece.captured);
        out.append(piece.length - piece.captured, piece.not_captured ? '?' : '.');
        carried.push_back(piece.carried.packet);
        delivered.push_back(piece.delivered.packet);
        EXPECT_EQ(stream.next_offset(), out.size());
    }

    uint32_t start_;
    uint64_t packet_ = 0;
    int64_t time_ns_ = 0;
};

using Added = StreamReassembler::Added;

TEST(StreamReassembler, HandsSegmentsInOrderThrough) {
    Stream s;
    EXPECT_EQ(s.segment(0, "abc"), Added::in_order);
    EXPECT_EQ(s.segment(3, "def"), Added::in_order);
    EXPECT_EQ(s.out, "abcdef");
    EXPECT_THAT(s.carried, ElementsAre(1, 2));
    EXPECT_THAT(s.delivered, ElementsAre(1, 2));
    EXPECT_FALSE(s.stream.holding());
}

TEST(StreamReassembler, HandsSegmentsThroughWithoutCopying) {
    ReassemblyBudget budget;
    StreamReassembler stream(budget);
    const uint8_t bytes[] = {1, 2, 3};
    StreamPiece piece;
    EXPECT_EQ(stream.add({Serial32(5), 3, 3, bytes, {1, 0}}, piece), Added::in_order);
    EXPECT_EQ(piece.data, bytes);
}

TEST(StreamReassembler, BeginsInTheMiddleOfAConnectionAtTheFirstSegment) {
    Stream s(0x80000000);
    s.segment(500, "abc");
    EXPECT_EQ(s.out, "abc");
    EXPECT_EQ(s.segment(490, "0123456789"), Added::seen);
    EXPECT_EQ(s.out, "abc");
}

TEST(StreamReassembler, WaitsForTheBytesItWasToldToBeginAt) {
    Stream s;
    s.stream.begin_at(Serial32(1000));
    EXPECT_EQ(s.segment(3, "def"), Added::held);
    EXPECT_EQ(s.out, "");
    s.segment(0, "abc");
    EXPECT_EQ(s.out, "abcdef");
}

TEST(StreamReassembler, GivesDuplicatesOnce) {
    Stream s;
    s.segment(0, "abc");
    EXPECT_EQ(s.segment(0, "abc"), Added::seen);
    s.segment(6, "ghi");
    EXPECT_EQ(s.segment(6, "ghi"), Added::seen);
    s.segment(3, "def");
    EXPECT_EQ(s.segment(6, "ghi"), Added::seen);
    EXPECT_EQ(s.out, "abcdefghi");
}

TEST(StreamReassembler, GivesContainedSegmentsOnce) {
    Stream s;
    s.segment(0, "abcdef");
    EXPECT_EQ(s.segment(2, "XX"), Added::seen);
    s.segment(10, "klmnop");
    EXPECT_EQ(s.segment(12, "XX"), Added::seen);
    s.segment(6, "ghij");
    EXPECT_EQ(s.out, "abcdefghijklmnop");
}

TEST(StreamReassembler, TakesWhatIsNewOfASegmentThatBeginsBeforeTheNextByte) {
    Stream s;
    s.segment(0, "abcd");
    EXPECT_EQ(s.segment(2, "XXef"), Added::in_order);
    EXPECT_EQ(s.out, "abcdef");
}

TEST(StreamReassembler, TakesWhatIsNewOfASegmentThatOverlapsAHeldOneOnTheLeft) {
    Stream s;
    s.segment(0, "a");
    s.segment(5, "fgh");
    EXPECT_EQ(s.segment(3, "deXX"), Added::held);
    s.segment(1, "bc");
    EXPECT_EQ(s.out, "abcdefgh");
}

TEST(StreamReassembler, TakesWhatIsNewOfASegmentThatOverlapsAHeldOneOnTheRight) {
    Stream s;
    s.segment(0, "a");
    s.segment(3, "def");
    EXPECT_EQ(s.segment(4, "XXgh"), Added::held);
    s.segment(1, "bc");
    EXPECT_EQ(s.out, "abcdefgh");
}

TEST(StreamReassembler, FillsWhatLiesBetweenHeldSegmentsFromOneThatCoversThemAll) {
    Stream s;
    s.segment(0, "a");
    s.segment(3, "d");
    s.segment(6, "gh");
    s.segment(10, "k");
    EXPECT_EQ(s.segment(2, "cXefXXijXl"), Added::held);
    s.segment(1, "b");
    EXPECT_EQ(s.out, "abcdefghijkl");
}

TEST(StreamReassembler, FillsHolesFromASegmentThatBeginsWithTheNextByteAndCoversHeldOnes) {
    Stream s;
    s.segment(0, "a");
    s.segment(3, "d");
    s.segment(6, "gh");
    EXPECT_EQ(s.segment(0, "XbcXefXXij"), Added::in_order);
    EXPECT_EQ(s.out, "abcdefghij");
    EXPECT_EQ(s.stream.held_bytes(), 0u);
}

TEST(StreamReassembler, FollowsSequenceNumbersThatWrap) {
    Stream s(0xfffffffe);
    s.segment(0, "abcd");
    s.segment(6, "gh");
    s.segment(4, "ef");
    EXPECT_EQ(s.out, "abcdefgh");
    Stream before(0xfffffff0);
    before.segment(0, "abc");
    before.segment(19, "tuv");
    before.segment(3, "defghijklmnopqrs");
    EXPECT_EQ(before.out, "abcdefghijklmnopqrstuv");
}

TEST(StreamReassembler, DeliversHeldBytesWithThePacketThatFillsTheHole) {
    Stream s;
    s.segment(0, "a");  // packet 1
    s.segment(3, "d");  // 2
    s.segment(2, "c");  // 3
    s.segment(4, "e");  // 4
    s.segment(1, "b");  // 5
    s.segment(5, "f");  // 6
    EXPECT_EQ(s.out, "abcdef");
    EXPECT_THAT(s.carried, ElementsAre(1, 5, 3, 2, 4, 6));
    EXPECT_THAT(s.delivered, ElementsAre(1, 5, 5, 5, 5, 6));
}

TEST(StreamReassembler, KeepsAHoleThatIsNotAcknowledged) {
    Stream s;
    s.segment(0, "abc");
    s.segment(5, "f");
    s.acknowledge(3);
    s.wait(3'600'000 * millisecond);
    EXPECT_EQ(s.out, "abc");
}

TEST(StreamReassembler, GivesAHoleUpOnceBytesBeyondItWereAcknowledgedForAWhile) {
    Stream s;
    s.segment(0, "abc");
    s.segment(5, "fg");
    s.acknowledge(7);
    s.wait(StreamReassembler::acknowledged_grace_ns - millisecond);
    EXPECT_EQ(s.out, "abc");
    s.wait(millisecond);
    EXPECT_EQ(s.out, "abc??fg");
    EXPECT_THAT(s.carried, ElementsAre(1, 2, 2));
    EXPECT_THAT(s.delivered, ElementsAre(1, 1, 2));
    EXPECT_EQ(s.segment(3, "de"), Added::seen);
}

TEST(StreamReassembler, FillsAnAcknowledgedHoleThatComesWithinTheWhile) {
    Stream s;
    s.segment(0, "abc");
    s.segment(5, "fg");
    s.acknowledge(7);
    s.segment(3, "de");
    s.wait(3'600'000 * millisecond);
    EXPECT_EQ(s.out, "abcdefg");
}

TEST(StreamReassembler, WaitsTheSameWhileForEachHole) {
    Stream s;
    s.segment(0, "a");
    s.segment(2, "c");
    s.acknowledge(3);
    s.wait(StreamReassembler::acknowledged_grace_ns);
    EXPECT_EQ(s.out, "a?c");
    s.segment(4, "e");
    s.acknowledge(5);
    s.wait(StreamReassembler::acknowledged_grace_ns / 2);
    EXPECT_EQ(s.out, "a?c");
    s.wait(StreamReassembler::acknowledged_grace_ns / 2);
    EXPECT_EQ(s.out, "a?c?e");
}

// Captures of the two directions merged from clocks that differ: acknowledgements lead what they acknowledge.
TEST(StreamReassembler, WaitsForAHoleEvenWhereAcknowledgementsLongRanAhead) {
    Stream s;
    s.segment(0, "a");
    s.acknowledge(20);
    for (int64_t i = 1; i < 10; ++i) {
        s.wait(20 * millisecond);
        s.segment(i, "x");
    }
    s.segment(11, "z");
    EXPECT_EQ(s.out, "axxxxxxxxx");
    s.segment(10, "y");
    EXPECT_EQ(s.out, "axxxxxxxxxyz");
}

TEST(StreamReassembler, GivesHolesUpWhenFlushed) {
    Stream s;
    s.segment(0, "abc");
    s.segment(5, "f");
    s.segment(9, "jk");
    s.flush();
    EXPECT_EQ(s.out, "abc??f???jk");
    EXPECT_THAT(s.delivered, ElementsAre(1, 1, 2, 2, 3));
}

TEST(StreamReassembler, EndsWithAHoleWhereMoreWasAcknowledgedThanCaptured) {
    Stream stream;
    stream.segment(0, "abc");
    stream.acknowledge(3);
    stream.acknowledge(7);
    stream.acknowledge(8);
    stream.flush();
    EXPECT_EQ(stream.out, "abc?????");
    EXPECT_THAT(stream.carried, ElementsAre(1, 4));
    EXPECT_THAT(stream.delivered, ElementsAre(1, 1));
}

TEST(StreamReassembler, TakesOneMoreThatIsAcknowledgedForTheFin) {
    Stream stream;
    stream.segment(0, "abc");
    stream.acknowledge(4);
    stream.flush();
    EXPECT_EQ(stream.out, "abc");
}

TEST(StreamReassembler, GivesTheFirstHoleUpWhenTooManyBytesAreHeld) {
    Stream s;
    s.segment(0, "a");
    const std::string megabyte(1 << 20, 'x');
    for (int64_t i = 0; i < 16; ++i) s.segment(2 + i * (1 << 20), megabyte);
    EXPECT_EQ(s.out, "a");
    EXPECT_EQ(s.stream.held_bytes(), StreamReassembler::max_held_bytes);
    s.segment(3 + 16 * (1 << 20), "y");
    EXPECT_EQ(s.out.size(), 2 + 16u * (1 << 20));
    EXPECT_EQ(s.out[1], '?');
    EXPECT_EQ(s.stream.held_bytes(), 1u);
}

TEST(StreamReassembler, GivesTheFirstHoleUpWhenTooManySegmentsAreHeld) {
    Stream s;
    s.segment(0, "a");
    for (size_t i = 0; i < StreamReassembler::max_held_segments; ++i)
        s.segment(static_cast<int64_t>(2 + 2 * i), "x");
    EXPECT_EQ(s.out, "a");
    s.segment(static_cast<int64_t>(2 + 2 * StreamReassembler::max_held_segments), "x");
    EXPECT_EQ(s.out, "a?x");
}

TEST(StreamReassembler, GivesTheFirstHoleUpWhenTheSharedBudgetIsSpent) {
    Stream s;
    s.segment(0, "a");
    s.segment(2, "cc");
    EXPECT_EQ(s.out, "a");
    s.budget.limit = s.budget.used;
    s.drain();
    EXPECT_EQ(s.out, "a");
    s.segment(5, "f");
    EXPECT_EQ(s.out, "a?cc");
}

TEST(StreamReassembler, PassesOnWhereTheSnapLengthCutASegment) {
    Stream s;
    s.segment(0, "abcdef", 2);
    s.segment(6, "ghi", 3);
    s.segment(9, "j");
    EXPECT_EQ(s.out, "abcd.....j");
    EXPECT_THAT(s.delivered, ElementsAre(1, 2, 3));
}

TEST(StreamReassembler, PassesOnWhereTheSnapLengthCutAHeldSegment) {
    Stream s;
    s.segment(0, "a");
    s.segment(3, "defg", 3);
    s.segment(8, "ij", 2);
    s.segment(7, "h");
    s.segment(1, "bc", 1);
    EXPECT_EQ(s.out, "ab.d...h..");
}

TEST(StreamReassembler, CutsAtTheRightByteWhereACutSegmentOverlaps) {
    Stream s;
    s.segment(0, "abcd");
    s.segment(2, "XXefgh", 2);  // captured to f
    EXPECT_EQ(s.out, "abcdef..");
    s.segment(6, "XXij", 3);  // captured to the first X only
    EXPECT_EQ(s.out, "abcdef....");
    s.segment(12, "mn");
    s.segment(10, "klXXop", 1);
    EXPECT_EQ(s.out, "abcdef....klmno.");
}

TEST(StreamReassembler, ReturnsAllItTookFromTheBudget) {
    ReassemblyBudget budget;
    {
        Stream s;
        s.segment(0, "a");
        for (int64_t i = 10; i > 0; --i) s.segment(i * 3, "xy", i % 3 == 0 ? 1 : 0);
        EXPECT_GT(s.budget.used, s.stream.held_bytes());
        s.flush();
        EXPECT_EQ(s.budget.used, 0u);
        EXPECT_EQ(s.stream.held_bytes(), 0u);
    }
    {
        StreamReassembler stream(budget);
        const uint8_t byte = 0;
        StreamPiece piece;
        stream.add({Serial32(1), 1, 1, &byte, {1, 0}}, piece);
        stream.add({Serial32(9), 1, 1, &byte, {2, 0}}, piece);
        EXPECT_GT(budget.used, 0u);
    }
    EXPECT_EQ(budget.used, 0u);
}

// One stray segment far ahead stays held, while the stream goes on in pairs of swapped segments.
TEST(StreamReassembler, KeepsNoMemoryOfWhatWasDeliveredBehindAStraySegment) {
    ReassemblyBudget budget;
    StreamReassembler stream(budget);
    StreamPiece piece;
    const std::vector<uint8_t> bytes(50000);
    const auto length = static_cast<uint32_t>(bytes.size());
    stream.begin_at(Serial32(0));
    stream.add({Serial32(1u << 30), 1, 1, bytes.data(), {1, 0}}, piece);
    for (uint32_t i = 0; i < 400; i += 2) {
        stream.add({Serial32((i + 1) * length), length, length, bytes.data(), {i, 0}}, piece);
        EXPECT_EQ(stream.add({Serial32(i * length), length, length, bytes.data(), {i, 0}}, piece),
                  Added::in_order);
        EXPECT_TRUE(stream.next({i, 0}, piece));
    }
    EXPECT_EQ(stream.next_offset(), 400u * length);
    EXPECT_LT(stream.memory_bytes(), 1u << 20);
}

}  // namespace
}  // namespace sanscope
