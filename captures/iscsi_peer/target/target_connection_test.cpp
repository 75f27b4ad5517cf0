// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_connection.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Ending = TargetConnection::Ending;

struct Answer {
    Bytes header;
    Bytes data;
    bool intact = true;
    Bhs bhs() const { return Bhs(header.data()); }
};

// Reads what the target sends.
struct Reader {
    bool on_header(Bhs header) {
        answers.push_back({{header.bytes(), header.bytes() + bhs_length}, {}, true});
        return true;
    }
    void on_data(std::span<const uint8_t> piece, uint32_t) {
        answers.back().data.insert(answers.back().data.end(), piece.begin(), piece.end());
    }
    void on_end(Bhs, bool intact) { answers.back().intact = intact; }
    std::vector<Answer> answers;
};

struct Target : testing::Test {
    Target() {
        settings.size = 1 << 20;
        settings.max_burst_length = 8192;
        settings.first_burst_length = 4096;
    }

    // Once the settings are what they are to be.
    void make() {
        device = std::make_unique<ScsiDevice>(settings);
        backing = std::make_unique<MemoryBacking>(
            std::move(*MemoryBacking::make(settings.backing, settings.luns, settings.size)));
        occupation = std::make_unique<UnitOccupation>(settings.luns);
        table = std::make_unique<SessionTable>(settings, *device, *backing, *occupation);
    }
    std::unique_ptr<TargetConnection> connect() {
        if (!table) make();
        return std::make_unique<TargetConnection>(*table, "192.0.2.1:3260");
    }

    // All that it has to say, sent `piece` bytes at a time.
    std::vector<Answer> hear(TargetConnection& connection, PduReceiver::Options digests = {},
                             size_t piece = 1000, const std::function<void()>& between = {}) {
        Bytes stream;
        OutputBatch batch;
        while (connection.has_output()) {
            connection.fill(batch);
            while (!batch.empty()) {
                size_t taken = 0;
                for (const iovec& part : batch.pieces()) {
                    const size_t count = std::min(part.iov_len, piece - taken);
                    const auto* const from = static_cast<const uint8_t*>(part.iov_base);
                    stream.insert(stream.end(), from, from + count);
                    taken += count;
                }
                batch.sent(taken);
                if (between) between();
            }
        }
        PduReceiver receiver(digests);
        Reader reader;
        EXPECT_TRUE(receiver.take(stream, reader));
        EXPECT_FALSE(receiver.within_pdu());
        return reader.answers;
    }
    std::vector<Answer> say(TargetConnection& connection, const Bytes& bytes,
                            PduReceiver::Options digests = {}) {
        connection.take(bytes);
        return hear(connection, digests);
    }

    Bytes keys(std::initializer_list<std::string_view> more = {}) const {
        return text_keys({"InitiatorName=iqn.i", "TargetName=" + settings.name}) + text_keys(more);
    }
    std::unique_ptr<TargetConnection> log_in(std::initializer_list<std::string_view> more = {},
                                             unsigned tsih = 0, uint16_t cid = 0) {
        auto connection = connect();
        const auto answers =
            say(*connection, login_request(keys(more), 1, tsih).ttt(uint32_t{cid} << 16).bytes());
        EXPECT_THAT(answers, SizeIs(1));
        if (!answers.empty()) {
            EXPECT_EQ(answers[0].bhs().status_class(), 0);
            EXPECT_EQ(answers[0].bhs().next_stage(), 3);
            tsih_of_last = answers[0].bhs().tsih();
        }
        return connection;
    }

    TargetSettings settings;
    std::unique_ptr<ScsiDevice> device;
    std::unique_ptr<MemoryBacking> backing;
    std::unique_ptr<UnitOccupation> occupation;
    std::unique_ptr<SessionTable> table;
    unsigned tsih_of_last = 0;
};

unsigned login_status(const std::vector<Answer>& answers) {
    if (answers.empty()) return 0xffff;
    return static_cast<unsigned>(answers[0].bhs().status_class() << 8 | answers[0].bhs().status_detail());
}

std::string text_of(const Answer& answer) {
    return {answer.data.begin(), answer.data.end()};
}

TEST_F(Target, ANewSessionHasAHandle) {
    const auto connection = log_in();
    EXPECT_NE(tsih_of_last, 0u);
    EXPECT_TRUE(connection->logged_in());
    EXPECT_EQ(table->account.sessions, 1u);
}

