// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/header_keeper.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "captures/recorder/recording_blocks.h"

#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope::test {
namespace {

using frames::ethernet;
using frames::ipv4;
using frames::tcp;
using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr uint32_t frame_headers = 54;  // Ethernet, IPv4, TCP without options
constexpr uint8_t users_byte = 0xd5;

// What users stored: nothing else here has two of these bytes in a row.
Bytes stored(size_t length) {
    return Bytes(length, users_byte);
}
bool has_users_data(const Bytes& bytes) {
    const uint8_t run[] = {users_byte, users_byte};
    return std::search(bytes.begin(), bytes.end(), std::begin(run), std::end(run)) != bytes.end();
}

struct Kept {
    Bytes bytes;
    uint32_t wire = 0;
    uint32_t interface = 0;
    uint64_t time_ns = 0;
};

uint32_t word(const Bytes& blocks, size_t at) {
    uint32_t value;
    std::memcpy(&value, blocks.data() + at, sizeof value);
    return value;
}

// A recording of connections between initiators and a target, and what is kept of it.
class Recorded {
  public:
    explicit Recorded(const HeaderKeeper::Limits& limits = {})
        : output_(size_t{1} << 19,
                  [this](std::span<const uint8_t> blocks, uint64_t packets) {
                      written_.insert(written_.end(), blocks.begin(), blocks.end());
                      packets_ += packets;
                  }),
          keeper_({1, 1}, output_, limits) {}

    void frame(const Bytes& bytes, uint32_t captured = UINT32_MAX) {
        captured = std::min(captured, static_cast<uint32_t>(bytes.size()));
        Bytes block(packet_block_length(captured));
        time_ns_ += 10'000;
        put_packet_block(block.data(), 1, time_ns_, bytes.data(), captured,
                         static_cast<uint32_t>(bytes.size()));
        keeper_.take_blocks(block, now_);
        ++sent_;
    }
    void wait(milliseconds time) {
        now_ += time;
        time_ns_ += static_cast<uint64_t>(time.count()) * 1'000'000;
        keeper_.tick(now_);
        output_.hand_over();
    }
    void finish() { keeper_.finish(); }

    // Blocks of packets in the order they were written.
    std::vector<Kept> kept() const {
        std::vector<Kept> found;
        for (size_t at = 0; at + 12 <= written_.size(); at += word(written_, at + 4)) {
            EXPECT_EQ(word(written_, at + 4), word(written_, at + word(written_, at + 4) - 4));
            if (word(written_, at) != pcapng::enhanced_packet_block) continue;
            const auto begin = written_.begin() + static_cast<std::ptrdiff_t>(at) + 28;
            found.push_back({Bytes(begin, begin + word(written_, at + 20)), word(written_, at + 24),
                             word(written_, at + 8),
                             uint64_t{word(written_, at + 12)} << 32 | word(written_, at + 16)});
        }
        EXPECT_EQ(found.size(), packets_);
        return found;
    }
    std::vector<size_t> lengths() const {
        std::vector<size_t> found;
        for (const Kept& each : kept()) found.push_back(each.bytes.size());
        return found;
    }
    const Bytes& written() const { return written_; }
    const HeaderKeeper& keeper() const { return keeper_; }
    size_t sent() const { return sent_; }

  private:
    Bytes written_;
    uint64_t packets_ = 0;
    size_t sent_ = 0;
    std::chrono::steady_clock::time_point now_;
    uint64_t time_ns_ = 1'700'000'000'000'000'000;
    WrittenOutput output_;
    HeaderKeeper keeper_;
};

// One connection of it. Sequence numbers cross the end of their space.
class Talk {
  public:
    explicit Talk(Recorded& recorded, uint16_t port = 50000, uint32_t isn = 0xffffff00)
        : recorded_(recorded), port_(port), next_{isn, isn + 77} {}

