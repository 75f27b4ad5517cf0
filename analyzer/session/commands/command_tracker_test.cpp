// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/command_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/session/inferred/inferred_commands.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Moves;
using test::pattern;
using test::PduBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Feeds a tracker; each PDU is a packet more, 100 ns later.
class Tracking {
  public:
    uint64_t pdu(const PduBuilder& built, uint32_t connection = 1, Digest data_digest = Digest::none) {
        return pdu_of_packet(++packet_, built, bhs_length, connection, data_digest);
    }
    // One that is known later or earlier than its packet was captured, or of whose header no more was.
    uint64_t pdu_of_packet(PacketNumber packet, const PduBuilder& built, uint8_t header_captured = bhs_length,
                           uint32_t connection = 1, Digest data_digest = Digest::none) {
        const Bytes bytes = built.bytes();
        Pdu pdu;
        pdu.header = bytes.data();
        pdu.header_captured = header_captured;
        const Bhs bhs = pdu.bhs();
        pdu.ahs = std::span(bytes).subspan(bhs_length, bhs.ahs_length());
        if (bytes.size() > bhs_length + bhs.ahs_length()) {
            pdu.data = std::span(bytes).subspan(bhs_length + bhs.ahs_length(), bhs.data_segment_length());
        }
        pdu.first = pdu.last = {packet, static_cast<int64_t>(packet) * 100};
        if (bhs.data_segment_length() > 0) pdu.first_data = pdu.first;
        pdu.data_digest = data_digest;
        return tracker.on_pdu(pdu, connection);
    }
    // A PDU that never completed.
    void incomplete(const PduBuilder& built) {
        ++packet_;
        const Bytes header = built.header();
        Pdu pdu;
        pdu.header = header.data();
        pdu.header_captured = bhs_length;
        pdu.first = {packet_, static_cast<int64_t>(packet_) * 100};
        pdu.damaged = true;
        tracker.on_pdu(pdu, 1);
    }
    const CommandRow& row(size_t index = 0) const { return store.commands()[index]; }
    std::vector<Outcome> outcomes() {
        tracker.finish();
        std::vector<Outcome> outcomes;
        for (const CommandRow& row : store.commands()) outcomes.push_back(row.outcome);
        return outcomes;
    }

    ResultStore store{{}};
    CommandTracker tracker{store, 1};
    InferredCommands inferred{tracker, store};

  private:
    uint64_t packet_ = 0;
};

PduBuilder read_command(uint32_t itt, uint32_t cmd_sn, uint32_t length = 4096) {
    return test::scsi_command(itt, cmd_sn, Moves::in, length, test::read_10(8, 8)).lun(3);
}
PduBuilder write_command(uint32_t itt, uint32_t cmd_sn, uint32_t length = 4096) {
    return test::scsi_command(itt, cmd_sn, Moves::out, length, test::write_10(8, 8)).lun(3);
}
PduBuilder last_data_in(uint32_t itt, uint32_t exp_cmd_sn, size_t length = 4096) {
    return test::data_in(itt, 0, pattern(length), exp_cmd_sn).flags(0x81).stat_sn(1);
}

std::vector<uint64_t> awaited(Tracking& t, size_t most = SIZE_MAX, PacketNumber until = UINT64_MAX) {
    std::vector<AwaitedCommand> listed;
    t.tracker.in_flight().list_awaited(1, until, most, listed);
    std::vector<uint64_t> commands;
    for (const AwaitedCommand& each : listed) commands.push_back(each.command);
    return commands;
}

TEST(CommandTracker, ListsWhatMayBeAnsweredUnseenAgainAndAgain) {
    Tracking t;
    for (uint32_t i = 0; i < 4; ++i) t.pdu(read_command(i, i));
    t.pdu(read_command(9, 4), 2);
    EXPECT_THAT(awaited(t, SIZE_MAX, 3), ElementsAre(1, 2));
    EXPECT_THAT(awaited(t, 3), ElementsAre(1, 2, 3));
    EXPECT_THAT(awaited(t), ElementsAre(1, 2, 3, 4)) << "connection 2 has the fifth";
    t.pdu(last_data_in(1, 5));
    t.pdu(test::data_in(2, 0, pattern(2048), 5));
    EXPECT_THAT(awaited(t), ElementsAre(1, 4)) << "of the others data were seen";
    t.pdu(read_command(1, 6));
    EXPECT_THAT(awaited(t), ElementsAre(1, 4, 6));
}

TEST(CommandTracker, AwaitsAnewWhatIsSeenToBeUnderWayThoughGivenUpOrInferred) {
    Tracking t;
    t.pdu(write_command(1, 1));
    t.pdu(write_command(2, 2));
    t.pdu(write_command(3, 3));
    t.inferred.give_up(1);
    t.inferred.end_unseen(2);
    EXPECT_THAT(awaited(t), ElementsAre(3));
    t.pdu(test::r2t(1, 1, 0, 512, 4));
    EXPECT_THAT(awaited(t), ElementsAre(1, 3));
    t.pdu(test::r2t(2, 1, 0, 512, 4));
    EXPECT_THAT(awaited(t), ElementsAre(1, 2, 3));
}

