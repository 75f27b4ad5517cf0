// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/initiator_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/scsi_commands.h"

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using How = TaskEnd::How;
using Phase = InitiatorConnection::Phase;
using test::Bytes;
using test::operator+;  // NOLINT(misc-unused-using-decls): it is used
using test::pattern;
using test::PduBuilder;

constexpr unsigned with_status = 0x81;
constexpr unsigned final = 0x80;

struct Done {
    uint32_t slot;
    How how;
    uint8_t status;
    uint32_t moved;
    Bytes sense;
};

struct Owner {
    void on_data(uint32_t /*slot*/, std::span<const uint8_t> piece, uint32_t at) {
        EXPECT_EQ(at, data.size());
        data.insert(data.end(), piece.begin(), piece.end());
    }
    void fill(uint32_t /*slot*/, std::span<uint8_t> piece, uint32_t at) {
        const Bytes bytes = pattern(piece.size(), at);
        std::ranges::copy(bytes, piece.begin());
    }
    void on_done(uint32_t slot, const TaskEnd& end) {
        done.push_back({slot, end.how, end.status, end.moved, Bytes(end.sense.begin(), end.sense.end())});
    }
    void on_management(uint32_t slot, uint8_t response) { management.emplace_back(slot, response); }
    void on_async(uint8_t event) { async.push_back(event); }

    Bytes data;
    std::vector<Done> done;
    std::vector<std::pair<uint32_t, unsigned>> management;
    std::vector<unsigned> async;
};

struct SentPdu {
    Bytes header;
    Bytes data;
    Bhs bhs() const { return Bhs(header.data()); }
};

// An initiator's connection, and a target that says what the test wants.
class Connection : public testing::Test {
  protected:
    void log_in(const TextKeys& said = {}, uint32_t slots = 4, const char* digests = "None") {
        LoginOffer offer;
        offer.initiator_name = "iqn.2026-11.org.example:initiator";
        offer.target_name = "iqn.2026-11.org.example:disk";
        offer.cid = cid;
        offer.header_digest = digests;
        offer.data_digest = digests;
        offer.max_recv_data_segment_length = 65536;
        connection.emplace(offer, numbers, InitiatorConnection::Options{.slots = slots});
        ASSERT_THAT(sent(), SizeIs(1));
        answer_login(0x81, {{"AuthMethod", "None"}});
        ASSERT_THAT(sent(), SizeIs(1));
        answer_login(0x87, said);
        ASSERT_EQ(connection->phase(), Phase::full_feature);
    }
    void answer_login(unsigned flags, const TextKeys& said) {
        const std::string text = write_text_keys(said);
        EXPECT_TRUE(give(PduBuilder(Opcode::login_response)
                             .flags(flags)
                             .tsih((flags & 3) == 3 ? 7 : 0)
                             .stat_sn(stat_sn++)
                             .exp_cmd_sn(1)
                             .data(Bytes(text.begin(), text.end()))
                             .bytes()));
    }
    Result<std::monostate> give(const Bytes& bytes) { return connection->take(bytes, owner); }

    // The PDUs that are to go out, which then have gone.
    std::vector<SentPdu> sent() {
        const bool plain = connection->phase() == Phase::login;
        const bool header_digest = !plain && connection->outcome().header_digest;
        const bool data_digest = !plain && connection->outcome().data_digest;
        std::vector<SentPdu> pdus;
        while (true) {
            const auto out = connection->to_send();
            const Bytes bytes(out.begin(), out.end());
            if (bytes.empty()) return pdus;
            struct Sink {
                bool on_header(Bhs header) {
                    pdus.push_back({Bytes(header.bytes(), header.bytes() + bhs_length), {}});
                    return true;
                }
                void on_data(std::span<const uint8_t> piece, uint32_t /*at*/) {
                    pdus.back().data.insert(pdus.back().data.end(), piece.begin(), piece.end());
                }
                void on_end(Bhs /*header*/, bool intact) { EXPECT_TRUE(intact); }
                std::vector<SentPdu>& pdus;
            } sink{pdus};
            PduReceiver receiver({.header_digest = header_digest, .data_digest = data_digest});
            EXPECT_TRUE(receiver.take(bytes, sink));
            EXPECT_FALSE(receiver.within_pdu());
            connection->sent(bytes.size(), owner);
        }
    }