    void initiator(const Bytes& payload) { send(false, payload, take(false, payload)); }
    void target(const Bytes& payload) { send(true, payload, take(true, payload)); }
    // Bytes of a side's stream that come later, or never.
    uint32_t take(bool from_target, const Bytes& payload) {
        const uint32_t seq = next_[from_target];
        next_[from_target] += static_cast<uint32_t>(payload.size());
        return seq;
    }
    void send(bool from_target, const Bytes& payload, uint32_t seq, uint16_t flags = tcp_ack) {
        recorded_.frame(frame(from_target, payload, seq, flags));
    }
    Bytes frame(bool from_target, const Bytes& payload, uint32_t seq, uint16_t flags = tcp_ack) const {
        const frames::Tcp header{.source_port = from_target ? uint16_t{3260} : port_,
                                 .destination_port = from_target ? port_ : uint16_t{3260},
                                 .seq = seq,
                                 .ack = next_[!from_target],
                                 .flags = flags};
        const frames::Ipv4 ends{.source = from_target ? "10.0.0.2" : "10.0.0.1",
                                .destination = from_target ? "10.0.0.1" : "10.0.0.2"};
        return ethernet(ipv4(ends, tcp(header, payload))).bytes;
    }
    void handshake() {
        send(false, {}, next_[0]++, tcp_syn);
        send(true, {}, next_[1]++, tcp_syn | tcp_ack);
        send(false, {}, next_[0]);
    }
    void log_in(const char* digest = "None") {
        handshake();
        const Bytes keys =
            text_keys({std::string("HeaderDigest=") + digest, std::string("DataDigest=") + digest});
        initiator(login_request(keys).bytes());
        target(login_response(keys).bytes());
    }

  private:
    Recorded& recorded_;
    uint16_t port_;
    uint32_t next_[2];
};

Bytes command(uint32_t itt, const Bytes& cdb, unsigned flags = 0xc1, const Bytes& data = {},
              bool digests = false) {
    return PduBuilder(Opcode::scsi_command)
        .flags(flags)
        .itt(itt)
        .cdb(cdb)
        .expected_length(4096)
        .cmd_sn(itt)
        .exp_stat_sn(itt)
        .data(data)
        .bytes(digests, digests);
}
Bytes data_in(uint32_t itt, const Bytes& data, bool digests = false) {
    return PduBuilder(Opcode::scsi_data_in)
        .flags(0x80)
        .itt(itt)
        .ttt(reserved_tag)
        .exp_cmd_sn(itt + 1)
        .data(data)
        .bytes(digests, digests);
}
Bytes response(uint32_t itt, const Bytes& sense = {}) {
    return PduBuilder(Opcode::scsi_response)
        .flags(0x80)
        .status(sense.empty() ? 0 : 2)
        .itt(itt)
        .stat_sn(itt)
        .exp_cmd_sn(itt + 1)
        .data(sense)
        .bytes();
}
const Bytes read_10 = {scsi_op::read_10, 0, 0, 0, 0, 0, 0, 0, 8, 0};
const Bytes write_10 = {scsi_op::write_10, 0, 0, 0, 0, 0, 0, 0, 8, 0};
const Bytes inquiry = {scsi_op::inquiry, 0, 0, 0, 96, 0};

Bytes part(const Bytes& bytes, size_t begin, size_t end = SIZE_MAX) {
    end = std::min(end, bytes.size());
    return {bytes.begin() + static_cast<std::ptrdiff_t>(begin),
            bytes.begin() + static_cast<std::ptrdiff_t>(end)};
}
Bytes payload_of(const Kept& kept) {
    return part(kept.bytes, frame_headers);
}

TEST(HeaderKeeper, APacketEndsBehindItsLastHeaderAndZerosStandBeforeIt) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes answer = data_in(7, stored(512)) + response(7) + data_in(8, stored(4096));
    talk.target(answer);
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent()) << "known at once";
    const Bytes expected = part(answer, 0, 48) + Bytes(512, 0) + part(answer, 560, 608 + 48);
    EXPECT_EQ(payload_of(kept.back()), expected);
    EXPECT_EQ(kept.back().wire, frame_headers + answer.size());
    EXPECT_EQ(kept.back().interface, 1u);
    EXPECT_EQ(kept.back().time_ns, 1'700'000'000'000'000'000u + recorded.sent() * 10'000);
    EXPECT_FALSE(has_users_data(recorded.written()));
    EXPECT_EQ(recorded.keeper().out_of_step(), 0u);
}

TEST(HeaderKeeper, WhatTellsOfTheProtocolIsWhole) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in("CRC32C");
    talk.initiator(command(2, inquiry, 0xc1, {}, true));
    const Bytes answer = data_in(2, pattern(96), true);
    talk.target(answer);
    EXPECT_EQ(payload_of(recorded.kept().back()), answer);
    const Bytes request = command(3, write_10, 0xa1, stored(512), true);
    talk.initiator(request);
    const auto written = payload_of(recorded.kept().back());
    EXPECT_EQ(written, part(request, 0, 52) + Bytes(512, 0) + part(request, 52 + 512))
        << "digests at both ends";
    const Bytes keys = payload_of(recorded.kept().at(3));
    EXPECT_NE(std::string(keys.begin(), keys.end()).find("HeaderDigest=CRC32C"), std::string::npos);
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, SenseDataAreWhole) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes answer = response(7, Bytes{0, 18} + pattern(18));
    talk.target(answer);
    EXPECT_EQ(payload_of(recorded.kept().back()), answer);
}