TEST(CommandTracker, FollowsAReadWhoseLastDataBringTheStatus) {
    Tracking t;
    const uint64_t command = t.pdu(read_command(7, 5, 8192));
    EXPECT_EQ(command, 1u);
    EXPECT_EQ(t.pdu(test::data_in(7, 0, pattern(4096), 6)), command);
    EXPECT_EQ(t.pdu(test::data_in(7, 4096, pattern(4096), 6).flags(0x81).stat_sn(1)), command);
    const CommandRow& row = t.row();
    EXPECT_EQ(row.outcome, Outcome::completed);
    EXPECT_STREQ(row.name, "READ(10)");
    EXPECT_EQ(row.opcode, 0x28u);
    EXPECT_EQ(row.itt, 7u);
    EXPECT_EQ(row.cmd_sn, 5u);
    EXPECT_TRUE(row.cmd_sn_known);
    EXPECT_EQ(row.lun, 3u);
    EXPECT_EQ(row.lba, 8u);
    EXPECT_EQ(row.blocks, 8u);
    EXPECT_EQ(row.bytes, 8192u);
    EXPECT_EQ(row.request_packet, 1u);
    EXPECT_EQ(row.first_data_packet, 2u);
    EXPECT_EQ(row.last_data_packet, 3u);
    EXPECT_EQ(row.response_packet, 3u);
    EXPECT_EQ(row.turnaround_ns(), 200);
    EXPECT_EQ(row.status, 0u);
    EXPECT_EQ(row.pdus, 3u);
    EXPECT_EQ(row.r2ts, 0u);
    EXPECT_EQ(row.residual, unknown<int64_t>);
    EXPECT_FALSE(row.inferred);
    EXPECT_FALSE(t.tracker.knows(7));
}

// RFC 7143 §7.2.1: a command that no ExpCmdSN acknowledged is sent again with its tag and CmdSN.
TEST(CommandTracker, TakesACommandThatIsRetriedForOne) {
    Tracking t;
    const uint64_t command = t.pdu(read_command(10, 1));
    EXPECT_EQ(t.pdu(read_command(10, 1)), command);
    EXPECT_EQ(t.pdu(last_data_in(10, 2)), command);
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed));
    EXPECT_EQ(t.row().request_packet, 1u);
    EXPECT_EQ(t.row().response_packet, 3u);
    EXPECT_EQ(t.store.summary().sessions()[0].commands, 1u);
    EXPECT_EQ(t.store.summary().sessions()[0].max_depth, 1u);
}

// The same tag with a later CmdSN is another command's: the first was answered unseen, or never.
TEST(CommandTracker, TakesATagThatIsUsedAgainForAnother) {
    Tracking t;
    const uint64_t command = t.pdu(read_command(10, 1));
    EXPECT_NE(t.pdu(read_command(10, 2)), command);
    t.pdu(last_data_in(10, 3));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered, Outcome::completed));
}

TEST(CommandTracker, FollowsAReadWithAResponseOfItsOwn) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(test::data_in(7, 0, pattern(4096), 6).flags(0x80));
    EXPECT_EQ(t.row().outcome, Outcome::unanswered);
    t.pdu(test::scsi_response(7, 0, 1, 6));
    EXPECT_EQ(t.row().outcome, Outcome::completed);
    EXPECT_EQ(t.row().last_data_packet, 2u);
    EXPECT_EQ(t.row().response_packet, 3u);
    EXPECT_EQ(t.row().pdus, 3u);
}

TEST(CommandTracker, FollowsAWriteThatWaitsForR2Ts) {
    Tracking t;
    t.pdu(write_command(7, 5, 1024));
    t.pdu(test::r2t(7, 1, 0, 512, 6));
    EXPECT_EQ(t.pdu(test::data_out(7, 1, 0, pattern(512))), 1u);
    t.pdu(test::r2t(7, 2, 512, 512, 6));
    t.pdu(test::data_out(7, 2, 512, pattern(512)));
    t.pdu(test::scsi_response(7, 0, 1, 6));
    EXPECT_EQ(t.row().r2ts, 2u);
    EXPECT_EQ(t.row().first_data_packet, 3u);
    EXPECT_EQ(t.row().last_data_packet, 5u);
    EXPECT_EQ(t.row().response_packet, 6u);
    EXPECT_EQ(t.row().pdus, 6u);
    EXPECT_EQ(t.row().outcome, Outcome::completed);
}

TEST(CommandTracker, FollowsAWriteWithUnsolicitedData) {
    Tracking t;
    t.pdu(write_command(7, 5, 1024).flags(0x20));
    t.pdu(test::data_out(7, reserved_tag, 0, pattern(1024)));
    t.pdu(test::scsi_response(7, 0, 1, 6));
    EXPECT_EQ(t.row().first_data_packet, 2u);
    EXPECT_EQ(t.row().r2ts, 0u);
}

TEST(CommandTracker, FollowsABidirectionalCommand) {
    Tracking t;
    t.pdu(test::scsi_command(7, 5, Moves::in, 512, {0x53}).flags(0xe0));
    t.pdu(test::r2t(7, 1, 0, 512, 6));
    t.pdu(test::data_out(7, 1, 0, pattern(512)));
    t.pdu(test::data_in(7, 0, pattern(512), 6).flags(0x80));
    t.pdu(test::scsi_response(7, 0, 1, 6));
    EXPECT_EQ(t.row().first_data_packet, 3u);
    EXPECT_EQ(t.row().last_data_packet, 4u);
    EXPECT_EQ(t.store.summary().sessions()[0].bytes_written, 512u);
    EXPECT_EQ(t.store.summary().sessions()[0].bytes_read, 0u);
    EXPECT_FALSE(t.store.summary().sessions()[0].all_bytes_known) << "an AHS has how much it reads";
}

TEST(CommandTracker, JoinsTheExtensionOfALongCdb) {
    Tracking t;
    Bytes cdb = {0x7f, 0, 0, 0, 0, 0, 0, 24, 0, 0x09, 0, 0, 0, 0, 0, 0};  // READ(32)
    const Bytes rest = {0, 17, 1, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5};
    t.pdu(test::scsi_command(7, 5, Moves::in, 2560, cdb).ahs(rest));
    EXPECT_STREQ(t.row().name, "READ(32)");
    EXPECT_EQ(t.row().lba, 0x1234u);
    EXPECT_EQ(t.row().blocks, 5u);
}

