// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
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
    EXPECT_THAT(finding.connections, testing::ElementsAre(1, 2, 3, 4));
    for (const Finding& other : find()) {
        if (other.kind == Kind::lost_segments) {
            EXPECT_EQ(other.severity, Finding::Severity::information) << other.title;
        }
    }
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
        add_connection();
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

TEST_F(TwoPaths, of_which_one_is_longer_are_the_paths) {
    store.connection(2).rtt_min_ns = 8 * ms;
    load(1, 2 * ms);
    load(2, 9 * ms);
    EXPECT_EQ(find_one(Kind::path_skew).side, Finding::Side::path);
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

TEST_F(TwoPaths, one_after_the_other_are_a_session_that_came_back) {
    load(1, 2 * ms);
    load(2, 9 * ms, 200, 20 * second);
    EXPECT_THAT(find(Kind::path_skew), IsEmpty());
}

}  // namespace
}  // namespace sanscope
