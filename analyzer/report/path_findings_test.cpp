// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

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

using Kind = Finding::Kind;

// Four targets that send to one initiator for 10 s over a path of 1 ms.
class ManySenders : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr int64_t rounds = 40;

    ManySenders() {
        for (uint32_t i = 0; i < 4; ++i) {
            ConnectionRow& row = add_connection();
            row.end_ns = 10 * second;
            row.vantage = Vantage::target;
            senders.push_back(&store.add_sender(i + 1, sanscope::Side::b));
        }
    }
    // When they lose together.
    static int64_t round_ns(int64_t i) { return (i * 239 + i * i % 97) / 10 * 10 * ms; }
    // Of each sender; what is in flight of it when they do, and otherwise 4000 to 5800 bytes.
    void add_flow(uint32_t at_rounds) {
        std::vector<int64_t> rounds_ns;
        for (int64_t i = 0; i < rounds; ++i) rounds_ns.push_back(round_ns(i));
        for (uint32_t i = 0; i < 1000; ++i) {
            for (SenderSummary* sender : senders) {
                WindowRow row{.snd_una = 1000 * i, .snd_nxt = 1000 * (i + 4)};
                row.connection = sender->connection();
                row.sender = sender->side();
                row.packet = i + 1;
                row.time_ns = int64_t{i} * 10 * ms;
                row.srtt_ns = ms;
                row.cwnd = 100'000;
                const bool in_round = std::ranges::find(rounds_ns, row.time_ns) != rounds_ns.end();
                row.in_flight = in_round ? at_rounds : 4000 + i % 7 * 300;
                row.advertised_window = 1'000'000;
                row.limit = SendLimit::application;
                store.add_window(*sender, row);
            }
        }
    }
    void lose(SenderSummary& sender, int64_t time_ns) {
        store.add_loss(sender, {.packet = packet_at(time_ns),
                                .original_packet = 1,
                                .time_ns = time_ns + 2 * ms,
                                .delay_ns = 2 * ms,
                                .connection = sender.connection(),
                                .length = 1000,
                                .kind = LossKind::fast_retransmit,
                                .sender = sender.side()});
    }
    void lose_together() {
        for (int64_t i = 0; i < rounds; ++i) {
            for (size_t j = 0; j < senders.size(); ++j) {
                for (int k = 0; k < 3; ++k)
                    lose(*senders[j], round_ns(i) - 900'000 + static_cast<int64_t>(j) * 100'000 + k * 10'000);
            }
        }
    }
    // As many, each at its own time.
    void lose_apart(unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<int64_t> when(0, 10 * second);
        for (SenderSummary* sender : senders) {
            for (int64_t i = 0; i < rounds; ++i) lose(*sender, when(random));
        }
    }

    std::vector<SenderSummary*> senders;
};

TEST_F(ManySenders, that_lose_at_the_same_moments_overflow_one_queue) {
    add_flow(9000);
    lose_together();
    const Finding finding = find_one(Kind::incast);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_THAT(finding.title,
                HasSubstr("4 senders to initiator 10.0.0.1 lose segments at the same moments"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("up to 4 of them at once")));
    EXPECT_THAT(finding.explanation, HasSubstr("All of them send from 10.0.0.2"));
    EXPECT_THAT(finding.connections, testing::ElementsAre(1, 2, 3, 4));
    for (const Finding& other : find()) {
        if (other.kind == Kind::lost_segments) {
            EXPECT_EQ(other.severity, Finding::Severity::information) << other.title;
        }
    }
    const std::array<uint8_t, 4> another = {10, 0, 0, 3};
    store.connection(4).target.address = IpAddress::from_v4(another.data());
    EXPECT_THAT(find_one(Kind::incast).explanation, Not(HasSubstr("All of them send from")));
}

TEST_F(ManySenders, that_lose_each_at_its_own_time_have_a_bad_path) {
    add_flow(9000);
    lose_apart(1);
    EXPECT_THAT(find(Kind::incast), IsEmpty());
    EXPECT_FALSE(find(Kind::lost_segments).empty());
}

// Losses come only while there is load: by the whole time of the capture they would seem to meet beyond chance.
TEST_F(ManySenders, that_lose_apart_while_all_are_busy_do_not_meet_beyond_chance) {
    add_flow(9000);
    std::mt19937 random(7);
    std::uniform_int_distribution<int64_t> when(0, 300 * ms);
    for (SenderSummary* sender : senders) {
        for (int64_t i = 0; i < rounds; ++i) lose(*sender, (i % 2) * 9 * second + when(random));
    }
    EXPECT_THAT(find(Kind::incast), IsEmpty());
}

