// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/testing/made_up_capture.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

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
using Severity = Finding::Severity;
using Confidence = Finding::Confidence;

constexpr uint16_t test_unit_ready = 0x00;
constexpr uint16_t inquiry = 0x12;

class Statuses : public testing::Test, protected MadeUpCapture {
  protected:
    Statuses() { add_connection(); }

    uint64_t add_failed(uint16_t opcode, uint16_t status, uint64_t lun = 0,
                        uint32_t depth = unknown<uint32_t>) {
        return add_command(
            now_ns += 10 * ms, ms,
            {.lun = lun, .name = "A COMMAND", .queue_depth = depth, .opcode = opcode, .status = status});
    }
    uint64_t add_sense(uint16_t opcode, uint8_t key, uint16_t asc, uint16_t ascq, uint64_t lun = 0) {
        return add_command(now_ns += 10 * ms, ms,
                           {.lun = lun,
                            .name = "A COMMAND",
                            .opcode = opcode,
                            .status = scsi_status::check_condition,
                            .sense_key = key,
                            .asc = asc,
                            .ascq = ascq});
    }

    int64_t now_ns = 0;
};

// A host of a cluster that first asks, and then writes to a unit that another has reserved.
TEST_F(Statuses, of_a_write_that_a_reservation_refuses_behind_an_inquiry_are_a_problem) {
    add_failed(test_unit_ready, scsi_status::reservation_conflict);
    const uint64_t write = add_failed(scsi_op::write_16, scsi_status::reservation_conflict);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.command, write);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("No read or write was refused")));
    // A reservation is of an I_T nexus: a host that registered on one path alone is refused on the others.
    EXPECT_THAT(finding.explanation, HasSubstr("another path of this one"));
}

TEST_F(Statuses, of_a_read_that_the_target_cannot_do_behind_a_question_are_a_problem) {
    add_sense(inquiry, sense_key::illegal_request, 0x21, 0);
    const uint64_t read = add_sense(scsi_op::read_16, sense_key::illegal_request, 0x21, 0);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.command, read);
    EXPECT_THAT(finding.explanation, HasSubstr("right size"));
}

TEST_F(Statuses, of_illegal_requests_ask_for_the_size_only_beyond_the_last_block) {
    add_sense(scsi_op::write_16, sense_key::illegal_request, 0x24, 0);
    EXPECT_THAT(find_one(Kind::command_status).explanation, Not(HasSubstr("size")));
}

TEST_F(Statuses, of_a_lun_that_is_gone_say_so) {
    add_sense(scsi_op::write_16, sense_key::illegal_request, 0x25, 0);
    EXPECT_THAT(find_one(Kind::command_status).explanation,
                AllOf(HasSubstr("a LUN that the target does not have"), Not(HasSubstr("size"))));
}

TEST_F(Statuses, of_several_logical_units_name_none) {
    for (const uint64_t lun : {uint64_t{1}, uint64_t{2}, uint64_t{2}})
        add_sense(scsi_op::read_16, sense_key::medium_error, 0x11, 0, lun);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_THAT(finding.title, HasSubstr("3 commands on several LUNs: CHECK CONDITION"));
    EXPECT_EQ(finding.lun, unknown<uint64_t>);
}

// SPC-4 §5.13: its own key is wrong; nobody need have reserved anything.
TEST_F(Statuses, of_a_reservation_asked_for_with_a_wrong_key_accuse_no_other_initiator) {
    constexpr uint16_t persistent_reserve_out = 0x5f;
    add_failed(persistent_reserve_out, scsi_status::reservation_conflict);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("its key is not the one"), Not(HasSubstr("is reserved, and not for this"))));
    EXPECT_THAT(finding.evidence, Not(Contains(HasSubstr("reservation is of another"))));
}

TEST_F(Statuses, of_an_unmap_beyond_the_last_block_are_no_question_of_what_a_target_can_do) {
    add_sense(scsi_op::unmap, sense_key::illegal_request, 0x21, 0);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("right size"), Not(HasSubstr("find out what"))));
}

TEST_F(Statuses, that_say_busy_do_not_say_who_fills_the_target) {
    add_failed(scsi_op::write_16, scsi_status::busy, 0, 1);
    EXPECT_THAT(find_one(Kind::target_queue_full).explanation, Not(HasSubstr("comes from others")));
}

TEST_F(Statuses, that_are_none_since_the_target_failed_are_a_problem) {
    for (int i = 0; i < 2; ++i)
        add_command(now_ns += 10 * ms, ms,
                    {.name = "WRITE(16)", .opcode = scsi_op::write_16, .iscsi_response = 1});
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.title, HasSubstr("2 commands on LUN 0: target failure (iSCSI response 0x01)"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("without a SCSI status"), HasSubstr("is not known")));
    EXPECT_THAT(find(Kind::nothing_wrong), IsEmpty());
}

