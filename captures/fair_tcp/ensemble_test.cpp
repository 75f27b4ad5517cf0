// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/ensemble.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace sanscope {
namespace {

constexpr uint32_t infinite = ENSEMBLE_INFINITE_SSTHRESH;
constexpr uint32_t no_clamp = ENSEMBLE_MOST_SEGMENTS;
constexpr uint64_t ms = 1'000'000;

class Random {
  public:
    explicit Random(uint32_t seed) : engine_(seed) {}
    uint32_t operator()() { return static_cast<uint32_t>(engine_()); }

  private:
    std::mt19937 engine_;
};

// What a connection's socket holds.
struct Socket {
    uint32_t cwnd = 10;
    uint32_t ssthresh = infinite;
};

// Reno as the kernel has it (RFC 5681 and RFC 3465 of whole segments), beside which an ensemble of one is put.
class Reno {
  public:
    void acked(uint32_t segments) {
        if (socket.cwnd < socket.ssthresh) {
            const uint32_t reached = std::min(socket.cwnd + segments, socket.ssthresh);
            segments -= reached - socket.cwnd;
            socket.cwnd = reached;
            if (segments == 0) return;
        }
        if (count_ >= socket.cwnd) {
            count_ = 0;
            const uint32_t width = socket.cwnd++;
            add(segments, width);
            return;
        }
        add(segments, socket.cwnd);
    }
    void lost() {
        prior_cwnd_ = socket.cwnd;
        prior_ssthresh_ = std::max(socket.ssthresh, socket.cwnd / 2 + socket.cwnd / 4);
        socket.ssthresh = std::max(socket.cwnd / 2, 2u);
        count_ = 0;
    }
    void recovered() { socket.cwnd = socket.ssthresh; }
    void timed_out() {
        lost();
        socket.cwnd = 1;
    }
    void undone() {
        socket.cwnd = std::max(socket.cwnd, prior_cwnd_);
        socket.ssthresh = std::max(socket.ssthresh, prior_ssthresh_);
    }

    Socket socket;

  private:
    void add(uint32_t segments, uint32_t width) {
        count_ += segments;
        socket.cwnd += count_ / width;
        count_ %= width;
    }

    uint32_t count_ = 0;
    uint32_t prior_cwnd_ = 0;
    uint32_t prior_ssthresh_ = 0;
};

// Connections between two hosts, and what the kernel does to their sockets around the calls of its congestion control.
class Hosts {
  public:
    explicit Hosts(size_t connections = 0, Socket with = {}) {
        for (size_t i = 0; i < connections; ++i) join(with);
    }

    size_t join(Socket with = {}) {
        sockets.push_back(with);
        members.emplace_back();
        resting_.push_back(false);
        prior_ssthresh_.push_back(infinite);
        ensemble_join(&ensemble, &members.back(), with.cwnd, with.ssthresh, now_ns);
        allocate(members.size() - 1, 0);
        return members.size() - 1;
    }
    bool leave(size_t i) { return ensemble_leave(&ensemble, &members[i]) != 0; }
    bool joined(size_t i) const { return (members[i].flags & ENSEMBLE_JOINED) != 0; }

    void acked(size_t i, uint32_t segments, bool cwnd_limited = true, uint32_t clamp = no_clamp) {
        send(i);
        ensemble_take_changes(&ensemble, &members[i], sockets[i].cwnd, sockets[i].ssthresh);
        ensemble_acked(&ensemble, &members[i], segments, clamp, cwnd_limited ? 1 : 0);
        give(i);
    }
    // Each counted member has an ACK that changes nothing but its own share.
    void all_acked_nothing() {
        for (size_t i = 0; i < members.size(); ++i)
            if (joined(i) && !resting_[i]) acked(i, 1'000'000, false);
    }
    // A whole round trip: each connection's window is acknowledged, two segments an ACK.
    void round_trip() {
        std::vector<uint32_t> left;
        for (const Socket& socket : sockets) left.push_back(socket.cwnd);
        for (bool any = true; any;) {
            any = false;
            for (size_t i = 0; i < left.size(); ++i) {
                if (!joined(i) || left[i] == 0) continue;
                const uint32_t now = std::min(left[i], 2u);
                acked(i, now);
                left[i] -= now;
                any = true;
            }
        }
    }