TEST(CommandTracker, ReadsStatusSenseAndResiduals) {
    Tracking t;
    t.pdu(read_command(7, 5));
    const Bytes sense = {0, 18, 0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x21, 0x01, 0, 0, 0, 0};
    t.pdu(test::scsi_response(7, 2, 1, 6).flags(0x82).residual(4096).data(sense));
    EXPECT_EQ(t.row().status, 2u);
    EXPECT_EQ(t.row().sense_key, 5u);
    EXPECT_EQ(t.row().asc, 0x21u);
    EXPECT_EQ(t.row().ascq, 1u);
    EXPECT_EQ(t.row().residual, 4096);
    t.pdu(read_command(8, 6));
    t.pdu(last_data_in(8, 7).flags(0x85).residual(100));
    EXPECT_EQ(t.row(1).residual, -100);
    EXPECT_EQ(t.row(1).status, 0u);
}

// RFC 7143 §11.4.3: the status field is not valid then.
TEST(CommandTracker, KeepsTheResponseOfATargetThatFailedInsteadOfAStatus) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(test::scsi_response(7, 2, 1, 6).response(1));
    EXPECT_EQ(t.row().iscsi_response, 1u);
    EXPECT_EQ(t.row().status, unknown<uint16_t>);
    EXPECT_EQ(t.row().response_packet, 2u);
    EXPECT_EQ(t.row().outcome, Outcome::completed);
    t.pdu(read_command(8, 6));
    t.pdu(test::scsi_response(8, 0, 2, 7));
    EXPECT_EQ(t.row(1).iscsi_response, 0u);
    t.pdu(read_command(9, 7));
    t.pdu(last_data_in(9, 8));
    EXPECT_EQ(t.row(2).iscsi_response, unknown<uint16_t>) << "a Data-In has none";
}

TEST(CommandTracker, TellsSenseDataOfAnEarlierCommandApart) {
    for (const unsigned response_code : {0x70u, 0x71u, 0x72u, 0x73u}) {
        Tracking t;
        t.pdu(read_command(7, 5));
        const auto code = static_cast<uint8_t>(response_code);
        Bytes sense = {0, 18, code, 0, 3, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x0c, 0, 0, 0, 0, 0};
        if (code >= 0x72) sense = {0, 8, code, 3, 0x0c, 0, 0, 0, 0, 0};
        t.pdu(test::scsi_response(7, 2, 1, 6).data(sense));
        EXPECT_EQ(t.row().sense_key, 3u);
        EXPECT_EQ(t.row().sense_deferred, (code & 1) != 0) << response_code;
    }
}

TEST(CommandTracker, LearnsTheNameOfALogicalUnit) {
    Tracking t;
    const Bytes vpd = {0x12, 1, 0x83, 0, 0xff, 0};
    const Bytes page = {0, 0x83, 0, 12, 1, 3, 0, 8, 0x60, 1, 2, 3, 4, 5, 6, 7};
    t.pdu(test::scsi_command(7, 5, Moves::in, 255, vpd).lun(3));
    t.pdu(test::data_in(7, 0, page, 6).flags(0x81).stat_sn(1));
    EXPECT_EQ(t.store.unit_names().of(1, 3), "3:6001020304050607");
    t.pdu(test::scsi_command(8, 6, Moves::in, 255, {0x12, 1, 0x80, 0, 0xff, 0}).lun(4));
    t.pdu(test::data_in(8, 0, page, 7).flags(0x81).stat_sn(2));
    EXPECT_EQ(t.store.unit_names().of(1, 4), "") << "another page was asked for";
}

const Bytes vpd_83 = {0x12, 1, 0x83, 0, 0xff, 0};
const Bytes page_of_group_2 = {0, 0x83, 0, 16, 0x51, 0x94, 0, 4, 0, 0, 0, 9, 0x51, 0x95, 0, 4, 0, 0, 0, 2};
const Bytes report_groups = {0xa3, 0x0a, 0, 0, 0, 0, 0, 0, 0x10, 0};

Bytes two_groups(uint8_t state_1, uint8_t state_2) {
    return {0, 0, 0, 24, state_1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, state_2, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9};
}

// Of LUN 3.
void read_of_unit(Tracking& t, uint32_t itt, const Bytes& cdb, const Bytes& data) {
    t.pdu(test::scsi_command(itt, itt, Moves::in, 4096, cdb).lun(3));
    t.pdu(test::data_in(itt, 0, data, itt + 1).flags(0x81).stat_sn(itt));
}

void check_condition(Tracking& t, uint32_t itt, uint8_t key, uint8_t asc, uint8_t ascq) {
    t.pdu(read_command(itt, itt));
    t.pdu(test::scsi_response(itt, 2, itt, itt + 1).data({0, 18, 0x70, 0, key, 0,    0, 0, 0, 10,
                                                          0, 0,  0,    0, asc, ascq, 0, 0, 0, 0}));
}

AccessState state_of(const Tracking& t) {
    const AccessStates& states = t.store.access_states();
    const auto group = states.group_of({1, 3});
    return group ? states.reading_of({1, 3}, *group).state : AccessState::unknown;
}

TEST(CommandTracker, LearnsTheAccessStateOfItsPath) {
    Tracking t;
    read_of_unit(t, 1, {0x12, 0, 0, 0, 36, 0}, {0, 0, 6, 2, 31, 0x10, 0, 0});
    EXPECT_EQ(t.store.access_states().tpgs_of({1, 3}), 1);
    read_of_unit(t, 2, report_groups, two_groups(0, 1));
    EXPECT_EQ(state_of(t), AccessState::unknown) << "its own group is not known";
    read_of_unit(t, 3, vpd_83, page_of_group_2);
    EXPECT_EQ(state_of(t), AccessState::active_non_optimized);
    EXPECT_EQ(t.store.access_states().reading_of({1, 3}, 2).packet, 4u);
    read_of_unit(t, 4, report_groups, two_groups(1, 0));
    EXPECT_EQ(state_of(t), AccessState::active_optimized);
    EXPECT_EQ(t.store.access_states().group_of({1, 4}), std::nullopt) << "another unit";
}