// A path that loses in bursts hits whatever passes, however much is in flight.
TEST_F(ManySenders, that_lose_together_with_no_more_in_flight_than_usual_have_a_path_that_loses_in_bursts) {
    add_flow(4900);
    lose_together();
    EXPECT_THAT(find(Kind::incast), IsEmpty());
}

TEST_F(ManySenders, seen_from_the_receiver_leave_it_open) {
    for (uint32_t i = 1; i <= 4; ++i) store.connection(i).vantage = Vantage::initiator;
    add_flow(9000);
    lose_together();
    const Finding finding = find_one(Kind::incast);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_NE(find(Kind::lost_segments).front().severity, Finding::Severity::information);
}

TEST_F(ManySenders, that_lose_together_once_are_not_called_incast) {
    add_flow(9000);
    for (SenderSummary* sender : senders) {
        for (int k = 0; k < 20; ++k) lose(*sender, 5 * second + k * 1000);
    }
    EXPECT_THAT(find(Kind::incast), IsEmpty());
}

TEST_F(ManySenders, of_which_two_lose_together_share_a_bottleneck) {
    add_flow(9000);
    senders.resize(2);
    lose_together();
    EXPECT_THAT(find(Kind::incast), IsEmpty());
}

TEST_F(ManySenders, of_which_one_alone_loses_are_not_called_incast) {
    add_flow(9000);
    for (int64_t i = 0; i < rounds; ++i) lose(*senders[0], i * 240 * ms);
    EXPECT_THAT(find(Kind::incast), IsEmpty());
}

// Two sessions of one initiator to one LUN.
class TwoPaths : public testing::Test, protected MadeUpCapture {
  protected:
    TwoPaths() {
        add_connection();
        const std::array<uint8_t, 4> other_port = {10, 0, 1, 2};
        add_connection().target.address = IpAddress::from_v4(other_port.data());
    }
    void load(uint32_t connection, int64_t took_ns, int64_t count = 200, int64_t from_ns = 0) {
        for (int64_t i = 0; i < count; ++i) {
            add_command(
                from_ns + i * 50 * ms, took_ns,
                {.bytes = 4096, .name = "READ(16)", .connection = connection, .opcode = scsi_op::read_16});
        }
    }
};

TEST_F(TwoPaths, of_which_one_is_slow_behind_the_same_round_trip_are_the_targets) {
    load(1, 2 * ms);
    load(2, 9 * ms);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.session, 2u);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible)
        << "the same LUN of the same target, by its name";
    EXPECT_THAT(finding.title, HasSubstr("One of 2 paths to LUN 0 is slow"));
    EXPECT_THAT(finding.evidence, Contains(AllOf(HasSubstr("session 2"), HasSubstr("50 % of the bytes"))));
}

// As a look at the logical unit before the load proper is.
TEST_F(TwoPaths, of_which_one_is_hardly_used_are_not_told_that_it_asks_for_one_command_at_a_time) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = store.add_sender(1, Side::b);
    for (const int64_t time_ns : {int64_t{0}, second}) {
        WindowRow row;
        row.time_ns = time_ns;
        row.packet = packet_at(time_ns);
        row.connection = 1;
        row.sender = Side::b;
        row.limit = SendLimit::application;
        row.srtt_ns = 20 * ms;
        row.cwnd = 100'000;
        store.add_window(target, row);
    }
    for (int64_t i = 0; i < 40; ++i) {
        add_command(i * 22 * ms, 21 * ms,
                    {.bytes = 4096, .name = "READ(16)", .connection = 1, .opcode = scsi_op::read_16});
    }
    EXPECT_EQ(find_one(Kind::shallow_queue).severity, Finding::Severity::notice);
    load(2, 49 * ms);
    EXPECT_EQ(find_one(Kind::shallow_queue).severity, Finding::Severity::information);
}

TEST_F(TwoPaths, between_the_same_addresses_are_one) {
    store.connection(2).target = store.connection(1).target;
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, of_which_one_is_longer_are_the_paths) {
    store.connection(2).rtt_min_ns = 8 * ms;
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::path);
}