    void lost(size_t i) {
        send(i);
        ensemble_take_changes(&ensemble, &members[i], sockets[i].cwnd, sockets[i].ssthresh);
        prior_ssthresh_[i] = std::max(sockets[i].ssthresh, sockets[i].cwnd / 2 + sockets[i].cwnd / 4);
        sockets[i].ssthresh = ensemble_lost(&ensemble, &members[i]);
    }
    void recovered(size_t i) { sockets[i].cwnd = sockets[i].ssthresh; }
    void timed_out(size_t i) {
        lost(i);
        sockets[i].cwnd = 1;
        ensemble_timed_out(&ensemble, &members[i], 1);
    }
    void undone(size_t i) {
        sockets[i].cwnd = ensemble_undo(&ensemble, &members[i], sockets[i].cwnd);
        sockets[i].ssthresh = std::max(sockets[i].ssthresh, prior_ssthresh_[i]);
    }

    void rest(size_t i) {
        resting_[i] = true;
        ensemble_rest(&ensemble, &members[i], now_ns);
    }
    void send(size_t i) {
        if (!resting_[i]) return;
        resting_[i] = false;
        ensemble_resume(&ensemble, &members[i], sockets[i].cwnd, sockets[i].ssthresh, now_ns);
        allocate(i, 0);
    }

    uint64_t sum_of_windows() const {
        uint64_t sum = 0;
        for (const ensemble_member& member : members)
            if (ensemble_counts(&ensemble, &member)) sum += member.window;
        return sum;
    }

    struct ensemble ensemble = {};
    std::vector<ensemble_member> members;
    std::vector<Socket> sockets;
    uint64_t now_ns = 1'000 * ms;

  private:
    void allocate(size_t i, uint32_t segments) {
        ensemble_allocate(&ensemble, &members[i], segments, no_clamp);
        give(i);
    }
    void give(size_t i) { sockets[i] = {members[i].window, members[i].ssthresh}; }

