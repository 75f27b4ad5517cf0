// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using scsi_op::write_16;
using test::Findings;
using test::ms;
using test::mss;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

using Kind = Finding::Kind;

// A far path and a target that is slow beside: the path takes the greater part.
class SlowTargetFarAway : public Findings {
  protected:
    SlowTargetFarAway() {
        store.connection(1).rtt_min_ns = 20 * ms;
        for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
            add_window(*sender, 0, {.srtt_ns = 20 * ms, .limit = SendLimit::application});
            add_window(*sender, 1000, {.srtt_ns = 20 * ms});
        }
    }
};

TEST_F(SlowTargetFarAway, is_told_where_all_commands_wait_for_it) {
    for (int64_t i = 0; i < 40; ++i) add_read(30 * i, 28);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the reads wait 8."));
    EXPECT_NE(finding.severity, Finding::Severity::information);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

TEST_F(SlowTargetFarAway, is_not_told_where_only_some_commands_take_longer_than_the_path) {
    for (int64_t i = 0; i < 40; ++i) add_read(30 * i, i % 4 == 0 ? 21 : 28);
    EXPECT_TRUE(find(Kind::target_wait).empty()) << "as jitter of the path makes it";
}

TEST_F(Findings, a_few_commands_that_all_took_long_waited_for_the_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 6; ++i) add_read(150 * i, 120);
    EXPECT_EQ(find_one(Kind::target_wait).severity, Finding::Severity::problem);
}

TEST_F(Findings, a_few_commands_of_which_one_was_fast_tell_nothing_of_the_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 6; ++i) add_read(150 * i, i == 3 ? 5 : 120);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, a_target_is_not_blamed_for_what_its_tcp_held_back) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// A write that the target asks for data after `asked_ms`, which come `answered_ms` later and take 1 ms; its status comes
// `status_ms` behind them.
class FindingsOfR2ts : public Findings {
  protected:
    uint64_t add_write(int64_t begin_ms, int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        const int64_t first_ms = begin_ms + asked_ms + answered_ms;
        const PacketNumber packet = 1000 + (2 * static_cast<PacketNumber>(begin_ms));
        const uint64_t number = add_command({.bytes = 65536,
                                             .request_packet = packet,
                                             .response_packet = packet + 1,
                                             .request_ns = begin_ms * ms,
                                             .first_data_ns = first_ms * ms,
                                             .last_data_ns = (first_ms + 1) * ms,
                                             .response_ns = (first_ms + 1 + status_ms) * ms,
                                             .name = "WRITE(16)",
                                             .r2ts = 1,
                                             .pdus = 4,
                                             .opcode = write_16,
                                             .status = 0,
                                             .outcome = Outcome::completed});
        store.add_permission_wait(store.command_marks(CommandNumber(number)),
                                  {begin_ms * ms, (begin_ms + asked_ms) * ms, 0});
        return number;
    }
    void add_writes(int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        add_flow(add_initiator(), 9500);
        for (int64_t i = 0; i < 30; ++i) add_write(30 * i, asked_ms, answered_ms, status_ms);
    }
};

TEST_F(FindingsOfR2ts, an_initiator_that_answers_them_late_is_no_slow_target) {
    add_writes(3, 22, 3);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title, "Half of the writes wait 22.0 ms or more for the initiator's data");
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_EQ(found.severity, Finding::Severity::problem);
    EXPECT_EQ(found.confidence, Finding::Confidence::likely);
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// Far from the initiator, a round trip lies between an R2T and its data; and whoever held them is not seen.
TEST_F(FindingsOfR2ts, seen_at_the_target_may_have_been_held_on_the_path) {
    store.connection(1).vantage = Vantage::target;
    add_writes(3, 22, 3);
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title,
              "Half of the writes wait 20.0 ms or more for the initiator's data, or on the path");
    EXPECT_EQ(found.side, Finding::Side::none);
    EXPECT_EQ(found.severity, Finding::Severity::notice);
    EXPECT_EQ(found.confidence, Finding::Confidence::possible);
}

TEST_F(FindingsOfR2ts, answered_at_once_leave_nothing_to_the_initiator) {
    add_writes(3, 1, 3);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
}

// What a target takes to ask for data is its own time.
TEST_F(FindingsOfR2ts, that_come_late_are_the_targets) {
    add_writes(24, 0, 2);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("from the request to the first R2T")));
}

TEST_F(FindingsOfR2ts, and_statuses_that_come_late_are_told_of_both) {
    add_writes(12, 0, 12);
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("to the first R2T, and from the last data to the status")));
}

