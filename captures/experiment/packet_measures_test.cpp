// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/packet_measures.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;

// 323 writes of 8 KiB in some 13.5 s, one at a time, of which the initiator's packets were lost now and then; and 72 reads
// of 64 KiB.
const std::string writes = SANSCOPE_SCORED "/cubic-small-writes/initiator.pcap.zst";
const std::string reads = SANSCOPE_SCORED "/reno-bottleneck/target.pcap.zst";

TEST(PacketMeasures, OfWritesTheInitiatorIsTheSender) {
    Measurement measured;
    measured[Measure::bytes_per_second] = 323 * 8192 / 13.5;
    const auto windows = add_packet_measures(writes, Operation::write, measured);
    ASSERT_TRUE(windows) << windows.error().message;
    EXPECT_EQ(measured[Measure::retransmissions], 32);
    EXPECT_EQ(measured[Measure::needless_retransmissions], 0);
    EXPECT_NEAR(measured[Measure::retransmissions_per_gigabyte].value_or(0), 32 / 0.002646016, 1500);
    EXPECT_GT(measured[Measure::window_mean_bytes].value_or(0), 1448);
    EXPECT_FALSE(measured[Measure::window_difference_sd_bytes]) << "there is one connection";
    EXPECT_GT(measured[Measure::bytes_to_ninety].value_or(0), 0);
    EXPECT_FALSE(windows->changes.empty());
    EXPECT_GT(windows->begin_ns, 0);
    EXPECT_GE(windows->end_ns, windows->changes.back().time_ns);
}

TEST(PacketMeasures, OfReadsTheTargetIsTheSender) {
    Measurement measured;
    const auto windows = add_packet_measures(reads, Operation::read, measured);
    ASSERT_TRUE(windows) << windows.error().message;
    EXPECT_EQ(measured[Measure::retransmissions], 53);
    EXPECT_FALSE(measured[Measure::retransmissions_per_gigabyte]) << "how much was moved is not known";
    EXPECT_GT(measured[Measure::window_mean_bytes].value_or(0), 1448);
    EXPECT_GT(measured[Measure::window_sd_percent].value_or(0), 0);
}

TEST(PacketMeasures, ACaptureOfTheOtherOperationIsNone) {
    Measurement measured;
    const auto none = add_packet_measures(writes, Operation::read, measured);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("no commands of the load"));
    EXPECT_FALSE(add_packet_measures(reads, Operation::write, measured));
    EXPECT_FALSE(add_packet_measures("/no/such/capture.pcap", Operation::read, measured));
}

}  // namespace
}  // namespace sanscope::lab
