// SPDX-License-Identifier: GPL-3.0-or-later
// What is true of each of these captures is not what such signs mean as a rule.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/report/testing/frames_capture.h"
#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using test::ms;
using test::second;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// Two hosts of a cluster at one logical unit; the second one resets it, and the commands of the first end without a status.
class ResetByAnother : public testing::Test, protected MadeUpCapture {
  protected:
    ResetByAnother() {
        for (int i = 0; i < 2; ++i) {
            ConnectionRow& row = add_connection();
            row.out.acknowledged_ns = 50 * second;
        }
        store.session(2).initiator_name = "iqn.another";
        for (int64_t i = 0; i < 20; ++i)
            add_command(i * 100 * ms, ms,
                        {.bytes = 4096, .name = "READ(16)", .connection = 1, .opcode = scsi_op::read_16});
        add_command(10 * second, 0,
                    {.lun = 3, .name = "WRITE(16)", .connection = 1, .opcode = scsi_op::write_16});
    }
    void reset(uint32_t session, uint64_t lun, int64_t at_ns) {
        add_event({.time_ns = at_ns,
                   .lun = lun,
                   .connection = session,
                   .session = session,
                   .code = 5,
                   .opcode = 0x02});
    }
};

TEST_F(ResetByAnother, is_what_left_commands_without_an_answer) {
    reset(2, 3, 11 * second);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("LOGICAL UNIT RESET by the initiator of session 2")));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("hang or die")));
}

TEST_F(ResetByAnother, is_not_where_it_was_of_another_unit_or_before) {
    reset(2, 4, 11 * second);
    reset(2, 3, 9 * second);
    reset(1, 3, 11 * second);  // its own: that is another story
    EXPECT_THAT(find_one(Kind::unanswered_commands).evidence, Not(Contains(HasSubstr("RESET"))));
}

// A capture of a minute, and an hour later another one of the same hosts.
class TwoFiles : public testing::Test {
  protected:
    static constexpr int64_t hour = 3600 * second;

    void first_file() {
        connection.open(0);
        connection.login(2 * ms);
        for (int64_t i = 0; i < 20; ++i) connection.read(10 * ms + i * 5 * ms);
    }
    void second_file() {
        capture.begin_file();
        test::FramesConnection later(capture, {.ip = "10.0.0.1", .mac = 1}, {.ip = "10.0.0.2", .mac = 2},
                                     50002);
        later.open(hour);
        later.login(hour + 2 * ms);
        for (int64_t i = 0; i < 20; ++i) later.read(hour + 10 * ms + i * 5 * ms);
    }

    test::FramesCapture capture;
    test::FramesConnection connection{capture, {.ip = "10.0.0.1", .mac = 1}, {.ip = "10.0.0.2", .mac = 2}};
};

TEST_F(TwoFiles, do_not_leave_a_command_unanswered_for_the_time_between_them) {
    first_file();
    connection.request_read(200 * ms);
    connection.acknowledge(true, 201 * ms);
    second_file();
    const std::vector<Finding> found = capture.find();
    const auto has = [&](Kind kind) {
        return std::ranges::any_of(found, [=](const Finding& finding) { return finding.kind == kind; });
    };
    EXPECT_FALSE(has(Kind::unanswered_commands));
    EXPECT_TRUE(has(Kind::under_way_at_end));
}

TEST_F(TwoFiles, do_not_tell_that_a_session_was_away_between_them) {
    first_file();
    connection.reset(true, 300 * ms);
    second_file();
    EXPECT_THAT(capture.find(Kind::session_reconnect), IsEmpty());
}

TEST_F(TwoFiles, have_the_rate_of_the_time_that_was_captured) {
    first_file();
    second_file();
    const std::vector<Finding> found = capture.find(Kind::nothing_wrong);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].title, Not(HasSubstr(" h "))) << found[0].title;
}

// One connection goes on through both; what it did meanwhile is in neither.
TEST_F(TwoFiles, hide_answers_of_a_connection_that_goes_on) {
    first_file();
    connection.request_read(200 * ms);
    connection.acknowledge(true, 201 * ms);
    connection.skip(true, 1072);  // its answer
    connection.set_received(true, connection.next_seq(true));
    capture.begin_file();
    for (int64_t i = 0; i < 20; ++i) connection.read(hour + 10 * ms + i * 5 * ms);
    for (const Finding& finding : capture.find()) {
        EXPECT_NE(finding.severity, Severity::problem) << finding.title;
        EXPECT_THAT(finding.title, Not(HasSubstr("clock"))) << finding.title;
        EXPECT_THAT(finding.title, Not(HasSubstr("never answered"))) << finding.title;
    }
}