TEST_F(Target, EachKeyIsAnsweredAsItsRuleSays) {
    auto connection = connect();
    const auto answers =
        say(*connection,
            login_request(keys({"HeaderDigest=CRC32C,None", "DataDigest=None", "MaxBurstLength=4096",
                                "FirstBurstLength=65536", "InitialR2T=No", "ImmediateData=Yes",
                                "MaxOutstandingR2T=2", "ErrorRecoveryLevel=2", "DefaultTime2Wait=3",
                                "X-com.example=1", "MaxConnections=0", "MaxRecvDataSegmentLength=1024"}))
                .bytes());
    ASSERT_THAT(answers, SizeIs(1));
    const std::string text = text_of(answers[0]);
    for (const char* key :
         {"HeaderDigest=CRC32C", "DataDigest=None", "MaxBurstLength=4096", "FirstBurstLength=4096",
          "InitialR2T=No", "ImmediateData=Yes", "MaxOutstandingR2T=2", "ErrorRecoveryLevel=0",
          "DefaultTime2Wait=3", "X-com.example=NotUnderstood", "MaxConnections=Reject",
          "MaxRecvDataSegmentLength=1048576", "TargetPortalGroupTag=1"})
        EXPECT_THAT(text, HasSubstr(std::string(key) + '\0'));
}

