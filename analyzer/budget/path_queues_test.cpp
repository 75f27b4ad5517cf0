// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_queues.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/store/result_store.h"

namespace sanscope {
namespace {

using test::ms;

class QueuesOfHosts : public testing::Test {
  protected:
    // Between two of the hosts 10.0.0.0 to 10.0.0.255; in its queue, from the one to the other moment, are so many segments of a
    // tenth of a millisecond each. The round trip is 1 ms.
    ConnectionNumber connection(uint8_t initiator, uint8_t target, int begin_ms, int end_ms,
                                uint32_t segments) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const auto host = [](uint8_t last) {
            const uint8_t wire[4] = {10, 0, 0, last};
            return IpAddress::from_v4(wire);
        };
        row.initiator.address = host(initiator);
        row.target.address = host(target);
        row.initiator_side = Side::a;
        SenderSummary& sender = store.add_sender(number, Side::a);
        constexpr uint32_t segment = 1460;
        const auto step = [&](int64_t time_ns, uint32_t sent, uint32_t outstanding) {
            WindowRow window;
            window.connection = number;
            window.sender = Side::a;
            window.time_ns = time_ns;
            window.snd_nxt = 1000 + (sent * segment);
            window.snd_una = window.snd_nxt - (outstanding * segment);
            window.limit = SendLimit::congestion;
            store.add_window(sender, window);
        };
        uint32_t sent = segments;
        for (int64_t at_ns = begin_ms * ms; at_ns < end_ms * ms; at_ns += ms / 10)
            step(at_ns, sent++, segments);
        step(end_ms * ms, sent, 0);
        return ConnectionNumber(number);
    }

    int64_t longest_ms(ConnectionNumber of, int begin_ms, int end_ms) {
        PathQueues queues;
        std::vector<std::unique_ptr<SenderTime>> senders;
        for (const SendTrack& track : store.send_tracks()) {
            senders.push_back(std::make_unique<SenderTime>(track, std::span<const LossRow* const>(),
                                                           SenderPath{1460, 1 * ms}));
            queues.add(store.connection(track.connection()), track.connection(), senders.back().get());
        }
        queues.finish();
        CommandRow command;
        command.connection = of;
        command.request_ns = begin_ms * ms;
        command.response_ns = end_ms * ms;
        const int64_t longest_ns = queues.longest_of_others_ns(command, store.connection(of));
        return (longest_ns + (ms / 2)) / ms;
    }

    ResultStore store{ResultStore::Keep{}};
};

TEST_F(QueuesOfHosts, AreThoseOfOtherConnectionsAtThatTime) {
    const ConnectionNumber own = connection(1, 2, 0, 100, 200);
    EXPECT_EQ(longest_ms(own, 10, 20), 0);
    connection(1, 2, 40, 60, 100);
    EXPECT_EQ(longest_ms(own, 50, 51), 19);  // the two share the path: what one waits for may be both
    EXPECT_EQ(longest_ms(own, 10, 20), 0);
    EXPECT_EQ(longest_ms(own, 30, 45), 19);
    EXPECT_EQ(longest_ms(own, 70, 80), 0);
}

TEST_F(QueuesOfHosts, AreOfConnectionsOfOneOfTheTwoHosts) {
    const ConnectionNumber own = connection(1, 2, 0, 10, 1);
    connection(3, 4, 20, 60, 100);
    EXPECT_EQ(longest_ms(own, 30, 50), 0);
    connection(3, 2, 20, 60, 100);
    EXPECT_EQ(longest_ms(own, 30, 50), 9);
    connection(1, 5, 70, 90, 50);
    EXPECT_EQ(longest_ms(own, 75, 80), 4);
}

TEST_F(QueuesOfHosts, ShorterThanAMillisecondAreNone) {
    const ConnectionNumber own = connection(1, 2, 0, 10, 1);
    connection(1, 2, 20, 60, 15);
    EXPECT_EQ(longest_ms(own, 30, 50), 0);
}

TEST_F(QueuesOfHosts, HoldUpNoCommandThatTookLessNorWhatIsSeenAtTheTarget) {
    const ConnectionNumber own = connection(1, 2, 0, 10, 1);
    connection(1, 2, 20, 60, 100);
    EXPECT_EQ(longest_ms(own, 30, 31), 9);
    EXPECT_EQ(longest_ms(own, 30, 30), 0);
    store.connection(own).vantage = Vantage::target;
    EXPECT_EQ(longest_ms(own, 30, 31), 0);
}

}  // namespace
}  // namespace sanscope