    std::vector<bool> resting_;
    std::vector<uint32_t> prior_ssthresh_;
};

TEST(Ensemble, OfOneIsReno) {
    Random random(1);
    for (int run = 0; run < 200; ++run) {
        Hosts hosts(1);
        Reno reno;
        enum { calm, recovering, loss } state = calm;
        for (int step = 0; step < 400; ++step) {
            const uint32_t draw = random() % 100;
            if (state == recovering) {
                hosts.recovered(0);
                reno.recovered();
                state = calm;
            } else if (draw < 2) {
                hosts.lost(0);
                reno.lost();
                state = recovering;
                if (draw == 0) {
                    hosts.undone(0);
                    reno.undone();
                    state = calm;
                }
            } else if (draw < 4 && state == calm) {
                hosts.timed_out(0);
                reno.timed_out();
                state = loss;
            } else {
                const uint32_t segments = 1 + random() % 8;
                hosts.acked(0, segments);
                reno.acked(segments);
                if (state == loss && draw == 50) {
                    hosts.undone(0);
                    reno.undone();
                }
                if (draw >= 50) state = calm;
            }
            ASSERT_EQ(hosts.sockets[0].cwnd, reno.socket.cwnd) << "run " << run << ", step " << step;
            ASSERT_EQ(hosts.sockets[0].ssthresh, reno.socket.ssthresh) << "run " << run << ", step " << step;
        }
    }
}

TEST(Ensemble, OfOneIsRenoWhenTheKernelRestartsItAfterIdleness) {
    Hosts hosts(1, {40, 20});
    for (const uint64_t idle_ms : {50u, 250u, 500u, 60'000u}) {
        hosts.rest(0);
        hosts.now_ns += idle_ms * ms;
        hosts.sockets[0] = {10, 30};
        hosts.send(0);
        EXPECT_EQ(hosts.sockets[0].cwnd, 10u) << idle_ms;
        EXPECT_EQ(hosts.sockets[0].ssthresh, 30u) << idle_ms;
        EXPECT_EQ(hosts.ensemble.window, 10u) << idle_ms;
        EXPECT_EQ(hosts.ensemble.counted, 1u) << idle_ms;
        hosts.sockets[0] = {40, 20};
        hosts.acked(0, 1, false);
    }
}

TEST(Ensemble, DividesItsWindowByTheNumberOfConnections) {
    Hosts hosts(1, {40, 40});
    hosts.join({10, infinite});
    EXPECT_EQ(hosts.ensemble.window, 40u) << "who joins brings no window of its own";
    EXPECT_EQ(hosts.sockets[1].cwnd, 10u) << "and has no ACKs yet to pace a share of 20";
    EXPECT_EQ(hosts.sockets[1].ssthresh, 20u);
    hosts.acked(1, 10, false);
    hosts.all_acked_nothing();
    EXPECT_EQ(hosts.sockets[0].cwnd, 20u);
    EXPECT_EQ(hosts.sockets[1].cwnd, 20u);

    hosts.join();
    hosts.join();
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    for (const Socket& socket : hosts.sockets) {
        EXPECT_EQ(socket.cwnd, 10u);
        EXPECT_EQ(socket.ssthresh, 10u);
    }
}

TEST(Ensemble, GivesAwayWhatTheDivisionLeavesOver) {
    for (const uint32_t window : {4u, 5u, 6u, 7u, 41u, 42u, 43u}) {
        Hosts hosts(1, {window, 2});
        for (int i = 0; i < 3; ++i) hosts.join({1, infinite});
        for (int i = 0; i < 3; ++i) hosts.all_acked_nothing();
        EXPECT_EQ(hosts.sum_of_windows(), window);
        for (const Socket& socket : hosts.sockets) {
            EXPECT_GE(socket.cwnd, window / 4) << window;
            EXPECT_LE(socket.cwnd, window / 4 + 1) << window;
        }
    }
}

TEST(Ensemble, GivesEachConnectionASegmentAtLeast) {
    Hosts hosts(1, {1, 2});
    for (int i = 0; i < 3; ++i) hosts.join({1, infinite});
    EXPECT_EQ(hosts.ensemble.window, 4u);
    for (size_t i = 0; i < 4; ++i) hosts.timed_out(i);
    hosts.all_acked_nothing();
    for (const Socket& socket : hosts.sockets) EXPECT_GE(socket.cwnd, 1u);
    EXPECT_GE(hosts.ensemble.ssthresh, 8u);
}

TEST(Ensemble, KeepsItsWindowWhenAConnectionLeaves) {
    Hosts hosts(4, {10, infinite});
    hosts.round_trip();
    hosts.round_trip();
    const uint32_t window = hosts.ensemble.window;
    EXPECT_FALSE(hosts.leave(1));
    EXPECT_FALSE(hosts.leave(3));
    for (int i = 0; i < 40; ++i) {
        hosts.acked(0, 2, false);
        hosts.acked(2, 2, false);
    }
    EXPECT_EQ(hosts.ensemble.window, window);
    EXPECT_EQ(hosts.sockets[0].cwnd + hosts.sockets[2].cwnd, window);
    EXPECT_FALSE(hosts.leave(0));
    EXPECT_TRUE(hosts.leave(2)) << "the last one";
    EXPECT_EQ(hosts.ensemble.members, 0u);
    EXPECT_EQ(hosts.ensemble.counted, 0u);
    EXPECT_EQ(hosts.ensemble.granted, 0u);
    EXPECT_TRUE(hosts.leave(2)) << "twice is once";
    EXPECT_EQ(hosts.ensemble.members, 0u);
}

TEST(Ensemble, GrowsByASegmentARoundTripForEachConnection) {
    for (const size_t connections : {1u, 2u, 4u}) {
        Hosts hosts(1, {80, 2});
        for (size_t i = 1; i < connections; ++i) hosts.join({80, infinite});
        for (int i = 0; i < 3; ++i) hosts.all_acked_nothing();
        hosts.ensemble.ssthresh = 8;
        const uint32_t before = hosts.ensemble.window;
        for (int i = 0; i < 10; ++i) hosts.round_trip();
        EXPECT_NEAR(hosts.ensemble.window - before, 10.0 * static_cast<double>(connections),
                    1.0 * static_cast<double>(connections));
    }
}

TEST(Ensemble, DoublesInSlowStart) {
    Hosts hosts(4);
    EXPECT_EQ(hosts.ensemble.window, 10u);
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    hosts.round_trip();
    EXPECT_EQ(hosts.ensemble.window, 20u);
}

TEST(Ensemble, DoesNotGrowBeyondItsThresholdInSlowStart) {
    Hosts hosts(1, {10, 12});
    hosts.acked(0, 100);
    // Two segments of slow start; 98 more are eight windows of 12, and 2 towards the next.
    EXPECT_EQ(hosts.ensemble.window, 12u + 98 / 12);
    EXPECT_EQ(hosts.ensemble.credit, 98u % 12);
}

TEST(Ensemble, DoesNotGrowWhereTheWindowIsNotTheLimit) {
    Hosts hosts(2);
    const uint32_t before = hosts.ensemble.window;
    for (int i = 0; i < 100; ++i) hosts.acked(0, 10, false);
    EXPECT_EQ(hosts.ensemble.window, before);
}

TEST(Ensemble, DoesNotGrowBeyondTheClampOfItsConnections) {
    Hosts hosts(1);
    for (int i = 0; i < 100; ++i) hosts.acked(0, 10, true, 25);
    EXPECT_EQ(hosts.sockets[0].cwnd, 25u);
    EXPECT_EQ(hosts.ensemble.window, 25u);
}

// Table 2: of four connections with 20 segments each, one halves its own.
TEST(Ensemble, ALossTakesHalfOfOneShare) {
    Hosts hosts(1, {80, 80});
    for (int i = 0; i < 3; ++i) hosts.join({20, infinite});
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    ASSERT_EQ(hosts.sockets[2].cwnd, 20u);

    hosts.lost(2);
    EXPECT_EQ(hosts.ensemble.window, 70u);
    EXPECT_EQ(hosts.ensemble.ssthresh, 80u - 20 + 10);
    EXPECT_EQ(hosts.sockets[2].ssthresh, 17u) << "its new share";
    hosts.recovered(2);
    for (int i = 0; i < 3; ++i) hosts.all_acked_nothing();
    EXPECT_EQ(hosts.sum_of_windows(), 70u);
    for (const Socket& socket : hosts.sockets) EXPECT_NEAR(socket.cwnd, 17.5, 0.5);
}

TEST(Ensemble, TheFirstLossEndsSlowStartForAll) {
    Hosts hosts(4);
    for (int i = 0; i < 4; ++i) hosts.round_trip();
    ASSERT_EQ(hosts.ensemble.ssthresh, infinite);
    hosts.lost(0);
    hosts.recovered(0);
    EXPECT_EQ(hosts.ensemble.ssthresh, hosts.ensemble.window);
    const uint32_t before = hosts.ensemble.window;
    hosts.round_trip();
    EXPECT_LE(hosts.ensemble.window, before + 6);
}

// The table as printed would have it grow with each update; as meant it does not matter in which order losses come.
TEST(Ensemble, StaysBoundedHoweverOftenItIsUpdated) {
    Hosts hosts(1, {80, 80});
    for (int i = 0; i < 3; ++i) hosts.join({20, infinite});
    for (int i = 0; i < 100'000; ++i) hosts.acked(static_cast<size_t>(i % 4), 1, false);
    EXPECT_EQ(hosts.ensemble.window, 80u);
    for (int i = 0; i < 1000; ++i) {
        hosts.lost(static_cast<size_t>(i % 4));
        hosts.recovered(static_cast<size_t>(i % 4));
    }
    EXPECT_LE(hosts.ensemble.window, 12u) << "no window of 3 is left to halve";
    EXPECT_GE(hosts.ensemble.window, 4u);
}

TEST(Ensemble, ATimeoutTakesTheConnectionsOwnShareOnly) {
    Hosts hosts(1, {80, 80});
    for (int i = 0; i < 3; ++i) hosts.join({20, infinite});
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    hosts.timed_out(1);
    EXPECT_EQ(hosts.ensemble.window, 70u - 17 + 1);
    EXPECT_EQ(hosts.sockets[1].cwnd, 1u);
    hosts.acked(1, 1, false);
    EXPECT_EQ(hosts.sockets[1].cwnd, 2u) << "slow start";
    hosts.acked(1, 2, false);
    EXPECT_EQ(hosts.sockets[1].cwnd, 4u);
    for (int i = 0; i < 4; ++i) hosts.all_acked_nothing();
    EXPECT_NEAR(hosts.sockets[1].cwnd, 54 / 4.0, 0.5);
    EXPECT_EQ(hosts.sum_of_windows(), 54u);
}

TEST(Ensemble, GivesBackWhatALossTookThatWasNone) {
    Hosts hosts(1, {80, 80});
    for (int i = 0; i < 3; ++i) hosts.join({20, infinite});
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    hosts.lost(1);
    hosts.undone(1);
    EXPECT_EQ(hosts.ensemble.window, 80u);
    EXPECT_EQ(hosts.sockets[1].cwnd, 20u);
    hosts.undone(1);
    EXPECT_EQ(hosts.ensemble.window, 80u) << "twice is once";

    hosts.timed_out(3);
    hosts.undone(3);
    EXPECT_EQ(hosts.ensemble.window, 80u);
    EXPECT_EQ(hosts.sockets[3].cwnd, 20u);
}

TEST(Ensemble, TakesWhatTheKernelDidToAWindow) {
    Hosts hosts(1, {80, 40});
    for (int i = 0; i < 3; ++i) hosts.join({20, infinite});
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    hosts.sockets[0] = {12, 15};  // it used no more of it (RFC 7661); the share of the threshold was 10
    hosts.acked(0, 1, false);
    EXPECT_EQ(hosts.ensemble.window, 72u);
    EXPECT_EQ(hosts.ensemble.ssthresh, 45u);
    EXPECT_EQ(hosts.sockets[0].cwnd, 13u) << "grows to its share";
}

TEST(Ensemble, AnIdleConnectionGivesBackItsShare) {
    Hosts hosts(1, {40, 40});
    for (int i = 0; i < 3; ++i) hosts.join({10, infinite});
    for (int i = 0; i < 2; ++i) hosts.all_acked_nothing();
    hosts.rest(3);
    hosts.now_ns += 100 * ms;
    hosts.all_acked_nothing();
    EXPECT_EQ(hosts.ensemble.counted, 4u) << "not at once";

    hosts.rest(2);
    hosts.send(2);
    hosts.rest(2);  // an ACK now and then keeps nobody's rest from ending
    hosts.send(2);
    hosts.now_ns += 350 * ms;
    ensemble_pass_time(&hosts.ensemble, hosts.now_ns);
    EXPECT_EQ(hosts.ensemble.counted, 3u);
    for (int i = 0; i < 30; ++i) hosts.all_acked_nothing();
    EXPECT_EQ(hosts.sockets[0].cwnd + hosts.sockets[1].cwnd + hosts.sockets[2].cwnd, 40u);
    EXPECT_EQ(hosts.ensemble.members, 4u);

    hosts.send(3);
    EXPECT_EQ(hosts.ensemble.counted, 4u);
    EXPECT_LE(hosts.sockets[3].cwnd, 10u);
    for (int i = 0; i < 3; ++i) hosts.all_acked_nothing();
    for (const Socket& socket : hosts.sockets) EXPECT_EQ(socket.cwnd, 10u);
}

TEST(Ensemble, WhoSendsNowAndThenKeepsItsShare) {
    Hosts hosts(2);
    for (int i = 0; i < 100; ++i) {
        hosts.rest(1);
        hosts.now_ns += 90 * ms;
        hosts.acked(0, 1, false);
        hosts.send(1);
        ASSERT_EQ(hosts.ensemble.counted, 2u);
    }
}

TEST(Ensemble, IdleConnectionsMayLeaveAndComeBackInAnyOrder) {
    Hosts hosts(4);
    for (size_t i = 0; i < 4; ++i) hosts.rest(i);
    hosts.now_ns += 1000 * ms;
    hosts.leave(2);
    hosts.send(0);
    EXPECT_EQ(hosts.ensemble.counted, 1u);
    hosts.send(3);
    EXPECT_EQ(hosts.ensemble.counted, 2u);
    hosts.leave(1);
    hosts.leave(0);
    EXPECT_EQ(hosts.ensemble.counted, 1u);
    EXPECT_TRUE(hosts.leave(3));
    EXPECT_EQ(hosts.ensemble.counted, 0u);
    EXPECT_EQ(hosts.ensemble.granted, 0u);
}

TEST(Ensemble, TheIntervalOfIdlenessFollowsTheSharedRoundTrip) {
    struct ensemble ensemble = {};
    EXPECT_EQ(ensemble_interval_ns(&ensemble), 200 * ms);
    ensemble_keep_rtt(&ensemble, 100'000, 5'000);
    EXPECT_EQ(ensemble.srtt_us, 100'000u);
    EXPECT_EQ(ensemble.rttvar_us, 5'000u);
    EXPECT_EQ(ensemble_interval_ns(&ensemble), 400 * ms);
    ensemble_keep_rtt(&ensemble, 0, 1);
    ensemble_keep_rtt(&ensemble, 0x81234567, 1);
    EXPECT_EQ(ensemble.srtt_us, 100'000u) << "what is no round trip is not kept";
}

TEST(EnsembleRepair, FindsNothingWhereNothingIsWrong) {
    Hosts hosts(4);
    for (int i = 0; i < 5; ++i) hosts.round_trip();
    EXPECT_EQ(ensemble_repair(&hosts.ensemble), 0u);
    for (size_t i = 0; i < 4; ++i) {
        Socket socket = hosts.sockets[i];
        EXPECT_EQ(ensemble_repair_member(&hosts.ensemble, &hosts.members[i], &socket.cwnd, &socket.ssthresh),
                  0u);
        EXPECT_EQ(socket.cwnd, hosts.sockets[i].cwnd);
    }
}

// The low half of an address of the kernel's code, once seen in a connection's threshold.
TEST(EnsembleRepair, ReplacesAThresholdThatIsAnAddress) {
    Hosts hosts(2, {10, 20});
    Socket socket{hosts.sockets[0].cwnd, 0x81a2b3c0};
    EXPECT_EQ(ensemble_repair_member(&hosts.ensemble, &hosts.members[0], &socket.cwnd, &socket.ssthresh),
              ENSEMBLE_REPAIRED_SOCKET_SSTHRESH);
    EXPECT_EQ(socket.ssthresh, hosts.members[0].ssthresh);
    hosts.ensemble.ssthresh = 0x81a2b3c0;
    EXPECT_EQ(ensemble_repair(&hosts.ensemble), ENSEMBLE_REPAIRED_SSTHRESH);
    EXPECT_EQ(hosts.ensemble.ssthresh, hosts.ensemble.window);
}

TEST(EnsembleRepair, ForgetsACutThatNoWindowHas) {
    Hosts hosts(2, {40, 40});
    hosts.members[1].cut = 0x81a2b3c0;
    Socket socket = hosts.sockets[1];
    EXPECT_EQ(ensemble_repair_member(&hosts.ensemble, &hosts.members[1], &socket.cwnd, &socket.ssthresh),
              ENSEMBLE_REPAIRED_MEMBER);
    const uint32_t window = hosts.ensemble.window;
    hosts.undone(1);
    EXPECT_EQ(hosts.ensemble.window, window) << "there is nothing to give back";
}

TEST(EnsembleRepair, RestingConnectionsHaveNoMoreThanAll) {
    Hosts hosts(2, {40, 40});
    hosts.rest(0);
    hosts.ensemble.resting[hosts.ensemble.interval & 1U].granted = hosts.ensemble.granted + 1;
    EXPECT_EQ(ensemble_repair(&hosts.ensemble), ENSEMBLE_REPAIRED_COUNTS);
    EXPECT_EQ(ensemble_repair(&hosts.ensemble), 0u);
}

// Who is idle would keep its share until then: for ever, in effect.
TEST(EnsembleRepair, AnIntervalDoesNotBeginInTheFuture) {
    Hosts hosts(2, {40, 40});
    hosts.acked(1, 40, false);
    hosts.rest(0);
    hosts.ensemble.interval_began_ns = hosts.now_ns + 1'000'000 * ms;
    for (int i = 0; i < 20; ++i) {
        hosts.now_ns += 100 * ms;
        hosts.acked(1, 1, false);
        ensemble_pass_time(&hosts.ensemble, hosts.now_ns);
    }
    EXPECT_EQ(hosts.ensemble.counted, 1u);
}

TEST(EnsembleRepair, MakesSenseOfAnyBytes) {
    Random random(7);
    const auto word = [&] {
        const uint32_t value = random();
        return random() % 3 == 0 ? value % 100 : value;
    };
    for (int run = 0; run < 20'000; ++run) {
        Hosts hosts(1);
        struct ensemble& ensemble = hosts.ensemble;
        ensemble.granted = (uint64_t{word()} << 32) | word();
        ensemble.interval_began_ns = (uint64_t{word()} << 32) | word();
        for (ensemble_resting& resting : ensemble.resting) resting = {word(), word(), 0};
        ensemble.interval = word();
        ensemble.window = word();
        ensemble.ssthresh = word();
        ensemble.credit = word();
        ensemble.members = word();
        ensemble.counted = word();
        ensemble.srtt_us = word();
        ensemble_member member{word(), word(), word(), word(), word(), word()};
        Socket socket{word(), word()};
        ensemble_repair(&ensemble);
        ensemble_repair_member(&ensemble, &member, &socket.cwnd, &socket.ssthresh);
        EXPECT_EQ(ensemble_repair(&ensemble), 0u) << "once is enough";
        ensemble_resume(&ensemble, &member, socket.cwnd, socket.ssthresh, word());
        ensemble_take_changes(&ensemble, &member, socket.cwnd, socket.ssthresh);
        switch (random() % 4) {
            case 0:
                ensemble_acked(&ensemble, &member, word(), word(), 1);
                break;
            case 1:
                ensemble_lost(&ensemble, &member);
                break;
            case 2:
                ensemble_timed_out(&ensemble, &member, 1);
                break;
            default:
                ensemble_undo(&ensemble, &member, socket.cwnd);
                break;
        }
        ASSERT_GE(member.window, 1u);
        ASSERT_LE(member.window, ENSEMBLE_MOST_SEGMENTS);
        ASSERT_GE(member.ssthresh, 1u);
        ASSERT_GE(ensemble.window, 1u);
        ASSERT_LE(ensemble.window, ENSEMBLE_MOST_WINDOW);
        ASSERT_TRUE(ensemble.ssthresh <= ENSEMBLE_MOST_WINDOW || ensemble.ssthresh == infinite);
    }
}

// Whatever connections do, in any order: counts are those of the members, no repair is needed, and once each member had
// an ACK or two the members' windows come to the ensemble's.
TEST(Ensemble, HoldsItsInvariantsInAnyOrderOfEvents) {
    for (uint32_t seed = 0; seed < 60; ++seed) {
        Random random(seed);
        Hosts hosts(1);
        std::vector<bool> resting{false};
        std::vector<bool> recovering{false};
        for (int step = 0; step < 1500; ++step) {
            hosts.now_ns += random() % 40 * ms;
            const size_t i = random() % hosts.members.size();
            const uint32_t draw = random() % 100;
            if (draw < 4 && hosts.members.size() < 12) {
                hosts.join({1 + random() % 20, infinite});
                resting.push_back(false);
                recovering.push_back(false);
            } else if (!hosts.joined(i)) {
                continue;
            } else if (recovering[i]) {
                hosts.recovered(i);
                recovering[i] = false;
            } else if (draw < 6) {
                hosts.leave(i);
            } else if (draw < 12) {
                hosts.rest(i);
                resting[i] = true;
            } else if (draw < 16) {
                hosts.lost(i);
                resting[i] = false;
                recovering[i] = true;
            } else if (draw < 18) {
                hosts.timed_out(i);
                resting[i] = false;
            } else if (draw < 20 && !resting[i]) {
                hosts.undone(i);
            } else if (draw < 22) {
                hosts.sockets[i].cwnd = 1 + hosts.sockets[i].cwnd / 2;
            } else {
                hosts.acked(i, 1 + random() % 4, draw % 4 != 0);
                resting[i] = false;
            }
            uint32_t members = 0;
            uint32_t counted = 0;
            for (const ensemble_member& member : hosts.members) {
                members += (member.flags & ENSEMBLE_JOINED) != 0 ? 1u : 0u;
                counted += ensemble_counts(&hosts.ensemble, &member) != 0 ? 1u : 0u;
                ASSERT_TRUE(member.flags == 0 || member.window >= 1);
            }
            ASSERT_EQ(hosts.ensemble.members, members) << "seed " << seed << ", step " << step;
            ASSERT_EQ(hosts.ensemble.counted, counted) << "seed " << seed << ", step " << step;
            ASSERT_EQ(hosts.ensemble.granted, hosts.sum_of_windows()) << "seed " << seed << ", step " << step;
            ASSERT_GE(hosts.ensemble.window, std::max(counted, 1u));
            ASSERT_EQ(ensemble_repair(&hosts.ensemble), 0u) << "seed " << seed << ", step " << step;
        }
        size_t left = 0;
        for (size_t i = 0; i < hosts.members.size(); ++i) {
            if (!hosts.joined(i)) continue;
            if (recovering[i]) hosts.recovered(i);
            hosts.send(i);
            ++left;
        }
        if (left == 0) continue;
        for (int i = 0; i < 3; ++i) hosts.all_acked_nothing();
        EXPECT_EQ(hosts.ensemble.counted, left) << "seed " << seed;
        EXPECT_EQ(hosts.sum_of_windows(), hosts.ensemble.window) << "seed " << seed;
    }
}

// What the paper is about (figure 1): two connections through one queue that drops what it has no room for. Alone, one has
// much when the other has little; of an ensemble, each has half.
TEST(Ensemble, ConnectionsOfOneHaveTheSameWindow) {
    constexpr uint32_t room = 40;  // segments of both in the network
    Random random(3);
    const auto deviation = [](const std::vector<double>& values) {
        const double mean =
            std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
        double sum = 0;
        for (const double value : values) sum += (value - mean) * (value - mean);
        return std::sqrt(sum / static_cast<double>(values.size()));
    };
    std::vector<double> apart;
    std::vector<double> together;
    Reno renos[2];
    Hosts hosts(2);
    for (int round = 0; round < 2000; ++round) {
        for (Reno& reno : renos)
            for (uint32_t left = reno.socket.cwnd; left > 0; --left) reno.acked(1);
        if (renos[0].socket.cwnd + renos[1].socket.cwnd > room) {
            Reno& unlucky = renos[random() % 2];
            unlucky.lost();
            unlucky.recovered();
        }
        hosts.round_trip();
        if (hosts.sockets[0].cwnd + hosts.sockets[1].cwnd > room) {
            const size_t unlucky = random() % 2;
            hosts.lost(unlucky);
            hosts.recovered(unlucky);
        }
        apart.push_back(double{1} * renos[0].socket.cwnd - renos[1].socket.cwnd);
        together.push_back(double{1} * hosts.sockets[0].cwnd - hosts.sockets[1].cwnd);
    }
    EXPECT_GT(deviation(apart), 4);
    EXPECT_LT(deviation(together), deviation(apart) / 4);
}

}  // namespace
}  // namespace sanscope
