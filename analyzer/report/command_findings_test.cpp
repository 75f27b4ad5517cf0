// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using Side = Finding::Side;
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

}  // namespace
}  // namespace sanscope