TEST(CommandTracker, LearnsNoAccessStateFromWhatIsCutOrAnotherCommands) {
    Tracking t;
    read_of_unit(t, 1, vpd_83, page_of_group_2);
    Bytes cut = two_groups(0, 1);
    cut.pop_back();
    read_of_unit(t, 2, report_groups, cut);
    read_of_unit(t, 3, {0xa3, 0x0c, 0, 0, 0, 0, 0, 0, 0x10, 0}, two_groups(0, 1));
    t.pdu(test::scsi_command(4, 4, Moves::in, 4096, report_groups).lun(3));
    t.pdu(test::data_in(4, 512, two_groups(0, 1), 5).flags(0x81).stat_sn(4));
    EXPECT_EQ(t.store.access_states().reading_of({1, 3}, 2).packet, 0u);
}

Bytes part_of(const Bytes& whole, size_t begin, size_t end) {
    return {whole.begin() + static_cast<std::ptrdiff_t>(begin),
            whole.begin() + static_cast<std::ptrdiff_t>(end)};
}

TEST(CommandTracker, LearnsFromDataThatComeInSeveralPdus) {
    Tracking t;
    // The name that counts is behind the first PDU.
    const Bytes page = {0, 0x83, 0, 40, 1, 2, 0,    8,    1, 2, 3, 4, 5, 6, 7,    8,    1, 3, 0, 8, 0x60, 1,
                        2, 3,    4, 5,  6, 7, 0x51, 0x95, 0, 4, 0, 0, 0, 2, 0x51, 0x94, 0, 4, 0, 0, 0,    9};
    t.pdu(test::scsi_command(1, 1, Moves::in, 4096, vpd_83).lun(3));
    t.pdu(test::data_in(1, 0, part_of(page, 0, 16), 2));
    t.pdu(test::data_in(1, 16, part_of(page, 16, page.size()), 2).flags(0x81).stat_sn(1));
    EXPECT_EQ(t.store.unit_names().of(1, 3), "3:6001020304050607");
    const Bytes groups = two_groups(0, 1);
    t.pdu(test::scsi_command(2, 2, Moves::in, 4096, report_groups).lun(3));
    for (const size_t at : {size_t{0}, size_t{8}, size_t{20}}) {
        EXPECT_EQ(state_of(t), AccessState::unknown) << "half a list tells nothing";
        const size_t end = at == 0 ? 8 : at == 8 ? 20 : groups.size();
        t.pdu(test::data_in(2, static_cast<uint32_t>(at), part_of(groups, at, end), 3));
    }
    EXPECT_EQ(state_of(t), AccessState::active_non_optimized) << "all is there, before the status";
    EXPECT_EQ(t.store.access_states().reading_of({1, 3}, 2).packet, 7u);
    t.pdu(test::scsi_response(2, 0, 2, 3));
    EXPECT_EQ(t.store.access_states().reading_of({1, 3}, 2).packet, 7u);
}

TEST(CommandTracker, LearnsOfDataThatAStatusEndsWhatTheyHave) {
    Tracking t;
    // It tells of more than the initiator asked for.
    const Bytes page = {0, 0x83, 1, 0, 1, 3, 0, 8, 0x60, 1, 2, 3, 4, 5, 6, 7};
    t.pdu(test::scsi_command(1, 1, Moves::in, 4096, vpd_83).lun(3));
    t.pdu(test::data_in(1, 0, part_of(page, 0, 8), 2));
    t.pdu(test::data_in(1, 8, part_of(page, 8, 16), 2));
    EXPECT_EQ(t.store.unit_names().of(1, 3), "");
    t.pdu(test::scsi_response(1, 0, 1, 2));
    EXPECT_EQ(t.store.unit_names().of(1, 3), "3:6001020304050607");
}

TEST(CommandTracker, LearnsNothingOfSeveralPdusOneOfWhichIsMissingOrWrong) {
    const Bytes groups = two_groups(0, 1);
    for (const bool wrong : {false, true}) {
        SCOPED_TRACE(wrong);
        Tracking t;
        read_of_unit(t, 1, vpd_83, page_of_group_2);
        t.pdu(test::scsi_command(2, 2, Moves::in, 4096, report_groups).lun(3));
        t.pdu(test::data_in(2, 0, part_of(groups, 0, 8), 3));
        if (wrong) t.pdu(test::data_in(2, 8, part_of(groups, 8, 16), 3), 1, Digest::bad);
        t.pdu(test::data_in(2, 16, part_of(groups, 16, groups.size()), 3).flags(0x81).stat_sn(2));
        EXPECT_EQ(state_of(t), AccessState::unknown);
    }
}

TEST(CommandTracker, LearnsWhatSenseDataTellOfThePath) {
    Tracking t;
    const auto told = [&] { return t.store.access_states().told_of({1, 3}); };
    check_condition(t, 1, 5, 0x20, 0);
    EXPECT_EQ(told().packet, 0u);
    check_condition(t, 2, 2, 0x04, 0x0b);
    EXPECT_EQ(told().packet, 4u);
    EXPECT_EQ(told().state, AccessState::standby);
    check_condition(t, 3, 6, 0x2a, 0x06);
    EXPECT_EQ(told().packet, 6u);
    EXPECT_EQ(told().state, AccessState::unknown);
    t.pdu(test::scsi_command(4, 4, Moves::out, 8, {0xa4, 0x0a, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0}).lun(3));
    EXPECT_EQ(told().packet, 7u) << "the initiator itself changes states";
}