    uint32_t read(uint32_t bytes, bool wants = false) {
        return connection->issue({.cdb = read_cdb(8, bytes / 512),
                                  .lun_field = 0x0001000000000000,
                                  .bytes = bytes,
                                  .direction = ScsiTask::Direction::read,
                                  .wants_data = wants},
                                 owner);
    }
    uint32_t write(uint32_t bytes) {
        return connection->issue({.cdb = write_cdb(8, bytes / 512),
                                  .lun_field = 0x0001000000000000,
                                  .bytes = bytes,
                                  .direction = ScsiTask::Direction::write},
                                 owner);
    }
    PduBuilder data_in(uint32_t itt, uint32_t at, const Bytes& data, unsigned flags = 0) {
        return PduBuilder(Opcode::scsi_data_in)
            .flags(flags)
            .itt(itt)
            .ttt(reserved_tag)
            .stat_sn((flags & 1) != 0 ? stat_sn++ : 0)
            .exp_cmd_sn(numbers.cmd_sn.value)
            .buffer_offset(at)
            .data(data);
    }
    PduBuilder response(uint32_t itt, unsigned status = 0) {
        return PduBuilder(Opcode::scsi_response)
            .flags(final)
            .status(status)
            .itt(itt)
            .stat_sn(stat_sn++)
            .exp_cmd_sn(numbers.cmd_sn.value);
    }
    PduBuilder r2t(uint32_t itt, uint32_t ttt, uint32_t at, uint32_t length) {
        return PduBuilder(Opcode::r2t)
            .flags(final)
            .itt(itt)
            .ttt(ttt)
            .stat_sn(stat_sn)
            .exp_cmd_sn(numbers.cmd_sn.value)
            .buffer_offset(at)
            .desired_length(length);
    }

    uint16_t cid = 0;
    SessionNumbers numbers;
    Owner owner;
    std::optional<InitiatorConnection> connection;
    uint32_t stat_sn = 1000;
};

TEST_F(Connection, AReadIsSentAndItsDataAreCounted) {
    log_in();
    const uint32_t slot = read(4096, true);
    const auto out = sent();
    ASSERT_THAT(out, SizeIs(1));
    const Bhs command = out[0].bhs();
    EXPECT_EQ(command.opcode(), Opcode::scsi_command);
    EXPECT_TRUE(command.final());
    EXPECT_TRUE(command.read());
    EXPECT_FALSE(command.write());
    EXPECT_EQ(command.cmd_sn().value, 1u);
    EXPECT_EQ(command.exp_stat_sn().value, stat_sn);
    EXPECT_EQ(command.expected_data_transfer_length(), 4096u);
    EXPECT_EQ(command.cdb()[0], 0x28);
    EXPECT_EQ(lun_number(command.lun_field()), 1u);

    const Bytes data = pattern(4096);
    const Bytes first(data.begin(), data.begin() + 1000);
    const Bytes rest(data.begin() + 1000, data.end());
    ASSERT_TRUE(give(data_in(command.itt(), 0, first).bytes() +
                     data_in(command.itt(), 1000, rest, with_status).bytes()));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].slot, slot);
    EXPECT_EQ(owner.done[0].how, How::answered);
    EXPECT_EQ(owner.done[0].moved, 4096u);
    EXPECT_EQ(owner.data, data);
    EXPECT_EQ(connection->in_flight(), 0u);
}

