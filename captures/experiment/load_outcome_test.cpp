// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/load_outcome.h"

#include <gmock/gmock.h>
#include <string>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;

TEST(LoadOutcome, TakesWhatTheGeneratorTells) {
    const auto measured = parse_generate_outcome(
        R"({"seconds":3.0,"commands":100,"bytes":6553600,"errors":0,"bytes_per_second":2184533.3,)"
        R"("commands_per_second":33.3,"turnaround_ns":{"p50":1,"p99":5000000,"mean":2000000.0,"stddev":500000.0}})");
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 2184533.3);
    EXPECT_EQ((*measured)[Measure::commands_per_second], 33.3);
    EXPECT_EQ((*measured)[Measure::turnaround_sd_percent], 25);
    EXPECT_EQ((*measured)[Measure::turnaround_p99_ns], 5e6);
    EXPECT_FALSE((*measured)[Measure::retransmissions]);
}

TEST(LoadOutcome, IsNoneWhereCommandsFailed) {
    const auto measured = parse_generate_outcome(R"({"commands":100,"errors":2,"bytes_per_second":1})");
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().message, HasSubstr("2 commands"));
}

TEST(LoadOutcome, TakesWhatIperfTells) {
    const auto measured = parse_iperf_outcome(
        R"({"end":{"sum_sent":{"retransmits":7},"sum_received":{"bits_per_second":8e8}}})");
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 1e8);
    EXPECT_EQ((*measured)[Measure::retransmissions], 7);
}

TEST(LoadOutcome, IsNoneWhereIperfToldAnError) {
    const auto measured = parse_iperf_outcome(R"({"error":"unable to connect"})");
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().message, HasSubstr("unable to connect"));
}

TEST(LoadOutcome, IsNoneOfWhatIsNoOutcome) {
    for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
                                    std::string(R"({"errors":"0","commands":[],"bytes_per_second":{}})"),
                                    std::string(R"({"end":3})"), std::string(100'000, '[')}) {
        EXPECT_FALSE(parse_generate_outcome(text)) << text.substr(0, 40);
        EXPECT_FALSE(parse_iperf_outcome(text)) << text.substr(0, 40);
    }
}

}  // namespace
}  // namespace sanscope::lab