const Bytes set_groups = {0xa4, 0x0a, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0};

TEST(CommandTracker, TakesAChangeOfPathsForMadeWhereTheTargetSaysSo) {
    Tracking t;
    const auto told = [&] { return t.store.access_states().told_of({1, 3}); };
    t.pdu(test::scsi_command(1, 1, Moves::out, 8, set_groups).lun(3));
    EXPECT_EQ(told().changed_ns, no_time) << "asked for";
    EXPECT_TRUE(told().asked);
    t.pdu(test::scsi_response(1, 0, 1, 2));
    EXPECT_EQ(told().packet, 2u);
    EXPECT_EQ(told().changed_ns, 200);
    EXPECT_FALSE(told().asked);
}

TEST(CommandTracker, TakesAChangeOfPathsThatTheTargetRefusedForNone) {
    Tracking t;
    const auto told = [&] { return t.store.access_states().told_of({1, 3}); };
    check_condition(t, 1, 2, 0x04, 0x0b);
    t.pdu(test::scsi_command(2, 2, Moves::out, 8, set_groups).lun(3));
    EXPECT_EQ(told().state, AccessState::unknown);
    t.pdu(test::scsi_response(2, 2, 2, 3));
    EXPECT_EQ(told().state, AccessState::standby);
    EXPECT_EQ(told().packet, 2u);
    t.pdu(test::scsi_command(3, 3, Moves::out, 8, set_groups).lun(3));
    t.pdu(test::scsi_response(3, 0, 3, 4).response(1));
    EXPECT_EQ(told().packet, 2u) << "target failure";
}

TEST(CommandTracker, LearnsNoStateOfPathsFromAnErrorOfAnEarlierCommand) {
    Tracking t;
    t.pdu(read_command(7, 5));
    const Bytes sense = {0, 8, 0x73, 2, 0x04, 0x0b, 0, 0, 0, 0};
    t.pdu(test::scsi_response(7, 2, 1, 6).data(sense));
    EXPECT_EQ(t.store.access_states().told_of({1, 3}).packet, 0u);
}

TEST(CommandTracker, TakesSenseDataOfNoMoreThanWasCaptured) {
    Tracking t;
    for (const Bytes& data :
         {Bytes{0}, Bytes{0, 18}, Bytes{0xff, 0xff, 0x70, 0, 5}, Bytes{0, 0, 0x70, 0, 5}}) {
        t.pdu(read_command(7, 5));
        t.pdu(test::scsi_response(7, 2, 1, 6).data(data));
    }
    EXPECT_EQ(t.store.commands().size(), 4u);
}

TEST(CommandTracker, TellsNoStatusWhereTheTargetDidNotComplete) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(test::scsi_response(7, 0, 1, 6).response(1));
    EXPECT_EQ(t.row().status, unknown<uint16_t>);
    EXPECT_EQ(t.row().response_packet, 2u);
    EXPECT_EQ(t.row().outcome, Outcome::completed);
}

TEST(CommandTracker, LeavesACommandWithoutStatusUnanswered) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(test::data_in(7, 0, pattern(100), 6));
    t.pdu(read_command(8, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered, Outcome::unanswered));
    EXPECT_EQ(t.row().response_packet, 0u);
    EXPECT_EQ(t.row().turnaround_ns(), no_time);
}

TEST(CommandTracker, LeavesACommandUnansweredWhoseStatusNeverCompleted) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.incomplete(last_data_in(7, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
    EXPECT_EQ(t.row().response_packet, 0u);
}

TEST(CommandTracker, KeepsCommandsApartThatUseATagOneAfterTheOther) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(last_data_in(7, 6));
    t.pdu(read_command(7, 6, 512));
    t.pdu(last_data_in(7, 7, 512));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed, Outcome::completed));
    EXPECT_EQ(t.row(0).response_packet, 2u);
    EXPECT_EQ(t.row(1).response_packet, 4u);
    EXPECT_EQ(t.row(1).bytes, 512u);
}

TEST(CommandTracker, GivesAnAnswerThatComesLateToTheCommandTheTargetHadReceived) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(read_command(7, 6));
    t.pdu(last_data_in(7, 6));  // its target expects 6: it has received 5 only
    t.pdu(last_data_in(7, 7));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed, Outcome::completed));
    EXPECT_EQ(t.row(0).response_packet, 3u);
    EXPECT_EQ(t.row(1).response_packet, 4u);
}

TEST(CommandTracker, GivesUpTheOlderCommandWhenTheNewerWithItsTagIsAnswered) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(read_command(7, 6));
    t.pdu(last_data_in(7, 7));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered, Outcome::completed));
}

TEST(CommandTracker, TellsAnAnswerWhoseRequestWasNotCaptured) {
    Tracking t;
    t.pdu(test::data_in(7, 0, pattern(100), 6));
    t.pdu(test::scsi_response(7, 0, 1, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::response_only));
    EXPECT_EQ(t.row().request_packet, 0u);
    EXPECT_EQ(t.row().response_packet, 2u);
    EXPECT_EQ(t.row().turnaround_ns(), no_time);
    EXPECT_EQ(t.row().bytes, unknown<uint64_t>);
}

TEST(CommandTracker, GivesARequestThatComesAfterItsAnswerThatAnswer) {
    Tracking t;
    t.pdu(last_data_in(7, 6));
    t.pdu(read_command(7, 5));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed));
    EXPECT_EQ(t.row().request_packet, 2u);
    EXPECT_EQ(t.row().response_packet, 1u);
    EXPECT_EQ(t.row().pdus, 2u);
}

