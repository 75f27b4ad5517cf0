// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/points_of_path.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/points/points_text.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

using test::ms;
constexpr int64_t epoch = 1'790'000'000'000'000'000;
constexpr uint32_t mss = 1000;

enum Seen : unsigned { nowhere = 0, at_a = 1, at_b = 2, everywhere = 3 };

struct Segment {
    uint32_t seq = 0;
    uint32_t length = 0;
    uint32_t ack = 0;
    uint32_t tsval = 0;
    uint16_t id = 0;
    uint16_t flags = tcp_ack;
    std::vector<std::pair<uint32_t, uint32_t>> sack = {};
};

// One connection from an initiator beside A to a target beside B, a millisecond apart.
class Traffic {
  public:
    bool timestamps = true;
    bool ids = true;
    bool translated = false;  // other addresses at B
    int64_t b_ahead_ns = 0;
    int64_t now = 0;

    void out(const Segment& segment, unsigned seen) { pass(segment, true, seen); }
    void in(const Segment& segment, unsigned seen = everywhere) { pass(segment, false, seen); }
    // Data to the target that arrive and are acknowledged.
    void fine(uint32_t segments) {
        for (uint32_t i = 0; i < segments; ++i) {
            out({.seq = next, .length = mss, .tsval = stamp(), .id = id++}, everywhere);
            next += mss;
            in({.seq = 1, .ack = next, .tsval = stamp()});
        }
    }
    uint32_t stamp() const { return static_cast<uint32_t>(now / ms); }

    Result<PathPoints> follow(bool turned = false) {
        std::vector<std::unique_ptr<PointCapture>> captures;
        captures.push_back(capture("a", a_, false));
        captures.push_back(capture("b", b_, true));
        if (turned) std::swap(captures[0], captures[1]);
        return follow_path(std::move(captures), {});
    }

    uint32_t next = 1000;
    uint16_t id = 1;

  private:
    struct Event {
        int64_t time_ns;
        Segment segment;
        bool out;
    };

    void pass(const Segment& segment, bool out, unsigned seen) {
        now += ms / 4;
        if ((seen & at_a) != 0) a_.push_back({now + (out ? 0 : ms), segment, out});
        if ((seen & at_b) != 0) b_.push_back({now + (out ? ms : 0) + b_ahead_ns, segment, out});
    }

    std::unique_ptr<PointCapture> capture(const std::string& name, std::vector<Event> events,
                                          bool other) const {
        auto capture = std::make_unique<PointCapture>(name, std::pmr::get_default_resource());
        std::ranges::stable_sort(events, {}, &Event::time_ns);
        PacketNumber number = 0;
        for (const Event& event : events) {
            const Segment& segment = event.segment;
            DecodedPacket packet;
            packet.kind = DecodedPacket::Kind::tcp;
            const uint8_t initiator[] = {10, 0, 0, static_cast<uint8_t>(other && translated ? 9 : 1)};
            const uint8_t target[] = {10, 0, 0, 2};
            packet.source = IpAddress::from_v4(event.out ? initiator : target);
            packet.destination = IpAddress::from_v4(event.out ? target : initiator);
            packet.source_port = event.out ? 40000 : 3260;
            packet.destination_port = event.out ? 3260 : 40000;
            packet.seq = segment.seq;
            packet.ack = segment.ack;
            packet.flags = segment.flags;
            packet.window = 1000;
            packet.payload_length = segment.length;
            packet.ip_id = ids ? segment.id : uint16_t{0};
            std::vector<uint8_t> options;
            const auto put = [&](uint32_t value) {
                for (int shift = 24; shift >= 0; shift -= 8)
                    options.push_back(static_cast<uint8_t>(value >> shift));
            };
            if (timestamps) {
                options = {1, 1, 8, 10};
                put(segment.tsval);
                put(0);
            }
            if (!segment.sack.empty()) {
                options.insert(options.end(), {1, 1, 5, static_cast<uint8_t>(2 + 8 * segment.sack.size())});
                for (const auto& [begin, end] : segment.sack) {
                    put(begin);
                    put(end);
                }
            }
            packet.options = options.data();
            packet.options_length = static_cast<uint8_t>(options.size());
            capture->add(packet, ++number, epoch + event.time_ns);
        }
        capture->finish();
        return capture;
    }

    std::vector<Event> a_;
    std::vector<Event> b_;
};

const WayResult& out_of(const Result<PathPoints>& path) {
    return path->pairs.at(0).connections.at(0).ways[index_of(Way::out)];
}

std::string verdicts(const WayResult& way) {
    std::string words;
    for (size_t i = 0; i < copy_verdicts; ++i) {
        const auto verdict = static_cast<CopyVerdict>(i);
        if (way.count(verdict) > 0)
            words += std::string(verdict_name(verdict)) + " " + std::to_string(way.count(verdict)) + ";";
    }
    return words;
}