TEST_F(Connection, DataThatNobodyWantsMayStayWhereTheyAre) {
    log_in();
    read(65536);
    const uint32_t itt = sent()[0].bhs().itt();
    const Bytes pdu = data_in(itt, 0, pattern(65536), with_status).bytes();
    ASSERT_TRUE(give(Bytes(pdu.begin(), pdu.begin() + 60)));
    EXPECT_EQ(connection->unwanted(), 65536u - 12);
    ASSERT_TRUE(connection->passed_over(65536 - 12, owner));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].how, How::answered);
    EXPECT_THAT(owner.data, IsEmpty());
}

TEST_F(Connection, DataThatAreMissingAreNoticedWhateverTheTargetSays) {
    log_in();
    read(4096);
    ASSERT_TRUE(give(data_in(sent()[0].bhs().itt(), 0, pattern(512), with_status).bytes()));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].how, How::data_missing);
    // With a residual it is the target's right.
    constexpr unsigned underflow = 0x02;
    read(4096);
    ASSERT_TRUE(give(
        data_in(sent()[0].bhs().itt(), 0, pattern(512), with_status | underflow).residual(3584).bytes()));
    EXPECT_EQ(owner.done[1].how, How::answered);
    EXPECT_EQ(owner.done[1].moved, 512u);
}

TEST_F(Connection, SenseDataComeWithTheAnswer) {
    log_in();
    read(512);
    const Bytes sense = {0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0};
    ASSERT_TRUE(give(response(sent()[0].bhs().itt(), 2).data(Bytes{0, 18} + sense).bytes()));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].status, 2);
    EXPECT_EQ(owner.done[0].how, How::answered);
    EXPECT_EQ(owner.done[0].sense, sense);
}

TEST_F(Connection, NoMoreCommandsThanTheTargetTakes) {
    log_in({}, 64);
    for (int i = 0; i < 32; ++i) {
        ASSERT_TRUE(connection->can_issue()) << i;
        read(512);
    }
    EXPECT_FALSE(connection->can_issue());  // MaxCmdSN, though there are slots
    const auto out = sent();
    ASSERT_TRUE(give(data_in(out[0].bhs().itt(), 0, pattern(512), with_status).exp_cmd_sn(2).bytes()));
    EXPECT_TRUE(connection->can_issue());
    // What is older than what is known changes nothing.
    ASSERT_TRUE(give(data_in(out[1].bhs().itt(), 0, pattern(512), with_status).exp_cmd_sn(1).bytes()));
    EXPECT_EQ(numbers.max_cmd_sn.value, 33u);
}

TEST_F(Connection, AWriteSendsWhatItMayAndThenWhatItIsAskedFor) {
    log_in({{"InitialR2T", "No"},
            {"ImmediateData", "Yes"},
            {"FirstBurstLength", "8192"},
            {"MaxBurstLength", "16384"},
            {"MaxRecvDataSegmentLength", "4096"}});
    write(32768);
    auto out = sent();
    ASSERT_THAT(out, SizeIs(2));
    const uint32_t itt = out[0].bhs().itt();
    EXPECT_TRUE(out[0].bhs().write());
    EXPECT_FALSE(out[0].bhs().final());  // unsolicited data follow
    EXPECT_EQ(out[0].data, pattern(4096));
    EXPECT_EQ(out[1].bhs().opcode(), Opcode::scsi_data_out);
    EXPECT_EQ(out[1].bhs().ttt(), reserved_tag);
    EXPECT_EQ(out[1].bhs().buffer_offset(), 4096u);
    EXPECT_TRUE(out[1].bhs().final());
    EXPECT_EQ(out[1].data, pattern(4096, 4096));

    ASSERT_TRUE(give(r2t(itt, 77, 8192, 10000).bytes()));
    out = sent();
    ASSERT_THAT(out, SizeIs(3));
    Bytes asked;
    for (size_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i].bhs().ttt(), 77u);
        EXPECT_EQ(out[i].bhs().data_sn(), i);
        EXPECT_EQ(out[i].bhs().buffer_offset(), 8192 + asked.size());
        EXPECT_EQ(out[i].bhs().final(), i == 2);
        EXPECT_EQ(lun_number(out[i].bhs().lun_field()), 1u);
        asked = asked + out[i].data;
    }
    EXPECT_EQ(asked, pattern(10000, 8192));
    ASSERT_TRUE(give(r2t(itt, 78, 18192, 14576).bytes()));
    EXPECT_THAT(sent(), SizeIs(4));
    ASSERT_TRUE(give(response(itt).bytes()));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].how, How::answered);
    EXPECT_EQ(owner.done[0].moved, 32768u);
}