TEST_F(Target, AWrongLoginIsRefusedWithItsReason) {
    const auto refused = [&](const Bytes& pdu) {
        const auto connection = connect();
        const auto answers = say(*connection, pdu);
        EXPECT_EQ(connection->ending(), Ending::after_output);
        return login_status(answers);
    };
    EXPECT_EQ(refused(login_request(text_keys({"TargetName=iqn.t"})).bytes()), 0x0207u);
    EXPECT_EQ(refused(login_request(text_keys({"InitiatorName=iqn.i"})).bytes()), 0x0207u);
    EXPECT_EQ(refused(login_request(text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t"})).bytes()),
              0x0203u);
    EXPECT_EQ(refused(login_request(keys({"SessionType=Odd"})).bytes()), 0x0209u);
    EXPECT_EQ(refused(login_request(keys(), 1, 77).bytes()), 0x020au);
    EXPECT_EQ(refused(login_request(keys()).status(1).bytes()), 0x0205u) << "version 1 at least";
    EXPECT_EQ(refused(login_request(keys({"MaxBurstLength=512", "MaxBurstLength=512"})).bytes()), 0x0200u);
    EXPECT_EQ(refused(login_request(keys({"novalue"})).bytes()), 0x0200u);
}

TEST_F(Target, WhoHasToProveItselfDoesNotGetInWithoutTrying) {
    settings.credentials = ChapCredentials{.initiator = {"user", Secret("0123456789ab")}, .target = {}};
    auto plain = connect();
    EXPECT_EQ(login_status(say(*plain, login_request(keys()).bytes())), 0x0201u);
    auto none = connect();
    EXPECT_EQ(login_status(say(*none, login_request(keys({"AuthMethod=None"})).flags(0x83).bytes())),
              0x0201u);
    auto silent = connect();
    EXPECT_EQ(login_status(say(*silent, login_request(keys()).flags(0x83).bytes())), 0x0201u);
    EXPECT_FALSE(plain->logged_in() || none->logged_in() || silent->logged_in());
}

TEST_F(Target, DiscoveryTellsNameAndAddress) {
    auto connection = connect();
    say(*connection, login_request(text_keys({"InitiatorName=iqn.i", "SessionType=Discovery"})).bytes());
    const auto answers = say(*connection, PduBuilder(Opcode::text_request)
                                              .flags(0x80)
                                              .itt(5)
                                              .ttt(reserved_tag)
                                              .cmd_sn(1)
                                              .data(text_keys({"SendTargets=All"}))
                                              .bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(text_of(answers[0]),
              "TargetName=" + settings.name + '\0' + "TargetAddress=192.0.2.1:3260,1" + '\0');
}

TEST_F(Target, AReadIsCutByTheInitiatorsLengthsAndEndsWithItsStatus) {
    const auto connection = log_in({"MaxRecvDataSegmentLength=3072", "MaxBurstLength=4096"});
    backing->write(0, 0, pattern(10240));
    const auto answers = say(*connection, scsi_command(7, 1, Moves::in, 10240, read_10(0, 20)).bytes());
    Bytes data;
    std::vector<unsigned> lengths;
    std::vector<bool> finals;
    for (const Answer& answer : answers) {
        EXPECT_EQ(answer.bhs().opcode(), Opcode::scsi_data_in);
        EXPECT_EQ(answer.bhs().buffer_offset(), data.size());
        EXPECT_EQ(answer.bhs().data_sn(), lengths.size());
        data = data + answer.data;
        lengths.push_back(answer.bhs().data_segment_length());
        finals.push_back(answer.bhs().final());
    }
    EXPECT_EQ(data, pattern(10240));
    EXPECT_THAT(lengths, ElementsAre(3072, 1024, 3072, 1024, 2048));
    EXPECT_THAT(finals, ElementsAre(false, true, false, true, true));
    EXPECT_TRUE(answers.back().bhs().has_status());
    EXPECT_EQ(answers.back().bhs().residual_count(), 0u);
}

TEST_F(Target, WhatDoesNotFitIsAResidual) {
    const auto connection = log_in();
    auto answers = say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 2)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].data.size(), 512u);
    EXPECT_TRUE(answers[0].bhs().overflow());
    EXPECT_EQ(answers[0].bhs().residual_count(), 512u);
    answers = say(*connection, scsi_command(2, 2, Moves::in, 4096, read_10(0, 2)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_TRUE(answers[0].bhs().underflow());
    EXPECT_EQ(answers[0].bhs().residual_count(), 4096u - 1024);
    answers = say(*connection, scsi_command(3, 3, Moves::in, 512, {0xc1}).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::check_condition);
    EXPECT_EQ(answers[0].data[2 + 12], 0x20);
    EXPECT_EQ(answers[0].bhs().residual_count(), 512u);
}

TEST_F(Target, AWriteIsAskedForBurstByBurst) {
    const auto connection = log_in({"InitialR2T=No", "ImmediateData=Yes", "MaxOutstandingR2T=1",
                                    "MaxBurstLength=8192", "FirstBurstLength=4096"});
    const Bytes data = pattern(20480);
    const auto part = [&](uint32_t at, uint32_t length) {
        return Bytes(data.begin() + at, data.begin() + at + length);
    };
    // 1 KiB with the command, 3 KiB more without being asked, the rest in bursts of 8 KiB.
    auto answers =
        say(*connection,
            scsi_command(9, 1, Moves::out, 20480, write_10(0, 40)).flags(0x20).data(part(0, 1024)).bytes() +
                data_out(9, reserved_tag, 1024, part(1024, 3072)).bytes());
    uint32_t at = 4096;
    for (const uint32_t burst : {8192u, 8192u}) {
        ASSERT_THAT(answers, SizeIs(1));
        const Bhs r2t = answers[0].bhs();
        ASSERT_EQ(r2t.opcode(), Opcode::r2t);
        EXPECT_EQ(r2t.buffer_offset(), at);
        EXPECT_EQ(r2t.desired_data_transfer_length(), burst);
        answers =
            say(*connection, data_out(9, r2t.ttt(), at, part(at, 4096), false).bytes() +
                                 data_out(9, r2t.ttt(), at + 4096, part(at + 4096, 4096)).data_sn(1).bytes());
        at += burst;
    }
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().opcode(), Opcode::scsi_response);
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    const auto stored = backing->read(0, 0, data.size());
    EXPECT_EQ(Bytes(stored.begin(), stored.end()), data);
}

TEST_F(Target, EndsTheCommandAloneWhoseDataOutIsOutOfOrder) {
    const auto connection = log_in({"InitialR2T=Yes"});
    const auto answers = say(*connection, scsi_command(9, 1, Moves::out, 1024, write_10(0, 2)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    const uint32_t tag = answers[0].bhs().ttt();
    const auto ended = say(*connection, data_out(9, tag, 0, pattern(512), false).data_sn(0).bytes() +
                                            data_out(9, tag, 512, pattern(512)).data_sn(27).bytes());
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].bhs().opcode(), Opcode::scsi_response);
    EXPECT_EQ(ended[0].bhs().status(), scsi_status::check_condition);
    const auto next = say(*connection, scsi_command(10, 2, Moves::in, 512, read_10(0, 1)).bytes());
    EXPECT_FALSE(next.empty()) << "the connection goes on";
}

TEST_F(Target, MayAskForSeveralBurstsAtOnce) {
    const auto connection = log_in({"InitialR2T=Yes", "MaxOutstandingR2T=2", "MaxBurstLength=8192"});
    const auto answers = say(*connection, scsi_command(9, 1, Moves::out, 20480, write_10(0, 40)).bytes());
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_EQ(answers[0].bhs().buffer_offset(), 0u);
    EXPECT_EQ(answers[1].bhs().buffer_offset(), 8192u);
    EXPECT_NE(answers[0].bhs().ttt(), answers[1].bhs().ttt());
}

TEST_F(Target, DataThatNobodyAskedForAreTheEnd) {
    for (const Bytes& wrong :
         {scsi_command(1, 1, Moves::out, 8192, write_10(0, 16)).data(pattern(4097)).bytes(),
          scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).data(pattern(512)).bytes(),
          scsi_command(1, 1, Moves::out, 8192, write_10(0, 16)).flags(0x20).bytes() +
              data_out(1, reserved_tag, 512, pattern(512)).bytes()}) {
        const auto connection = log_in({"InitialR2T=No", "FirstBurstLength=4096"});
        const auto answers = say(*connection, wrong);
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().opcode(), Opcode::reject);
        EXPECT_EQ(connection->ending(), Ending::after_output);
    }
}

TEST_F(Target, DataForATaskThatNeverWasAreDropped) {
    const auto connection = log_in({"InitialR2T=No", "FirstBurstLength=4096"});
    constexpr uint32_t slots = 2048;  // that a Target Transfer Tag can name
    for (uint32_t tag = 0; tag < slots; ++tag) {
        EXPECT_THAT(say(*connection, data_out(1, tag, 0, pattern(512)).bytes()), SizeIs(0));
        ASSERT_EQ(connection->ending(), Ending::goes_on);
    }
    const auto answers = say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
}

