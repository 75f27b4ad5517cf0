// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/load_outcome.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;

Result<Measurement> parse_iperf(const std::string& text) {
    return parse_iperf_outcomes(std::vector{text});
}

TEST(LoadOutcome, TakesWhatTheGeneratorTells) {
    const auto measured = parse_generate_outcome(
        R"({"seconds":3.0,"cpu_seconds":0.75,"commands":100,"bytes":6553600,"errors":0,"bytes_per_second":2184533.3,)"
        R"("commands_per_second":33.3,"turnaround_ns":{"p50":1,"p99":5000000,"mean":2000000.0,"stddev":500000.0}})");
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 2184533.3);
    EXPECT_EQ((*measured)[Measure::commands_per_second], 33.3);
    EXPECT_EQ((*measured)[Measure::turnaround_sd_percent], 25);
    EXPECT_EQ((*measured)[Measure::turnaround_p99_ns], 5e6);
    EXPECT_EQ((*measured)[Measure::initiator_processor_percent], 25);
    EXPECT_FALSE((*measured)[Measure::target_processor_percent]) << "the load knows its own alone";
    EXPECT_FALSE((*measured)[Measure::retransmissions]);
}

TEST(LoadOutcome, IsNoneWhereCommandsFailed) {
    const auto measured = parse_generate_outcome(R"({"commands":100,"errors":2,"bytes_per_second":1})");
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().message, HasSubstr("2 commands"));
}

TEST(LoadOutcome, TakesWhatIperfTells) {
    const auto measured =
        parse_iperf(R"({"end":{"sum_sent":{"retransmits":7},"sum_received":{"bits_per_second":8e8},)"
                    R"("cpu_utilization_percent":{"host_total":31.5,"remote_total":56.25}}})");
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 1e8);
    EXPECT_EQ((*measured)[Measure::retransmissions], 7);
    EXPECT_EQ((*measured)[Measure::initiator_processor_percent], 31.5);
    EXPECT_EQ((*measured)[Measure::target_processor_percent], 56.25);
}

TEST(LoadOutcome, TakesWhatBothEndsOfABlastTell) {
    const std::string sender =
        R"({"datagrams":1000,"sent_again":50,"rounds":2,"seconds":2.1,"cpu_seconds":0.5})";
    const std::string receiver =
        R"({"bytes":4000000,"seconds":2.0,"rounds":2,"duplicates":0,"cpu_seconds":0.2,"interval_seconds":0.1,)"
        R"("intervals":[100000,0,1900000,2000000]})";
    const auto measured = parse_blast_outcome(sender, receiver, Operation::write);
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 2e6);
    EXPECT_EQ((*measured)[Measure::retransmissions], 50);
    EXPECT_DOUBLE_EQ((*measured)[Measure::retransmissions_per_gigabyte].value_or(0), 12'500);
    EXPECT_EQ((*measured)[Measure::initiator_processor_percent], 25);
    EXPECT_EQ((*measured)[Measure::target_processor_percent], 10);
    // Ten steps together are the highest rate, 4 MB in a second: the third reaches 90 % of it.
    EXPECT_EQ((*measured)[Measure::to_ninety_ns], 3e8);
    EXPECT_EQ((*measured)[Measure::bytes_to_ninety], 2e6);
    const auto read = parse_blast_outcome(sender, receiver, Operation::read);
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)[Measure::target_processor_percent], 25);
}

TEST(LoadOutcome, OfABlastOfWhichTheEndsDisagreeIsNone) {
    const std::string sender = R"({"sent_again":0,"rounds":1})";
    EXPECT_TRUE(parse_blast_outcome(sender, R"({"bytes":1,"seconds":1,"rounds":1})", Operation::read));
    EXPECT_FALSE(parse_blast_outcome(sender, R"({"bytes":1,"seconds":1,"rounds":2})", Operation::read));
    EXPECT_FALSE(parse_blast_outcome(sender, R"({"bytes":1,"seconds":0,"rounds":1})", Operation::read));
    EXPECT_FALSE(parse_blast_outcome(sender, "", Operation::read));
    EXPECT_FALSE(parse_blast_outcome("", R"({"bytes":1,"seconds":1,"rounds":1})", Operation::read));
    const auto without_intervals = parse_blast_outcome(
        sender, R"({"bytes":1,"seconds":1,"rounds":1,"interval_seconds":-1,"intervals":[1]})",
        Operation::read);
    ASSERT_TRUE(without_intervals);
    EXPECT_FALSE((*without_intervals)[Measure::to_half_ns]);
}