TEST_F(Connection, AWriteWithoutImmediateDataWaitsForR2T) {
    log_in({{"InitialR2T", "Yes"}, {"ImmediateData", "No"}, {"MaxRecvDataSegmentLength", "65536"}});
    write(4096);
    const auto out = sent();
    ASSERT_THAT(out, SizeIs(1));
    EXPECT_TRUE(out[0].bhs().final());
    EXPECT_THAT(out[0].data, IsEmpty());
    ASSERT_TRUE(give(r2t(out[0].bhs().itt(), 1, 0, 4096).bytes()));
    EXPECT_THAT(sent(), SizeIs(1));
}

TEST_F(Connection, DigestsAreMadeAndChecked) {
    log_in({{"HeaderDigest", "CRC32C"}, {"DataDigest", "CRC32C"}}, 4, "CRC32C,None");
    EXPECT_TRUE(connection->outcome().header_digest);
    read(1001, true);
    write(512);
    const auto out = sent();  // which checks ours
    ASSERT_THAT(out, SizeIs(2));
    Bytes pdu = data_in(out[0].bhs().itt(), 0, pattern(1001), with_status).bytes(true, true);
    ASSERT_TRUE(give(pdu));
    EXPECT_EQ(owner.done[0].how, How::answered);
    // A byte of the data is wrong: this command fails, the connection goes on.
    read(512);
    const uint32_t itt = sent()[0].bhs().itt();
    pdu = data_in(itt, 0, pattern(512), with_status).bytes(true, true);
    pdu[100] ^= 1;
    ASSERT_TRUE(give(pdu));
    EXPECT_EQ(owner.done[1].how, How::data_digest_wrong);
    EXPECT_EQ(connection->data_digest_errors(), 1u);
    // Of the header: nothing can be known apart any more.
    read(512);
    pdu = data_in(sent()[0].bhs().itt(), 0, pattern(512), with_status).bytes(true, true);
    pdu[20] ^= 1;
    EXPECT_THAT(give(pdu).error().message, HasSubstr("header digest"));
}

TEST_F(Connection, APduOfNoKnownKindIsTold) {
    log_in({{"HeaderDigest", "CRC32C"}, {"DataDigest", "CRC32C"}}, 4, "CRC32C,None");
    Bytes pdu = PduBuilder(Opcode{0x2a}).data({1, 2, 3, 4}).bytes(true, true);
    EXPECT_THAT(give(pdu).error().message, HasSubstr("opcode 0x2a"));
    numbers = {};
    log_in({{"HeaderDigest", "CRC32C"}, {"DataDigest", "CRC32C"}}, 4, "CRC32C,None");
    pdu.back() ^= 1;
    EXPECT_THAT(give(pdu).error().message, HasSubstr("data digest of a PDU (opcode 0x2a)"));
}

