// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/session/iscsi_connection.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Moves;
using test::pattern;
using test::PduBuilder;

// A connection in the full feature phase; each call is a packet, a millisecond after the one before unless it says when.
class RareEvents : public testing::Test {
  protected:
    RareEvents() {
        uint32_t number = 0;
        store.add_connection(number);
        command(1);
        send(true, test::scsi_response(1, 0, 1, 2).bytes());
    }

    void send(bool from_target, const Bytes& bytes, uint32_t captured = UINT32_MAX) {
        StreamPiece piece;
        piece.data = bytes.data();
        piece.captured = std::min<uint32_t>(captured, static_cast<uint32_t>(bytes.size()));
        piece.length = static_cast<uint32_t>(bytes.size());
        piece.offset = offsets_[from_target ? 1 : 0];
        piece.carried = piece.delivered = {++packets, now_ns += ms};
        offsets_[from_target ? 1 : 0] += bytes.size();
        connection.consume(from_target, piece);
    }
    void command(uint32_t itt) {
        send(false,
             test::scsi_command(itt, itt, Moves::in, 4096, test::read_10(0, 8)).exp_stat_sn(itt).bytes());
    }
    void finish() {
        connection.finish();
        sessions.finish();
    }

    static constexpr int64_t ms = 1'000'000;
    ResultStore store{{}};
    Issues issues;
    SessionTracker sessions{store};
    IscsiConnection connection{1, sessions, store, issues};
    PacketNumber packets = 0;
    int64_t now_ns = 0;

  private:
    uint64_t offsets_[2] = {0, 0};
};

TEST_F(RareEvents, a_ping_without_an_answer_is_kept_with_what_came_meanwhile) {
    send(false, PduBuilder(Opcode::nop_out).itt(7).ttt(reserved_tag).cmd_sn(2).exp_stat_sn(2).bytes());
    const PacketNumber ping = packets;
    command(2);
    send(true, test::scsi_response(2, 0, 2, 3).bytes());
    finish();
    ASSERT_EQ(store.unanswered_pings().first_ones().size(), 1u);
    const UnansweredPing& kept = store.unanswered_pings().first_ones().front();
    EXPECT_EQ(kept.packet, ping);
    EXPECT_EQ(kept.connection, 1u);
    EXPECT_EQ(kept.pdus_since, 1u);
}

TEST_F(RareEvents, a_ping_with_its_answer_is_not) {
    send(false, PduBuilder(Opcode::nop_out).itt(7).ttt(reserved_tag).cmd_sn(2).exp_stat_sn(2).bytes());
    send(true, PduBuilder(Opcode::nop_in).itt(7).ttt(reserved_tag).stat_sn(2).exp_cmd_sn(3).bytes());
    finish();
    EXPECT_TRUE(store.unanswered_pings().first_ones().empty());
}

TEST_F(RareEvents, of_a_snack_it_is_kept_what_it_asks_for) {
    command(2);
    constexpr unsigned status_snack = 0x81;
    send(false,
         PduBuilder(Opcode::snack_request).flags(status_snack).itt(reserved_tag).ttt(reserved_tag).bytes());
    finish();
    ASSERT_EQ(store.session_events().first_ones().size(), 1u);
    const SessionEvent& event = store.session_events().first_ones().front();
    EXPECT_EQ(event.code, 1);
    EXPECT_EQ(event.packet, packets);
}

TEST_F(RareEvents, of_a_reject_it_is_kept_what_it_rejects) {
    command(2);
    const Bytes rejected = test::scsi_command(2, 2, Moves::in, 4096, test::read_10(0, 8)).header();
    send(true, PduBuilder(Opcode::reject)
                   .flags(0x80)
                   .response(9)
                   .itt(reserved_tag)
                   .stat_sn(2)
                   .exp_cmd_sn(3)
                   .data(rejected)
                   .bytes());
    finish();
    ASSERT_EQ(store.session_events().first_ones().size(), 1u);
    const SessionEvent& event = store.session_events().first_ones().front();
    EXPECT_EQ(event.code, 9);
    EXPECT_EQ(event.rejected, 1);
    EXPECT_EQ(event.itt, 2u);
    EXPECT_EQ(event.command, 2u);
    EXPECT_EQ(store.command(2).outcome, Outcome::rejected);
}

