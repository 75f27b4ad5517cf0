// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings.h"

#include <array>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "analyzer/base/reachable_time.h"
#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::ms;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

TEST_F(Findings, kinds_have_names_that_differ) {
    std::set<std::string_view> names;
    for (size_t i = 0; i <= static_cast<size_t>(Kind::nothing_wrong); ++i) {
        names.insert(finding_kind_name(static_cast<Kind>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(Kind::nothing_wrong) + 1);
    EXPECT_EQ(finding_kind_name(Kind::zero_window_stall), "zero_window_stall");
}

TEST_F(Findings, where_nothing_is_wrong_that_is_said_with_figures) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_THAT(finding.title, HasSubstr("100 commands in 991 ms, 6.61 MB/s"));
    EXPECT_THAT(finding.explanation, HasSubstr("Of 100 READ(16) half took"));
    EXPECT_THAT(find_one(Kind::vantage).title, HasSubstr("Captured at the initiator"));
    ASSERT_EQ(find().size(), 2u);
    EXPECT_EQ(find().front().kind, Kind::nothing_wrong);
}

// Requests that were lost on their way to it leave nothing in a capture at the target but the time without them.
TEST_F(Findings, where_no_request_came_for_long_to_a_capture_at_the_target_not_all_is_known) {
    for (int64_t i = 0; i < 100; ++i) add_read((i < 60 ? 5 : 9) * i, 1);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("none stood out"));
    store.connection(1).vantage = Vantage::target;
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 100 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("No request came for 245 ms once"), Not(HasSubstr("none stood out"))));
}

TEST_F(Findings, pauses_that_a_load_makes_again_and_again_are_no_lost_requests) {
    for (int64_t i = 0; i < 100; ++i) add_read((5 * i) + (i / 20 * 100), 1);
    store.connection(1).vantage = Vantage::target;
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("none stood out"));
}

TEST_F(Findings, a_single_command_that_took_long_is_not_said_to_be_like_the_others) {
    for (int64_t i = 0; i < 100; ++i) add_read(5 * i, i == 50 ? 60 : 1);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("longest"), Not(HasSubstr("none stood out"))));
}

TEST_F(Findings, where_some_took_several_times_as_long_it_is_not_said_that_none_stood_out) {
    for (int64_t i = 0; i < 100; ++i) add_read(20 * i, i % 10 == 5 ? 8 : 1);
    EXPECT_EQ(find(Kind::slow_commands).size(), 1u);
    EXPECT_THAT(
        find_one(Kind::nothing_wrong).explanation,
        AllOf(HasSubstr("some after several times the usual time"), Not(HasSubstr("none stood out"))));
}

// Each takes forty round trips at a fraction of a link's rate, and nothing that is looked for is found.
TEST_F(Findings, a_load_whose_usual_command_takes_long_is_not_said_to_be_well_for_sure) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 10'000, {});
    for (int64_t i = 0; i < 100; ++i) add_read(100 * i, 2, 78);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 100 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("Nothing that was found explains"));
}

// What acknowledged the data may be among what was not captured: then nothing held them back.
TEST_F(Findings, where_bytes_are_missing_it_is_not_said_that_tcp_held_data_back) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 150, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("TCP held data back"));
    issues.add(Issue::holes_not_captured, 700);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation,
                AllOf(HasSubstr("Whether TCP held data back is not known"),
                      Not(HasSubstr("as it does on any path"))));
}

// As of a capture begun late, whose congestion window nothing has shown.
TEST_F(Findings, where_it_is_not_known_what_held_data_back_it_is_not_said_that_tcp_did_not) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.in_flight = 5000});
    add_window(target, 150, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation,
                AllOf(HasSubstr("Whether TCP held data back the capture does not tell"),
                      Not(HasSubstr("did not hold"))));
}

// A host that does not look at the residual takes what it did not get for data.
TEST_F(Findings, reads_that_moved_less_with_a_good_status_are_not_called_well) {
    for (int64_t i = 0; i < 40; ++i) add_read(10 * i, 1);
    CommandRow values = store.commands()[39];
    values.lba = 800;
    values.request_packet = values.response_packet + 1;
    values.response_packet += 2;
    values.request_ns += 10 * ms;
    values.response_ns += 10 * ms;
    values.residual = 0;
    add_command(values);
    EXPECT_THAT(find_one(Kind::nothing_wrong).title, HasSubstr("Nothing wrong with"));
    values.residual = 2048;
    add_command(values);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("1 transfer with the status GOOD did not move all"));
}

TEST_F(Findings, where_commands_are_missing_the_rate_is_at_least_that_of_the_others) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    store.add_unlisted({1, 3, 1});
    EXPECT_THAT(find_one(Kind::nothing_wrong).title, HasSubstr("100 commands in 991 ms, at least 6.61 MB/s"));
}