TEST_F(Connection, ATargetThatAsksWhetherSomebodyIsThereIsAnswered) {
    log_in();
    ASSERT_TRUE(give(PduBuilder(Opcode::nop_in)
                         .flags(final)
                         .itt(reserved_tag)
                         .ttt(5)
                         .stat_sn(stat_sn)
                         .exp_cmd_sn(1)
                         .data({1, 2, 3})
                         .bytes()));
    auto out = sent();
    ASSERT_THAT(out, SizeIs(1));
    EXPECT_EQ(out[0].bhs().opcode(), Opcode::nop_out);
    EXPECT_TRUE(out[0].bhs().immediate());
    EXPECT_EQ(out[0].bhs().ttt(), 5u);
    EXPECT_EQ(out[0].bhs().itt(), reserved_tag);
    EXPECT_EQ(out[0].bhs().exp_stat_sn().value, stat_sn);  // such a NOP-In uses up none
    EXPECT_THAT(out[0].data, ElementsAre(1, 2, 3));

    connection->ping();
    out = sent();
    EXPECT_TRUE(connection->pinging());
    ASSERT_TRUE(give(PduBuilder(Opcode::nop_in)
                         .flags(final)
                         .itt(out[0].bhs().itt())
                         .ttt(reserved_tag)
                         .stat_sn(stat_sn++)
                         .exp_cmd_sn(1)
                         .bytes()));
    EXPECT_FALSE(connection->pinging());
    EXPECT_THAT(sent(), IsEmpty());
    EXPECT_EQ(numbers.cmd_sn.value, 1u);  // immediate commands use up none
}

TEST_F(Connection, NoTagIsThatOfAnotherConnectionOfTheSession) {
    std::set<uint32_t> tags;
    for (cid = 0; cid < 64; ++cid) {
        log_in();
        read(512);
        connection->ping();
        for (const SentPdu& pdu : sent()) tags.insert(pdu.bhs().itt());
    }
    EXPECT_THAT(tags, SizeIs(128));
    EXPECT_THAT(tags, testing::Not(testing::Contains(reserved_tag)));
}

TEST_F(Connection, TagsCountUpAndPassOverPlacesStillTaken) {
    log_in();
    const uint32_t stuck = connection->itt(read(512));
    uint32_t last = stuck;
    uint32_t passed_over = 0;
    for (unsigned i = 0; i < 10'000; ++i) {
        const uint32_t slot = read(512);
        const uint32_t itt = connection->itt(slot);
        passed_over += itt - last - 1;
        last = itt;
        sent();
        ASSERT_TRUE(give(data_in(itt, 0, pattern(512), with_status).bytes()));
        EXPECT_FALSE(connection->is_active(slot));
    }
    EXPECT_EQ(passed_over, 2u);  // each 4096th tag
    ASSERT_TRUE(give(data_in(stuck, 0, pattern(512), with_status).bytes()));
    EXPECT_EQ(connection->in_flight(), 0u);
}

TEST_F(Connection, ACommandMayBeAborted) {
    log_in();
    const uint32_t slot = read(512);
    const uint32_t itt = sent()[0].bhs().itt();
    connection->abort_task(slot);
    const auto out = sent();
    ASSERT_THAT(out, SizeIs(1));
    const Bhs request = out[0].bhs();
    EXPECT_EQ(request.opcode(), Opcode::task_management_request);
    EXPECT_EQ(request.function(), 1);
    EXPECT_EQ(request.referenced_task_tag(), itt);
    EXPECT_EQ(request.ref_cmd_sn(), 1u);
    ASSERT_TRUE(give(PduBuilder(Opcode::task_management_response)
                         .flags(final)
                         .itt(request.itt())
                         .stat_sn(stat_sn++)
                         .exp_cmd_sn(2)
                         .bytes()));
    EXPECT_THAT(owner.management, ElementsAre(std::pair(slot, 0u)));
    connection->give_up(slot);
    EXPECT_EQ(connection->in_flight(), 0u);
    // What comes of it nevertheless is no answer to a command that has its slot.
    for (int i = 0; i < 4; ++i) read(512);
    EXPECT_THAT(give(response(itt).bytes()).error().message, HasSubstr("was not sent"));
}

