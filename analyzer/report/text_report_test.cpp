// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/text_report.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sanscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class NoPackets final : public PacketSource {
  public:
    bool claim(PacketBatch&) override { return false; }
    void load(PacketBatch&) override {}
    void parse(PacketBatch&) override {}
    const std::vector<Damage>& damage() const override { return damage_; }
    uint64_t bytes_read() const override { return 0; }
    uint64_t bytes_total() const override { return 0; }
    const std::vector<Interface>& interfaces() const override { return interfaces_; }

    std::vector<Damage> damage_;
    std::vector<Interface> interfaces_;
};

// A report of what is put into its parts.
class TextReport : public testing::Test {
  protected:
    std::string report() { return text_report({files, source, totals, issues, store}); }

    ConnectionRow& add_iscsi_connection() {
        uint32_t number = 0;
        ConnectionRow& connection = store.add_connection(number);
        connection.iscsi = true;
        connection.bytes_out = connection.bytes_in = 1'000'000;
        return connection;
    }

    CommandRow& end_command(const CommandRow& values) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row = values;
        store.end_command(number, row, true, false);
        return row;
    }

    std::vector<std::string> files = {"some.pcap"};
    NoPackets source;
    Engine::Totals totals{.packets = 7, .first_ns = 0, .last_ns = 1'000'000'000};
    Issues issues;
    ResultStore store{ResultStore::Keep::nothing()};
};

TEST_F(TextReport, of_nothing_says_that_there_was_nothing) {
    totals = {};
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("some.pcap"));
    EXPECT_THAT(text, HasSubstr("no packets"));
    EXPECT_THAT(text, HasSubstr("No iSCSI in this capture."));
}

TEST_F(TextReport, tells_damage) {
    source.damage_.push_back({"cut.pcap", 1234, "the file is cut off inside a packet record"});
    EXPECT_THAT(report(), HasSubstr("cut.pcap: the file is cut off inside a packet record at byte 1234"));
}

TEST_F(TextReport, begins_with_what_held_the_senders_back_and_tells_of_them_after_their_connections) {
    add_iscsi_connection();
    uint32_t session = 0;
    store.add_session(session);
    SenderSummary& sender = store.add_sender(1, Side::a);
    store.add_window(sender, {.time_ns = 0, .limit = SendLimit::receiver});
    store.add_window(sender, {.time_ns = 1'000'000});
    end_command({});
    std::vector<size_t> places;
    const std::string text = report();
    for (const char* heading : {"some.pcap", "\nWhat held the senders back\n", "\nSessions\n",
                                "\nConnections\n", "\nTCP senders\n", "\nCommands\n"}) {
        places.push_back(text.find(heading));
        ASSERT_NE(places.back(), std::string::npos) << heading;
    }
    EXPECT_TRUE(std::ranges::is_sorted(places)) << text;
}

TEST_F(TextReport, says_nothing_of_senders_where_none_is_known) {
    add_iscsi_connection();
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("\nConnections\n"));
    EXPECT_THAT(text, Not(HasSubstr("enders")));
}

TEST_F(TextReport, tells_what_a_sessions_connections_had_for_windows_together) {
    uint32_t number = 0;
    SessionRow& session = store.add_session(number);
    session.connections = 2;
    session.windows_in = {.cwnd_mean = 80'000,
                          .cwnd_sd = 20'000,
                          .cwnd_sd_percent = 25,
                          .cwnd_known_percent = 97,
                          .cwnd_difference_sd = 3060,
                          .jain_cwnd_permille = 990,
                          .jain_throughput_permille = 998,
                          .mss = 1000};
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("cwnd of the target, summed: 80.0 kB on average, SD 20.0 kB (25 %), by time; "
                                "inferred for 97 % of it\n"));
    EXPECT_THAT(text,
                HasSubstr("difference between its connections: SD 3.06 kB (3.06 segments) over time\n"));
    EXPECT_THAT(text,
                HasSubstr("Jain's index over the target's connections: throughput 0.998, mean cwnd 0.990\n"));
    EXPECT_THAT(text, Not(HasSubstr("cwnd of the initiator")));
}

TEST_F(TextReport, says_where_times_are_in_doubt) {
    add_iscsi_connection();
    totals.first_ns = 1'000'000'000;
    ReportInput input{files, source, totals, issues, store};
    Finding jump;
    jump.begin_ns = 1'500'000'000;
    jump.end_ns = 6'500'000'000;
    jump.doubts_durations = true;
    input.findings = {jump};
    EXPECT_THAT(
        text_report(input),
        HasSubstr("  The time from 0.500000 s on, 5.00 s long, may be none: what was outstanding then "
                  "is in doubt.\n"));
    EXPECT_THAT(report(), Not(HasSubstr("in doubt")));
    uint32_t session = 0;
    store.add_session(session);
    const CommandRow row{.bytes = 0,
                         .request_ns = 1'000'000'000,
                         .response_ns = 11'000'000'000,
                         .name = "READ(10)",
                         .session = session,
                         .outcome = Outcome::completed};
    store.requested(row);
    store.answered(row);
    end_command(row);
    EXPECT_THAT(text_report(input), HasSubstr("1 command in 10.0 s, of which 5.00 s may be none (0/s)"));
}

TEST_F(TextReport, tells_no_rate_where_the_clock_was_set_back) {
    add_iscsi_connection();
    uint32_t number = 0;
    store.add_session(number);
    const CommandRow row{.bytes = 4096,
                         .request_packet = 1,
                         .response_packet = 2,
                         .request_ns = 0,
                         .response_ns = 2'000'000,
                         .name = "READ(10)",
                         .connection = 1,
                         .session = number,
                         .opcode = 0x28,
                         .outcome = Outcome::completed};
    store.requested(row);
    end_command(row);
    EXPECT_THAT(report(), HasSubstr("1 command in "));
    issues.add(Issue::times_set_back, 3);
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("1 command, in what time is not known; read "));
    EXPECT_THAT(text, Not(HasSubstr("/s)")));
}

