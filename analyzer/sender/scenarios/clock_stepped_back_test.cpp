// SPDX-License-Identifier: GPL-3.0-or-later
// The capturing host's clock is set back in the middle of a connection: round trips are those of before.
#include <gtest/gtest.h>

#include "analyzer/sender/events/capture_clock.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

constexpr int64_t round_trip = 20 * millisecond;
constexpr uint32_t mss = 1000;

// A segment and its acknowledgement each 100 ms; from that packet on all times are 7 s earlier.
std::vector<SenderEvent> stepped_at(PacketNumber step) {
    std::vector<SenderEvent> events;
    CaptureClock clock;
    const auto moment = [&](int64_t time_ns) {
        return clock.continuous(events.size() + 1 >= step ? time_ns - 7 * second : time_ns, round_trip);
    };
    for (uint32_t n = 0; n < 40; ++n) {
        const int64_t at = 100 * second + int64_t{n} * 100 * millisecond;
        SentSegment sent;
        sent.time_ns = moment(at);
        sent.packet = events.size() + 1;
        sent.seq = Serial32(1 + n * mss);
        sent.length = mss;
        sent.flags = tcp_ack;
        sent.ip_id = static_cast<uint16_t>(events.size());
        events.emplace_back(sent);
        ReceivedAck ack;
        ack.time_ns = moment(at + round_trip);
        ack.packet = events.size() + 1;
        ack.ack = Serial32(1 + (n + 1) * mss);
        ack.seq = Serial32(1);
        ack.window = 65535;
        ack.flags = tcp_ack;
        events.emplace_back(ack);
    }
    return events;
}

class ClockSteppedBack : public testing::TestWithParam<PacketNumber> {};

TEST_P(ClockSteppedBack, RoundTripsStayWhatTheyWere) {
    const auto events = stepped_at(GetParam());
    const Replayed replayed(events, {.mss = mss, .sack = true, .timestamps = false});
    for (PacketNumber packet = 10; packet <= events.size(); ++packet) {
        const std::optional<WindowRow> row = replayed.window_after(packet);
        ASSERT_TRUE(row);
        EXPECT_NEAR(static_cast<double>(row->srtt_ns), round_trip, 1.0 * millisecond) << packet;
    }
    EXPECT_EQ(replayed.losses(), 0u);
}

// Between two round trips, and within one.
INSTANTIATE_TEST_SUITE_P(At, ClockSteppedBack, testing::Values(41u, 42u));

}  // namespace
}  // namespace sanscope::simulated
