// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/scenarios/script.h"

#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
Script::Script(const Options& options) : options_(options), window_(options.window) {
    const Serial32 first_byte(begin_of(0).value - mss);
    at(-2 * options.rtt_ms);
    send(Serial32(first_byte.value - 1), 0, tcp_syn);
    at(-options.rtt_ms);
    hears(0, {}, tcp_syn | tcp_ack);
    std::get<ReceivedAck>(events_.back()).ack = first_byte;
    send(first_byte, mss, tcp_ack);
    at(0);
    hears(0);
}

Script& Script::at(double milliseconds) {
    now_ms_ = milliseconds;
    return *this;
}

Script& Script::sends(uint32_t from, uint32_t to) {
    for (uint32_t n = from; n < to; ++n) send(begin_of(n), mss, tcp_ack);
    return *this;
}

Script& Script::sends_as_one(uint32_t from, uint32_t to) {
    send(begin_of(from), (to - from) * mss, tcp_ack);
    return *this;
}

Script& Script::hears(uint32_t next, const std::vector<Range>& sacks, uint16_t flags) {
    ReceivedAck ack;
    ack.time_ns = now_ns();
    ack.packet = events_.size() + 1;
    ack.ack = begin_of(next);
    ack.seq = Serial32((flags & tcp_syn) != 0 ? 0 : 1);
    ack.window = window_;
    ack.flags = flags;
    ack.has_timestamp = options_.timestamps;
    if (options_.timestamps) {
        ack.timestamp_echo = timestamp_at(now_ms_ - options_.rtt_ms);
        ack.timestamp = timestamp_at(now_ms_ - options_.rtt_ms / 2);
    }
    for (const Range& range : sacks)
        ack.sack[ack.sack_blocks++] = {begin_of(range.begin), begin_of(range.end)};
    events_.emplace_back(ack);
    return *this;
}

Script& Script::echoing(double milliseconds) {
    std::get<ReceivedAck>(events_.back()).timestamp_echo = timestamp_at(milliseconds);
    return *this;
}

Script& Script::given(double milliseconds) {
    std::get<ReceivedAck>(events_.back()).timestamp = timestamp_at(milliseconds);
    return *this;
}

Script& Script::offering(uint32_t window) {
    window_ = window;
    return *this;
}

Script& Script::holds(const Expected& expected, int line) {
    claims_.push_back({line, events_.size(), expected});
    return *this;
}

Script& Script::enters(std::initializer_list<CaState> states, int line) {
    states_claims_.push_back({line, events_.size(), states});
    return *this;
}

void Script::check() const {
    const Replayed replayed(events_, sender_options());
    for (const Claim& claim : claims_) {
        const std::string where = "line " + std::to_string(claim.line) + " of the script";
        const std::optional<WindowRow> row = replayed.window_after(claim.packet);
        ASSERT_TRUE(row) << where;
        const Expected& expected = claim.expected;
        if (expected.cwnd) {
            EXPECT_EQ(replayed.cwnd_after(claim.packet), *expected.cwnd) << "cwnd, " << where;
        }
        if (expected.ssthresh) {
            EXPECT_EQ(replayed.ssthresh_after(claim.packet), *expected.ssthresh) << "ssthresh, " << where;
        }
        if (expected.in_flight) {
            EXPECT_EQ(row->in_flight, *expected.in_flight * mss) << "in_flight, " << where;
        }
        if (expected.state) {
            EXPECT_EQ(in_words(row->ca_state), in_words(*expected.state)) << where;
        }
        if (expected.limit) {
            EXPECT_EQ(in_words(row->limit), in_words(*expected.limit)) << "limit, " << where;
        }
    }
    for (const StatesClaim& claim : states_claims_) {
        std::string entered;
        for (const TrueTransition& transition : replayed.transitions()) {
            if (transition.packet <= claim.packet) entered += in_words(transition.to) + " ";
        }
        std::string wanted;
        for (const CaState state : claim.states) wanted += in_words(state) + " ";
        EXPECT_EQ(entered, wanted) << "states, line " << claim.line << " of the script";
    }
}

int64_t Script::now_ns() const {
    return 1'000 * second + static_cast<int64_t>(now_ms_ * 1e6);
}

void Script::send(Serial32 seq, uint32_t length, uint16_t flags) {
    SentSegment sent;
    sent.time_ns = now_ns();
    sent.packet = events_.size() + 1;
    sent.seq = seq;
    sent.length = length;
    sent.flags = flags;
    sent.ip_id = ++ip_id_;
    sent.has_timestamp = options_.timestamps;
    sent.timestamp = timestamp_at(now_ms_);
    events_.emplace_back(sent);
}

}  // namespace sanscope::simulated