TEST_F(FindingsOfR2ts, one_that_the_initiator_answered_late_made_its_command_slow) {
    add_flow(add_initiator(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_write(10 * i, 3, 0, 2);
    add_write(610, 3, 300, 2);
    const Finding found = find_one(Kind::slow_commands);
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_THAT(found.explanation,
                HasSubstr("the initiator took 300 ms to send the first data that an R2T asked for"));
    store.connection(1).vantage = Vantage::target;
    EXPECT_EQ(find_one(Kind::slow_commands).confidence, Finding::Confidence::possible);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::none);
}

// RFC 7143 §4.2.2.1: commands are carried out in the order of CmdSN, whichever connection they come over.
TEST_F(Findings, a_wait_as_long_as_a_longer_path_of_the_session_is_not_laid_to_the_target) {
    add_flow(add_target(), 9500);
    add_flow(add_initiator(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_read(30 * i, 28);
    EXPECT_THAT(find(Kind::target_wait), SizeIs(1));
    store.session(1).connections = 2;
    add_connection(1).rtt_min_ns = 50 * ms;
    SenderSummary& other = store.add_sender(2, Side::a);
    add_window(other, 0, {.srtt_ns = 50 * ms});
    add_window(other, 1000, {.srtt_ns = 50 * ms});
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, slow_writes_are_told_though_reads_are_fast_and_the_logical_unit_is_named) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 30; ++i) {
        add_read(30 * i, 3);
        add_command({.lun = 4,
                     .bytes = 4096,
                     .response_packet = 5000,
                     .request_ns = (30 * i + 5) * ms,
                     .response_ns = (30 * i + 15) * ms,
                     .name = "WRITE(16)",
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the writes of LUN 4 wait 8."));
    EXPECT_EQ(finding.lun, 4u);
    EXPECT_THAT(finding.place, HasSubstr("LUN 4"));
}

// Six at a time, each of 11 ms: a queue at a target that takes 2 ms for one, unless it serves others meanwhile.
TEST_F(Findings, that_reads_are_served_at_once_shows_that_slow_writes_have_no_queue_before_them) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto write = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ms),
                     .response_packet = static_cast<PacketNumber>(1000 + begin_ms + took_ms),
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "WRITE(16)",
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    write(0, 3);  // finds no queue
    for (int64_t i = 1; i < 91; ++i) write(2 * i, 11);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    for (int64_t i = 0; i < 90; ++i) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1001 + 2 * i),
                     .response_packet = static_cast<PacketNumber>(1004 + 2 * i),
                     .request_ns = (2 * i + 1) * ms,
                     .first_data_ns = (2 * i + 4) * ms,
                     .response_ns = (2 * i + 4) * ms,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::target_wait).explanation, HasSubstr("only writes are slow"));
}

// Reads one at a time, and later six writes at a time: that the reads had no queue before them tells nothing of the writes.
TEST_F(Findings, reads_of_another_time_do_not_show_that_writes_have_no_queue_before_them) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto add = [&](uint16_t opcode, int64_t begin_ms, int64_t took_ms) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ms),
                     .response_packet = static_cast<PacketNumber>(1000 + begin_ms + took_ms),
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = opcode == read_16 ? "READ(16)" : "WRITE(16)",
                     .opcode = opcode,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 40; ++i) add(read_16, 5 * i, 3);
    add(write_16, 400, 3);  // finds no queue
    for (int64_t i = 1; i < 91; ++i) add(write_16, 400 + 2 * i, 11);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// Some 40 at once, each waiting 2.6 ms: that is the queue depth, for one alone waits but 1.1 ms.