TEST_F(Statuses, that_a_vendor_defined_are_not_explained) {
    add_command(now_ns += 10 * ms, ms,
                {.name = "READ(16)", .opcode = scsi_op::read_16, .iscsi_response = 0x85});
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.title, HasSubstr("vendor-specific response (iSCSI response 0x85)"));
}

// SPC-4 §4.5.7: a write that was answered out of a cache, and failed later.
TEST_F(Statuses, of_an_earlier_command_do_not_accuse_the_one_that_brings_them) {
    add_command(now_ns += 10 * ms, ms,
                {.name = "READ(16)",
                 .opcode = scsi_op::read_16,
                 .status = scsi_status::check_condition,
                 .sense_key = sense_key::medium_error,
                 .asc = 0x0c,
                 .ascq = 0,
                 .sense_deferred = true});
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("CHECK CONDITION, deferred MEDIUM ERROR"));
    EXPECT_THAT(finding.explanation, HasSubstr("an earlier command failed"));
}

// SSC-4 §4.2: how a tape tells the end of a file, its own, and a block of another length.
TEST_F(Statuses, of_no_sense_are_no_errors) {
    const auto told = [&](uint8_t bits) {
        store = ResultStore{{}};
        add_connection();
        add_command(now_ns += 10 * ms, ms,
                    {.name = "READ(6)",
                     .opcode = scsi_op::read_6,
                     .status = scsi_status::check_condition,
                     .sense_key = sense_key::no_sense,
                     .asc = 0,
                     .ascq = 0,
                     .sense_bits = bits});
        const Finding finding = find_one(Kind::command_status);
        EXPECT_EQ(finding.severity, Severity::information);
        EXPECT_THAT(finding.explanation, Not(HasSubstr("could not do")));
        return finding;
    };
    EXPECT_THAT(told(sense_bit::filemark).title, HasSubstr("NO SENSE, FILEMARK"));
    EXPECT_THAT(told(sense_bit::filemark).explanation, HasSubstr("end of a file"));
    EXPECT_THAT(told(sense_bit::end_of_medium).title, HasSubstr("NO SENSE, EOM"));
    EXPECT_THAT(told(sense_bit::incorrect_length).explanation, HasSubstr("another length"));
    EXPECT_THAT(told(0).explanation, HasSubstr("names no error"));
}

TEST_F(Statuses, of_an_earlier_command_that_was_illegal_do_not_ask_for_the_size) {
    add_command(now_ns += 10 * ms, ms,
                {.name = "READ(16)",
                 .opcode = scsi_op::read_16,
                 .status = scsi_status::check_condition,
                 .sense_key = sense_key::illegal_request,
                 .asc = 0x21,
                 .ascq = 0,
                 .sense_deferred = true});
    EXPECT_THAT(find_one(Kind::command_status).explanation, Not(HasSubstr("size")));
}

// SBC-3 §4.7.3.6: a pool without space, which no switch for write protection mends.
TEST_F(Statuses, of_a_pool_without_space_are_not_called_write_protection) {
    add_sense(scsi_op::write_16, sense_key::data_protect, 0x27, 7);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("no space left"), Not(HasSubstr("protected against writing"))));
}

TEST_F(Statuses, of_a_pool_that_runs_short_are_told_before_writes_fail) {
    add_sense(test_unit_ready, sense_key::unit_attention, 0x38, 7);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.explanation, HasSubstr("runs short"));
}

TEST_F(Statuses, of_unit_attention_once_for_each_logical_unit_are_usual) {
    for (const uint64_t lun : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{4}})
        add_sense(test_unit_ready, sense_key::unit_attention, 0x29, 0, lun);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("usual behind a login"));
}

// Hosts that reset a logical unit in turn, or a target that restarts.
TEST_F(Statuses, of_resets_that_come_again_and_again_are_not_usual) {
    for (int i = 0; i < 12; ++i) add_sense(scsi_op::read_16, sense_key::unit_attention, 0x29, 0);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("again and again"), Not(HasSubstr("usual"))));
}

TEST_F(Statuses, of_a_capacity_that_changes_all_the_time_are_not_usual) {
    for (int i = 0; i < 12; ++i) add_sense(scsi_op::read_16, sense_key::unit_attention, 0x2a, 9);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("again and again"), Not(HasSubstr("reset"))));
}

// What smartctl asks for: ATA PASS-THROUGH answers with its registers so (SAT-3 §12.2.5).
TEST_F(Statuses, that_bring_registers_as_recovered_error_are_no_sign_of_failing_media) {
    add_sense(0x85, sense_key::recovered_error, 0, 0x1d);
    const Finding finding = find_one(Kind::command_status);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("failing")));
}