// Four segments of a thousand reads: that each of these takes 7 ms longer is not their doing.
TEST_F(TwoPaths, of_which_the_slow_one_loses_a_few_segments_are_not_made_slow_by_these) {
    load(1, 2 * ms, 1000);
    load(2, 9 * ms, 1000);
    SenderSummary& target = store.add_sender(2, Side::b);
    for (const int64_t time_ns : {int64_t{0}, 50 * second}) {
        WindowRow row;
        row.time_ns = time_ns;
        row.packet = packet_at(time_ns);
        row.connection = 2;
        row.sender = Side::b;
        row.srtt_ns = 2 * ms;
        store.add_window(target, row);
    }
    const auto lose_each = [&](int64_t apart_ns, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
            store.add_loss(target, {.packet = packet_at(second + i * apart_ns),
                                    .time_ns = second + i * apart_ns,
                                    .delay_ns = 3 * ms,
                                    .connection = 2,
                                    .length = 1000,
                                    .kind = LossKind::fast_retransmit,
                                    .sender = Side::b});
        }
    };
    lose_each(second, 4);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("less than half of the difference"), Not(HasSubstr("loses no more"))));
    lose_each(100 * ms, 200);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::path);
}

TEST_F(TwoPaths, whose_round_trips_are_not_known_blame_neither_path_nor_target) {
    store.connection(2).rtt_min_ns = no_time;
    load(1, 2 * ms);
    load(2, 9 * ms);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("are not known"), Not(HasSubstr("The path itself is no longer"))));
}

// Two captures merged, one from each end: the one has the path in a command's time, the other has not.
TEST_F(TwoPaths, seen_from_different_ends_are_not_compared) {
    store.connection(1).vantage = Vantage::target;
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, cost_no_more_time_than_there_was) {
    for (int64_t i = 0; i < 16; ++i) {
        load(1, 2 * ms, 200, i * 10'000);
        load(2, 49 * ms, 200, i * 10'000);
    }
    EXPECT_LE(find_one(Kind::path_skew).cost_ns, 11 * second);
}

TEST_F(TwoPaths, to_a_unit_that_names_itself_are_likely_the_same) {
    store.session(2).target_name = "iqn.other.port";
    store.add_unit_name(1, 0, "3:6001");
    store.add_unit_name(2, 0, "3:6001");
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_EQ(find_one(Kind::path_skew).confidence, Finding::Confidence::likely);
}

TEST_F(TwoPaths, to_other_units_are_none) {
    store.add_unit_name(1, 0, "3:6001");
    store.add_unit_name(2, 0, "3:6002");
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, of_other_initiators_are_none) {
    store.session(2).initiator_name = "iqn.other";
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, that_are_alike_are_well) {
    load(1, 2 * ms);
    load(2, 3 * ms);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, of_which_one_has_most_of_the_load_are_not_compared) {
    load(1, 2 * ms, 60);
    load(2, 9 * ms, 200);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty()) << "more is under way there";
}

TEST_F(TwoPaths, of_which_one_stands_by_are_well) {
    load(1, 2 * ms);
    load(2, 9 * ms, 5);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, of_which_one_stood_still_once_are_alike) {
    load(1, 2 * ms);
    load(2, 2 * ms);
    // All that was under way then took as long: a stall, or a clock that was set ahead.
    for (int64_t i = 0; i < 16; ++i) {
        add_command(5 * second + i * ms, 5 * second,
                    {.bytes = 4096, .name = "READ(16)", .connection = 2, .opcode = scsi_op::read_16});
    }
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
    // Twice, and it is not of one moment.
    for (int64_t i = 0; i < 16; ++i) {
        add_command(12 * second + i * ms, 4 * second,
                    {.bytes = 4096, .name = "READ(16)", .connection = 2, .opcode = scsi_op::read_16});
    }
    EXPECT_THAT(find(Kind::path_skew), Not(IsEmpty()));
}

TEST_F(TwoPaths, of_a_clock_that_was_set_back_are_not_compared) {
    load(1, 2 * ms);
    load(2, 9 * ms);
    issues.add(Issue::times_set_back, 701);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

TEST_F(TwoPaths, one_after_the_other_are_a_session_that_came_back) {
    load(1, 2 * ms);
    load(2, 9 * ms, 200, 20 * second);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

// Both paths name their unit alike; the first one is of target port group 1, the second, slow one of group 2.
class PathsWithStates : public TwoPaths {
  protected:
    static constexpr AccessState optimized = AccessState::active_optimized;
    static constexpr AccessState non_optimized = AccessState::active_non_optimized;

    PathsWithStates() {
        for (const uint32_t session : {1u, 2u}) {
            store.add_unit_name(session, 0, "3:6001");
            store.access_states().on_port({session, 0}, {{}, static_cast<uint16_t>(session)});
        }
        load(1, 2 * ms, 200, begun_ns);
        load(2, 9 * ms, 200, begun_ns);
    }
    void tell(uint32_t session, AccessState of_1, AccessState of_2, int64_t at_ns, bool prefers_2 = false) {
        store.access_states().on_groups({session, 0}, {{1, of_1, false, {}}, {2, of_2, prefers_2, {}}},
                                        {packet_at(at_ns), at_ns});
    }
    void tell_both(AccessState of_1, AccessState of_2, int64_t at_ns = second) {
        tell(1, of_1, of_2, at_ns);
        tell(2, of_1, of_2, at_ns);
    }

    static constexpr int64_t begun_ns = 2 * second;
};

TEST_F(PathsWithStates, of_which_the_slow_one_is_non_optimized_are_chosen_badly) {
    tell_both(optimized, non_optimized);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.explanation, HasSubstr("group_by_prio"));
    EXPECT_THAT(
        finding.evidence,
        Contains(AllOf(HasSubstr("session 2"),
                       HasSubstr("active/non-optimized (REPORT TARGET PORT GROUPS in packet 1000001)"))));
    EXPECT_THAT(finding.evidence, Contains(AllOf(HasSubstr("session 1"), HasSubstr("active/optimized ("))));
}

TEST_F(PathsWithStates, told_after_they_began_are_likely) {
    tell_both(optimized, non_optimized, 5 * second);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::initiator);
    EXPECT_EQ(find_one(Kind::path_skew).confidence, Finding::Confidence::likely);
}

TEST_F(PathsWithStates, of_which_the_slow_one_loses_more_are_not_firm) {
    tell_both(optimized, non_optimized);
    store.connection(2).rtt_min_ns = 2 * ms;
    EXPECT_NE(find_one(Kind::path_skew).confidence, Finding::Confidence::firm);
}

TEST_F(PathsWithStates, of_which_the_longer_one_is_non_optimized_are_the_paths) {
    tell_both(optimized, non_optimized);
    store.connection(2).rtt_min_ns = 8 * ms;
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_THAT(finding.explanation, HasSubstr("active/non-optimized"));
}

TEST_F(PathsWithStates, that_are_equal_are_not_explained_by_them) {
    tell_both(optimized, optimized);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("Both paths are active/optimized"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("group_by_prio")));
}

