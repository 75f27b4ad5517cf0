// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/report/testing/made_up_capture.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::MadeUpCapture;
using test::ms;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint16_t test_unit_ready = 0x00;
constexpr uint16_t inquiry = 0x12;

TEST_F(Findings, statuses_are_told_by_kind_with_the_first_of_each) {
    add_failed(0x00, 2, 6, 0x29, 0);
    const uint64_t first = add_failed(read_16, 2, 3, 0x11, 0);
    add_failed(read_16, 2, 3, 0x11, 0);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].severity, Finding::Severity::problem);
    EXPECT_THAT(found[0].title, HasSubstr("2 commands: CHECK CONDITION, MEDIUM ERROR"));
    EXPECT_EQ(found[0].command, first);
    EXPECT_EQ(found[1].severity, Finding::Severity::information);
    EXPECT_THAT(found[1].title, HasSubstr("UNIT ATTENTION"));
}

TEST_F(Findings, a_target_that_is_full_is_told) {
    add_failed(read_16, 0x28);
    EXPECT_THAT(find_one(Kind::target_queue_full).title, HasSubstr("turned 1 command away as TASK SET FULL"));
    EXPECT_TRUE(find(Kind::command_status).empty());
}

// Statuses and sense data that healthy hosts make: COMPARE AND WRITE of a lock that another has, PRE-FETCH, reservations that a
// cluster's hosts ask about.
TEST_F(Findings, what_a_healthy_cluster_shows_is_no_trouble) {
    add_failed(0x89, 2, 0xe, 0x1d, 0);
    add_failed(0x34, 4);
    add_failed(0x00, 0x18);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 3u);
    for (const Finding& finding : found)
        EXPECT_EQ(finding.severity, Finding::Severity::information) << finding.title;
}

TEST_F(Findings, a_read_that_a_reservation_refuses_is_a_problem) {
    add_failed(read_16, 0x18);
    EXPECT_EQ(find_one(Kind::command_status).severity, Finding::Severity::problem);
}

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

// That they were turned away is the doing of the first; CLEAR ACA ends it.
TEST_F(Statuses, of_commands_that_an_aca_turns_away_name_the_one_before) {
    add_sense(read_16, sense_key::medium_error, 0x11, 0);
    add_failed(read_16, scsi_status::aca_active);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1].severity, Severity::notice);
    EXPECT_THAT(found[1].explanation, HasSubstr("for an earlier command"));
}

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
        forget_all();
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

// That the first found none under way says nothing of the others.
TEST_F(Statuses, of_a_full_target_behind_a_deep_queue_do_not_say_that_little_was_asked_for) {
    add_failed(read_16, scsi_status::task_set_full);
    EXPECT_THAT(find_one(Kind::target_queue_full).explanation, HasSubstr("asked for little"));
    for (int64_t i = 0; i < 31; ++i) add_read(100 * ms + i * ms / 100, 100 * ms);
    now_ns = 140 * ms;
    add_failed(read_16, scsi_status::task_set_full);
    const Finding finding = find_one(Kind::target_queue_full);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("asked for little")));
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("found 0 other commands of its session under way, others up to 31")));
}

// SAM-5 §5.3.1: BUSY is for whatever reason; and a session with one command under way has no queue to shorten.
TEST_F(Statuses, busy_of_one_command_at_a_time_do_not_say_that_its_queue_is_full) {
    add_failed(scsi_op::read_16, scsi_status::busy);
    const Finding finding = find_one(Kind::target_queue_full);
    EXPECT_THAT(finding.explanation, AllOf(Not(HasSubstr("It has as many commands under way")),
                                           HasSubstr("had asked for little")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("found 0 other commands")));
}

}  // namespace
}  // namespace sanscope
