// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/vantage_finder.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
using test::us;

struct Packet {
    Side from = Side::a;
    int64_t time_ns = 0;
    uint16_t flags = tcp_ack;
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint32_t length = 0;
    uint32_t timestamp = 0;  // 0: no option
    uint32_t timestamp_echo = 0;
    uint8_t ttl = 64;
};

void feed(VantageFinder& finder, const Packet& p) {
    DecodedPacket packet;
    packet.kind = DecodedPacket::Kind::tcp;
    packet.flags = p.flags;
    packet.seq = p.seq;
    packet.ack = p.ack;
    packet.payload_length = p.length;
    packet.ttl = p.ttl;
    TcpOptions options;
    options.has_timestamps = p.timestamp != 0;
    options.timestamp = p.timestamp;
    options.timestamp_echo = p.timestamp_echo;
    finder.on_packet(p.from, p.time_ns, packet, options);
}

// Whoever is asked answers after `to_a_ns` or `to_b_ns`, seen from the tap.
void handshake(VantageFinder& finder, int64_t to_a_ns, int64_t to_b_ns, uint8_t ttl = 64) {
    feed(finder, {.from = Side::a, .time_ns = 0, .flags = tcp_syn, .seq = 99, .ttl = ttl});
    feed(finder, {.from = Side::b,
                  .time_ns = to_b_ns,
                  .flags = tcp_syn | tcp_ack,
                  .seq = 499,
                  .ack = 100,
                  .ttl = ttl});
    feed(finder, {.from = Side::a, .time_ns = to_b_ns + to_a_ns, .seq = 100, .ack = 500, .ttl = ttl});
}

// Data of a each answered by an ACK of b, and the other way round.
void talk(VantageFinder& finder, int64_t to_a_ns, int64_t to_b_ns, int rounds, int64_t from_ns = 0) {
    uint32_t a_seq = 100;
    uint32_t b_seq = 500;
    int64_t t = from_ns;
    for (int i = 0; i < rounds; ++i) {
        feed(finder, {.from = Side::a, .time_ns = t, .seq = a_seq, .ack = b_seq, .length = 48});
        a_seq += 48;
        t += to_b_ns;
        feed(finder, {.from = Side::b, .time_ns = t, .seq = b_seq, .ack = a_seq, .length = 1000});
        b_seq += 1000;
        t += to_a_ns;
    }
}

TEST(VantageFinder, HandshakeTellsTheEndOfTheOneWhoAnswersAtOnce) {
    VantageFinder at_a;
    handshake(at_a, 10 * us, 20 * ms);
    EXPECT_EQ(at_a.place(), TapPlace::at_a);
    EXPECT_TRUE(at_a.settled());
    EXPECT_EQ(at_a.round_trip_ns(Side::a), 10 * us);
    EXPECT_EQ(at_a.round_trip_ns(Side::b), 20 * ms);

    VantageFinder at_b;
    handshake(at_b, 20 * ms, 10 * us);
    EXPECT_EQ(at_b.place(), TapPlace::at_b);
    EXPECT_TRUE(at_b.settled());
}

TEST(VantageFinder, BothFarIsTheMiddle) {
    VantageFinder finder;
    handshake(finder, 3 * ms, 7 * ms);
    talk(finder, 3 * ms, 7 * ms, 30, 100 * ms);
    EXPECT_EQ(finder.place(), TapPlace::middle);
    EXPECT_TRUE(finder.settled());
}

TEST(VantageFinder, ConnectionWithoutHandshakeIsToldByItsData) {
    VantageFinder finder;
    talk(finder, 4 * ms, 30 * us, 10);
    EXPECT_EQ(finder.place(), TapPlace::at_b);
    EXPECT_TRUE(finder.settled());
    EXPECT_EQ(finder.round_trip_ns(Side::b), 30 * us);
}

// Of b, nothing was captured for a second.
TEST(VantageFinder, ASideThatIsHeardLateDidNotTakeSoLongToAnswer) {
    VantageFinder finder;
    feed(finder, {.from = Side::a, .time_ns = 0, .flags = tcp_syn, .seq = 99});
    uint32_t seq = 100;
    for (int64_t t = 1 * ms; t < 1000 * ms; t += 10 * ms) {
        feed(finder, {.from = Side::a, .time_ns = t, .seq = seq, .ack = 500, .length = 48});
        seq += 48;
    }
    feed(finder, {.from = Side::a, .time_ns = 1000 * ms, .seq = seq, .ack = 500, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 1002 * ms, .seq = 500, .ack = seq + 48, .length = 1000});
    feed(finder, {.from = Side::a, .time_ns = 1002 * ms + 10 * us, .seq = seq + 48, .ack = 1500});
    EXPECT_FALSE(finder.settled());
    EXPECT_EQ(finder.round_trip_ns(Side::b), no_time);
}