TEST_F(PathsWithStates, of_which_the_optimized_one_is_slow_are_not_explained_by_them) {
    tell_both(non_optimized, optimized);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("its access state does not make it slow"));
}

TEST_F(PathsWithStates, that_nobody_told_are_said_not_to_be_known) {
    EXPECT_THAT(find_one(Kind::path_skew).explanation, HasSubstr("(ALUA) of both paths is not known"));
    EXPECT_THAT(find_one(Kind::path_skew).evidence, Contains(HasSubstr("access state not known")));
}

TEST_F(PathsWithStates, of_which_one_is_not_known_are_said_to_be_so) {
    store.access_states().on_port({2, 0}, {{}, 7});
    tell_both(optimized, non_optimized);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("(ALUA) of the slow path is not known"));
}

TEST_F(PathsWithStates, that_a_unit_has_not_are_said_to_be_alike) {
    store.access_states().on_tpgs({1, 0}, 0);
    store.access_states().on_tpgs({2, 0}, 0);
    EXPECT_THAT(find_one(Kind::path_skew).explanation, HasSubstr("TPGS 0"));
}

TEST_F(PathsWithStates, told_by_the_other_path_count_for_a_unit_that_names_itself) {
    tell(1, optimized, non_optimized, second);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::initiator);
}

TEST_F(PathsWithStates, that_another_path_tells_to_have_changed_are_of_several_times) {
    tell_both(optimized, non_optimized);
    tell(1, optimized, optimized, 5 * second);
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("changed since the commands began"));
    EXPECT_THAT(finding.evidence, Contains(AllOf(HasSubstr("session 2"), HasSubstr("packet 5000001"))));
}

TEST_F(PathsWithStates, that_changed_and_were_not_read_again_are_not_known) {
    tell_both(optimized, non_optimized);
    store.access_states().on_told({2, 0}, AccessState::unknown, {4'000'000, 4 * second});
    const Finding finding = find_one(Kind::path_skew);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("not known since packet 4000000 told of a change")));
}

TEST_F(PathsWithStates, that_changed_before_the_commands_are_the_later_ones) {
    tell_both(optimized, optimized, second / 2);
    store.access_states().on_told({2, 0}, AccessState::unknown, {700'000, second * 7 / 10});
    tell_both(optimized, non_optimized);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::initiator);
}

TEST_F(PathsWithStates, of_the_preferred_group_that_is_not_in_use_tell_of_failback) {
    tell(1, optimized, non_optimized, second, true);
    tell(2, optimized, non_optimized, second, true);
    EXPECT_THAT(find_one(Kind::path_skew).explanation, HasSubstr("has not gone back"));
}

}  // namespace
}  // namespace sanscope
