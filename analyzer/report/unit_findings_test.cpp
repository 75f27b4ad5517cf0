// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"
#include "analyzer/scsi/sense_keys.h"

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
using Severity = Finding::Severity;

constexpr uint16_t unmap = 0x42;
constexpr uint16_t compare_and_write = 0x89;

// A read each 10 ms for 10 s, and now and then an UNMAP of half a second.
class LongCommands : public testing::Test, protected MadeUpCapture {
  protected:
    LongCommands() { add_connection(); }

    bool during(int64_t time_ns) const {
        for (const int64_t begin_ns : begun) {
            if (time_ns >= begin_ns && time_ns < begin_ns + 500 * ms) return true;
        }
        return false;
    }
    // What a read at that time takes.
    template <class Took>
    void load(Took took, uint64_t lun = 0) {
        for (int64_t i = 0; i < 1000; ++i) add_read(i * 10 * ms, took(i * 10 * ms), lun);
    }
    void add_unmaps(std::initializer_list<int64_t> times_ns, int64_t took_ns = 500 * ms) {
        for (const int64_t time_ns : times_ns) {
            add_command(time_ns, took_ns, {.lun = 0, .name = "UNMAP", .opcode = unmap});
            begun.push_back(time_ns);
        }
    }

    std::vector<int64_t> begun;
};

TEST_F(LongCommands, during_which_reads_stand_still_are_told) {
    add_unmaps({second, 3 * second, 6 * second});
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; });
    const Finding finding = find_one(Kind::stalling_command);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("LUN 0 stands still while UNMAP is under way"),
                                     HasSubstr("otherwise 1.00 ms")));
    EXPECT_THAT(finding.explanation, HasSubstr("fstrim"));
    EXPECT_EQ(finding.lun, 0u);
}

TEST_F(LongCommands, are_in_doubt_where_the_clock_was_set_back) {
    add_unmaps({second, 3 * second, 6 * second});
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; });
    issues.add(Issue::times_set_back, 701);
    EXPECT_EQ(find_one(Kind::stalling_command).severity, Severity::information);
}

// Served meanwhile, if later than otherwise.
TEST_F(LongCommands, during_which_reads_are_served_late_do_not_make_the_unit_stand_still) {
    add_unmaps({second, 3 * second, 6 * second});
    load([&](int64_t time_ns) { return during(time_ns) ? 20 * ms : ms; });
    EXPECT_THAT(find_one(Kind::stalling_command).title, HasSubstr("LUN 0 is slow while UNMAP is under way"));
}

// Data outstanding, nothing sent again, and silence: a host, the path or the capture's clock stood still.
TEST_F(LongCommands, during_which_all_stood_still_are_not_to_blame) {
    add_unmaps({second, 3 * second, 6 * second});
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; });
    SenderSummary& target = store.add_sender(1, Side::b);
    const auto add = [&](int64_t time_ns, uint32_t una, uint32_t next) {
        WindowRow row{.packet = packet_at(time_ns), .time_ns = time_ns, .srtt_ns = ms};
        row.connection = 1;
        row.snd_una = una;
        row.snd_nxt = next;
        row.limit = SendLimit::application;
        store.add_window(target, row);
    };
    uint32_t seq = 1;
    add(0, seq, seq);
    for (const int64_t begin_ns : begun) {
        add(begin_ns, seq, seq + 8);
        seq += 8;
        add(begin_ns + 500 * ms, seq, seq);
    }
    add(10 * second, seq, seq);
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