TEST_F(Statuses, of_data_recovered_by_the_device_are_a_sign_of_failing_media) {
    add_sense(scsi_op::read_16, sense_key::recovered_error, 0x17, 1);
    EXPECT_EQ(find_one(Kind::command_status).severity, Severity::notice);
    EXPECT_THAT(find_one(Kind::command_status).explanation, HasSubstr("failing media"));
}

// SAM-5 §5.3.1: BUSY is for whatever reason; and a session with one command under way has no queue to shorten.
TEST_F(Statuses, busy_of_one_command_at_a_time_do_not_say_that_its_queue_is_full) {
    add_failed(scsi_op::read_16, scsi_status::busy);
    const Finding finding = find_one(Kind::target_queue_full);
    EXPECT_THAT(finding.explanation, AllOf(Not(HasSubstr("It has as many commands under way")),
                                           HasSubstr("had asked for little")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("found 0 other commands")));
}

class SlowCommands : public testing::Test, protected MadeUpCapture {
  protected:
    SlowCommands() { add_connection(); }

    // A read each 10 ms that takes 1 ms, on LUN 0.
    void add_usual(int64_t count = 1000) {
        for (int64_t i = 0; i < count; ++i) add_read(i * 10 * ms, ms);
    }
};

// A disk beside flash: what its reads usually take, each of them takes.
TEST_F(SlowCommands, are_not_those_of_a_logical_unit_that_is_slower_than_another) {
    add_usual();
    for (int64_t i = 0; i < 100; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    EXPECT_THAT(find(Kind::slow_commands), IsEmpty());
}

TEST_F(SlowCommands, of_a_slower_logical_unit_are_held_against_its_own) {
    add_usual();
    for (int64_t i = 0; i < 100; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    const uint64_t slow = add_read(20 * second, 400 * ms, 1);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.command, slow);
    EXPECT_THAT(finding.title, HasSubstr("1 of 1101 commands"));
    EXPECT_THAT(finding.explanation, HasSubstr("usually takes 40"));
}

TEST_F(SlowCommands, of_few_on_a_unit_that_all_take_as_long_are_none) {
    add_usual();
    for (int64_t i = 0; i < 10; ++i) add_read(10 * second + i * 50 * ms, 40 * ms, 1);
    EXPECT_THAT(find(Kind::slow_commands), IsEmpty());
}

TEST_F(SlowCommands, on_several_logical_units_name_none) {
    for (const uint64_t lun : {uint64_t{0}, uint64_t{1}}) {
        for (int64_t i = 0; i < 100; ++i) add_read(i * 10 * ms, ms, lun);
        add_read(2 * second, lun == 0 ? 100 * ms : 50 * ms, lun);
    }
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.title, AllOf(HasSubstr("2 of 202 commands took"), Not(HasSubstr("LUN"))));
}

TEST_F(SlowCommands, one_at_a_time_wait_behind_no_other) {
    add_usual();
    add_read(20 * second, 50 * ms);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("the capture does not tell"), Not(HasSubstr("behind other"))));
}

// Beyond the cut of its packets a command may have been answered at once: the connection was not busy for the rest of its life.
TEST_F(SlowCommands, of_which_nobody_knows_the_end_keep_no_connection_busy) {
    add_usual(10);
    CommandRow cut{.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16};
    cut.outcome = Outcome::unknown;
    add_command(second, 0, cut);
    store.finish();
    const std::function<void()> between;
    const CommandFacts facts = find_command_facts(store, true, Stop(nullptr, between));
    ASSERT_EQ(facts.busy.size(), 1u);
    EXPECT_EQ(facts.busy[0].total_ns(), 10 * ms);
}

class Unanswered : public testing::Test, protected MadeUpCapture {
  protected:
    Unanswered() : row(add_connection()) {
        for (int64_t i = 0; i < 10; ++i) add_read(i * 10 * ms, 5 * ms);
    }
    CommandRow read() const { return {.bytes = 4096, .name = "READ(16)", .opcode = scsi_op::read_16}; }
    // All that was sent until then is acknowledged.
    void acknowledge(int64_t time_ns) { row.out.acknowledged_ns = time_ns; }
    void lose_answer_at(int64_t time_ns) {
        store.add_loss(store.add_sender(1, sanscope::Side::b), {.packet = packet_at(time_ns),
                                                                .time_ns = time_ns,
                                                                .connection = 1,
                                                                .length = 48,
                                                                .kind = LossKind::not_captured,
                                                                .sender = sanscope::Side::b});
    }

    ConnectionRow& row;
};