TEST(HeaderKeeper, DataOfAWriteNeverPass) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, write_10, 0xa1));
    const Bytes data =
        PduBuilder(Opcode::scsi_data_out).flags(0x80).itt(7).ttt(9).exp_stat_sn(7).data(stored(8192)).bytes();
    for (size_t at = 0; at < data.size(); at += 1448) talk.initiator(part(data, at, at + 1448));
    talk.target(response(7));
    const auto lengths = recorded.lengths();
    EXPECT_EQ(lengths.at(lengths.size() - 7), frame_headers + 48);
    EXPECT_EQ(lengths.at(lengths.size() - 6), frame_headers);
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, OutOfOrderPacketsStayWhereTheyWereAndAreWhole) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    const size_t before = recorded.sent();
    const Bytes first = data_in(7, stored(100)) + part(response(7), 0, 20);
    const Bytes second = part(response(7), 20) + data_in(8, stored(100));
    talk.initiator(command(7, read_10));
    const uint32_t seq = talk.take(true, first);
    talk.send(true, second, talk.take(true, second));
    Talk another(recorded, 50001);
    another.handshake();
    EXPECT_EQ(recorded.kept().size(), before + 1) << "what is behind it waits, too";
    talk.send(true, first, seq);
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent());
    EXPECT_EQ(payload_of(kept.at(before + 1)), part(second, 0, 28 + 48));
    EXPECT_EQ(payload_of(kept.back()), part(first, 0, 48) + Bytes(100, 0) + part(first, 148));
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, BehindALossHeadersAreFoundAgain) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes data = data_in(7, stored(6000));
    talk.target(part(data, 0, 1448));
    talk.take(true, part(data, 1448, 2896));  // never captured
    talk.target(part(data, 2896, 4344));
    talk.target(part(data, 4344));
    talk.initiator(command(8, read_10));  // acknowledges all of it
    recorded.wait(milliseconds(60));
    talk.target(response(7));
    talk.initiator(command(9, read_10));
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent()) << "acknowledged for 50 ms";
    EXPECT_EQ(payload_of(kept.at(kept.size() - 2)), response(7));
    EXPECT_EQ(payload_of(kept.back()), command(9, read_10));
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, ALostHeaderLeavesNothingButFrameHeadersUntilAnotherIsFound) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes data = data_in(7, stored(6000));
    talk.take(true, part(data, 0, 1448));  // with the header
    talk.target(part(data, 1448, 2896));
    talk.target(part(data, 2896));
    talk.initiator(command(8, read_10));
    recorded.wait(milliseconds(60));
    talk.target(data_in(8, stored(1000)) + response(8));
    recorded.wait(milliseconds(1100));
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent());
    EXPECT_EQ(kept.at(kept.size() - 4).bytes.size(), frame_headers);
    EXPECT_EQ(kept.at(kept.size() - 3).bytes.size(), frame_headers);
    EXPECT_GT(kept.back().bytes.size(), frame_headers + 1000u);
    EXPECT_GE(recorded.keeper().out_of_step(), 2u);
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, AStartInTheMidstOfData) {
    Recorded recorded;
    Talk talk(recorded);
    talk.target(stored(1448));
    talk.target(stored(700) + response(6));
    for (uint32_t itt = 7; itt < 20; ++itt) {
        talk.initiator(command(itt, read_10));
        talk.target(data_in(itt, stored(2000)) + response(itt));
    }
    recorded.finish();
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent());
    EXPECT_EQ(kept.at(0).bytes.size(), frame_headers);
    EXPECT_EQ(kept.back().bytes.size(), frame_headers + 48 + 2000 + 48u);
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, RetransmissionsWithOtherBoundaries) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10) + command(8, read_10));
    const Bytes answer = data_in(7, stored(2000)) + response(7) + data_in(8, stored(2000)) + response(8);
    const uint32_t seq = talk.take(true, answer);
    const auto send = [&](size_t begin, size_t end) {
        talk.send(true, part(answer, begin, end), seq + static_cast<uint32_t>(begin));
    };
    send(0, 1448);
    send(1448, 2896);
    send(0, 2896);
    send(700, 3000);
    send(2896, answer.size());
    send(1448, 2896);
    const auto kept = recorded.kept();
    ASSERT_EQ(kept.size(), recorded.sent());
    const size_t n = kept.size();
    EXPECT_EQ(payload_of(kept.at(n - 4)), part(answer, 0, 48) + Bytes(2000, 0) + part(answer, 2048, 2144))
        << "both whole in it, and the same";
    EXPECT_EQ(kept.back().bytes, kept.at(n - 5).bytes) << "the same packet again";
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, ARetransmissionIsNotTakenForAMissingPacket) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes answer = data_in(7, stored(2000)) + response(7);
    const uint32_t seq = talk.take(true, answer);
    talk.send(true, answer, seq);
    talk.send(true, part(answer, 1000, 1500), seq + 1000);
    EXPECT_EQ(recorded.lengths().back(), frame_headers);
    EXPECT_EQ(recorded.keeper().out_of_step(), 0u);
}