// The initiator's stream held back by a hole while the target's goes on: a tag's answers come one after the other, then
// its requests.
TEST(CommandTracker, GivesRequestsThatComeAfterAllTheirAnswersEachItsOwn) {
    Tracking t;
    constexpr uint32_t commands = 300;
    for (uint32_t i = 0; i < commands; ++i) t.pdu(last_data_in(i % 16, i + 1));
    for (uint32_t i = 0; i < commands; ++i) {
        if (i % 10 != 3) t.pdu(read_command(i % 16, i));
    }
    t.tracker.finish();
    EXPECT_THAT(t.store.commands(), SizeIs(commands));
    for (uint32_t i = 0; i < commands; ++i) {
        EXPECT_EQ(t.row(i).response_packet, i + 1);
        EXPECT_EQ(t.row(i).outcome, i % 10 != 3 ? Outcome::completed : Outcome::response_only) << i;
        EXPECT_EQ(t.row(i).cmd_sn, i % 10 != 3 ? i : 0);
    }
}

TEST(CommandTracker, GivesAnswersThatComeAfterManyRequestsEachItsOwn) {
    Tracking t;
    constexpr uint32_t commands = 300;
    for (uint32_t i = 0; i < commands; ++i) t.pdu(read_command(i % 16, i));
    for (uint32_t i = 0; i < commands; ++i) {
        if (i % 10 != 3) t.pdu(last_data_in(i % 16, i + 1));
    }
    t.tracker.finish();
    EXPECT_THAT(t.store.commands(), SizeIs(commands));
    for (uint32_t i = 0; i < commands; ++i) {
        EXPECT_EQ(t.row(i).outcome, i % 10 != 3 ? Outcome::completed : Outcome::unanswered) << i;
    }
}

TEST(CommandTracker, DoesNotGiveARequestAnAnswerFromBeforeIt) {
    Tracking t;
    t.pdu(last_data_in(7, 5));  // its target has not received CmdSN 5
    t.pdu(read_command(7, 5));
    t.pdu(last_data_in(7, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::response_only, Outcome::completed));
    EXPECT_EQ(t.row(1).response_packet, 3u);
}

// A hole holds the request's stream back, and of the answer's header no sequence numbers were captured.
TEST(CommandTracker, GivesARequestKnownLateTheCutAnswerFromBehindIt) {
    constexpr uint8_t up_to_tag = 24;
    Tracking t;
    t.pdu_of_packet(20, last_data_in(7, 6), up_to_tag);
    t.pdu_of_packet(10, read_command(7, 5));
    t.pdu_of_packet(15, last_data_in(8, 8), up_to_tag);
    t.pdu_of_packet(16, read_command(8, 7));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed, Outcome::response_only, Outcome::unanswered));
    EXPECT_EQ(t.row(0).request_packet, 10u);
}

TEST(CommandTracker, AnswersAnImmediateCommandThatDoesNotMoveCmdSn) {
    Tracking t;
    t.pdu(read_command(7, 5).immediate());
    t.pdu(last_data_in(7, 5));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed));
}

TEST(CommandTracker, AbortsTheTaskThatATaskManagementFunctionNames) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(read_command(8, 6));
    t.pdu(PduBuilder(Opcode::task_management_request).flags(0x81).itt(9).referenced_task_tag(7).cmd_sn(7));
    EXPECT_TRUE(t.tracker.knows(7));
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).exp_cmd_sn(7));
    EXPECT_FALSE(t.tracker.knows(7));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::aborted, Outcome::unanswered));
    EXPECT_EQ(t.row(0).aborted_packet, 4u);
    EXPECT_EQ(t.row(1).aborted_packet, 0u);
}

TEST(CommandTracker, AbortsNothingWhereTheFunctionWasRefused) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(PduBuilder(Opcode::task_management_request).flags(0x81).itt(9).referenced_task_tag(7).cmd_sn(7));
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).response(5).itt(9).exp_cmd_sn(7));
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).exp_cmd_sn(7));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
}

TEST(CommandTracker, AbortsWhatALogicalUnitResetClears) {
    Tracking t;
    t.pdu(read_command(7, 5).lun(3));
    t.pdu(read_command(8, 6).lun(4));
    t.pdu(PduBuilder(Opcode::task_management_request).flags(0x85).lun(3).itt(9).cmd_sn(7));
    t.pdu(read_command(10, 7).lun(3));  // after the request: not cleared
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).exp_cmd_sn(8));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::aborted, Outcome::unanswered, Outcome::unanswered));
    EXPECT_EQ(t.row(0).aborted_packet, 5u);
}

TEST(CommandTracker, AbortsAllThatATargetResetClears) {
    for (const unsigned reset : {0x86u, 0x87u}) {
        Tracking t;
        t.pdu(read_command(7, 5).lun(3));
        t.pdu(read_command(8, 6).lun(4));
        t.pdu(PduBuilder(Opcode::task_management_request).flags(reset).itt(9).cmd_sn(7));
        t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).exp_cmd_sn(8));
        EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::aborted, Outcome::aborted));
    }
}

// The two directions were captured by clocks that are apart, or by two machines.
TEST(CommandTracker, AbortsWhatATaskManagementRequestNamesWhoseAnswerCameBeforeIt) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(read_command(8, 6));
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).stat_sn(40).exp_cmd_sn(7));
    t.pdu(PduBuilder(Opcode::task_management_request)
              .flags(0x81)
              .itt(9)
              .referenced_task_tag(7)
              .cmd_sn(7)
              .exp_stat_sn(40));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::aborted, Outcome::unanswered));
}

// The tag is used again: the initiator had that answer when it sent this request.
TEST(CommandTracker, TakesAnAnswerThatTheInitiatorHadForThatOfAnotherTask) {
    Tracking t;
    t.pdu(read_command(7, 5));
    t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(9).stat_sn(40).exp_cmd_sn(6));
    t.pdu(PduBuilder(Opcode::task_management_request)
              .flags(0x81)
              .itt(9)
              .referenced_task_tag(7)
              .cmd_sn(7)
              .exp_stat_sn(41));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
}