TEST_F(RareEvents, of_logouts_and_dropped_connections_it_is_kept_which_they_name) {
    send(false,
         PduBuilder(Opcode::logout_request).flags(0x81).itt(7).cid(5).cmd_sn(2).exp_stat_sn(2).bytes());
    send(false,
         PduBuilder(Opcode::logout_request).flags(0x80).itt(8).cid(5).cmd_sn(2).exp_stat_sn(2).bytes());
    send(true, PduBuilder(Opcode::async_message)
                   .flags(0x80)
                   .itt(reserved_tag)
                   .stat_sn(2)
                   .exp_cmd_sn(2)
                   .status_class(2)
                   .parameter_1(6)
                   .bytes());
    finish();
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].cid, 5u);
    EXPECT_EQ(events[1].cid, unknown<uint32_t>) << "it closes the session";
    EXPECT_EQ(events[2].cid, 6u);
}

TEST_F(RareEvents, a_pause_within_a_pdu_is_kept_and_one_between_commands_is_not) {
    for (uint32_t i = 2; i < 6; ++i) {
        now_ns += 40 * ms;
        command(i);
    }
    const Bytes data = test::data_in(2, 0, pattern(4096), 6).flags(0x81).stat_sn(2).bytes();
    send(true, Bytes(data.begin(), data.begin() + 1448));
    const PacketNumber first = packets;
    now_ns += 40 * ms;
    send(true, Bytes(data.begin() + 1448, data.end()));
    finish();
    EXPECT_TRUE(store.pdu_pauses().of(1, Role::initiator).empty());
    const std::vector<PduPause> pauses = store.pdu_pauses().of(1, Role::target);
    ASSERT_EQ(pauses.size(), 1u);
    EXPECT_EQ(pauses.front().first_packet, first);
    EXPECT_EQ(pauses.front().last_packet, packets);
}

// Another connection, whose first answer shows that there are digests.
TEST_F(RareEvents, a_wrong_digest_is_kept_with_what_explains_it) {
    uint32_t number = 0;
    store.add_connection(number);
    IscsiConnection digested(number, sessions, store, issues);
    uint64_t offset = 0;
    const auto answer = [&](uint32_t itt, uint8_t flipped) {
        Bytes bytes = test::data_in(itt, 0, pattern(512), 6).flags(0x81).stat_sn(itt).bytes(true, true);
        bytes[bhs_length + digest_length + 100] ^= flipped;
        StreamPiece piece;
        piece.data = bytes.data();
        piece.captured = piece.length = static_cast<uint32_t>(bytes.size());
        piece.offset = offset;
        piece.carried = piece.delivered = {++packets, now_ns += ms};
        offset += bytes.size();
        digested.consume(true, piece);
    };
    answer(2, 0);
    answer(3, 0x08);
    digested.finish();
    finish();
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_TRUE(events[0].bad_digest);
    EXPECT_EQ(events[0].packet, packets);
    EXPECT_EQ(events[0].data_error.cause, DigestError::Cause::flipped_bit);
    EXPECT_EQ(events[0].data_error.byte, 100u);
    EXPECT_EQ(events[0].header_error.cause, DigestError::Cause::not_examined);
    EXPECT_EQ(store.session_events().digested(Role::target).headers, 2u * (bhs_length + digest_length));
    EXPECT_EQ(store.session_events().digested(Role::target).data, 2u * (512 + digest_length));
    EXPECT_EQ(store.session_events().digested(Role::initiator).headers, 0u);
}

TEST_F(RareEvents, task_management_is_kept_with_its_tags_and_its_answer) {
    send(false, PduBuilder(Opcode::task_management_request)
                    .flags(0x81)
                    .lun(3)
                    .itt(9)
                    .referenced_task_tag(1)
                    .cmd_sn(2)
                    .exp_stat_sn(2)
                    .bytes());
    send(true,
         PduBuilder(Opcode::task_management_response).response(1).itt(9).stat_sn(2).exp_cmd_sn(3).bytes());
    finish();
    const std::vector<SessionEvent>& events = store.session_events().first_ones();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].lun, 3u);
    EXPECT_EQ(events[0].itt, 9u);
    EXPECT_EQ(events[0].referenced_itt, 1u);
    EXPECT_EQ(events[1].itt, 9u);
    EXPECT_EQ(events[1].code, 1u);
}

}  // namespace
}  // namespace sanscope