// One segment passes the points as `seen` says and does not arrive; the next one does; it is sent again.
void lose_one(Traffic& traffic, unsigned seen) {
    const uint32_t lost = traffic.next;
    traffic.out({.seq = lost, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++}, seen);
    traffic.next += mss;
    traffic.out({.seq = traffic.next, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++},
                everywhere);
    traffic.next += mss;
    traffic.now += 2 * ms;
    traffic.in({.seq = 1, .ack = lost, .tsval = traffic.stamp(), .sack = {{lost + mss, traffic.next}}});
    traffic.now += 2 * ms;
    traffic.out({.seq = lost, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++}, everywhere);
    traffic.now += 2 * ms;
    traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
}

TEST(PathPoints, ALossIsToldWhereItWas) {
    for (const auto& [seen, verdict] : {std::pair{at_a, "lost_between 1;"}, {everywhere, "lost_beyond 1;"}}) {
        for (const bool ids : {true, false}) {
            Traffic traffic;
            traffic.ids = ids;
            traffic.fine(50);
            lose_one(traffic, seen);
            traffic.fine(50);
            const auto path = traffic.follow();
            ASSERT_TRUE(path);
            EXPECT_EQ(verdicts(out_of(path)), verdict);
            EXPECT_EQ(out_of(path).bytes_shared, (102 + (seen == everywhere ? 1 : 0)) * mss);
        }
    }
}

TEST(PathPoints, WhatACaptureLacksIsNotLost) {
    for (const auto& [seen, verdict] :
         {std::pair{at_a, "not_captured_behind 1;"}, {at_b, "not_captured_before 1;"}}) {
        Traffic traffic;
        traffic.fine(50);
        traffic.out({.seq = traffic.next, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++}, seen);
        traffic.next += mss;
        traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
        traffic.fine(50);
        EXPECT_EQ(verdicts(out_of(traffic.follow())), verdict);
    }
}

// A capture that lacks packets near by may lack this one too, and then it was lost behind it.
TEST(PathPoints, ALossBesideWhatACaptureLacksIsUnclear) {
    Traffic traffic;
    traffic.fine(50);
    traffic.out({.seq = traffic.next, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++}, at_a);
    traffic.next += mss;
    traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
    lose_one(traffic, at_a);
    traffic.fine(50);
    EXPECT_EQ(verdicts(out_of(traffic.follow())), "not_captured_behind 1;unclear 1;");
}

// Sent again although the first copy had arrived: a D-SACK says so.
TEST(PathPoints, ASpuriousRetransmissionIsNoLoss) {
    Traffic traffic;
    traffic.fine(50);
    const uint32_t twice = traffic.next;
    for (int i = 0; i < 2; ++i) {
        traffic.out({.seq = twice, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++}, everywhere);
        traffic.now += ms;
    }
    traffic.next += mss;
    traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
    traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp(), .sack = {{twice, twice + mss}}});
    traffic.fine(50);
    EXPECT_EQ(verdicts(out_of(traffic.follow())), "");
}

// The same bytes twice within a tick of the timestamps: identifications tell which is missing, without them nothing does.
TEST(PathPoints, CopiesThatNothingTellsApartAreNotJudged) {
    for (const bool ids : {true, false}) {
        Traffic traffic;
        traffic.ids = ids;
        traffic.fine(50);
        const uint32_t stamp = traffic.stamp();
        const uint32_t lost = traffic.next;
        traffic.out({.seq = lost, .length = mss, .tsval = stamp, .id = traffic.id++}, at_a);
        traffic.next += mss;
        traffic.out({.seq = traffic.next, .length = mss, .tsval = stamp, .id = traffic.id++}, everywhere);
        traffic.next += mss;
        traffic.in({.seq = 1, .ack = lost, .tsval = stamp, .sack = {{lost + mss, traffic.next}}});
        traffic.now += 3 * ms;
        traffic.out({.seq = lost, .length = mss, .tsval = stamp, .id = traffic.id++}, everywhere);
        traffic.now += 3 * ms;
        traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
        traffic.fine(50);
        const auto path = traffic.follow();
        EXPECT_EQ(verdicts(out_of(path)), ids ? "lost_between 1;" : "unclear 3;");
    }
}

// Segmentation offload: at A one packet of five segments, of which four come to B.
TEST(PathPoints, OffloadMakesNoDifference) {
    Traffic traffic;
    traffic.fine(50);
    const uint32_t begin = traffic.next;
    const uint32_t stamp = traffic.stamp();
    traffic.out({.seq = begin, .length = 5 * mss, .tsval = stamp, .id = traffic.id}, at_a);
    for (uint32_t i = 0; i < 5; ++i) {
        if (i == 2) continue;
        traffic.out({.seq = begin + i * mss,
                     .length = mss,
                     .tsval = stamp,
                     .id = static_cast<uint16_t>(traffic.id + i)},
                    at_b);
    }
    traffic.id += 5;
    traffic.next += 5 * mss;
    traffic.now += 2 * ms;
    traffic.in({.seq = 1,
                .ack = begin + 2 * mss,
                .tsval = traffic.stamp(),
                .sack = {{begin + 3 * mss, traffic.next}}});
    traffic.now += 2 * ms;
    traffic.out({.seq = begin + 2 * mss, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++},
                everywhere);
    traffic.now += 2 * ms;
    traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()});
    traffic.fine(50);
    const auto path = traffic.follow();
    EXPECT_EQ(verdicts(out_of(path)), "lost_between 1;");
    ASSERT_EQ(out_of(path).fates.size(), 1u);
    EXPECT_EQ(out_of(path).fates[0].seq, begin + 2 * mss);
    EXPECT_EQ(out_of(path).fates[0].length, mss);
}