TEST_F(Target, DigestsAreMadeAndChecked) {
    const auto connection = log_in({"HeaderDigest=CRC32C", "DataDigest=CRC32C"});
    const PduReceiver::Options digests{.header_digest = true, .data_digest = true};
    auto answers = say(
        *connection, scsi_command(1, 1, Moves::out, 512, write_10(0, 1)).data(pattern(512)).bytes(true, true),
        digests);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    answers = say(*connection, scsi_command(2, 2, Moves::in, 512, read_10(0, 1)).bytes(true, true), digests);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].data, pattern(512));
    EXPECT_TRUE(answers[0].intact);
    Bytes damaged = scsi_command(3, 3, Moves::out, 512, write_10(1, 1)).data(pattern(512)).bytes(true, true);
    damaged[60] ^= 1;
    answers = say(*connection, damaged, digests);
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_EQ(answers[0].bhs().opcode(), Opcode::reject);
    EXPECT_EQ(answers[0].bhs().reject_reason(), 2);
    EXPECT_EQ(answers[1].bhs().status(), scsi_status::check_condition);
    damaged = scsi_command(4, 4, Moves::in, 512, read_10(0, 1)).bytes(true, true);
    damaged[20] ^= 1;
    EXPECT_THAT(say(*connection, damaged, digests), IsEmpty());
    EXPECT_EQ(connection->ending(), Ending::now);
}

TEST_F(Target, DataThatAreWrittenToWhileTheyAreSentMatchTheirDigest) {
    const auto connection = log_in({"DataDigest=CRC32C", "MaxRecvDataSegmentLength=65536"});
    constexpr uint8_t asked = 250;
    constexpr size_t length = asked * size_t{512};
    connection->take(scsi_command(1, 1, Moves::in, length, read_10(0, asked)).bytes(false, true));
    uint8_t byte = 0;
    const auto answers =
        hear(*connection, {.data_digest = true}, 1000, [&] { backing->write(0, 0, Bytes(length, ++byte)); });
    uint64_t bytes = 0;
    for (const Answer& answer : answers) {
        EXPECT_TRUE(answer.intact);
        bytes += answer.data.size();
    }
    EXPECT_EQ(bytes, length);
    EXPECT_GT(answers.back().data.back(), 0) << "later PDUs have what was written before them";
}

TEST_F(Target, CommandsAreTakenInOrderOverTheConnectionsOfASession) {
    const auto first = log_in({"MaxConnections=4"});
    const auto second = log_in({}, tsih_of_last, 1);
    EXPECT_THAT(say(*second, scsi_command(2, 2, Moves::in, 512, read_10(0, 1)).bytes()), IsEmpty());
    const auto answers = say(*first, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().exp_cmd_sn().value, 3u);
    EXPECT_THAT(table->woken, testing::Contains(second.get()));
    const auto others = hear(*second);
    ASSERT_THAT(others, SizeIs(1));
    EXPECT_EQ(others[0].bhs().itt(), 2u);
}

TEST_F(Target, AWriteWhoseImmediateDataAreStillComingWaitsForThem) {
    const auto first = log_in({"MaxConnections=4"});
    const auto second = log_in({}, tsih_of_last, 1);
    const Bytes write = scsi_command(2, 2, Moves::out, 512, write_10(0, 1)).data(pattern(512)).bytes();
    const auto half = write.begin() + 300;
    EXPECT_THAT(say(*second, Bytes(write.begin(), half)), IsEmpty());
    EXPECT_THAT(say(*first, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), SizeIs(1));
    EXPECT_THAT(hear(*second), IsEmpty()) << "it is its turn, but no R2T may ask for what is on its way";
    const auto answers = say(*second, Bytes(half, write.end()));
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    EXPECT_EQ(answers[0].bhs().exp_cmd_sn().value, 3u);
}