PduBuilder reject_of(const PduBuilder& rejected, unsigned reason, uint32_t exp_cmd_sn = 7) {
    return PduBuilder(Opcode::reject)
        .flags(0x80)
        .response(reason)
        .itt(reserved_tag)
        .exp_cmd_sn(exp_cmd_sn)
        .data(rejected.header());
}

TEST(CommandTracker, TakesACommandWhosePduWasRejectedForEnded) {
    Tracking t;
    const uint64_t command = t.pdu(read_command(7, 5));
    t.pdu(read_command(8, 6));
    EXPECT_EQ(t.pdu(reject_of(read_command(7, 5), 9)), command);
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::rejected, Outcome::unanswered));
    EXPECT_EQ(t.row(0).aborted_packet, 3u);
    EXPECT_EQ(t.row(0).pdus, 2u);
    EXPECT_EQ(t.store.summary().outcomes(Outcome::rejected), 1u);
}

TEST(CommandTracker, TakesARejectedCommandThatIsAnsweredAllTheSameForAnswered) {
    Tracking t;
    t.pdu(write_command(7, 5));
    t.pdu(reject_of(write_command(7, 5), 2));
    t.pdu(test::scsi_response(7, 2, 1, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::completed));
    EXPECT_EQ(t.row().aborted_packet, 0u);
    EXPECT_EQ(t.row().status, 2);
}

TEST(CommandTracker, TakesARejectedCommandThatIsSentAgainForAwaitedAgain) {
    Tracking t;
    t.pdu(write_command(7, 5));
    t.pdu(reject_of(write_command(7, 5), 2));
    t.pdu(write_command(7, 5));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
    EXPECT_EQ(t.row().aborted_packet, 0u);
}

TEST(CommandTracker, KeepsARejectedCommandApartFromTheNextWithItsTag) {
    Tracking t;
    t.pdu(read_command(7, 5).immediate());
    t.pdu(reject_of(read_command(7, 5).immediate(), 6, 5));
    t.pdu(read_command(7, 5).immediate());
    t.pdu(last_data_in(7, 5));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::rejected, Outcome::completed));
}

TEST(CommandTracker, EndsNoCommandForARejectedPduOfItsData) {
    Tracking t;
    const uint64_t command = t.pdu(write_command(7, 5));
    const PduBuilder data = test::data_out(7, 1, 0, pattern(4096));
    t.pdu(data);
    EXPECT_EQ(t.pdu(reject_of(data, 2)), command);
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
    EXPECT_EQ(t.row().aborted_packet, 0u);
}

TEST(CommandTracker, EndsNoCommandForARejectThatNamesNone) {
    Tracking t;
    t.pdu(read_command(7, 5));
    EXPECT_EQ(t.pdu(reject_of(read_command(9, 5), 9)), 0u);
    EXPECT_EQ(t.pdu(reject_of(read_command(7, 4), 9)), 0u) << "an earlier one with its tag";
    EXPECT_EQ(t.pdu(reject_of(PduBuilder(Opcode::nop_out).itt(7), 9)), 0u);
    EXPECT_EQ(t.pdu(PduBuilder(Opcode::reject).response(9).itt(reserved_tag)), 0u) << "without the header";
    EXPECT_EQ(t.pdu(reject_of(read_command(7, 5), 9), 1, Digest::bad), 0u);
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered));
}

TEST(CommandTracker, GivesARequestKnownLateTheRejectFromBehindIt) {
    Tracking t;
    t.pdu_of_packet(9, reject_of(read_command(7, 5), 9));
    t.pdu_of_packet(3, read_command(7, 5));
    t.pdu_of_packet(10, read_command(7, 6));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::rejected, Outcome::unanswered));
    EXPECT_EQ(t.row(0).aborted_packet, 9u);
}

TEST(CommandTracker, EndsTheTasksThatTheTargetSaysItTerminates) {
    Tracking t;
    t.pdu(read_command(7, 5).lun(3));
    t.pdu(read_command(8, 6).lun(4));
    t.pdu(read_command(9, 7).lun(3));  // the target had not received it
    t.pdu(read_command(10, 6).lun(3).immediate());
    t.pdu(
        PduBuilder(Opcode::async_message).flags(0x80).lun(3).itt(reserved_tag).exp_cmd_sn(7).status_class(5));
    t.pdu(last_data_in(10, 8));
    EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::terminated, Outcome::unanswered, Outcome::unanswered,
                                          Outcome::completed));
    EXPECT_EQ(t.row(0).aborted_packet, 5u);
    EXPECT_EQ(t.row(3).aborted_packet, 0u);
}

TEST(CommandTracker, EndsNothingForOtherEventsOfTheTarget) {
    for (const unsigned event : {0u, 1u, 2u, 3u, 4u, 255u}) {
        Tracking t;
        t.pdu(read_command(7, 5).lun(3));
        t.pdu(PduBuilder(Opcode::async_message).lun(3).itt(reserved_tag).exp_cmd_sn(6).status_class(event));
        EXPECT_THAT(t.outcomes(), ElementsAre(Outcome::unanswered)) << event;
    }
}

TEST(CommandTracker, CountsNoCommandThatWasRejectedAsUnderWay) {
    Tracking t;
    for (uint32_t i = 1; i <= 20; ++i) {
        t.pdu(read_command(100 + i, i));
        t.pdu(reject_of(read_command(100 + i, i), 9));
    }
    t.tracker.finish();
    EXPECT_EQ(t.store.summary().sessions().at(0).max_depth, 1u);
}