TEST(LoadOutcome, AddsUpWhatSeveralIperfsTell) {
    const auto one = [](int rate, int retransmits) {
        return fmt::format(
            R"({{"end":{{"sum_sent":{{"retransmits":{}}},"sum_received":{{"bits_per_second":{}}}}}}})",
            retransmits, rate);
    };
    const auto measured = parse_iperf_outcomes(std::vector{one(800, 1), one(1600, 2)});
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::bytes_per_second], 300);
    EXPECT_EQ((*measured)[Measure::retransmissions], 3);
    EXPECT_FALSE((*measured)[Measure::to_half_ns]) << "without intervals nothing shows how the rate rose";
    EXPECT_FALSE(parse_iperf_outcomes(std::vector{one(800, 1), std::string("{}")}));
    EXPECT_FALSE(parse_iperf_outcomes({}));
}

TEST(LoadOutcome, TheRateOfIperfRisesAsItsIntervalsTell) {
    std::string intervals;
    for (int i = 0; i < 40; ++i) {
        const int bytes = i < 3 ? 100 : i < 5 ? 600 : 1000;
        intervals += fmt::format(R"({}{{"sum":{{"start":{:.3f},"end":{:.3f},"bytes":{}}}}})",
                                 i == 0 ? "" : ",", i * 0.1, (i + 1) * 0.1, bytes);
    }
    const auto measured = parse_iperf(
        fmt::format(R"({{"intervals":[{}],"end":{{"sum_received":{{"bits_per_second":1}}}}}})", intervals));
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::to_half_ns], 400e6);
    EXPECT_EQ((*measured)[Measure::bytes_to_half], 900);
    EXPECT_EQ((*measured)[Measure::to_ninety_ns], 600e6);
    EXPECT_EQ((*measured)[Measure::bytes_to_ninety], 2500);
}

// An interval of two steps has twice the data of one, and not twice the rate.
TEST(LoadOutcome, TheRateOfIperfIsTheSameOverLongerIntervals) {
    std::string intervals;
    for (int i = 0; i < 20; ++i) {
        const int bytes = i < 2 ? 1200 : 2000;
        intervals += fmt::format(R"({}{{"sum":{{"start":{:.3f},"end":{:.3f},"bytes":{}}}}})",
                                 i == 0 ? "" : ",", i * 0.2, (i + 1) * 0.2, bytes);
    }
    const auto measured = parse_iperf(
        fmt::format(R"({{"intervals":[{}],"end":{{"sum_received":{{"bits_per_second":1}}}}}})", intervals));
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ((*measured)[Measure::to_half_ns], 100e6);
    EXPECT_EQ((*measured)[Measure::bytes_to_half], 600);
    EXPECT_EQ((*measured)[Measure::to_ninety_ns], 500e6);
    EXPECT_EQ((*measured)[Measure::bytes_to_ninety], 3400);
}

TEST(LoadOutcome, IsNoneWhereIperfToldAnError) {
    const auto measured = parse_iperf(R"({"error":"unable to connect"})");
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().message, HasSubstr("unable to connect"));
}

TEST(LoadOutcome, IsNoneOfWhatIsNoOutcome) {
    for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
                                    std::string(R"({"errors":"0","commands":[],"bytes_per_second":{}})"),
                                    std::string(R"({"end":3})"), std::string(100'000, '[')}) {
        EXPECT_FALSE(parse_generate_outcome(text)) << text.substr(0, 40);
        EXPECT_FALSE(parse_iperf(text)) << text.substr(0, 40);
    }
}

}  // namespace
}  // namespace sanscope::lab