TEST(HeaderKeeper, BytesThatDifferTheSecondTimeAreNotKept) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    const Bytes first = response(7);
    const uint32_t seq = talk.take(true, first);
    talk.send(true, first, seq);
    talk.send(true, stored(48), seq);
    EXPECT_EQ(recorded.lengths().back(), frame_headers);
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, APortThatIsUsedAgain) {
    Recorded recorded;
    for (uint32_t isn = 100; isn < 5'000'100; isn += 1'000'000) {
        Talk talk(recorded, 50000, isn);
        talk.log_in();
        talk.initiator(command(7, isn % 2'000'000 == 100 ? read_10 : inquiry));
        talk.target(data_in(7, isn % 2'000'000 == 100 ? stored(96) : pattern(96)) + response(7));
        EXPECT_EQ(recorded.lengths().back(), frame_headers + 48 + 96 + 48u);
    }
    EXPECT_FALSE(has_users_data(recorded.written()));
    EXPECT_EQ(recorded.keeper().out_of_step(), 0u);
}

TEST(HeaderKeeper, WhatIsNoIscsiKeepsItsHeaders) {
    Recorded recorded;
    Talk web(recorded, 8080);
    web.handshake();
    web.initiator(stored(500));
    web.target(stored(9000));
    recorded.frame(ethernet(ipv4({}, frames::udp({}, {stored(300)}))).bytes);
    recorded.frame(stored(14));
    recorded.frame(stored(3));
    recorded.finish();
    EXPECT_THAT(recorded.lengths(), ElementsAre(54, 54, 54, 54, 54, 42, 14, 3));
}

TEST(HeaderKeeper, APacketWaitsForNoLongerThanIsAllowed) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    const size_t before = recorded.sent();
    talk.target(part(response(7), 0, 20));
    recorded.frame(ethernet(ipv4({}, frames::udp({}, {}))).bytes);
    recorded.wait(milliseconds(900));
    EXPECT_EQ(recorded.kept().size(), before);
    recorded.wait(milliseconds(200));
    EXPECT_EQ(recorded.keeper().waiting(), 0u);
    const auto lengths = recorded.lengths();
    EXPECT_THAT(std::vector(lengths.end() - 2, lengths.end()), ElementsAre(54, 42));
    EXPECT_EQ(recorded.keeper().out_of_step(), 1u);
}

// A capture of one direction: nothing acknowledges what lies behind the hole.
TEST(HeaderKeeper, AHoleThatNobodyFillsIsGivenUpInTime) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(command(7, read_10));
    talk.take(true, data_in(7, stored(3000)));
    talk.target(response(7));
    for (int i = 0; i < 10; ++i) recorded.frame(talk.frame(false, stored(100), 12345));
    recorded.wait(milliseconds(1100));
    EXPECT_EQ(recorded.keeper().waiting(), 0u);
    EXPECT_EQ(payload_of(recorded.kept().at(6)), response(7)) << "read as it is, once the hole is given up";
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, NoMoreWaitsThanIsAllowed) {
    HeaderKeeper::Limits limits;
    limits.waiting_packets = 50;
    limits.waiting_bytes = 40'000;
    Recorded recorded(limits);
    Talk talk(recorded);
    talk.log_in();
    for (int round = 0; round < 10; ++round) {
        talk.take(true, stored(10));
        for (int i = 0; i < 200; ++i) {
            talk.target(stored(1000));
            EXPECT_LE(recorded.keeper().waiting(), 50u);
        }
    }
    recorded.finish();
    EXPECT_EQ(recorded.kept().size(), recorded.sent());
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, OfManyConnectionsTheMostSilentAreGivenUp) {
    HeaderKeeper::Limits limits;
    limits.follower.iscsi_connections = 8;
    limits.follower.live_connections = 32;
    Recorded recorded(limits);
    Talk busy(recorded, 40000);
    busy.log_in();
    for (uint16_t i = 0; i < 500; ++i) {
        Talk one(recorded, static_cast<uint16_t>(50000 + i));
        one.log_in();
        one.initiator(command(7, read_10));
        one.target(data_in(7, stored(100)));
        busy.initiator(command(i, read_10));
        busy.target(data_in(i, stored(100)) + response(i));
        EXPECT_EQ(recorded.lengths().back(), frame_headers + 48 + 100 + 48u) << i;
        EXPECT_EQ(recorded.keeper().waiting(), 0u) << i;
    }
    recorded.finish();
    EXPECT_EQ(recorded.kept().size(), recorded.sent());
    EXPECT_FALSE(has_users_data(recorded.written()));
}