TEST_F(Target, ATagInUseIsRejected) {
    const auto first = log_in({"MaxConnections=4", "InitialR2T=Yes", "MaxBurstLength=8192"});
    const auto second = log_in({}, tsih_of_last, 1);
    auto answers = say(*first, scsi_command(7, 1, Moves::out, 512, write_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    const uint32_t ttt = answers[0].bhs().ttt();

    const Bytes again = scsi_command(7, 2, Moves::in, 512, read_10(0, 1)).bytes();
    const Bytes at_once = scsi_command(7, 3, Moves::in, 512, read_10(0, 1)).immediate().bytes();
    for (const auto& [connection, rejected] :
         {std::pair(first.get(), again), std::pair(second.get(), at_once)}) {
        answers = say(*connection, rejected);
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().opcode(), Opcode::reject);
        EXPECT_EQ(answers[0].bhs().reject_reason(), 7);
        EXPECT_EQ(answers[0].data, Bytes(rejected.begin(), rejected.begin() + bhs_length));
        EXPECT_EQ(answers[0].bhs().exp_cmd_sn().value, 3u)
            << "its number has gone by, that of an immediate one counts nothing";
    }
    // All else goes on, the command that has the tag as well.
    answers = say(*first, scsi_command(8, 3, Moves::in, 512, read_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().itt(), 8u);
    answers = say(*first, data_out(7, ttt, 0, pattern(512)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    EXPECT_EQ(answers[0].bhs().itt(), 7u);
    EXPECT_EQ(first->ending(), Ending::goes_on);
    // The answer is on its way: the tag is free.
    answers = say(*second, scsi_command(7, 4, Moves::in, 512, read_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].data, pattern(512));
}

TEST_F(Target, ATagOfAnAbortedCommandIsFree) {
    settings.faults = {{FaultKind::never_answer, 1}};
    const auto connection = log_in();
    EXPECT_THAT(say(*connection, scsi_command(7, 1, Moves::in, 512, read_10(0, 1)).bytes()), IsEmpty());
    auto answers = say(*connection, scsi_command(7, 2, Moves::in, 512, {0x00}).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().opcode(), Opcode::reject);
    constexpr unsigned abort_task = 0x81;
    answers = say(*connection, PduBuilder(Opcode::task_management_request)
                                   .flags(abort_task)
                                   .immediate()
                                   .itt(9)
                                   .referenced_task_tag(7)
                                   .cmd_sn(3)
                                   .bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().response(), 0);
    answers = say(*connection, scsi_command(7, 3, Moves::nothing, 0, {0x00}).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().opcode(), Opcode::scsi_response);
}

TEST_F(Target, TagsThatShareAPlaceAreToldApart) {
    settings.max_connections = 1;
    const auto connection = log_in({"InitialR2T=Yes"});
    // More tags than there are places for them, all in use at once.
    std::vector<uint32_t> transfer_tags;
    for (uint32_t i = 0; i < 512; ++i) {
        const auto answers =
            say(*connection, scsi_command(i << 11, i + 1, Moves::out, 512, write_10(0, 1)).bytes());
        ASSERT_THAT(answers, SizeIs(1));
        ASSERT_EQ(answers[0].bhs().opcode(), Opcode::r2t) << i;
        transfer_tags.push_back(answers[0].bhs().ttt());
    }
    for (const uint32_t i : {5u, 511u, 0u, 256u}) {
        auto answers = say(*connection, data_out(i << 11, transfer_tags[i], 0, pattern(512)).bytes());
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().itt(), i << 11);
        answers =
            say(*connection, scsi_command(i << 11, 600, Moves::in, 512, read_10(0, 1)).immediate().bytes());
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_NE(answers[0].bhs().opcode(), Opcode::reject) << i;
        answers =
            say(*connection,
                scsi_command((i + 1) % 512 << 11, 600, Moves::in, 512, read_10(0, 1)).immediate().bytes());
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().opcode(), Opcode::reject) << i;
    }
}

TEST_F(Target, CommandsOutsideOfTheWindowAreNotThere) {
    const auto connection = log_in();
    EXPECT_THAT(say(*connection, scsi_command(1, 0, Moves::in, 512, read_10(0, 1)).bytes()), IsEmpty());
    EXPECT_THAT(say(*connection,
                    scsi_command(1, 1 + TargetSession::most_tasks, Moves::in, 512, read_10(0, 1)).bytes()),
                IsEmpty());
    EXPECT_THAT(say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), SizeIs(1));
}

TEST_F(Target, TheWindowClosesWithTheCommandsInProgress) {
    const auto connection = log_in({"InitialR2T=Yes"});
    std::vector<Answer> answers;
    for (uint32_t i = 0; i < TargetSession::most_tasks; ++i)
        answers = say(*connection, scsi_command(i, 1 + i, Moves::out, 512, write_10(0, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().max_cmd_sn().value + 1, answers[0].bhs().exp_cmd_sn().value);
    const auto beyond = scsi_command(5000, 1 + TargetSession::most_tasks, Moves::out, 512, write_10(0, 1));
    EXPECT_THAT(say(*connection, beyond.bytes()), IsEmpty());
}

TEST_F(Target, TheWindowIsAsWideAsItWasSetAndOpensWithEachAnswer) {
    settings.command_window = 2;
    const auto connection = log_in({"InitialR2T=Yes"});
    const auto room = [](const Answer& answer) {
        return answer.bhs().max_cmd_sn().value + 1 - answer.bhs().exp_cmd_sn().value;
    };
    const auto write = [](uint32_t itt, uint32_t cmd_sn) {
        return scsi_command(itt, cmd_sn, Moves::out, 512, write_10(0, 1)).bytes();
    };
    EXPECT_EQ(room(say(*connection, write(1, 1)).at(0)), 1u);
    const auto second = say(*connection, write(2, 2));
    EXPECT_EQ(room(second.at(0)), 0u);
    EXPECT_THAT(say(*connection, write(3, 3)), IsEmpty());
    const auto answered = say(*connection, data_out(2, second[0].bhs().ttt(), 0, Bytes(512)).bytes());
    ASSERT_THAT(answered, SizeIs(1));
    EXPECT_EQ(room(answered[0]), 1u);
    EXPECT_THAT(say(*connection, write(3, 3)), SizeIs(1));
}

TEST_F(Target, TurnsAwayWhatItsTaskSetHasNoRoomFor) {
    settings.task_set = 2;
    settings.luns = 2;
    const auto connection = log_in({"InitialR2T=Yes"});
    const auto other = connect();
    say(*other,
        login_request(text_keys({"InitiatorName=iqn.other", "TargetName=" + settings.name, "InitialR2T=Yes"}),
                      1)
            .bytes());
    const auto write = [](uint32_t itt, uint32_t cmd_sn, uint8_t lun = 0) {
        return scsi_command(itt, cmd_sn, Moves::out, 512, write_10(0, 1)).lun(lun).bytes();
    };
    const auto first = say(*connection, write(1, 1));
    EXPECT_EQ(first.at(0).bhs().opcode(), Opcode::r2t);
    EXPECT_EQ(say(*other, write(1, 1)).at(0).bhs().opcode(), Opcode::r2t);
    const auto third = say(*other, write(2, 2));
    EXPECT_EQ(third.at(0).bhs().status(), scsi_status::task_set_full) << "two of two sessions are under way";
    EXPECT_EQ(say(*other, write(3, 3, 1)).at(0).bhs().opcode(), Opcode::r2t) << "the other unit has room";
    EXPECT_THAT(say(*connection, data_out(1, first[0].bhs().ttt(), 0, Bytes(512)).bytes()), SizeIs(1));
    EXPECT_EQ(say(*other, write(4, 4)).at(0).bhs().opcode(), Opcode::r2t) << "one has ended";
}

TEST_F(Target, WhoComesAgainTakesThePlaceOfItsSession) {
    const auto first = log_in();
    const unsigned before = tsih_of_last;
    const auto second = log_in();
    EXPECT_EQ(first->ending(), Ending::now);
    EXPECT_EQ(second->ending(), Ending::goes_on);
    EXPECT_NE(tsih_of_last, before);
}

TEST_F(Target, ASessionEndsWithAConnectionThatIsLost) {
    auto first = log_in({"MaxConnections=4"});
    const auto second = log_in({}, tsih_of_last, 1);
    first.reset();
    EXPECT_EQ(second->ending(), Ending::now);
}

TEST_F(Target, ASessionGoesOnWithoutAConnectionThatLoggedOut) {
    auto first = log_in({"MaxConnections=4"});
    const auto second = log_in({}, tsih_of_last, 1);
    const auto answers =
        say(*first, PduBuilder(Opcode::logout_request).immediate().flags(0x81).itt(1).cmd_sn(1).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().response(), 0);
    EXPECT_EQ(first->ending(), Ending::after_output);
    first.reset();
    EXPECT_EQ(second->ending(), Ending::goes_on);
    EXPECT_THAT(say(*second, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), SizeIs(1));
}

TEST_F(Target, ATaskThatIsAbortedIsNotAnswered) {
    const auto connection = log_in({"InitialR2T=Yes"});
    const auto asked = say(*connection, scsi_command(9, 1, Moves::out, 512, write_10(0, 1)).bytes());
    ASSERT_THAT(asked, SizeIs(1));
    const PduBuilder abort = PduBuilder(Opcode::task_management_request)
                                 .immediate()
                                 .flags(0x81)
                                 .itt(10)
                                 .referenced_task_tag(9)
                                 .cmd_sn(2)
                                 .data_sn(0);
    auto answers = say(*connection, abort.bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().response(), 0);
    EXPECT_THAT(say(*connection, data_out(9, asked[0].bhs().ttt(), 0, pattern(512)).bytes()), IsEmpty());
    answers = say(*connection, abort.bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().response(), 1) << "there is no such task any more";
}

TEST_F(Target, APingComesBackCutToWhatTheInitiatorTakes) {
    const auto connection = log_in({"MaxRecvDataSegmentLength=512"});
    const auto answers = say(*connection, PduBuilder(Opcode::nop_out)
                                              .immediate()
                                              .flags(0x80)
                                              .itt(3)
                                              .ttt(reserved_tag)
                                              .cmd_sn(1)
                                              .data(pattern(600))
                                              .bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().opcode(), Opcode::nop_in);
    EXPECT_EQ(answers[0].data, pattern(512));
}

TEST_F(Target, ServiceTakesItsTime) {
    settings.latency = std::chrono::microseconds(200);
    const auto connection = log_in();
    EXPECT_THAT(say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), IsEmpty());
    ASSERT_TRUE(connection->next_due());
    EXPECT_EQ(*connection->next_due(), table->now + settings.latency);
    table->now += std::chrono::microseconds(199);
    connection->on_time();
    EXPECT_FALSE(connection->has_output());
    table->now += std::chrono::microseconds(1);
    connection->on_time();
    EXPECT_THAT(hear(*connection), SizeIs(1));
}

TEST_F(Target, ServiceOfWritesAloneTakesItsTime) {
    settings.latency = std::chrono::microseconds(200);
    settings.latency_of = TargetSettings::LatencyOf::writes;
    const auto connection = log_in();
    EXPECT_THAT(say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), SizeIs(1));
    EXPECT_FALSE(connection->next_due());
}

TEST_F(Target, ServiceOfOneLogicalUnitAloneTakesItsTime) {
    settings.latency = std::chrono::microseconds(200);
    settings.latency_lun = 1;
    const auto connection = log_in();
    EXPECT_THAT(say(*connection, scsi_command(1, 1, Moves::in, 512, read_10(0, 1)).bytes()), SizeIs(1));
    EXPECT_FALSE(connection->next_due());
}

// An UNMAP of one block.
PduBuilder unmap_command(uint32_t itt, uint32_t cmd_sn, uint8_t lba) {
    Bytes list(24);
    list[1] = 22;
    list[3] = 16;
    list[15] = lba;
    list[19] = 1;
    return scsi_command(itt, cmd_sn, Moves::out, 24, {0x42, 0, 0, 0, 0, 0, 0, 0, 24}).data(list);
}

TEST_F(Target, UnmapIsDoneOnceItsListIsThere) {
    const auto connection = log_in({"InitialR2T=No", "ImmediateData=Yes"});
    backing->write(0, 0, pattern(1536));
    auto answers = say(*connection, unmap_command(1, 1, 1).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    EXPECT_EQ(answers[0].bhs().residual_count(), 0u);
    const auto stored = backing->read(0, 512, 512);
    EXPECT_EQ(Bytes(stored.begin(), stored.end()), Bytes(512));

    answers =
        say(*connection,
            scsi_command(2, 2, Moves::out, 16, {0x42, 0, 0, 0, 0, 0, 0, 0, 24}).data(Bytes(16)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::check_condition);
    EXPECT_EQ(answers[0].data[2 + 12], 0x1a) << "a part of the list did not come";
    EXPECT_TRUE(answers[0].bhs().overflow());
}

TEST_F(Target, WriteSameTakesOneBlockNeitherMoreNorLess) {
    const auto connection = log_in({"InitialR2T=No", "ImmediateData=Yes"});
    uint32_t number = 0;
    for (const uint32_t length : {256u, 512u, 1024u}) {
        ++number;
        const auto answers =
            say(*connection, scsi_command(number, number, Moves::out, length, {0x41, 0, 0, 0, 0, 1, 0, 0, 2})
                                 .data(pattern(length))
                                 .bytes());
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().status(), length == 512 ? scsi_status::good : scsi_status::check_condition)
            << length;
    }
}

TEST_F(Target, CompareAndWriteAsksForItsDataAndTellsWhereTheyDiffer) {
    const auto connection = log_in({"InitialR2T=Yes", "ImmediateData=No"});
    backing->write(0, 512, pattern(512, 3));
    const Bytes cdb = {0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    const auto perform = [&](uint32_t number, const Bytes& data) {
        const auto asked = say(*connection, scsi_command(number, number, Moves::out, 1024, cdb).bytes());
        if (asked.size() != 1 || asked[0].bhs().opcode() != Opcode::r2t) return asked;
        EXPECT_EQ(asked[0].bhs().desired_data_transfer_length(), 1024u);
        return say(*connection, data_out(number, asked[0].bhs().ttt(), 0, data).bytes());
    };
    auto answers = perform(1, pattern(512, 3) + pattern(512, 9));
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
    const auto stored = backing->read(0, 512, 512);
    EXPECT_EQ(Bytes(stored.begin(), stored.end()), pattern(512, 9));

    Bytes wrong = pattern(512, 9);
    wrong[300] ^= 1;
    answers = perform(2, wrong + pattern(512, 3));
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().status(), scsi_status::check_condition);
    EXPECT_EQ(answers[0].data[2] & 0x80, 0x80);
    EXPECT_EQ(answers[0].data[2 + 2], 0xe);
    EXPECT_EQ(answers[0].data[2 + 5] << 8 | answers[0].data[2 + 6], 300);
}

TEST_F(Target, NothingIsDoneWithDataOfAWrongDigest) {
    const auto connection = log_in({"DataDigest=CRC32C", "InitialR2T=No", "ImmediateData=Yes"});
    backing->write(0, 0, pattern(1024));
    Bytes damaged = unmap_command(1, 1, 1).bytes(false, true);
    damaged[48 + 19] ^= 2;
    say(*connection, damaged, {.header_digest = false, .data_digest = true});
    const auto stored = backing->read(0, 0, 1024);
    EXPECT_EQ(Bytes(stored.begin(), stored.end()), pattern(1024));
}

TEST_F(Target, WhileAnUnmapTakesItsTimeItsUnitServesNothingElse) {
    using namespace std::chrono_literals;
    settings.luns = 2;
    settings.exclusive_latency = 50ms;
    const auto first = log_in({"InitialR2T=No", "ImmediateData=Yes"});
    const auto second = connect();
    say(*second, login_request(keys({"InitialR2T=No"}), 2).bytes());
    const auto read = [&](TargetConnection& connection, uint32_t number, uint8_t lun) {
        return say(connection, scsi_command(number, number, Moves::in, 512, read_10(0, 1)).lun(lun).bytes());
    };
    EXPECT_THAT(read(*first, 1, 0), SizeIs(1)) << "before it";
    EXPECT_THAT(say(*first, unmap_command(2, 2, 1).bytes()), IsEmpty());
    table->now += 20ms;
    EXPECT_THAT(read(*first, 3, 0), IsEmpty());
    EXPECT_THAT(read(*second, 1, 0), IsEmpty()) << "of another session as well";
    EXPECT_THAT(read(*first, 4, 1), SizeIs(1)) << "the other unit is free";
    ASSERT_TRUE(first->next_due());
    EXPECT_EQ(*first->next_due(), table->now + 30ms);
    table->now += 30ms;
    first->on_time();
    second->on_time();
    const auto answers = hear(*first);
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_EQ(answers[0].bhs().itt(), 2u) << "the UNMAP's answer is first";
    EXPECT_EQ(answers[1].bhs().itt(), 3u);
    EXPECT_THAT(hear(*second), SizeIs(1));
    EXPECT_THAT(read(*first, 5, 0), SizeIs(1)) << "after it";
}

TEST_F(Target, WhoeverIsServedSoonerIsAnsweredSooner) {
    using namespace std::chrono_literals;
    settings.luns = 2;
    settings.exclusive_latency = 50ms;
    settings.latency = 1ms;
    settings.latency_lun = 1;
    const auto connection = log_in({"InitialR2T=No", "ImmediateData=Yes"});
    say(*connection, unmap_command(1, 1, 1).bytes());
    say(*connection, scsi_command(2, 2, Moves::in, 512, read_10(0, 1)).lun(1).bytes());
    ASSERT_TRUE(connection->next_due());
    EXPECT_EQ(*connection->next_due(), table->now + 1ms);
    table->now += 1ms;
    connection->on_time();
    const auto answers = hear(*connection);
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].bhs().itt(), 2u);
    EXPECT_EQ(*connection->next_due(), table->now + 49ms);
}