TEST_F(Findings, a_queue_before_a_target_that_serves_one_command_soon_is_not_a_slow_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto read = [&](int64_t begin_ns, int64_t took_ns) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ns / 100'000),
                     .response_packet = static_cast<PacketNumber>(1000 + (begin_ns + took_ns) / 100'000),
                     .request_ns = begin_ns,
                     .first_data_ns = begin_ns + took_ns,
                     .response_ns = begin_ns + took_ns,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 30; ++i) read(10 * i * ms, 3'100'000);
    for (int64_t i = 0; i < 5000; ++i) read(400 * ms + i * 100'000, 4'600'000);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// A capture that was cut: of the first command the depth is known, of the others that some may be under way that nobody sees.
TEST_F(Findings, a_wait_at_a_queue_depth_that_is_not_known_is_not_the_targets) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto add_reads = [&](int64_t begin_ms, int64_t count) {
        for (int64_t i = 0; i < count; ++i) add_read(begin_ms + i, 5);
    };
    add_read(0, 1);
    store.add_unlisted({1, unknown<uint32_t>, 1003});
    add_reads(10, 900);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_the_data_of_others_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    // A packet every 0.1 ms, and many in flight: the target's data flow all the time.
    add_flow(target, 9000, 10 * mss);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_the_data_of_others_in_a_small_receive_window_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    // No more fits in the window: what else there is stands in the target's socket.
    add_flow(target, 9000, 4 * mss, 7 * mss);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings,
       commands_behind_the_data_of_others_in_a_small_congestion_window_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 9000; ++i) {
        WindowRow row{.snd_una = i, .snd_nxt = i + 1, .in_flight = 4 * mss, .cwnd = 5 * mss};
        row.connection = target.connection();
        row.sender = target.side();
        row.time_ns = int64_t{i} * 100'000;
        row.srtt_ns = 2 * ms;
        row.advertised_window = 1'000'000;
        row.limit = SendLimit::application;
        store.add_window(target, row);
    }
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_a_few_packets_of_others_waited_for_the_target) {
    SenderSummary& target = add_target();
    // A packet every 0.1 ms, with one in flight: nothing stands in the target's socket.
    add_flow(target, 9000);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_EQ(find_one(Kind::target_wait).severity, Finding::Severity::notice);
}

// The path's round trip as the capture shows it, where what is reckoned of a far sender is less than that.
TEST_F(Findings, no_round_trip_is_shorter_than_the_paths) {
    SenderSummary& target = add_target();
    target.set_rtt_min(1'000);
    for (int64_t i = 0; i < 30; ++i) {
        add_read(30 * i, 25);
        add_window(target, 30 * i + 25, {.limit = SendLimit::application});
    }
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("the minimum round-trip time is 2.00 ms")));
}

class TwoSessions : public Findings {
  protected:
    // Two connections of the same hosts with reads of 6 ms, while each moves data every `pause_ns`, in turn with the other.
    void load(int64_t pause_ns) {
        for (uint32_t connection = 1; connection <= 2; ++connection) {
            uint32_t session = connection;
            if (connection == 2) {
                store.add_session(session).connections = 1;
                add_connection(session);
            }
            SenderSummary& target = store.add_sender(connection, Side::b);
            const int64_t own_ns = connection == 1 ? 0 : 450'000'000;
            for (uint32_t i = 0; i * pause_ns < 450'000'000; ++i) {
                WindowRow row{
                    .time_ns = own_ns + i * pause_ns, .srtt_ns = 2 * ms, .snd_una = i, .snd_nxt = i + 1};
                row.connection = connection;
                row.in_flight = pause_ns < ms ? 10 * mss : 1;
                row.limit = SendLimit::application;
                store.add_window(target, row);
            }
            for (int64_t i = 0; i < 30; ++i) {
                const int64_t begin_ms = (connection == 1 ? 450 : 0) + 10 * i;
                add_command({.bytes = 4096,
                             .request_packet = static_cast<PacketNumber>(2000 + 100 * begin_ms + connection),
                             .response_packet = static_cast<PacketNumber>(2050 + 100 * begin_ms + connection),
                             .request_ns = begin_ms * ms,
                             .first_data_ns = (begin_ms + 8) * ms,
                             .last_data_ns = (begin_ms + 8) * ms,
                             .response_ns = (begin_ms + 8) * ms,
                             .name = "READ(16)",
                             .connection = connection,
                             .opcode = read_16,
                             .status = 0,
                             .outcome = Outcome::completed});
            }
        }
    }
    // Of target_wait, the gravest.
    Finding::Severity severity() {
        Finding::Severity gravest = Finding::Severity::information;
        const std::vector<Finding> waits = find(Kind::target_wait);
        EXPECT_FALSE(waits.empty());
        for (const Finding& finding : waits) gravest = std::min(gravest, finding.severity);
        return gravest;
    }
};

TEST_F(TwoSessions, that_wait_while_nothing_flows_wait_for_the_target) {
    load(40 * ms);
    EXPECT_EQ(severity(), Finding::Severity::notice);
}

TEST_F(TwoSessions, that_wait_while_the_others_data_flow_may_wait_behind_them) {
    load(ms / 10);
    EXPECT_EQ(severity(), Finding::Severity::information);
}

}  // namespace
}  // namespace sanscope