// A tap stamps what the target sends by a clock of its own, which is ahead.
class ClocksApart : public testing::Test, protected MadeUpCapture {
  protected:
    ConnectionRow& add_apart(int64_t apart_ns) {
        ConnectionRow& row = add_connection();
        row.in.new_segments = 1'000;
        row.in.late_segments = 900;
        row.in.late_ns = apart_ns;
        row.in.first_late_packet = 77;
        return row;
    }
};

TEST_F(ClocksApart, are_told_and_what_is_not_much_longer_is_not) {
    add_apart(300'000);
    for (int64_t i = 0; i < 40; ++i) add_read(i * 100 * ms, ms);
    const std::vector<Finding> found = find();
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].kind, Kind::capture_issue);
    EXPECT_EQ(found[0].packet, 77u);
    EXPECT_THAT(found[0].title, HasSubstr("The clocks of the two directions are apart, by 300 µs at least"));
    EXPECT_THAT(found[0].explanation, HasSubstr("shorter than 3.00 ms and queue depths are left out"));
    EXPECT_THAT(found[0].explanation, HasSubstr("of what TCP did nothing is said"));
    EXPECT_THAT(found[0].evidence, Contains(HasSubstr("900 of 1000 segments of the target")));
    EXPECT_EQ(found[1].kind, Kind::nothing_wrong);
    EXPECT_THAT(found[1].title, HasSubstr("is seen of 40 commands"));
    EXPECT_THAT(
        found[1].explanation,
        AllOf(HasSubstr("sooner than the clocks of the two directions can tell"),
              HasSubstr("The clocks of the two directions are apart: whether"), Not(HasSubstr("half took"))));
}

