// SPDX-License-Identifier: GPL-3.0-or-later
// The replayed kernel with a congestion control that is none: whatever is done to cwnd is but written down. What decides on
// states, and on what each acknowledgement is worth, needs no more of it.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/sender/kernel/linux_sender.h"
#include "analyzer/sender/kernel/testing/recording_observer.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

constexpr uint32_t mss = 1000;
constexpr int64_t rtt_us = 10'000;

struct WrittenDown {
    std::vector<std::string> calls;
    uint32_t delivered = 0;

    void init(const SenderState&) { calls.emplace_back("init"); }
    void init_with(const SenderState&, uint32_t) { calls.emplace_back("init_with"); }
    void init_cwnd_reduction() { calls.emplace_back("init_cwnd_reduction"); }
    void end_cwnd_reduction(const SenderState&, bool) { calls.emplace_back("end_cwnd_reduction"); }
    void save_prior_ssthresh(const SenderState&) {}
    void clear_prior_ssthresh() {}
    void enter_loss(const SenderState&, bool) { calls.emplace_back("enter_loss"); }
    void undo_cwnd_reduction(const SenderState&) { calls.emplace_back("undo_cwnd_reduction"); }
    void pkts_acked(const SenderState&, int64_t) {}
    void cong_control(const SenderState&, const AckSample& sample) { delivered += sample.delivered; }
    void cwnd_reduction(const SenderState&, uint32_t, uint32_t, bool) {}
    void cwnd_restart(const SenderState&, int64_t) { calls.emplace_back("cwnd_restart"); }
    void cwnd_event(const SenderState&, CwndEvent) {}

    template <class Do>
    void each(Do&& act) {
        act(*this);
    }
};

class CaStateMachineTest : public testing::Test {
  protected:
    CaStateMachineTest() {
        tp_.mss = mss;
        kernel_.init_sequence(Serial32(0));
        at(1'000'000);
        send(1);
        at(1'000'000 + rtt_us);
        ack(1);
    }
    void at(int64_t now_us) { tp_.now_us = now_us; }
    void send(uint32_t segments) {
        kernel_.start_flight();
        for (uint32_t n = 0; n < segments; ++n) {
            ASSERT_TRUE(kernel_.queue().has_room());
            SendQueue::Segment& added = kernel_.queue_new_segment(tp_.snd_nxt, tp_.snd_nxt + mss);
            added.unseen = false;
            added.late = 0;
            added.timestamp = static_cast<uint32_t>(tp_.now_us / 1000);
            tp_.snd_nxt += mss;
        }
        tp_.last_sent_us = tp_.pto_start_us = tp_.now_us;
    }
    // `ack` and the block in segments.
    void ack(uint32_t ack, uint32_t begin = 0, uint32_t end = 0) {
        ReceivedAck received;
        received.ack = Serial32(ack * mss);
        received.window = 1'000'000;
        received.flags = tcp_ack;
        if (end > begin) {
            received.sack_blocks = 1;
            received.sack[0] = {Serial32(begin * mss), Serial32(end * mss)};
        }
        kernel_.ack(received, [] { return int64_t{-1}; });
    }
    void resend(uint32_t n) {
        const SendQueue::Index i = kernel_.queue().find(Serial32(n * mss));
        kernel_.retransmit_skb(i, static_cast<uint32_t>(tp_.now_us / 1000));
        kernel_.stamp_transmission(i, static_cast<uint32_t>(tp_.now_us / 1000));
    }

    SendBudget budget_;
    WrittenDown cwnd_;
    RecordingObserver observer_;
    LinuxSender<WrittenDown> kernel_{budget_, cwnd_, observer_};
    SenderState& tp_ = kernel_.tp();
};

TEST_F(CaStateMachineTest, HoleIsDisorderThenRecoveryThenOpen) {
    send(10);
    at(1'030'000);
    ack(1, 2, 4);
    EXPECT_EQ(tp_.ca_state, CaState::disorder);
    ack(1, 2, 5);
    EXPECT_EQ(tp_.ca_state, CaState::recovery) << "three SACKed: RACK waits no longer";
    EXPECT_EQ(tp_.lost_out, 1U);
    resend(1);
    EXPECT_EQ(tp_.in_flight(), 10U - 3);
    at(1'045'000);
    ack(11);
    EXPECT_THAT(observer_.states, ElementsAre(CaState::disorder, CaState::recovery, CaState::open));
    EXPECT_THAT(cwnd_.calls, ElementsAre("init_cwnd_reduction", "end_cwnd_reduction"));
    EXPECT_EQ(cwnd_.delivered, 11U);
    EXPECT_EQ(tp_.in_flight(), 0U);
}

TEST_F(CaStateMachineTest, TimeoutMarksWhatWasSentLongerAgoThanARoundTrip) {
    send(3);
    at(1'015'000);
    send(1);
    at(1'024'000);
    EXPECT_TRUE(kernel_.retransmit_timer());
    EXPECT_EQ(tp_.ca_state, CaState::loss);
    EXPECT_EQ(tp_.lost_out, 3U);
    EXPECT_FALSE(kernel_.retransmit_timer()) << "of the same series";
    EXPECT_THAT(cwnd_.calls, ElementsAre("enter_loss", "enter_loss"));
}

TEST_F(CaStateMachineTest, EchoOlderThanTheRetransmissionUndoesTheTimeout) {
    send(3);
    at(1'300'000);
    kernel_.retransmit_timer();
    resend(1);
    tp_.saw_tstamp = true;
    tp_.rcv_tsecr = 1'010;
    at(1'310'000);
    ack(4);
    EXPECT_EQ(tp_.ca_state, CaState::open);
    EXPECT_EQ(observer_.timeouts_undone, 1);
    EXPECT_THAT(cwnd_.calls, ElementsAre("enter_loss", "undo_cwnd_reduction"));
}

TEST_F(CaStateMachineTest, ProbeThatRepairsALossReducesOnceAndStaysOpen) {
    send(2);
    at(1'040'000);
    const SendQueue::Index last = kernel_.queue().end() - 1;
    kernel_.send_loss_probe();
    kernel_.stamp_transmission(last, 1'040);
    at(1'050'000);
    ack(3);
    ASSERT_TRUE(kernel_.probe().out()) << "a duplicate of it may still come";
    send(1);
    at(1'060'000);
    ack(4);
    EXPECT_FALSE(kernel_.probe().out());
    EXPECT_THAT(observer_.states, ElementsAre(CaState::cwr, CaState::open));
    EXPECT_THAT(cwnd_.calls, ElementsAre("init_cwnd_reduction", "end_cwnd_reduction"));
}

TEST_F(CaStateMachineTest, WithoutSackTheThirdDuplicateBeginsRecovery) {
    tp_.sack = false;
    send(10);
    at(1'030'000);
    ack(1);
    ack(1);
    EXPECT_EQ(tp_.ca_state, CaState::disorder);
    ack(1);
    EXPECT_EQ(tp_.ca_state, CaState::recovery);
    EXPECT_EQ(tp_.lost_out, 1U);
    resend(1);
    at(1'045'000);
    ack(5);
    EXPECT_EQ(tp_.ca_state, CaState::recovery);
    EXPECT_TRUE(kernel_.queue()[kernel_.queue().first()].lost)
        << "a partial acknowledgement shows the next hole (RFC 6582)";
}

}  // namespace
}  // namespace sanscope