TEST(HeaderKeeper, TellsSinceWhenPacketsWait) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    EXPECT_EQ(recorded.keeper().waiting_since(), HeaderKeeper::Clock::time_point::max());
    recorded.wait(milliseconds(10));
    talk.target(part(response(7), 0, 20));
    recorded.wait(milliseconds(10));
    talk.initiator(command(8, read_10));
    EXPECT_EQ(recorded.keeper().waiting_since(), HeaderKeeper::Clock::time_point(milliseconds(10)));
    talk.target(part(response(7), 20));
    EXPECT_EQ(recorded.keeper().waiting_since(), HeaderKeeper::Clock::time_point::max());
}

TEST(HeaderKeeper, WithoutRoomPacketsAreCountedAsRefused) {
    class NoRoom final : public BlockOutput {
        void hand_over() override {}
        bool next_buffer(size_t /*length*/) override { return false; }
    } no_room;
    HeaderKeeper keeper({1}, no_room);
    const Bytes frame = stored(100);
    keeper.take({.bytes = frame, .wire_length = 100}, {});
    keeper.take({.interface = 1, .bytes = frame, .wire_length = 100}, {});  // there is no such interface
    keeper.finish();
    EXPECT_EQ(keeper.refused(), 1u);
}

TEST(HeaderKeeper, LengthsThatLie) {
    Recorded recorded;
    Talk talk(recorded);
    talk.log_in();
    talk.initiator(PduBuilder(Opcode::scsi_command)
                       .flags(0xc1)
                       .itt(7)
                       .cmd_sn(7)
                       .exp_stat_sn(7)
                       .cdb(read_10)
                       .data_length(0xffffff)
                       .bytes());
    talk.initiator(stored(3000));
    talk.initiator(PduBuilder(Opcode::scsi_command)
                       .flags(0xc1)
                       .itt(8)
                       .cmd_sn(8)
                       .exp_stat_sn(7)
                       .cdb(inquiry)
                       .ahs(stored(1020))
                       .data_length(0xffffff)
                       .bytes());
    talk.initiator(stored(3000));
    recorded.finish();
    EXPECT_EQ(recorded.kept().size(), recorded.sent());
    EXPECT_FALSE(has_users_data(recorded.written())) << "data of the first command as far as its length says";
    // Blocks that no recorder makes: none is read beyond its end.
    WrittenOutput output(4096, [](std::span<const uint8_t>, uint64_t) { FAIL() << "kept"; });
    HeaderKeeper keeper({1}, output);
    Bytes block(60);
    put_packet_block(block.data(), 0, 0, block.data(), 0, 0);
    for (const uint32_t captured : {uint32_t{29}, uint32_t{0xffffffff}}) {
        Bytes lying = block;
        const uint32_t length = 60;
        std::memcpy(lying.data() + 4, &length, 4);
        std::memcpy(lying.data() + 20, &captured, 4);
        keeper.take_blocks(lying, {});
    }
    keeper.take_blocks(part(block, 0, 30), {});
}

TEST(HeaderKeeper, FollowsLinkTypesThatItKnows) {
    for (const auto known : {LinkType::null, LinkType::ethernet, LinkType::raw, LinkType::linux_sll2})
        EXPECT_TRUE(is_followed_link_type(static_cast<uint16_t>(known))) << static_cast<int>(known);
    for (const unsigned unknown : {105u, 127u, 189u, 0xffffu})
        EXPECT_FALSE(is_followed_link_type(static_cast<uint16_t>(unknown))) << unknown;
}

}  // namespace
}  // namespace sanscope::test