TEST(CommandTracker, LearnsTheKindOfDeviceFromWhatItDoes) {
    Tracking t;
    const auto command = [&](uint32_t n, const Bytes& cdb, unsigned status) {
        t.pdu(test::scsi_command(n, n, Moves::in, 0, cdb).flags(0x81).lun(3));  // without data
        t.pdu(test::scsi_response(n, status, n, n + 1));
    };
    const Bytes unload = {0x1b, 0, 0, 0, 0, 0};
    const Bytes write_filemarks = {0x10, 0, 0, 0, 1, 0};
    command(1, unload, 0);
    command(2, write_filemarks, 2);
    command(3, unload, 0);
    command(4, write_filemarks, 0);
    command(5, unload, 0);
    EXPECT_THAT(t.row(0).name, testing::HasSubstr(" or LOAD UNLOAD"));
    EXPECT_THAT(t.row(2).name, testing::HasSubstr(" or LOAD UNLOAD")) << "it did not do what tapes do";
    EXPECT_STREQ(t.row(4).name, "LOAD UNLOAD");
}

TEST(CommandTracker, LearnsTheKindOfDeviceFromItsInquiry) {
    Tracking t;
    t.pdu(test::scsi_command(1, 1, Moves::in, 36, {0x12, 0, 0, 0, 36, 0}));
    Bytes tape(36);
    tape[0] = 0x01;
    t.pdu(test::data_in(1, 0, tape, 2).flags(0x81).stat_sn(1));
    t.pdu(test::scsi_command(2, 2, Moves::in, 512, {0x08, 0, 0, 2, 0, 0}));
    EXPECT_EQ(t.row(1).lba, unknown<uint64_t>) << "a tape has no block addresses";
}

TEST(CommandTracker, GivesPdusOfNoCommandTheNumber0) {
    Tracking t;
    EXPECT_EQ(t.pdu(PduBuilder(Opcode::nop_out).flags(0x80).itt(1)), 0u);
    EXPECT_EQ(t.pdu(test::data_out(99, 1, 0, pattern(10))), 0u);
    EXPECT_EQ(t.pdu(PduBuilder(Opcode::async_message).flags(0x80).itt(reserved_tag)), 0u);
    EXPECT_EQ(t.pdu(PduBuilder(Opcode::task_management_response).flags(0x80).itt(5)), 0u);
    EXPECT_TRUE(t.store.commands().empty());
}

TEST(CommandTracker, NotesTheConnectionOfEachRequest) {
    Tracking t;
    t.pdu(read_command(7, 5), 1);
    t.pdu(read_command(8, 6), 2);
    t.pdu(last_data_in(8, 7), 2);
    EXPECT_EQ(t.row(0).connection, 1u);
    EXPECT_EQ(t.row(1).connection, 2u);
    EXPECT_EQ(t.row(1).outcome, Outcome::completed);
}

TEST(CommandTracker, GivesTheOldestUpWhenTooManyAreInFlight) {
    Tracking t;
    for (uint32_t i = 0; i <= CommandsInFlight::max_in_flight; ++i) t.pdu(read_command(i, i));
    EXPECT_FALSE(t.tracker.knows(0));
    EXPECT_TRUE(t.tracker.knows(1));
    EXPECT_EQ(t.store.summary().commands(), 1u);
    EXPECT_EQ(t.store.summary().outcomes(Outcome::unanswered), 1u);
}

TEST(CommandTracker, GivesTheOldestOfATagUpWhenTooManyBearIt) {
    Tracking t;
    for (uint32_t i = 0; i < 100u; ++i) t.pdu(read_command(7, i));
    EXPECT_EQ(t.store.summary().outcomes(Outcome::unanswered), 100u - CommandsInFlight::max_same_tag);
    t.pdu(last_data_in(7, 100));
    EXPECT_EQ(t.row(99).outcome, Outcome::completed);
    EXPECT_EQ(t.store.summary().commands(), 100u);
}

// Each of these would take minutes if a PDU's cost grew with what came before.
TEST(CommandTracker, TakesAnyFloodInTimeThatGrowsWithItsLength) {
    constexpr uint32_t many = 100'000;
    const auto flood = [](uint32_t commands, Outcome outcome, auto&& make) {
        ResultStore store({.commands = false, .pdus = false});
        CommandTracker tracker(store, 1);
        for (uint32_t i = 0; i < many; ++i) {
            const Bytes header = make(i).header();
            Pdu pdu;
            pdu.header = header.data();
            pdu.header_captured = bhs_length;
            pdu.first = pdu.last = {i + 1, i};
            tracker.on_pdu(pdu, 1);
        }
        tracker.finish();
        EXPECT_EQ(store.summary().commands(), commands);
        EXPECT_EQ(store.summary().outcomes(outcome), commands);
    };
    constexpr Outcome alone = Outcome::response_only;
    flood(many, Outcome::unanswered, [](uint32_t i) { return read_command(i, i); });
    flood(1, Outcome::unanswered, [](uint32_t) { return read_command(1, 1); });
    flood(many, Outcome::unanswered, [](uint32_t i) { return read_command(1, i); });
    flood(many, Outcome::unanswered, [](uint32_t i) { return read_command(i % 16, i); });
    flood(many, alone, [](uint32_t i) { return test::r2t(i, 1, 0, 1, i); });
    flood(many, alone, [](uint32_t i) { return test::scsi_response(i, 0, i, i); });
    flood(many, alone, [](uint32_t i) { return test::scsi_response(7, 0, i, i); });
    flood(many / 2, Outcome::completed,
          [](uint32_t i) { return i % 2 ? test::scsi_response(i / 2, 0, i, i) : read_command(i / 2, i); });
    flood(0, Outcome::completed,
          [](uint32_t i) { return PduBuilder(Opcode::task_management_request).flags(0x81).itt(i); });
    flood(many, Outcome::unanswered,
          [](uint32_t i) { return read_command(i * 0x10000, i).lun(static_cast<uint8_t>(i)); });
}

}  // namespace
}  // namespace sanscope
