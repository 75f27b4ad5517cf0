// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/sent_history.h"

#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
using test::second;
using test::us;
constexpr uint32_t mss = 1000;

// One sender's packets as a tap sees them; segments are numbered from 0.
class Tap {
  public:
    struct As {
        int64_t at = 0;
        uint16_t ip_id = 0;
        uint32_t timestamp = 0;  // 0: no timestamps
        uint32_t length = mss;
        uint16_t flags = tcp_ack | tcp_psh;
        int64_t round_trip_ns = no_time;
    };
    SentSegment syn(int64_t at = 0) { return send_at_seq(99'999, {.at = at, .length = 0, .flags = tcp_syn}); }
    SentSegment sends(uint32_t number, const As& as) { return send_at_seq(100'000 + number * mss, as); }
    SentSegment send_at_seq(uint32_t seq, const As& as) {
        SentSegment segment;
        segment.seq = Serial32(seq);
        segment.length = as.length;
        segment.flags = as.flags;
        segment.time_ns = as.at;
        segment.ip_id = as.ip_id;
        segment.timestamp = as.timestamp;
        segment.has_timestamp = as.timestamp != 0;
        segment.packet = ++packet_;
        history.on_sent(segment, as.round_trip_ns);
        return segment;
    }
    void hears(int64_t at, uint32_t number, uint32_t sacked_from = 0, uint32_t sacked_to = 0,
               uint32_t echo = 0) {
        ReceivedAck ack;
        ack.time_ns = at;
        ack.packet = ++packet_;
        ack.ack = Serial32(100'000 + number * mss);
        ack.flags = tcp_ack;
        ack.timestamp_echo = echo;
        ack.has_timestamp = echo != 0;
        if (sacked_to > sacked_from) {
            ack.sack_blocks = 1;
            ack.sack[0] = {Serial32(100'000 + sacked_from * mss), Serial32(100'000 + sacked_to * mss)};
        }
        history.on_acknowledged(ack);
    }
    std::vector<SentHistory::Missing> missing(int64_t now, bool all = false) {
        std::vector<SentHistory::Missing> found;
        SentHistory::Missing one;
        while (history.take_missing(now, all, one)) found.push_back(one);
        return found;
    }

    SentHistory history;

  private:
    PacketNumber packet_ = 0;
};

TEST(SentHistory, KnowsNewDataFromRepeatedOnes) {
    Tap tap;
    EXPECT_EQ(tap.syn().sent, Sent::first);
    EXPECT_EQ(tap.syn(second).sent, Sent::again);
    EXPECT_EQ(tap.sends(0, {.at = 1 * ms}).sent, Sent::first);
    EXPECT_EQ(tap.sends(1, {.at = 1 * ms}).sent, Sent::first);
    EXPECT_EQ(tap.sends(0, {.at = 2 * ms}).sent, Sent::again);
    // A part of it, and more than it.
    EXPECT_EQ(tap.send_at_seq(100'500, {.at = 2 * ms, .length = 200}).sent, Sent::again);
    EXPECT_EQ(tap.send_at_seq(101'500, {.at = 2 * ms, .length = 1000}).sent, Sent::again);
    EXPECT_EQ(tap.send_at_seq(102'500, {.at = 2 * ms}).sent, Sent::first);
}

TEST(SentHistory, KnowsWhatWasAcknowledgedBeforeItCameAgain) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.at = 10 * us});
    tap.sends(1, {.at = 11 * us});
    tap.hears(20 * us, 1);
    EXPECT_TRUE(tap.sends(0, {.at = 21 * us}).acknowledged);
    EXPECT_FALSE(tap.sends(1, {.at = 22 * us}).acknowledged);
    EXPECT_FALSE(tap.send_at_seq(100'500, {.at = 23 * us}).acknowledged) << "not all of it";
    EXPECT_FALSE(tap.sends(2, {.at = 24 * us}).acknowledged) << "not sent again";
}

TEST(SentHistory, BelievesNoAcknowledgementsOfACaptureThatHasThemTooEarly) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.at = 10 * us});
    tap.hears(11 * us, 2);
    tap.sends(1, {.at = 12 * us});
    EXPECT_FALSE(tap.sends(1, {.at = 30 * us}).acknowledged);
}

TEST(SentHistory, LacksNothingThatWasSentBeforeItBegan) {
    Tap by_ip_id;
    by_ip_id.sends(10, {.at = 1 * ms, .ip_id = 70});  // sent again
    by_ip_id.sends(20, {.at = 2 * ms, .ip_id = 71});
    by_ip_id.hears(3 * ms, 21);
    EXPECT_TRUE(by_ip_id.missing(second, true).empty());

    Tap by_sack;
    by_sack.hears(0, 10, 11, 20);
    by_sack.sends(10, {.at = 1 * ms});
    by_sack.sends(20, {.at = 2 * ms});
    by_sack.hears(3 * ms, 21);
    EXPECT_TRUE(by_sack.missing(second, true).empty());

    Tap by_acknowledgement;
    by_acknowledgement.sends(20, {.at = 0, .length = 0, .flags = tcp_ack});
    by_acknowledgement.sends(10, {.at = 1 * ms});
    by_acknowledgement.sends(20, {.at = 2 * ms});
    by_acknowledgement.hears(3 * ms, 21);
    EXPECT_TRUE(by_acknowledgement.missing(second, true).empty());
}

TEST(SentHistory, LacksNothingAroundWhatIsSentAgainFromBeforeItBegan) {
    Tap tap;
    tap.sends(100, {.at = 1 * ms, .ip_id = 70});
    EXPECT_EQ(tap.sends(50, {.at = 2 * ms, .ip_id = 71}).sent, Sent::again);
    tap.hears(3 * ms, 101);
    EXPECT_TRUE(tap.missing(second, true).empty());
}

TEST(SentHistory, LacksWhatWasSentSinceItBegan) {
    Tap tap;
    tap.sends(10, {.at = 1 * ms, .ip_id = 70});
    tap.sends(20, {.at = 2 * ms, .ip_id = 80});
    tap.hears(3 * ms, 21);
    EXPECT_EQ(tap.missing(second, true).size(), 1u);

    Tap later;
    for (uint32_t n = 0; n < 20; ++n) later.sends(n, {.at = n * us, .ip_id = static_cast<uint16_t>(70 + n)});
    later.hears(30 * us, 20, 25, 30);
    later.sends(30, {.at = 40 * us, .ip_id = 90});
    later.hears(50 * us, 31);
    EXPECT_EQ(later.missing(second, true).size(), 1u) << "long after its beginning";
}

TEST(SentHistory, LacksWhatWasAcknowledgedBeforeItsFirstSegmentOfAConnectionThatOpenedInTheCapture) {
    Tap tap;
    tap.history.on_opened();
    tap.hears(0, 0);
    tap.hears(1 * ms, 4);
    tap.hears(2 * ms, 10);
    tap.sends(12, {.at = 3 * ms});
    tap.hears(4 * ms, 13);
    const auto lacking = tap.missing(second);
    ASSERT_EQ(lacking.size(), 2u);
    EXPECT_EQ(lacking[0].begin, Serial32(100'000));
    EXPECT_EQ(lacking[0].end, Serial32(110'000));
    EXPECT_EQ(lacking[0].time_ns, 2 * ms);
    EXPECT_EQ(lacking[1].begin, Serial32(110'000));
    EXPECT_EQ(lacking[1].end, Serial32(112'000)) << "on its way when the first segment came";

    Tap only_the_syn;
    only_the_syn.history.on_opened();
    only_the_syn.hears(0, 0);
    only_the_syn.sends(0, {.at = 1 * ms});
    only_the_syn.hears(2 * ms, 1);
    EXPECT_TRUE(only_the_syn.missing(second, true).empty());
}

TEST(SentHistory, LacksWhatWasAcknowledgedBeforeItsFirstSegmentOnceNothingCanHaveBeenOnItsWay) {
    Tap soon;
    soon.hears(0, 0);
    soon.hears(900 * ms, 10);
    soon.sends(12, {.at = 950 * ms});
    soon.hears(960 * ms, 13);
    EXPECT_TRUE(soon.missing(9 * second, true).empty());

    Tap late;
    late.hears(0, 0);
    late.hears(900 * ms, 10);
    late.hears(1100 * ms, 20);
    late.sends(22, {.at = 1200 * ms});
    late.hears(1300 * ms, 23);
    const auto lacking = late.missing(9 * second, true);
    ASSERT_EQ(lacking.size(), 1u);
    EXPECT_EQ(lacking[0].begin, Serial32(110'000));
    EXPECT_EQ(lacking[0].end, Serial32(120'000));
}

TEST(SentHistory, OfAFirstSegmentThatAnotherOvertookNothingIsLacking) {
    Tap tap;
    tap.history.on_opened();
    tap.hears(0, 0);
    tap.sends(1, {.at = 1 * ms, .ip_id = 12});
    EXPECT_EQ(tap.sends(0, {.at = 1 * ms + 5 * us, .ip_id = 11}).sent, Sent::late);
    tap.hears(2 * ms, 2);
    EXPECT_TRUE(tap.missing(second, true).empty());
}

TEST(SentHistory, TellsALateOriginalByItsIpIdentification) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.at = 10 * us, .ip_id = 70});
    tap.sends(1, {.at = 11 * us, .ip_id = 71});
    tap.sends(3, {.at = 12 * us, .ip_id = 73});
    const SentSegment late = tap.sends(2, {.at = 14 * us, .ip_id = 72});
    EXPECT_EQ(late.sent, Sent::late);
    EXPECT_TRUE(late.overtaken);
    EXPECT_EQ(late.overtaken_ns, 2 * us);
    // Its bytes have come now.
    EXPECT_EQ(tap.sends(2, {.at = 15 * us, .ip_id = 74}).sent, Sent::again);
    EXPECT_TRUE(tap.missing(second, true).empty());
}

TEST(SentHistory, TellsARepairByItsIpIdentificationThoughItsBytesWereNeverSeen) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.at = 10 * us, .ip_id = 70});
    tap.sends(1, {.at = 11 * us, .ip_id = 71});
    tap.sends(3, {.at = 12 * us, .ip_id = 73});
    EXPECT_EQ(tap.sends(2, {.at = 14 * us, .ip_id = 74}).sent, Sent::again);
}

TEST(SentHistory, BelievesNoIpIdentificationsThatDoNotCount) {
    Tap tap;
    tap.syn();
    const uint16_t random[] = {40'000, 7'000, 61'000, 22'000, 51'000, 3'000};
    for (uint32_t n = 0; n < 6; ++n) tap.sends(n, {.at = n * us, .ip_id = random[n], .timestamp = 500});
    tap.sends(7, {.at = 10 * us, .ip_id = 9'000, .timestamp = 500});
    // Later by its number, but of an earlier tick.
    EXPECT_EQ(tap.sends(6, {.at = 12 * us, .ip_id = 9'500, .timestamp = 499}).sent, Sent::late);
    tap.sends(9, {.at = 20 * us, .ip_id = 30'000, .timestamp = 501});
    EXPECT_EQ(tap.sends(8, {.at = 30 * us, .ip_id = 29'000, .timestamp = 502}).sent, Sent::again);
}

TEST(SentHistory, TellsByTimestampsWhereIpHasNoIdentification) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.timestamp = 500});
    tap.sends(2, {.at = 1 * ms, .timestamp = 501});
    EXPECT_EQ(tap.sends(1, {.at = 2 * ms, .timestamp = 500}).sent, Sent::late);
    tap.sends(4, {.at = 3 * ms, .timestamp = 503});
    EXPECT_EQ(tap.sends(3, {.at = 9 * ms, .timestamp = 509}).sent, Sent::again);
}

TEST(SentHistory, WithoutEitherNothingIsSentAgainThatNobodyAskedFor) {
    Tap tap;
    tap.syn();
    tap.sends(0, {});
    tap.sends(2, {.at = 1 * ms});
    EXPECT_EQ(tap.sends(1, {.at = 50 * ms}).sent, Sent::late);
    tap.sends(4, {.at = 60 * ms});
    EXPECT_EQ(tap.sends(3, {.at = 300 * ms}).sent, Sent::again) << "a timeout may have passed";
}

TEST(SentHistory, WhatWasAskedForAndCameARoundTripLaterIsARepair) {
    for (const int64_t later : {15 * ms, 25 * ms}) {
        Tap tap;
        tap.syn();
        tap.sends(0, {});
        tap.sends(2, {.at = 1 * ms});
        tap.hears(1 * ms + 10 * us, 1, 2, 3);
        const Sent sent = tap.sends(1, {.at = later, .round_trip_ns = 20 * ms}).sent;
        EXPECT_EQ(sent, later < 20 * ms ? Sent::late : Sent::again);
    }
}

// The clocks of two processors do not order what happens three microseconds apart.
TEST(SentHistory, OnAShortPathAskedForAndCameOnceIsLate) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.timestamp = 500});
    tap.sends(2, {.at = 10 * us, .timestamp = 500});
    tap.hears(11 * us, 1, 2, 3);
    EXPECT_EQ(tap.sends(1, {.at = 30 * us, .timestamp = 500, .round_trip_ns = 3 * us}).sent, Sent::late);
}

TEST(SentHistory, AnAcknowledgementBeforeItsSegmentMakesNoRepairOfIt) {
    for (const bool ids : {true, false}) {
        Tap tap;
        tap.syn();
        tap.sends(0, {.ip_id = static_cast<uint16_t>(ids ? 10 : 0), .timestamp = 500});
        tap.hears(20 * us, 2, 0, 0, 500);
        EXPECT_EQ(
            tap.sends(1, {.at = 22 * us, .ip_id = static_cast<uint16_t>(ids ? 11 : 0), .timestamp = 500})
                .sent,
            Sent::first);
        EXPECT_TRUE(tap.missing(second, true).empty());
    }
}

TEST(SentHistory, WhatTheCaptureLacksAndWasAcknowledgedLongBeforeIsSentAgain) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.ip_id = 10, .timestamp = 500});
    tap.sends(1, {.ip_id = 11, .timestamp = 500});
    tap.hears(1 * ms, 3, 0, 0, 501);  // of segment 2, with identification 12
    EXPECT_EQ(tap.sends(2, {.at = 230 * ms, .ip_id = 13, .timestamp = 730}).sent, Sent::again);
}

TEST(SentHistory, GivesWhatTheCaptureLacksOnceItIsSure) {
    Tap tap;
    tap.syn();
    tap.sends(0, {});
    tap.sends(3, {.at = 1 * ms});
    EXPECT_TRUE(tap.missing(second).empty()) << "nobody acknowledged it";
    tap.hears(2 * ms, 4);
    EXPECT_FALSE(tap.history.may_miss(100 * ms));
    EXPECT_TRUE(tap.missing(100 * ms).empty());
    EXPECT_TRUE(tap.history.may_miss(203 * ms));
    const auto lacking = tap.missing(203 * ms);
    ASSERT_EQ(lacking.size(), 1u);
    EXPECT_EQ(lacking[0].begin, Serial32(101'000));
    EXPECT_EQ(lacking[0].end, Serial32(103'000));
    EXPECT_EQ(lacking[0].time_ns, 2 * ms);
    EXPECT_TRUE(tap.missing(second, true).empty()) << "each once";
}

TEST(SentHistory, GivesWhatIsLackingAtTheEnd) {
    Tap tap;
    tap.syn();
    tap.sends(0, {});
    tap.hears(2 * ms, 5);
    EXPECT_TRUE(tap.missing(3 * ms).empty());
    ASSERT_EQ(tap.missing(3 * ms, true).size(), 1u);
}

TEST(SentHistory, OfAHoleOnlyTheRestIsLacking) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.ip_id = 1});
    tap.sends(4, {.ip_id = 5});
    EXPECT_EQ(tap.sends(2, {.at = 2 * us, .ip_id = 3}).sent, Sent::late);
    tap.hears(1 * ms, 5);
    const auto lacking = tap.missing(second);
    ASSERT_EQ(lacking.size(), 2u);
    EXPECT_EQ(lacking[0].begin, Serial32(101'000));
    EXPECT_EQ(lacking[1].begin, Serial32(103'000));
}

TEST(SentHistory, ACaptureThatBeginsInTheMidstKnowsNothingOfWhatWasBefore) {
    Tap tap;
    tap.sends(5, {.ip_id = 15});
    tap.sends(6, {.ip_id = 16});
    EXPECT_EQ(tap.sends(4, {.at = 5 * us, .ip_id = 14}).sent, Sent::late);
    EXPECT_EQ(tap.sends(3, {.at = 6 * us, .ip_id = 17}).sent, Sent::again);
    tap.hears(1 * ms, 7);
    EXPECT_TRUE(tap.missing(second, true).empty());
}

TEST(SentHistory, KnowsNothingBelowHolesItForgot) {
    Tap tap;
    tap.syn();
    const uint32_t segments = 4 * SentHistory::max_holes;
    for (uint32_t n = 0; n < segments; n += 2) tap.sends(n, {.at = n * us});
    EXPECT_EQ(tap.sends(1, {.at = second}).sent, Sent::unknown);
    EXPECT_EQ(tap.sends(0, {.at = second}).sent, Sent::unknown);
    EXPECT_EQ(tap.sends(segments - 2, {.at = second}).sent, Sent::again);
}

TEST(SentHistory, AByteThatWasAcknowledgedKeepsTheConnectionAlive) {
    Tap tap;
    tap.syn();
    tap.sends(0, {});
    tap.hears(1 * ms, 1);
    for (const uint32_t length : {0u, 1u})
        EXPECT_TRUE(
            tap.send_at_seq(100'999, {.at = 60 * second, .length = length, .flags = tcp_ack}).keeps_alive);
    EXPECT_EQ(tap.sends(1, {.at = 61 * second}).sent, Sent::first);
}

TEST(SentHistory, AnUnansweredKeepAliveIsNoTimeout) {
    Tap tap;
    tap.syn();
    tap.sends(0, {.length = 1});
    // The application's own byte is pushed.
    EXPECT_FALSE(tap.send_at_seq(100'000, {.at = 1 * second, .length = 1}).keeps_alive);
    EXPECT_TRUE(tap.send_at_seq(100'000, {.at = 9 * second, .length = 1, .flags = tcp_ack}).keeps_alive);
}

TEST(SentHistory, TellsThatAnAcknowledgementDidNotReachTheSender) {
    Tap tap;
    tap.syn();
    tap.sends(0, {});
    tap.hears(10 * us, 1);
    EXPECT_TRUE(tap.sends(0, {.at = 210 * ms, .round_trip_ns = 2 * ms}).acknowledged_before);
    EXPECT_FALSE(tap.sends(0, {.at = 1 * ms, .round_trip_ns = 2 * ms}).acknowledged_before);
}

TEST(SentHistory, GoesOnWhereTheSequenceWraps) {
    Tap tap;
    tap.send_at_seq(0xfffffc00, {.ip_id = 1, .length = 512});
    tap.send_at_seq(0x00000200, {.ip_id = 4, .length = 512});
    EXPECT_EQ(tap.send_at_seq(0xfffffe00, {.at = 1 * us, .ip_id = 2, .length = 512}).sent, Sent::late);
    EXPECT_EQ(tap.send_at_seq(0x00000000, {.at = 2 * us, .ip_id = 3, .length = 512}).sent, Sent::late);
    EXPECT_EQ(tap.send_at_seq(0xfffffe00, {.at = 3 * us, .ip_id = 5, .length = 512}).sent, Sent::again);
}

}  // namespace
}  // namespace sanscope