TEST(VantageFinder, EchoedTimestampsTellOfASideThatOnlyAcknowledges) {
    // b sends data that a's acknowledgements release: nothing of a's is ever acknowledged anew.
    VantageFinder finder;
    int64_t t = 0;
    for (uint32_t i = 1; i <= 20; ++i) {
        feed(finder, {.from = Side::a,
                      .time_ns = t,
                      .seq = 100,
                      .ack = 500 + 1000 * (i - 1),
                      .timestamp = i,
                      .timestamp_echo = 1000 + i - 1});
        feed(finder, {.from = Side::b,
                      .time_ns = t + 8 * ms,
                      .seq = 500 + 1000 * (i - 1),
                      .ack = 100,
                      .length = 1000,
                      .timestamp = 1000 + i,
                      .timestamp_echo = i});
        t += 8 * ms + 5 * us;
    }
    EXPECT_EQ(finder.round_trip_ns(Side::b), 8 * ms);
    EXPECT_EQ(finder.place(), TapPlace::at_a);
}

TEST(VantageFinder, RetransmissionIsNoQuestion) {
    VantageFinder finder;
    feed(finder, {.from = Side::a, .time_ns = 0, .seq = 100, .ack = 500, .length = 48});
    feed(finder, {.from = Side::a, .time_ns = 200 * ms, .seq = 100, .ack = 500, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 200 * ms + us, .seq = 500, .ack = 148});
    EXPECT_EQ(finder.round_trip_ns(Side::b), no_time);
}

TEST(VantageFinder, WhatIsAcknowledgedAlreadyIsNoQuestion) {
    // The capture missed the first transmission.
    VantageFinder finder;
    feed(finder, {.from = Side::b, .time_ns = 0, .seq = 500, .ack = 148, .length = 10});
    feed(finder, {.from = Side::a, .time_ns = us, .seq = 100, .ack = 510, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 2 * us, .seq = 510, .ack = 148});
    EXPECT_EQ(finder.round_trip_ns(Side::b), no_time);
}

TEST(VantageFinder, OneFalseAnswerAmongManyDoesNotCarry) {
    VantageFinder finder;
    talk(finder, 3 * ms, 6 * ms, 20);
    feed(finder, {.from = Side::a, .time_ns = 900 * ms, .seq = 100'000, .ack = 100'000, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 900 * ms + us, .seq = 100'000, .ack = 100'048});
    EXPECT_EQ(finder.round_trip_ns(Side::b), 6 * ms);
}

// Two processors' clocks do not order what happens within a few microseconds: it is settled that nobody can tell.
TEST(VantageFinder, NearTieCannotBeTold) {
    VantageFinder finder;
    handshake(finder, 12 * us, 9 * us);
    EXPECT_TRUE(finder.settled());
    EXPECT_EQ(finder.place(), TapPlace::unknown);
    talk(finder, 2 * us, 7 * us, 100, ms);
    EXPECT_EQ(finder.place(), TapPlace::unknown);
}

TEST(VantageFinder, NearerOfTwoNearOnesIsSettledByTheHandshakeForGood) {
    VantageFinder finder;
    handshake(finder, 30 * us, 9 * us);
    EXPECT_EQ(finder.place(), TapPlace::at_b);
    talk(finder, 2 * us, 7 * us, 100, ms);
    EXPECT_EQ(finder.place(), TapPlace::at_b);
}

TEST(VantageFinder, CountedDownTimeToLiveSpeaksAgainstAnEnd) {
    VantageFinder finder;
    handshake(finder, 150 * us, 20 * ms, 63);
    EXPECT_EQ(finder.place(), TapPlace::middle);
    VantageFinder bridge;
    handshake(bridge, 150 * us, 20 * ms, 64);
    EXPECT_EQ(bridge.place(), TapPlace::at_a);
}

TEST(VantageFinder, OneDirectionAloneTellsNothing) {
    VantageFinder finder;
    for (uint32_t i = 0; i < 100; ++i) {
        feed(finder,
             {.from = Side::a, .time_ns = i * ms, .seq = 100 + 48 * i, .length = 48, .timestamp = i + 1});
    }
    EXPECT_EQ(finder.place(), TapPlace::unknown);
    EXPECT_FALSE(finder.settled());
}

TEST(VantageFinder, TimeThatGoesBackIsNoAnswer) {
    VantageFinder finder;
    feed(finder, {.from = Side::a, .time_ns = 50 * ms, .seq = 100, .ack = 500, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 10 * ms, .seq = 500, .ack = 148});
    EXPECT_EQ(finder.round_trip_ns(Side::b), no_time);
}

TEST(VantageFinder, SequenceNumbersWrap) {
    VantageFinder finder;
    feed(finder, {.from = Side::a, .time_ns = 0, .seq = 0xfffffff0, .ack = 500, .length = 48});
    feed(finder, {.from = Side::b, .time_ns = 5 * ms, .seq = 500, .ack = 0x20});
    EXPECT_EQ(finder.round_trip_ns(Side::b), 5 * ms);
}

}  // namespace
}  // namespace sanscope
