// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is said to have been sent again without a packet that brings bytes which were sent before: whatever a replay
// concludes, such a row is not made, and it is counted that it was not.
#include <cstdint>
#include <gtest/gtest.h>
#include <variant>
#include <vector>

#include "analyzer/sender/inference/sender_log.h"
#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"
#include "analyzer/sender/sender_replay.h"

namespace sanscope {
namespace {

constexpr LossKind sent_again[] = {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp,
                                   LossKind::spurious};

SentSegment segment(Sent sent) {
    SentSegment segment;
    segment.packet = 7;
    segment.seq = Serial32(1000);
    segment.length = 2500;
    segment.sent = sent;
    return segment;
}

TEST(LossRows, NeedAPacketThatBringsBytesAgain) {
    ResultStore store({});
    SenderLog log(store, 1, Side::a, nullptr);
    uint64_t withheld = 0;
    for (const LossKind kind : sent_again) {
        for (const Sent sent : {Sent::unclassified, Sent::first, Sent::late, Sent::unknown}) {
            EXPECT_EQ(log.loss(kind, segment(sent), 0, Serial32(1000), 2500), 0u);
            EXPECT_EQ(log.summary().withheld(), ++withheld);
        }
        SentSegment unseen = segment(Sent::again);
        unseen.unseen = true;
        EXPECT_EQ(log.loss(kind, unseen, 0, Serial32(1000), 2500), 0u) << "no packet at all";
        EXPECT_EQ(log.summary().withheld(), ++withheld);
    }
    EXPECT_TRUE(store.losses().empty());
    EXPECT_EQ(log.summary().sent_again(), 0u);
    for (const LossKind kind : sent_again)
        EXPECT_NE(log.loss(kind, segment(Sent::again), 0, Serial32(1000), 2500), 0u);
    EXPECT_EQ(store.losses().size(), 4u);
    EXPECT_EQ(log.summary().withheld(), withheld);
}

TEST(LossRows, CannotBeMadeOneBySayingOtherwiseLater) {
    ResultStore store({});
    SenderLog log(store, 1, Side::a, nullptr);
    const uint64_t row = log.loss(LossKind::out_of_order, segment(Sent::late), 0, Serial32(1000), 2500);
    log.reclassify(row, LossKind::out_of_order, LossKind::spurious, 2500);
    log.reclassify(0, LossKind::rto, LossKind::spurious, 2500);
    EXPECT_EQ(store.losses()[0].kind, LossKind::out_of_order);
    EXPECT_EQ(log.summary().losses(LossKind::spurious), 0u);
}

TEST(LossRows, CountTheSegmentsOfAPacket) {
    ResultStore store({});
    SenderLog log(store, 1, Side::a, nullptr);
    log.set_mss(1000);
    log.loss(LossKind::rto, segment(Sent::again), 0, Serial32(1000), 2500);
    EXPECT_EQ(log.summary().sent_again(), 3u);
}

// A replay that is given holes as what a sender did, below what was acknowledged: they are no packets.
TEST(LossRows, OfHolesThereAreNone) {
    ResultStore store({});
    SendBudget budget;
    SenderReplay replay(store, budget, 1, Side::a, {.mss = 1000});
    const auto send = [&](uint32_t seq, uint32_t length, bool unseen, uint16_t flags = tcp_ack) {
        SentSegment sent = segment(Sent::first);
        sent.seq = Serial32(seq);
        sent.length = length;
        sent.flags = flags;
        sent.unseen = unseen;
        replay.on_sent(sent);
    };
    const auto hear = [&](uint32_t ack) {
        ReceivedAck heard;
        heard.ack = Serial32(ack);
        heard.flags = tcp_ack;
        heard.window = 65535;
        heard.packet = 8;
        replay.on_ack(heard);
    };
    send(999, 0, false, tcp_syn);
    hear(1000);
    send(1000, 1000, false);
    hear(4000);
    send(2000, 1000, true);
    send(3000, 1000, true);
    send(4000, 1000, false);
    hear(5000);
    replay.finish();
    EXPECT_TRUE(store.losses().empty());
    EXPECT_TRUE(store.ca_transitions().empty());
}

// Two of three lost segments are sent again: one in two parts, one whole.
TEST(LossRows, OfASegmentThatIsSentAgainInPartsOneIsOfTheRest) {
    using simulated::Script;
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0, {{2, 3}});
    script.at(20.02).hears(0, {{2, 4}});
    script.at(20.03).hears(0, {{2, 6}}).sends_again(0).sends_again(0).sends_again(1);
    std::vector<simulated::SenderEvent> events = script.events();
    constexpr uint32_t first_part = 900;
    auto& part = std::get<SentSegment>(events[events.size() - 3]);
    auto& rest = std::get<SentSegment>(events[events.size() - 2]);
    part.length = first_part;
    rest.seq += first_part;
    rest.length = Script::mss - first_part;
    const simulated::Replayed replayed(events, script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 3u);
    EXPECT_EQ(replayed.summary().lost(LossKind::fast_retransmit), 2u);
}

// The beginning had arrived, as a SACK says: what is sent again is all that was lost of the segment.
TEST(LossRows, OfWhatASackLeavesOfASegmentNoneIsOfARest) {
    using simulated::Script;
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    for (uint32_t n = 4; n < 8; ++n) script.at(20 + n * 0.01).hears(0, {{3, n}, {1, 2}});
    script.at(20.1).sends_again(0).sends_again(1);
    std::vector<simulated::SenderEvent> events = script.events();
    constexpr uint32_t arrived = 900;
    for (auto& event : events) {
        if (auto* const ack = std::get_if<ReceivedAck>(&event))
            ack->sack[1].end = ack->sack[1].begin + arrived;
    }
    auto& rest = std::get<SentSegment>(events.back());
    rest.seq += arrived;
    rest.length = Script::mss - arrived;
    const simulated::Replayed replayed(events, script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::fast_retransmit), 2u);
    EXPECT_EQ(replayed.summary().lost(LossKind::fast_retransmit), 2u);
}

}  // namespace
}  // namespace sanscope
