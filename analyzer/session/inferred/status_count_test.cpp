// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/status_count.h"

#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;
using Kind = StatusCount::Group::Kind;

class StatusCountTest : public testing::Test {
  protected:
    StatusCount::Group status(uint32_t stat_sn, uint8_t captured = bhs_length) {
        const Bytes bytes = test::scsi_response(1, 0, stat_sn, 1).bytes();
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = captured;
        ++packet_;
        pdu.last = {packet_, static_cast<int64_t>(packet_) * 100};
        return count_.on_status(pdu);
    }

    StatusCount count_;
    PacketNumber packet_ = 0;
};

bool takes(const PduBuilder& pdu) {
    return takes_stat_sn(Bhs(pdu.bytes().data()));
}

TEST(TakesStatSn, EachStatusAndNoDataNorSolicitation) {
    EXPECT_TRUE(takes(PduBuilder(Opcode::scsi_response)));
    EXPECT_TRUE(takes(PduBuilder(Opcode::reject)));
    EXPECT_TRUE(takes(PduBuilder(Opcode::async_message)));
    EXPECT_FALSE(takes(PduBuilder(Opcode::scsi_data_in)));
    EXPECT_TRUE(takes(PduBuilder(Opcode::scsi_data_in).flags(0x81)));
    EXPECT_TRUE(takes(PduBuilder(Opcode::nop_in).itt(7)));
    EXPECT_FALSE(takes(PduBuilder(Opcode::nop_in).itt(reserved_tag))) << "it bears the next one's";
    EXPECT_FALSE(takes(PduBuilder(Opcode::r2t)));
}

TEST_F(StatusCountTest, NumberBehindSaysHowManyCameUnseen) {
    EXPECT_EQ(status(0xfffffffe).kind, Kind::first);
    EXPECT_EQ(status(0xffffffff).unseen, 0U);
    const StatusCount::Group group = status(3);
    EXPECT_EQ(group.kind, Kind::counted);
    EXPECT_EQ(group.unseen, 3U) << "0, 1 and 2";
    EXPECT_EQ(group.from.packet, 2U);
    EXPECT_EQ(count_.statuses(), 6U);
}

TEST_F(StatusCountTest, SeenWithoutItsNumberIsNotUnseen) {
    status(10);
    EXPECT_EQ(status(11, 24).kind, Kind::unnumbered);
    const StatusCount::Group group = status(14);
    EXPECT_EQ(group.unseen, 2U) << "of 11, 12 and 13 one was seen";
    EXPECT_EQ(group.from.packet, 1U);
    EXPECT_EQ(count_.statuses(), 5U);
}

TEST_F(StatusCountTest, NoMoreStatusesThanTheNumberAdvancedBy) {
    EXPECT_TRUE(count_.in_number(Serial32(77))) << "nothing is known";
    status(10);
    EXPECT_FALSE(count_.in_number(Serial32(10)));
    EXPECT_TRUE(count_.in_number(Serial32(11)));
    status(0, 24);
    EXPECT_FALSE(count_.in_number(Serial32(11)));
    EXPECT_TRUE(count_.in_number(Serial32(12)));
    EXPECT_FALSE(count_.in_number(Serial32(10 + (1 << 16) + 1))) << "too far for a gap";
}

TEST_F(StatusCountTest, NumberThatLeadsNowhereBeginsAnew) {
    status(10);
    EXPECT_EQ(status(9).kind, Kind::out_of_number);
    EXPECT_EQ(count_.statuses(), 2U);
    EXPECT_EQ(status(11).unseen, 1U);
}

}  // namespace
}  // namespace sanscope