// Their answers lie where nobody looks; the reason is told as far as it is known.
TEST_F(Findings, of_commands_that_ended_nobody_knows_when_nothing_is_said) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("All commands were answered"));
    add_command({.bytes = 65536,
                 .request_ns = 810 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .outcome = Outcome::unknown});
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 41 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("Of 40 READ(16) whose times are known half took"));
    EXPECT_THAT(
        finding.explanation,
        HasSubstr("1 was answered, or may have been, in headers the capture lacks: of how long it took "
                  "nothing is said. All others were answered"));
    issues.add(Issue::times_set_back, 701);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation,
                HasSubstr("while the capture's clock was set back, or"));
}

TEST_F(Findings, where_something_is_wrong_it_is_not_said_that_nothing_is) {
    add_failed(read_16, 2, 3, 0x11, 0);
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

TEST_F(Findings, a_stop_finds_nothing) {
    add_read(0, 1);
    const std::atomic<bool> stopped = true;
    stop = &stopped;
    EXPECT_TRUE(find().empty());
}

TEST_F(Findings, a_store_may_grow_between_rows) {
    constexpr int rows = 200'000;
    const auto grow = [&] {
        uint32_t number = 0;
        store.add_session(number).connections = 2;
        add_connection(number);
        ConnectionRow& connection = add_connection(number);
        SenderSummary& sender = store.add_sender(static_cast<uint32_t>(store.connections().size()), Side::b);
        connection.bytes_in = 10'000'000;
        for (int i = 0; i < rows; ++i) {
            add_window(sender, i, {.snd_una = static_cast<uint32_t>(i), .limit = SendLimit::application});
            store.add_pdu() = {.connection = sender.connection(), .opcode = 0x06};
            if (i % 4 == 0) add_loss(sender, LossKind::fast_retransmit, i);
            if (i % 4 == 0) add_read(i, 1);
        }
    };
    grow();
    const size_t before = find().size();
    EXPECT_GT(before, 0u);
    size_t times = 0;
    between = [&] {
        if (times++ < 6) grow();
    };
    EXPECT_GT(find().size(), 0u);
    EXPECT_GT(times, 6u);
}

TEST_F(Findings, come_with_failures_before_slowness_and_the_costliest_first) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 200, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 10; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    add_read(0, 950);
    add_failed(read_16, 2, 3, 0x11, 0);
    interfaces.push_back({.file = "some.pcap", .name = "", .dropped = 1});
    std::vector<Kind> order;
    for (const Finding& finding : find()) order.push_back(finding.kind);
    EXPECT_THAT(order, testing::ElementsAre(Kind::command_status, Kind::lost_segments,
                                            Kind::zero_window_stall, Kind::capture_drops, Kind::vantage));
}

TEST_F(Findings, that_cost_about_the_same_stand_in_the_order_of_their_kinds) {
    // Two captures of one thing differ by some hundredths: the order must not.
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    std::vector<Kind> order;
    for (const Finding& finding : find()) order.push_back(finding.kind);
    EXPECT_THAT(order, testing::ElementsAre(Kind::lost_segments, Kind::zero_window_stall, Kind::vantage));
}

TEST_F(Findings, how_it_was_used_stands_behind_what_was_wrong) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::out_of_order, 20 * i);
    store.add_ca_transition(target, {.connection = 1, .from = CaState::open, .to = CaState::disorder});
    std::vector<Kind> order;
    for (const Finding& finding : find())
        if (finding.severity != Finding::Severity::information) order.push_back(finding.kind);
    EXPECT_EQ(order.back(), Kind::shallow_queue);
}

TEST_F(Findings, of_a_kind_a_handful_is_told_and_how_many_more_there_are) {
    for (uint16_t asc = 0; asc < 10; ++asc) add_failed(read_16, 2, 3, asc, 0);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_THAT(found[3].explanation, HasSubstr("And 6 more like this."));
    EXPECT_THAT(found[2].explanation, Not(HasSubstr("more like this")));
}

TEST_F(Findings, a_problem_has_two_signs_and_what_has_one_is_a_notice) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::recovery});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    // The receiver told of no hole.
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    for (const Finding& one : find()) {
        const bool earned = one.severity != Finding::Severity::problem || one.evidence.size() >= 2;
        EXPECT_TRUE(earned) << one.title;
    }
}

TEST_F(Findings, a_consequence_stands_behind_its_cause_and_names_it) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    EXPECT_EQ(find().front().kind, Kind::lost_segments);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("It follows from: 20 segments"));
}