TEST_F(LongCommands, that_did_it_once_are_possible_alone) {
    add_unmaps({3 * second});
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; });
    const Finding finding = find_one(Kind::stalling_command);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(LongCommands, during_which_reads_go_on_are_well) {
    add_unmaps({second, 3 * second, 6 * second});
    load([](int64_t) { return ms; });
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

// Without the long commands it is as slow as often.
TEST_F(LongCommands, on_a_unit_that_is_slow_now_and_then_are_not_to_blame) {
    add_unmaps({second, 3 * second, 6 * second});
    load([&](int64_t time_ns) { return during(time_ns) || time_ns % second < 200 * ms ? 200 * ms : ms; });
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

// A target that stands still holds up whatever is under way; most of those commands held up nothing.
TEST_F(LongCommands, that_a_pause_of_the_target_held_up_are_not_to_blame) {
    const auto pauses = [](int64_t time_ns) { return time_ns / second == 4; };
    for (int64_t i = 0; i < 100; ++i) {
        const int64_t begin_ns = i * 100 * ms;
        const int64_t took_ns = pauses(begin_ns) ? 5 * second - begin_ns : 20 * ms;
        add_command(begin_ns, took_ns, {.lun = 0, .name = "COMPARE AND WRITE", .opcode = compare_and_write});
    }
    load([&](int64_t time_ns) { return pauses(time_ns) ? 5 * second - time_ns : ms; });
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

TEST_F(LongCommands, stall_their_own_unit_alone) {
    add_unmaps({second, 3 * second, 6 * second});
    load([](int64_t) { return ms; }, 0);
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; }, 1);
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

// A target may give each of its initiators logical units of their own by the same LUN.
TEST_F(LongCommands, stall_no_unit_of_another_initiator) {
    add_unmaps({second, 3 * second, 6 * second});
    store.session(1).initiator_name = "iqn.another";
    add_connection();
    load([&](int64_t time_ns) { return during(time_ns) ? 200 * ms : ms; });
    EXPECT_EQ(find_one(Kind::stalling_command).confidence, Finding::Confidence::possible);
    store.add_unit_name(1, 0, "3:6001");
    EXPECT_EQ(find_one(Kind::stalling_command).confidence, Finding::Confidence::likely);
    store.add_unit_name(2, 0, "3:6002");
    EXPECT_THAT(find(Kind::stalling_command), IsEmpty());
}

class Locks : public testing::Test, protected MadeUpCapture {
  protected:
    Locks() { add_connection(); }
    void add_locks(int64_t all, int64_t missed, uint16_t asc = 0x1d) {
        for (int64_t i = 0; i < all; ++i) {
            CommandRow row{.lun = 0, .name = "COMPARE AND WRITE", .opcode = compare_and_write};
            if (i < missed) {
                row.status = 2;
                row.sense_key = sense_key::miscompare;
                row.asc = asc;
                row.ascq = 0;
            }
            add_command(i * 10 * ms, ms, row);
        }
    }
};

TEST_F(Locks, that_others_hold_again_and_again_are_contention) {
    add_locks(20, 8);
    const Finding finding = find_one(Kind::lock_contention);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.title, HasSubstr("8 of 20 COMPARE AND WRITE on LUN 0"));
}

TEST_F(Locks, that_another_holds_now_and_then_are_as_they_should_be) {
    add_locks(100, 5);
    EXPECT_THAT(find(Kind::lock_contention), IsEmpty());
}

TEST_F(Locks, are_not_what_fails_otherwise) {
    add_locks(20, 8, 0x11);
    EXPECT_THAT(find(Kind::lock_contention), IsEmpty());
}

// Reads of 32 KiB over a path of 1 ms.
class Pieces : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr uint64_t blocks = 64;

    Pieces() { add_connection(); }
    void add_piece(uint64_t of_blocks = blocks) {
        add_command(now_ns, 1500'000,
                    {.lun = 0,
                     .lba = lba,
                     .bytes = of_blocks * 512,
                     .blocks = of_blocks,
                     .name = "READ(16)",
                     .opcode = scsi_op::read_16});
        lba += of_blocks;
        now_ns += 1500'000 + 20'000;
    }

    uint64_t lba = 0;
    int64_t now_ns = 0;
};

TEST_F(Pieces, as_many_in_each_run_and_a_smaller_one_at_its_end_are_split_by_a_layer) {
    for (int run = 0; run < 20; ++run) {
        for (int i = 0; i < 15; ++i) add_piece();
        add_piece(40);
    }
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.title, HasSubstr("Requests on LUN 0 come in 16 reads of at most 32 KiB"));
    // 300 of 320 round trips of 1 ms, and what is between.
    EXPECT_NEAR(static_cast<double>(finding.cost_ns), 306e6, 1e6);
    EXPECT_THAT(finding.explanation, HasSubstr("up to 306 ms of")) << "part of it may be the program's own";
}

TEST_F(Pieces, as_many_in_each_run_elsewhere_may_be_the_applications) {
    for (uint64_t run = 0; run < 20; ++run) {
        lba = run * 7919 % 100 * 100'000;
        for (int i = 0; i < 8; ++i) add_piece();
    }
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.title, HasSubstr("come in 8 reads"));
}

