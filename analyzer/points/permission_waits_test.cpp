// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/permission_waits.h"

#include <gtest/gtest.h>

#include "analyzer/points/command_split.h"
#include "analyzer/points/testing/two_points.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::data_out;
using test::everywhere;
using test::ms;
using test::PassingConnection;
using test::pattern;
using test::TwoPoints;

class PermissionWaitsTest : public testing::Test {
  protected:
    PermissionWaitsTest() { connection.log_in(); }

    void initiator(const Bytes& bytes) { send(false, bytes); }
    void target(const Bytes& bytes) { send(true, bytes); }
    void send(bool from_target, const Bytes& bytes) {
        connection.send(from_target, bytes);
        points.now += 2 * ms;
    }
    void permit(uint32_t ttt, uint32_t offset, uint32_t length) {
        target(connection.permission(itt, ttt, offset, length));
    }
    void data(uint32_t ttt, uint32_t offset, uint32_t length, bool final = true) {
        initiator(data_out(itt, ttt, offset, pattern(length), final).bytes());
    }

    // Of the first command. Places are told from the first byte of its request, and of the first answer to it.
    std::vector<std::pair<uint32_t, uint32_t>> waits() {
        target(connection.status(itt));
        const auto engine = points.analysis(false, rows_for_command_split());
        const ResultStore& store = engine->store();
        if (store.commands().size() == 0) {
            ADD_FAILURE() << "no command";
            return {};
        }
        uint32_t first_answer = 0;
        for (const PduRow& pdu : store.pdus()) {
            const auto opcode = static_cast<Opcode>(pdu.opcode);
            if (opcode != Opcode::r2t && opcode != Opcode::scsi_response && opcode != Opcode::scsi_data_in)
                continue;
            first_answer = static_cast<uint32_t>(pdu.bhs_offset);
            break;
        }
        const uint32_t begin = store.command_marks()[0].request_begin;
        PermissionWaits found(store);
        std::vector<std::pair<uint32_t, uint32_t>> all;
        for (const PermissionWait& wait : found.of(1))
            all.emplace_back(wait.permitted_end - begin, wait.r2t_end - first_answer);
        return all;
    }

    using Waits = std::vector<std::pair<uint32_t, uint32_t>>;
    TwoPoints points;
    PassingConnection connection{points};
    const uint32_t itt = 1;
};

TEST_F(PermissionWaitsTest, AReadNeedsNone) {
    initiator(connection.request(itt));
    target(connection.answer(itt));
    EXPECT_EQ(waits(), Waits{});
}

TEST_F(PermissionWaitsTest, AWriteWithAllItsDataNeedsNone) {
    initiator(connection.write(itt, 512).data(pattern(512)).bytes());
    EXPECT_EQ(waits(), Waits{});
}

TEST_F(PermissionWaitsTest, AWriteWithoutDataWaitsForEachR2T) {
    initiator(connection.write(itt, 1024).bytes());
    permit(7, 0, 512);
    data(7, 0, 512);
    permit(8, 512, 512);
    data(8, 512, 512);
    EXPECT_EQ(waits(), (Waits{{48, 48}, {48 + 48 + 512, 96}}));
}

TEST_F(PermissionWaitsTest, UnsolicitedDataComesFirst) {
    initiator(connection.write(itt, 1024).flags(0x20).bytes());
    data(reserved_tag, 0, 256, false);
    data(reserved_tag, 256, 256);
    permit(7, 512, 512);
    data(7, 512, 512);
    EXPECT_EQ(waits(), (Waits{{48 + 2 * (48 + 256), 48}}));
}

// MaxOutstandingR2T: of two that came together the initiator waits for the first only.
TEST_F(PermissionWaitsTest, AnR2TWhileAnotherIsBeingAnsweredIsNoWait) {
    initiator(connection.write(itt, 1024).bytes());
    permit(7, 0, 512);
    permit(8, 512, 512);
    data(7, 0, 512);
    data(8, 512, 512);
    EXPECT_EQ(waits(), (Waits{{48, 48}}));
}

TEST_F(PermissionWaitsTest, ADataSequenceOfSeveralPdusEndsWithItsLast) {
    initiator(connection.write(itt, 1024).bytes());
    permit(7, 0, 512);
    data(7, 0, 256, false);
    permit(8, 512, 512);
    data(7, 256, 256);
    data(8, 512, 512);
    EXPECT_EQ(waits(), (Waits{{48, 48}}));
}

// An R2T for data that were sent before they were asked for: nothing waited for it.
TEST_F(PermissionWaitsTest, AnR2TBehindAllUnsolicitedDataIsAWaitOnlyOnce) {
    initiator(connection.write(itt, 1536).data(pattern(512)).bytes());
    permit(7, 512, 512);
    permit(8, 1024, 512);
    data(7, 512, 512);
    data(8, 1024, 512);
    EXPECT_EQ(waits(), (Waits{{48 + 512, 48}}));
}

TEST_F(PermissionWaitsTest, OfACommandThatThereIsNotThereIsNone) {
    initiator(connection.write(itt, 512).bytes());
    permit(7, 0, 512);
    data(7, 0, 512);
    target(connection.status(itt));
    const auto engine = points.analysis(false, rows_for_command_split());
    PermissionWaits found(engine->store());
    EXPECT_EQ(found.of(1).size(), 1u);
    EXPECT_EQ(found.of(2).size(), 0u);
}

}  // namespace
}  // namespace sanscope