TEST_F(Findings, commands_whose_status_was_cut_off_are_not_called_well) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    EXPECT_THAT(find_one(Kind::nothing_wrong).title, HasSubstr("Nothing wrong with 10 commands"));
    add_command({.bytes = 65536,
                 .response_packet = 5000,
                 .request_ns = 200 * ms,
                 .response_ns = 205 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .outcome = Outcome::completed});
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 11 commands"));
    EXPECT_THAT(finding.explanation, HasSubstr("How 1 of them ended is not in the capture"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(Findings, times_that_no_clock_tells_break_nothing) {
    // The farthest that the engine lets into a row.
    constexpr int64_t last = within_reach(std::numeric_limits<int64_t>::max());
    constexpr int64_t first = within_reach(std::numeric_limits<int64_t>::min());
    ConnectionRow& connection = store.connection(1);
    connection.start_ns = first;
    connection.end_ns = last;
    connection.rtt_min_ns = last;
    connection.vantage = Vantage::target;
    SenderSummary& target = add_target();
    add_loss(target, LossKind::rto, 1);
    store.add_loss(target, {.time_ns = first, .delay_ns = last, .connection = 1, .kind = LossKind::rto});
    for (int64_t i = 0; i < 40; ++i) {
        add_command({.bytes = unknown<uint64_t> - 1,
                     .response_packet = 1,
                     .request_ns = i % 2 == 0 ? first : last - 1,
                     .first_data_ns = last,
                     .last_data_ns = first + 1,
                     .response_ns = i % 3 == 0 ? last : i,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    for (const Finding& finding : find()) EXPECT_FALSE(finding.title.empty());
}

TEST_F(Findings, times_from_anywhere_break_nothing) {
    std::minstd_rand random(1);
    const auto any_time = [&random] {
        constexpr std::array<int64_t, 6> places = {within_reach(std::numeric_limits<int64_t>::max()),
                                                   int64_t{1} << 61,
                                                   int64_t{1} << 53,
                                                   int64_t{1'800'000'000} * 1'000'000'000,
                                                   60'000'000'001,
                                                   2};
        const int64_t place = places[random() % places.size()] - static_cast<int64_t>(random() % 3);
        return random() % 3 == 0 ? -place : place;
    };
    for (int round = 0; round < 300; ++round) {
        ConnectionRow& connection = store.connection(1);
        connection.start_ns = any_time();
        connection.end_ns = any_time();
        connection.rtt_min_ns = any_time();
        connection.vantage = round % 2 == 0 ? Vantage::target : Vantage::initiator;
        add_command({.bytes = random() % 2 == 0 ? 4096 : unknown<uint64_t> - random() % 3,
                     .response_packet = 1,
                     .request_ns = any_time(),
                     .first_data_ns = any_time(),
                     .last_data_ns = any_time(),
                     .response_ns = any_time(),
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = static_cast<uint16_t>(round % 7 == 0 ? 2 : 0),
                     .outcome = Outcome::completed});
        if (round % 10 == 0) {
            for (const Finding& finding : find()) EXPECT_FALSE(finding.title.empty());
        }
    }
}

class FindingsWithoutRows : public Findings {
  protected:
    FindingsWithoutRows() : Findings(ResultStore::Keep::nothing()) {}
};

TEST_F(FindingsWithoutRows, summaries_still_tell_the_most) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 20 + i);
    add_failed(read_16, 2, 3, 0x11, 0);
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    const Finding lost = find_one(Kind::lost_segments);
    EXPECT_THAT(lost.title, AllOf(HasSubstr("20 segments"), HasSubstr("30 % of its time")));
    EXPECT_EQ(lost.begin_ns, no_time);
    EXPECT_EQ(find_one(Kind::command_status).packet, 1002u);
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

TEST(FindingsOfNothing, says_that_there_is_nothing) {
    const ResultStore store{ResultStore::Keep{}};
    const Issues issues;
    const std::vector<Finding> none = findings({store, {}, issues, {}, {}});
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none.front().kind, Kind::no_packets);
    const Engine::Totals totals{.packets = 12};
    const std::vector<Finding> found = findings({store, totals, issues, {}, {}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().kind, Kind::no_iscsi);
    EXPECT_EQ(found.front().title, "No iSCSI in this capture");
}

// Packets of the middle of a long Data-In, or cut behind the TCP header, show no iSCSI either.
TEST(FindingsOfNothing, data_at_the_port_of_iscsi_may_be_iscsi) {
    ResultStore store{ResultStore::Keep{}};
    uint32_t number = 0;
    ConnectionRow& row = store.add_connection(number);
    row.target.port = 3260;
    row.bytes_in = 14'480;
    const Issues issues;
    const std::vector<Finding> found = findings({store, {.packets = 10}, issues, {}, {}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found.front().title, HasSubstr("No iSCSI is recognised"));
}

}  // namespace
}  // namespace sanscope