// A load whose last answer the tap dropped, and silence behind it: nothing shows that the connection went on.
TEST_F(Unanswered, whose_answer_may_be_what_the_tap_dropped_are_not_held_against_the_target) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("hang or die"));
    lose_answer_at(second + 5 * ms);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Confidence::possible);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("may have been among them"), Not(HasSubstr("hang or die"))));
}

TEST_F(Unanswered, behind_what_the_tap_dropped_are_told_as_ever) {
    lose_answer_at(500 * ms);
    add_command(second, 0, read());
    acknowledge(second + ms);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
}

// A capture that loses a connection amid its data: TCP would send again, and the initiator what it was asked for.
TEST_F(Unanswered, of_a_connection_that_breaks_off_are_not_held_against_the_target) {
    const uint64_t write =
        add_command(second, 0, {.bytes = 524288, .name = "WRITE(16)", .r2ts = 2, .opcode = 0x8a});
    acknowledge(second + ms);
    row.end_ns = second + 50 * ms;
    EXPECT_THAT(find_one(Kind::unanswered_commands).explanation, HasSubstr("hang or die"));
    store.command_marks(static_cast<uint32_t>(write)).grants = 1;
    const Finding owed = find_one(Kind::unanswered_commands);
    EXPECT_EQ(owed.severity, Severity::notice);
    EXPECT_EQ(owed.confidence, Confidence::possible);
    EXPECT_EQ(owed.side, Finding::Side::none);
    EXPECT_THAT(owed.explanation,
                AllOf(HasSubstr("lost to the capture"), Not(HasSubstr("Look at the target"))));
    EXPECT_THAT(owed.evidence, Contains(HasSubstr("asked for data")));
    store.command_marks(static_cast<uint32_t>(write)).grants = 0;
    row.in.unacknowledged = 1448;
    EXPECT_THAT(find_one(Kind::unanswered_commands).evidence, Contains(HasSubstr("not sent again")));
    row.end_ns = totals.last_ns;
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Severity::problem);
}

// A benchmark whose time is over closes its connection under its commands.
TEST_F(Unanswered, of_an_initiator_that_closes_at_once_are_not_the_targets) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    row.out.fin = true;
    row.out.fin_ns = second + 2 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_NE(finding.severity, Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("waited 2.00 ms"), Not(HasSubstr("hang or die"))));
}

// A target that stood still for seconds answered one of two.
TEST_F(Unanswered,
       of_an_initiator_that_waited_for_seconds_are_not_its_own_though_another_answer_took_as_long) {
    add_read(second, 6 * second);
    add_command(second, 0, read());
    row.out.fin = true;
    row.out.fin_ns = 10 * second;
    EXPECT_NE(find_one(Kind::unanswered_commands).side, Finding::Side::initiator);
}

TEST_F(Unanswered, of_a_target_that_resets_at_once_did_not_wait_for_a_process_that_hangs) {
    add_command(second, 0, read());
    acknowledge(second + ms);
    row.in.reset = true;
    row.in.reset_ns = second + 2 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("ended the connection under its commands"), Not(HasSubstr("hang or die"))));
}

TEST_F(Unanswered, until_the_target_closed_end_there_though_the_initiator_closes_too) {
    add_command(second, 0, read());
    row.in.fin = row.out.fin = true;
    row.in.fin_ns = 3 * second;
    row.out.fin_ns = 4 * second;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.explanation, HasSubstr("waited 2.00 s for its answer, until the target closed"));
}

// One command of a logical unit that stands, while the target serves others.
TEST_F(Unanswered, beside_others_that_are_answered_do_not_make_the_targets_process_dead) {
    add_command(second, 0, read());
    for (int64_t i = 0; i < 10; ++i) add_read(2 * second + i * 10 * ms, 5 * ms);
    acknowledge(3 * second);
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("it went on"), Not(HasSubstr("hang or die"))));
}

// SBC-3 §5.3: minutes and hours are what it takes.
TEST_F(Unanswered, that_take_minutes_by_nature_may_be_under_way_at_the_end) {
    constexpr uint16_t write_same = 0x93;
    add_command(second, 0, {.name = "WRITE SAME(16)", .opcode = write_same});
    EXPECT_THAT(find(Kind::unanswered_commands), IsEmpty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

TEST_F(Unanswered, of_several_logical_units_name_none) {
    for (const uint64_t lun : {uint64_t{1}, uint64_t{2}}) {
        CommandRow on_lun = read();
        on_lun.lun = lun;
        add_command(second, 0, on_lun);
    }
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.title, "2 commands not answered before the capture ends");
    EXPECT_EQ(finding.lun, unknown<uint64_t>);
}

}  // namespace
}  // namespace sanscope