TEST(PathPoints, SequenceNumbersMayWrap) {
    Traffic traffic;
    traffic.next = 0xffffffffu - 20 * mss;
    traffic.fine(30);
    lose_one(traffic, at_a);
    traffic.fine(30);
    EXPECT_EQ(verdicts(out_of(traffic.follow())), "lost_between 1;");
}

TEST(PathPoints, TheOrderOfThePathIsFound) {
    Traffic traffic;
    traffic.b_ahead_ns = -7000 * ms;
    traffic.fine(200);
    for (const bool turned : {false, true}) {
        const auto path = traffic.follow(turned);
        ASSERT_TRUE(path);
        EXPECT_TRUE(path->pairs[0].order_known);
        EXPECT_EQ(path->points[0]->name(), "a");
        EXPECT_EQ(path->points[1]->name(), "b");
        const ConnectionAtPoints& connection = path->pairs[0].connections[0];
        EXPECT_LE(connection.offset.low_ns, -7000 * ms);
        EXPECT_GE(connection.offset.high_ns, -7000 * ms);
        EXPECT_LE(connection.offset.width_ns(), 2 * ms + ms / 100);
    }
}

TEST(PathPoints, NatIsSeenThrough) {
    Traffic traffic;
    traffic.translated = true;
    traffic.fine(100);
    const auto path = traffic.follow();
    ASSERT_TRUE(path);
    ASSERT_EQ(path->pairs[0].connections.size(), 1u);
    EXPECT_TRUE(path->pairs[0].connections[0].translated);
    EXPECT_EQ(out_of(path).bytes_shared, 100 * mss);
}

// One point begins later and ends earlier: what it cannot have seen is not judged.
TEST(PathPoints, APointMaySeeOnlyAPart) {
    Traffic traffic;
    for (const unsigned seen : {at_a, everywhere, at_a}) {
        for (int i = 0; i < 100; ++i) {
            traffic.out({.seq = traffic.next, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++},
                        seen);
            traffic.next += mss;
            traffic.in({.seq = 1, .ack = traffic.next, .tsval = traffic.stamp()}, seen);
        }
    }
    const auto path = traffic.follow();
    EXPECT_EQ(verdicts(out_of(path)), "");
    EXPECT_EQ(out_of(path).segments_before, 300u);
    EXPECT_EQ(out_of(path).segments_behind, 100u);
}

TEST(PathPoints, OneDirectionAloneIsNotJudged) {
    Traffic traffic;
    for (int i = 0; i < 100; ++i) {
        traffic.out({.seq = traffic.next, .length = mss, .tsval = traffic.stamp(), .id = traffic.id++},
                    i == 50 ? at_a : everywhere);
        traffic.next += mss;
    }
    const auto path = traffic.follow();
    ASSERT_TRUE(path);
    EXPECT_FALSE(path->pairs[0].order_known);
    EXPECT_EQ(verdicts(out_of(path)), "");
    EXPECT_FALSE(path->pairs[0].connections[0].offset.bounded());
    EXPECT_THAT(points_text(*path), HasSubstr("which of a and b packets pass first is not known"));
}

TEST(PathPoints, OtherTrafficIsAnError) {
    Traffic apart;
    for (int i = 0; i < 20; ++i)
        apart.out({.seq = 1000u + 1000u * static_cast<uint32_t>(i), .length = mss, .tsval = 1, .id = 1},
                  at_a);
    for (int i = 0; i < 20; ++i)
        apart.out(
            {.seq = 90'000'000u + 1000u * static_cast<uint32_t>(i), .length = mss, .tsval = 900, .id = 1},
            at_b);
    const auto path = apart.follow();
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().message, "a and b have no TCP connection in common");
}

TEST(PathPoints, DelaysAreToldAsBandsThatHoldTheTruth) {
    Traffic traffic;
    traffic.b_ahead_ns = 5000 * ms;
    traffic.fine(500);
    const auto path = traffic.follow();
    for (const WayResult& way : path->pairs[0].connections[0].ways) {
        EXPECT_LE(way.delay.p50.low_ns, ms);
        EXPECT_GE(way.delay.p50.high_ns, ms);
        EXPECT_EQ(way.delay.samples, 500u);
    }
}

}  // namespace
}  // namespace sanscope