// 1 MiB in pieces, three seconds apart: too few to tell a layer that splits from a program that reads so.
TEST_F(Pieces, that_are_few_but_come_in_runs_alike_are_information_that_blames_nobody) {
    for (uint64_t run = 0; run < 5; ++run) {
        lba = run * 1'000'000;
        for (int i = 0; i < 16; ++i) add_piece();
        now_ns += 3 * second;
    }
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.title, HasSubstr("Contiguous reads of 32 KiB"));
    EXPECT_THAT(finding.explanation, HasSubstr("do not tell whether the application asks for that size"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("5 runs, 5 of them of 16 pieces")));
}

// Several programs that read where the last one stopped, one command at a time each and with pauses: now and then two follow each
// other at once.
TEST_F(Pieces, that_often_come_alone_are_no_requests_of_two) {
    for (int run = 0; run < 120; ++run) {
        for (int i = 0; i < 2; ++i) add_piece();
        now_ns += 3'000'000;
        add_piece();
        now_ns += 3'000'000;
    }
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.title, HasSubstr("Contiguous reads of 32 KiB"));
}

// 20 requests of 232 blocks: however few, next to nothing but a layer goes on behind smaller pieces each time.
TEST_F(Pieces, that_are_few_but_go_on_behind_smaller_ones_each_time_are_split_by_a_layer) {
    for (int run = 0; run < 20; ++run) {
        for (int i = 0; i < 3; ++i) add_piece();
        add_piece(40);
    }
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.title, HasSubstr("come in 4 reads of at most 32 KiB"));
}

TEST_F(Pieces, that_are_few_and_in_runs_of_any_length_are_none) {
    for (uint64_t run = 0; run < 8; ++run) {
        lba = run * 1'000'000;
        for (uint64_t i = 0; i < 4 + 2 * run; ++i) add_piece();
        now_ns += 3 * second;
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, of_one_run_alone_are_none) {
    for (int i = 0; i < 60; ++i) add_piece();
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

// A program that looks at a record here and at the next one there.
TEST_F(Pieces, in_short_runs_are_none) {
    for (uint64_t run = 0; run < 30; ++run) {
        lba = run * 1'000'000;
        for (int i = 0; i < 3; ++i) add_piece();
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, of_a_plain_sequential_reader_are_information) {
    for (int i = 0; i < 300; ++i) add_piece();
    const Finding finding = find_one(Kind::split_requests);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("do not tell whether the application asks for that size"));
}

TEST_F(Pieces, that_are_under_way_together_are_read_ahead) {
    for (int i = 0; i < 300; ++i) {
        add_piece();
        now_ns -= 1000'000;
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

// Two at a time: each pair is sent when the one before was answered.
TEST_F(Pieces, in_pairs_are_read_ahead) {
    for (int i = 0; i < 150; ++i) {
        const int64_t begin_ns = now_ns;
        add_piece();
        now_ns = begin_ns + 10'000;
        add_piece();
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

// At the target's end, answers that the initiator cannot have yet.
TEST_F(Pieces, sooner_than_a_round_trip_behind_an_answer_are_read_ahead) {
    store.connection(1).vantage = Vantage::target;
    for (int i = 0; i < 300; ++i) {
        add_piece();
        now_ns += i % 2 == 0 ? 0 : 1'100'000;
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, a_round_trip_apart_at_the_target_wait_for_each_other) {
    store.connection(1).vantage = Vantage::target;
    for (int i = 0; i < 300; ++i) {
        add_piece();
        now_ns += 1'050'000;
    }
    EXPECT_EQ(find(Kind::split_requests).size(), 1u);
}

TEST_F(Pieces, captured_nobody_knows_where_are_none) {
    store.connection(1).vantage = Vantage::unknown;
    for (int i = 0; i < 300; ++i) add_piece();
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, at_random_places_are_none) {
    for (uint64_t i = 0; i < 300; ++i) {
        lba = i * 7919 % 300 * 1000;
        add_piece();
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, over_a_short_path_cost_nothing) {
    store.connection(1).rtt_min_ns = 50'000;
    for (int i = 0; i < 300; ++i) add_piece();
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, that_the_program_waits_between_are_none) {
    for (int i = 0; i < 300; ++i) {
        add_piece();
        now_ns += 20 * ms;
    }
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

TEST_F(Pieces, smaller_than_what_the_session_asks_for_are_none) {
    for (int i = 0; i < 300; ++i) add_piece();
    lba = 10'000'000;
    add_piece(256);
    EXPECT_THAT(find(Kind::split_requests), IsEmpty());
}

}  // namespace
}  // namespace sanscope
