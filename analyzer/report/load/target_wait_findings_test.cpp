// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/testing/frames_capture.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using test::ms;
using test::second;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;

class TargetWaits : public testing::Test, protected MadeUpCapture {
  protected:
    ConnectionRow& add_path() {
        ConnectionRow& row = add_connection();
        const auto number = static_cast<uint32_t>(store.connections().size());
        for (const Side side : {Side::a, Side::b}) {
            SenderSummary& sender = store.add_sender(number, side);
            for (const int64_t time_ns : {int64_t{0}, 60 * second}) {
                WindowRow window{.packet = packet_at(time_ns), .time_ns = time_ns, .srtt_ns = ms};
                window.connection = number;
                window.sender = side;
                window.cwnd = 100'000;
                window.limit = SendLimit::application;
                store.add_window(sender, window);
            }
        }
        return row;
    }
    void add_transfers(uint16_t opcode, int64_t took_ns, uint64_t lun, uint32_t connection) {
        for (int64_t i = 0; i < 50; ++i) {
            add_command(second + i * 100 * ms, took_ns,
                        {.lun = lun,
                         .bytes = 4096,
                         .name = opcode == scsi_op::read_16 ? "READ(16)" : "WRITE(16)",
                         .connection = connection,
                         .opcode = opcode});
        }
    }
};

TEST_F(TargetWaits, are_held_against_the_other_units_of_the_same_host) {
    add_path();
    add_path();
    add_transfers(scsi_op::read_16, 20 * ms, 0, 1);
    add_transfers(scsi_op::read_16, 2 * ms, 1, 2);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("reads of LUN 1"));
    EXPECT_THAT(finding.explanation, HasSubstr("others are faster"));
}

// That another target has faster disks tells nothing of this one's units, and its path is another.
TEST_F(TargetWaits, are_not_held_against_another_target) {
    add_path();
    ConnectionRow& elsewhere = add_path();
    const std::array<uint8_t, 4> address = {10, 0, 0, 3};
    elsewhere.target.address = IpAddress::from_v4(address.data());
    add_transfers(scsi_op::read_16, 20 * ms, 0, 1);
    add_transfers(scsi_op::read_16, 2 * ms, 1, 2);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("LUN 0 wait 19"), Not(HasSubstr("LUN 1"))));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("faster")));
}

// A backup's writes fill the path to the target, and the reads of another connection are asked for through that queue.
TEST_F(TargetWaits, behind_a_queue_on_the_path_are_told_only_where_the_target_is_known_to_have_been_asked) {
    const auto add_sender = [&](uint32_t connection, Side side, uint32_t bytes, int64_t srtt_ns) {
        SenderSummary& sender = store.add_sender(connection, side);
        for (int64_t i = 0; i <= 1000; ++i) {
            const int64_t time_ns = i * 10 * ms;
            WindowRow window{.packet = packet_at(time_ns), .time_ns = time_ns, .srtt_ns = srtt_ns};
            window.connection = connection;
            window.sender = side;
            window.snd_una = static_cast<uint32_t>(i) * bytes;
            window.snd_nxt = window.snd_una;
            window.in_flight = bytes;
            window.cwnd = 1'000'000;
            window.limit = SendLimit::application;
            store.add_window(sender, window);
        }
    };
    add_connection();
    add_sender(1, Side::b, 0, ms);
    add_transfers(scsi_op::read_16, 8 * ms, 0, 1);
    EXPECT_THAT(find(Kind::target_wait), SizeIs(1));
    ConnectionRow& beside = add_connection();
    beside.bytes_out = 100'000'000;
    add_sender(2, Side::a, 90'000, 10 * ms);
    ASSERT_THAT(find(Kind::path_queue), SizeIs(1));
    EXPECT_THAT(find(Kind::target_wait), IsEmpty());
}

// Whether reads of the slow unit are slow as well, the reads of another do not tell.
TEST_F(TargetWaits, of_writes_do_not_follow_from_a_write_cache_where_only_another_unit_was_read) {
    add_path();
    add_transfers(scsi_op::write_16, 20 * ms, 0, 1);
    add_transfers(scsi_op::read_16, 2 * ms, 1, 1);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("others are faster"), Not(HasSubstr("only writes"))));
}

// UNMAPs of one unit, and another that is slow all the time.
TEST_F(TargetWaits, do_not_follow_from_what_stalls_another_unit) {
    add_path();
    constexpr uint16_t unmap = 0x42;
    for (const int64_t begin_ns : {10 * second, 20 * second, 30 * second})
        add_command(begin_ns, 500 * ms, {.lun = 0, .name = "UNMAP", .opcode = unmap});
    for (int64_t i = 0; i < 4000; ++i) {
        const int64_t begin_ns = i * 10 * ms;
        const bool stalled = begin_ns >= 10 * second && begin_ns % (10 * second) < 500 * ms;
        add_read(begin_ns, stalled ? 200 * ms : 2 * ms);
    }
    for (int64_t i = 0; i < 300; ++i) add_read(i * 100 * ms, 30 * ms, 1);
    EXPECT_EQ(find(Kind::stalling_command).size(), 1u);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_EQ(finding.lun, 1u);
    EXPECT_NE(finding.severity, Finding::Severity::information);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("follows from")));
}

// Reads of 4 KiB in four Data-In PDUs.
class PausesInReads : public testing::Test {
  protected:
    void read_all(int64_t apart_ns, int64_t took_ns, int64_t ack_ns) {
        connection.login(2 * ms);
        for (int64_t i = 0; i < 30; ++i)
            connection.read_in_pieces(10 * ms + i * 50 * ms, 4, apart_ns, took_ns, ack_ns);
    }

    test::FramesCapture capture;
    test::FramesConnection connection{capture, {.ip = "10.0.0.1", .mac = 1}, {.ip = "10.0.0.2", .mac = 2}};
};

TEST_F(PausesInReads, are_the_targets_where_it_was_captured_there) {
    connection.open_at_target(0);
    read_all(3 * ms, ms / 10, ms);
    const std::vector<Finding> found = capture.find(Kind::target_wait);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].title, AllOf(HasSubstr("pause for "), HasSubstr("between their data: the target"),
                                      Not(HasSubstr("path"))));
    EXPECT_EQ(found[0].side, Finding::Side::target);
    EXPECT_EQ(found[0].confidence, Finding::Confidence::firm);
}

// Far from the target, something on the path may have held the data back.
TEST_F(PausesInReads, are_the_targets_or_the_paths_elsewhere) {
    connection.open(0);
    read_all(3 * ms, ms + ms / 10, 0);
    const std::vector<Finding> found = capture.find();
    const auto pauses = std::ranges::find(found, Kind::target_wait, &Finding::kind);
    ASSERT_NE(pauses, found.end());
    EXPECT_THAT(pauses->title, HasSubstr("the target, or the path"));
    EXPECT_EQ(pauses->side, Finding::Side::none);
    EXPECT_EQ(pauses->confidence, Finding::Confidence::possible);
    EXPECT_THAT(pauses->evidence, testing::Contains(HasSubstr("no window was full")));
    EXPECT_EQ(std::ranges::find(found, Kind::nothing_wrong, &Finding::kind), found.end());
}

TEST_F(PausesInReads, are_not_told_where_they_are_short) {
    connection.open_at_target(0);
    read_all(ms / 4, ms / 10, ms / 8);
    EXPECT_THAT(capture.find(Kind::target_wait), IsEmpty());
}

}  // namespace
}  // namespace sanscope