TEST_F(Target, GoesWrongAsItIsTold) {
    const auto outcome = [&](FaultKind kind) {
        settings.faults = {{kind, 2}};
        table.reset();
        make();
        const auto connection = log_in({"DataDigest=CRC32C"});
        const PduReceiver::Options digests{.header_digest = false, .data_digest = true};
        EXPECT_THAT(say(*connection, scsi_command(1, 1, Moves::in, 1024, read_10(0, 2)).bytes(), digests),
                    SizeIs(1))
            << "the first of two goes right";
        auto answers = say(*connection, scsi_command(2, 2, Moves::in, 1024, read_10(0, 2)).bytes(), digests);
        return std::pair(connection->ending(), answers);
    };
    EXPECT_EQ(outcome(FaultKind::busy).second.at(0).bhs().status(), 0x08);
    EXPECT_EQ(outcome(FaultKind::task_set_full).second.at(0).bhs().status(), 0x28);
    EXPECT_EQ(outcome(FaultKind::check_condition).second.at(0).data.at(2 + 2), 3);
    EXPECT_EQ(outcome(FaultKind::short_read).second.at(0).bhs().residual_count(), 512u);
    EXPECT_FALSE(outcome(FaultKind::corrupt_data_digest).second.at(0).intact);
    EXPECT_THAT(outcome(FaultKind::never_answer).second, IsEmpty());
    EXPECT_EQ(outcome(FaultKind::reset).first, Ending::reset);
    EXPECT_EQ(outcome(FaultKind::close).first, Ending::now);
    EXPECT_EQ(outcome(FaultKind::async_logout).second.at(0).bhs().opcode(), Opcode::async_message);
}