TEST_F(TextReport, doubts_senders_where_times_go_back_again_and_again) {
    add_iscsi_connection();
    SenderSummary& sender = store.add_sender(1, Side::a);
    store.add_window(sender, {.time_ns = 0, .limit = SendLimit::receiver});
    store.add_window(sender, {.time_ns = 1'000'000});
    issues.add(Issue::times_set_back, 3, most_set_back);
    EXPECT_THAT(report(), Not(HasSubstr("in doubt")));
    issues.add(Issue::times_set_back, 4);
    EXPECT_THAT(report(),
                HasSubstr("  The capture's times go back 9 times: round trips, states and limits of "
                          "senders are in doubt.\n"));
}

TEST_F(TextReport, the_window_of_one_connection_is_no_sum) {
    uint32_t number = 0;
    SessionRow& session = store.add_session(number);
    session.connections = 1;
    session.windows_in = {.cwnd_mean = 80'000, .cwnd_sd = 0, .cwnd_sd_percent = 0, .cwnd_known_percent = 100};
    EXPECT_THAT(report(), HasSubstr("cwnd of the target: 80.0 kB on average, SD 0 B (0 %), by time"));
}

TEST_F(TextReport, says_that_the_sum_of_windows_is_not_known_of_a_stream) {
    uint32_t number = 0;
    store.add_session(number).connections = 2;
    EXPECT_THAT(report(), HasSubstr("cwnd of its connections, summed: not known of a stream"));
}

TEST_F(TextReport, tells_how_many_retransmissions_were_spurious) {
    ConnectionRow& connection = add_iscsi_connection();
    connection.retransmissions_out = 7;
    connection.retransmissions_in = 42;
    connection.spurious_retransmissions_in = 5;
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("retransmissions  spurious  session\n"));
    EXPECT_THAT(text, HasSubstr("          7 / 42     0 / 5        0\n"));
}

TEST_F(TextReport, a_question_mark_stands_for_what_is_not_known_of_a_session) {
    uint32_t number = 0;
    SessionRow& session = store.add_session(number);
    session.isid = 1;
    session.header_digest = "None";
    session.max_burst_length = 262144;
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("TSIH ?,"));
    EXPECT_THAT(text, HasSubstr("header None, data ?; MaxRecvDataSegmentLength: initiator ?, target ?"));
    EXPECT_THAT(text, HasSubstr("MaxBurstLength 256 KiB, FirstBurstLength ?, InitialR2T ?, ImmediateData ?, "
                                "MaxOutstandingR2T ?, ErrorRecoveryLevel ?"));
}

TEST_F(TextReport, a_question_mark_stands_for_a_logical_unit_that_was_not_seen) {
    end_command({.request_packet = 1,
                 .response_packet = 2,
                 .request_ns = 10,
                 .response_ns = 20,
                 .name = "READ(10)",
                 .outcome = Outcome::completed});
    EXPECT_THAT(report(), HasSubstr("READ(10)             LUN ?  "));
}

TEST_F(TextReport, tells_mean_standard_deviation_and_its_percentage_beside_percentiles) {
    for (const int64_t turnaround_ns : {1'000'000, 3'000'000}) {
        end_command({.request_packet = 1,
                     .response_packet = 2,
                     .request_ns = 0,
                     .response_ns = turnaround_ns,
                     .name = "READ(10)",
                     .outcome = Outcome::completed});
    }
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("    mean       SD    %SD "));
    EXPECT_THAT(text, HasSubstr(" 3.00 ms  2.00 ms  1.00 ms     50 "));
}

TEST_F(TextReport, sense_data_that_were_cut_off_are_not_made_up) {
    CommandRow row{.request_packet = 1, .response_packet = 2, .status = 2, .outcome = Outcome::completed};
    row.sense_key = 6;
    end_command(row);
    EXPECT_THAT(report(), HasSubstr("1  CHECK CONDITION, UNIT ATTENTION\n"));
    row.asc = 0x29;
    row.ascq = 0;
    end_command(row);
    EXPECT_THAT(report(), HasSubstr("CHECK CONDITION, UNIT ATTENTION: POWER ON"));
}

TEST_F(TextReport, a_target_failure_is_listed_with_what_did_not_end_well) {
    end_command(
        {.request_packet = 1, .response_packet = 2, .iscsi_response = 1, .outcome = Outcome::completed});
    EXPECT_THAT(report(), HasSubstr("1  target failure (iSCSI response 0x01)\n"));
}

TEST_F(TextReport, time_between_files_is_none_of_the_capture) {
    totals.last_ns = 3601'000'000'000;
    totals.gaps = {{1'000'000'000, 3600'000'000'000}};
    EXPECT_THAT(report(), HasSubstr("59 min 59 s of that time lies between the files"));
}

TEST_F(TextReport, unanswered_commands_stand_in_order_of_their_requests) {
    for (const PacketNumber packet : {30u, 10u, 20u}) {
        end_command({.request_packet = packet, .outcome = Outcome::unanswered});
    }
    const std::string text = report();
    EXPECT_LT(text.find("request in packet 10"), text.find("request in packet 20"));
    EXPECT_LT(text.find("request in packet 20"), text.find("request in packet 30"));
}

}  // namespace
}  // namespace sanscope