TEST_F(ClocksApart, do_not_hide_slow_commands_that_took_much_longer) {
    add_apart(300'000);
    for (int64_t i = 0; i < 400; ++i) add_read(i * 100 * ms, i % 40 == 0 ? second : 5 * ms);
    const std::vector<Finding> found = find();
    EXPECT_THAT(found, Contains(testing::Field(&Finding::kind, Kind::slow_commands)));
    EXPECT_THAT(found, Not(Contains(testing::Field(&Finding::kind, Kind::vantage))));
}

// Pieces of a file one behind the other in a wrong order: what a lost answer or a missing segment looks like may be of that.
TEST(OutOfOrder, leaves_nothing_firm_but_that_it_is_so) {
    struct Capture : MadeUpCapture {
        std::vector<Finding> found(bool out_of_order) {
            add_connection().out_of_order = out_of_order;
            for (int64_t i = 0; i < 20; ++i) add_read(i * 100 * ms, ms);
            add_command(3 * second, 0, {.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16});
            store.connection(1).end_ns = 60 * second;
            store.connection(1).out.reset = true;
            store.connection(1).out.reset_ns = 60 * second;
            return find();
        }
    };
    const auto is_firm = [](const Finding& finding) {
        return finding.confidence == Finding::Confidence::firm && finding.kind != Kind::capture_issue;
    };
    const std::vector<Finding> in_order = Capture().found(false);
    EXPECT_TRUE(std::ranges::any_of(in_order, is_firm));
    const std::vector<Finding> out_of_order = Capture().found(true);
    ASSERT_GT(out_of_order.size(), 1u);
    // It puts the others in doubt.
    EXPECT_THAT(out_of_order.front().title, HasSubstr("not in the order"));
    EXPECT_TRUE(std::ranges::none_of(out_of_order, is_firm));
    EXPECT_TRUE(std::ranges::none_of(
        out_of_order, [](const Finding& finding) { return finding.severity == Severity::problem; }));
}

// A login beside it, of too few packets to show anything.
TEST(OutOfOrder, is_what_stands_in_the_file_where_such_a_connection_does) {
    struct Capture : MadeUpCapture {
        bool is_firm(PacketNumber of_the_other) {
            add_connection().out_of_order = true;
            store.connection(1).first_packet = 1;
            store.connection(1).last_packet = 1000;
            ConnectionRow& other = add_connection();
            other.first_packet = of_the_other;
            other.last_packet = of_the_other + 10;
            add_command(3 * second, 0, {.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16});
            other.out.reset = true;
            other.out.reset_ns = 60 * second;
            return std::ranges::any_of(find(), [](const Finding& finding) {
                return finding.connection == 2 && finding.confidence != Finding::Confidence::possible;
            });
        }
    };
    EXPECT_FALSE(Capture().is_firm(500));
    EXPECT_TRUE(Capture().is_firm(2000));
}

TEST(OutOfOrder, may_be_the_paths_where_no_time_goes_back) {
    struct Capture : MadeUpCapture {
        Finding found(bool times_go_back) {
            add_connection().out_of_order = true;
            if (times_go_back) issues.add(Issue::times_set_back, 700);
            for (Finding& finding : find()) {
                if (finding.title.find("not in the order") != std::string::npos) return finding;
            }
            return {};
        }
    };
    EXPECT_EQ(Capture().found(true).confidence, Finding::Confidence::firm);
    EXPECT_THAT(Capture().found(true).explanation, Not(HasSubstr("held up")));
    EXPECT_EQ(Capture().found(false).confidence, Finding::Confidence::likely);
    EXPECT_THAT(Capture().found(false).explanation, HasSubstr("held up"));
}

// The second quarter of a file before the first one, which has the SYN: two connections.
TEST(OutOfOrder, is_of_two_connections_where_the_one_that_stands_later_began_earlier) {
    struct Capture : MadeUpCapture {
        std::vector<Finding> found(int64_t first_begins_ns, int64_t second_begins_ns, uint16_t second_port) {
            add_connection(first_begins_ns).initiator.port = 50'000;
            add_connection(second_begins_ns).initiator.port = second_port;
            for (int64_t i = 0; i < 20; ++i) add_read(second_begins_ns + i * 100 * ms, ms);
            return find();
        }
    };
    const auto tells = [](const std::vector<Finding>& found) {
        return std::ranges::any_of(found, [](const Finding& finding) {
            return finding.title.find("not in the order") != std::string::npos;
        });
    };
    EXPECT_TRUE(tells(Capture().found(3 * second, 0, 50'000)));
    EXPECT_FALSE(tells(Capture().found(0, 3 * second, 50'000))) << "the ports of one that ended";
    EXPECT_FALSE(tells(Capture().found(3 * second, 0, 50'001))) << "a clock may have been set back";
}

TEST(OutOfOrder, is_of_two_connections_where_the_one_that_stands_later_leads_up_to_the_other) {
    struct Capture : MadeUpCapture {
        bool tells(uint32_t first_begins, uint32_t second_begins) {
            for (const uint32_t begins : {first_begins, second_begins}) {
                ConnectionRow& row = add_connection();
                row.initiator.port = 50'000;
                for (size_t side = 0; side < 2; ++side) {
                    row.stream_start_known[side] = true;
                    row.stream_start_seq[side] = begins;
                }
            }
            return std::ranges::any_of(find(), [](const Finding& finding) {
                return finding.title.find("not in the order") != std::string::npos;
            });
        }
    };
    EXPECT_TRUE(Capture().tells(1'000'000, 4'294'000'000));
    EXPECT_FALSE(Capture().tells(4'294'000'000, 1'000'000)) << "the ports of one that ended";
    EXPECT_FALSE(Capture().tells(900'000'000, 4'294'000'000)) << "of another sequence space";
}

// Of files put one behind the other, a connection that stands in one alone is as it was.
TEST(OutOfOrder, may_be_a_connection_across_a_time_that_goes_back_where_nothing_shows_that_it_was_the_clock) {
    struct Capture : MadeUpCapture {
        bool is_firm(std::vector<PacketNumber> unexplained) {
            ConnectionRow& row = add_connection();
            row.first_packet = 100;
            row.last_packet = 200;
            row.out.reset = true;
            row.out.reset_ns = 60 * second;
            add_command(3 * second, 0, {.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16});
            issues.add(Issue::times_set_back, 150);
            totals.set_back_unexplained = std::move(unexplained);
            totals.cut_packets = 7;
            totals.cut_at = 96;
            EXPECT_EQ(find_one(Kind::snap_length).confidence, Finding::Confidence::firm);
            return std::ranges::any_of(find(), [](const Finding& finding) {
                return finding.connection == 1 && finding.confidence != Finding::Confidence::possible;
            });
        }
    };
    EXPECT_TRUE(Capture().is_firm({}));
    EXPECT_TRUE(Capture().is_firm({100, 201}));
    EXPECT_FALSE(Capture().is_firm({50, 101}));
    EXPECT_FALSE(Capture().is_firm({200}));
}

}  // namespace
}  // namespace sanscope