TEST_F(Target, LosesWritesAsItIsTold) {
    settings.faults = {{FaultKind::lost_write, 2}};
    const auto connection = log_in({"InitialR2T=No", "ImmediateData=Yes"});
    for (uint8_t number = 1; number <= 3; ++number) {
        const auto answers = say(
            *connection,
            scsi_command(number, number, Moves::out, 512, write_10(number, 1)).data(pattern(512)).bytes());
        ASSERT_THAT(answers, SizeIs(1));
        EXPECT_EQ(answers[0].bhs().status(), scsi_status::good);
        const auto stored = backing->read(0, uint64_t{512} * number, 512);
        EXPECT_EQ(Bytes(stored.begin(), stored.end()), number == 2 ? Bytes(512) : pattern(512))
            << unsigned{number};
    }
    // The fourth one is a read: nothing is lost of it.
    const auto answers = say(*connection, scsi_command(4, 4, Moves::in, 512, read_10(1, 1)).bytes());
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].data, pattern(512));
}

TEST_F(Target, RefusesLoginsAsItIsTold) {
    settings.faults = {{FaultKind::login_refused, 2}};
    const auto first = log_in();
    const auto second = connect();
    EXPECT_EQ(login_status(say(*second, login_request(keys(), 2).bytes())), 0x0302u);
}

}  // namespace
}  // namespace sanscope