TEST_F(Connection, ARejectedCommandFails) {
    log_in();
    read(512);
    const auto out = sent();
    ASSERT_TRUE(give(PduBuilder(Opcode::reject)
                         .flags(final)
                         .response(0x09)
                         .itt(reserved_tag)
                         .stat_sn(stat_sn++)
                         .exp_cmd_sn(2)
                         .data(out[0].header)
                         .bytes()));
    ASSERT_THAT(owner.done, SizeIs(1));
    EXPECT_EQ(owner.done[0].how, How::rejected);
}

TEST_F(Connection, LogoutEndsIt) {
    log_in();
    connection->log_out();
    EXPECT_EQ(connection->phase(), Phase::logging_out);
    EXPECT_FALSE(connection->can_issue());
    const auto out = sent();
    EXPECT_EQ(out[0].bhs().opcode(), Opcode::logout_request);
    EXPECT_EQ(out[0].bhs().reason(), 0);
    ASSERT_TRUE(give(PduBuilder(Opcode::logout_response)
                         .flags(final)
                         .itt(out[0].bhs().itt())
                         .stat_sn(stat_sn++)
                         .exp_cmd_sn(1)
                         .bytes()));
    EXPECT_EQ(connection->phase(), Phase::logged_out);
}

TEST_F(Connection, WhatNoTargetMaySendEndsIt) {
    const auto fault = [&](auto make) {
        numbers = {};
        stat_sn = 1;
        log_in();
        read(4096);
        const uint32_t itt = sent()[0].bhs().itt();
        const auto taken = give(make(itt));
        return taken ? std::string("taken") : taken.error().message;
    };
    EXPECT_THAT(fault([&](uint32_t itt) { return data_in(itt, 512, pattern(512)).bytes(); }),
                HasSubstr("out of order"));
    EXPECT_THAT(fault([&](uint32_t itt) { return data_in(itt, 0, pattern(4100)).bytes(); }),
                HasSubstr("more data"));
    EXPECT_THAT(fault([&](uint32_t itt) { return data_in(itt + 0x10000, 0, pattern(4)).bytes(); }),
                HasSubstr("not sent"));
    EXPECT_THAT(fault([&](uint32_t itt) { return data_in(itt | 0xffff, 0, pattern(4)).bytes(); }),
                HasSubstr("not sent"));
    EXPECT_THAT(fault([&](uint32_t itt) { return r2t(itt, 1, 0, 512).bytes(); }), HasSubstr("no write"));
    EXPECT_THAT(fault([&](uint32_t itt) { return response(itt + 1).bytes(); }), HasSubstr("not sent"));
    EXPECT_THAT(fault([&](uint32_t) { return PduBuilder(Opcode::login_response).bytes(); }),
                HasSubstr("login"));
    EXPECT_THAT(fault([&](uint32_t) { return PduBuilder(Opcode::scsi_command).bytes(); }),
                HasSubstr("opcode 0x01"));
    EXPECT_THAT(fault([&](uint32_t itt) { return data_in(itt, 0, {}).data_length(65540).bytes(); }),
                HasSubstr("more than the 65536"));
    EXPECT_THAT(fault([&](uint32_t) { return PduBuilder(Opcode::reject).response(4).bytes(); }),
                HasSubstr("0x04"));
}

TEST_F(Connection, MoreR2TsThanWereAllowedEndIt) {
    log_in({{"InitialR2T", "Yes"}, {"ImmediateData", "No"}, {"MaxRecvDataSegmentLength", "16777215"}}, 1);
    write(64u << 20);
    const uint32_t itt = sent()[0].bhs().itt();
    Bytes many;
    for (uint32_t i = 0; i < 100; ++i) many = many + r2t(itt, i, 0, 64u << 20).bytes();
    EXPECT_THAT(give(many).error().message, HasSubstr("MaxOutstandingR2T"));
}

}  // namespace
}  // namespace sanscope
