// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/sending_pauses.h"

#include <gtest/gtest.h>
#include <limits>

#include "analyzer/base/testing/durations.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;

using test::ms;

class Pauses : public testing::Test {
  protected:
    // From its first packet at `begin_ns` to its last.
    void pdu(const PduBuilder& built, int64_t begin_ns, int64_t end_ns) {
        const Bytes bytes = built.bytes();
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = bhs_length;
        pdu.first = {++packet_, begin_ns};
        if (end_ns != begin_ns) ++packet_;
        pdu.last = {packet_, end_ns};
        pauses.on_pdu(pdu, 1, Role::target, store);
    }
    std::vector<PduPause> found() { return store.pdu_pauses().of(1, Role::target); }

    ResultStore store{{}};
    SendingPauses pauses;

  private:
    PacketNumber packet_ = 0;
};

TEST_F(Pauses, within_a_pdu_are_the_senders) {
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1).flags(0x80), 0, 40 * ms);
    ASSERT_EQ(found().size(), 1u);
    EXPECT_EQ(found()[0].first_packet, 1u);
    EXPECT_EQ(found()[0].last_packet, 2u);
    EXPECT_TRUE(store.pdu_pauses().of(2, Role::target).empty());
    EXPECT_TRUE(store.pdu_pauses().of(1, Role::initiator).empty());
}

TEST_F(Pauses, between_a_reads_data_and_its_status_are_the_senders) {
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1).flags(0x80), 0, 0);
    pdu(PduBuilder(Opcode::scsi_response).itt(1).flags(0x80), 40 * ms, 40 * ms);
    EXPECT_EQ(found().size(), 1u);
}

TEST_F(Pauses, between_a_command_and_its_unsolicited_data_are_the_senders) {
    pdu(PduBuilder(Opcode::scsi_command).itt(1).flags(0x20), 0, 0);
    pdu(PduBuilder(Opcode::scsi_data_out).itt(1).ttt(reserved_tag).flags(0x80), 40 * ms, 40 * ms);
    EXPECT_EQ(found().size(), 1u);
    pdu(PduBuilder(Opcode::scsi_command).itt(2).flags(0x20), 50 * ms, 50 * ms);
    pdu(PduBuilder(Opcode::scsi_data_out).itt(2).ttt(7).flags(0x80), 100 * ms, 100 * ms);
    EXPECT_EQ(found().size(), 1u) << "that one waited for an R2T";
}

TEST_F(Pauses, before_another_command_or_other_data_are_the_programs) {
    for (uint32_t i = 0; i < 20; ++i)
        pdu(PduBuilder(Opcode::scsi_command).itt(i).flags(0x80), 40 * ms * i, 40 * ms * i);
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1), 1000 * ms, 1000 * ms);
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1).flags(0x80), 1040 * ms, 1040 * ms);
    pdu(PduBuilder(Opcode::scsi_response).itt(2).flags(0x80), 1080 * ms, 1080 * ms);
    EXPECT_TRUE(found().empty());
}

TEST_F(Pauses, that_are_short_or_of_no_clock_are_none) {
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1).flags(0x80), 0, 20 * ms);
    pdu(PduBuilder(Opcode::scsi_data_in).itt(1).flags(0x80), std::numeric_limits<int64_t>::max(), 0);
    EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace sanscope
