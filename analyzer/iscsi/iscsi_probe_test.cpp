// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/iscsi_probe.h"

#include <gtest/gtest.h>
#include <memory>
#include <string_view>

#include "analyzer/iscsi/header_belief.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::operator+;
using test::pattern;
using Verdict = IscsiProbe::Verdict;

class Probing {
  public:
    Verdict look(Side from, const Bytes& bytes, uint32_t cut = 0) {
        const Bytes exact(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(cut));
        DecodedPacket packet;
        packet.kind = DecodedPacket::Kind::tcp;
        uint32_t& seq = seq_[from == Side::a ? 0 : 1];
        packet.seq = seq;
        packet.payload = exact.data();
        packet.payload_captured = static_cast<uint32_t>(exact.size());
        packet.payload_length = static_cast<uint32_t>(bytes.size());
        seq += packet.payload_length;
        ++packet_;
        return probe.look(from, packet, {packet_, 0});
    }
    IscsiProbe probe;

  private:
    uint32_t seq_[2] = {0xfffffff0, 77};
    uint64_t packet_ = 0;
};

Bytes read_command(uint32_t itt) {
    return test::scsi_command(itt, 1, test::Moves::in, 512, test::read_10(0, 1)).bytes();
}

TEST(IscsiProbe, TakesALoginRequestAsProof) {
    Probing p;
    EXPECT_EQ(p.look(Side::b, test::login_request(test::text_keys({"InitiatorName=iqn.i"})).bytes()),
              Verdict::iscsi);
    EXPECT_EQ(p.probe.initiator(), Side::b);
}

TEST(IscsiProbe, WantsASecondHeaderWhereTheFirstOnesLengthsPutIt) {
    for (const bool data_digest : {false, true}) {
        for (const bool header_digest : {false, true}) {
            Probing p;
            const auto first = test::data_in(7, 0, pattern(99), 1).flags(0x80);
            EXPECT_EQ(p.look(Side::a, first.bytes(header_digest, data_digest)), Verdict::undecided);
            EXPECT_EQ(p.look(Side::a, test::scsi_response(8, 0, 1, 1).bytes()), Verdict::iscsi);
            EXPECT_EQ(p.probe.initiator(), Side::b);
        }
    }
}

TEST(IscsiProbe, FindsTheSecondHeaderInTheSameSegment) {
    Probing p;
    EXPECT_EQ(p.look(Side::a, read_command(1) + read_command(2)), Verdict::iscsi);
    EXPECT_EQ(p.probe.initiator(), Side::a);
}

TEST(IscsiProbe, TakesAnAnswerWithTheSameTagAsWitness) {
    Probing p;
    EXPECT_EQ(p.look(Side::a, read_command(5)), Verdict::undecided);
    EXPECT_EQ(p.look(Side::b, test::scsi_response(6, 0, 1, 1).bytes()), Verdict::undecided);
    EXPECT_EQ(p.look(Side::b, pattern(10)), Verdict::undecided);
    EXPECT_EQ(p.look(Side::b, test::scsi_response(5, 0, 1, 1).bytes()), Verdict::iscsi);
    EXPECT_EQ(p.probe.initiator(), Side::a);
}

TEST(IscsiProbe, TakesNoOtherHeaderAsWitness) {
    Probing p;
    EXPECT_EQ(p.look(Side::a, read_command(5) + pattern(4) + pattern(8)), Verdict::undecided);
    EXPECT_EQ(p.look(Side::a, read_command(5)), Verdict::undecided) << "not where the first one ends";
    EXPECT_EQ(p.look(Side::b, read_command(5)), Verdict::undecided) << "the same role from both sides";
}

TEST(IscsiProbe, KeepsEverythingSinceTheFirstCandidate) {
    Probing p;
    p.look(Side::a, pattern(50));
    const Bytes command = read_command(5);
    p.look(Side::a, command);
    p.look(Side::b, pattern(20), 12);
    p.look(Side::b, test::scsi_response(5, 0, 1, 1).bytes());
    const auto& kept = p.probe.kept();
    ASSERT_EQ(kept.size(), 3u);
    EXPECT_EQ(kept[0].arrival.packet, 2u);
    EXPECT_EQ(Bytes(kept[0].packet.payload, kept[0].packet.payload + kept[0].packet.payload_captured),
              command);
    EXPECT_EQ(kept[1].packet.payload_captured, 8u);
    EXPECT_EQ(kept[1].packet.payload_length, 20u);
    EXPECT_EQ(kept[1].from, Side::b);
    EXPECT_EQ(kept[2].arrival.packet, 4u);
}

TEST(IscsiProbe, LetsGoOfACandidateWithoutWitness) {
    Probing p;
    p.look(Side::a, read_command(5));
    const Bytes other(2000, 0x55);
    for (size_t i = 0; i < IscsiProbe::max_kept_bytes / other.size() + 1; ++i) p.look(Side::a, other);
    EXPECT_TRUE(p.probe.kept().empty());
    EXPECT_EQ(p.look(Side::b, test::scsi_response(5, 0, 1, 1).bytes()), Verdict::undecided);
    EXPECT_EQ(p.look(Side::a, read_command(6)), Verdict::undecided);
    EXPECT_EQ(p.look(Side::b, test::scsi_response(6, 0, 1, 1).bytes()), Verdict::iscsi)
        << "the next candidate";
}

TEST(IscsiProbe, KeepsNoMoreThanItSays) {
    Probing p;
    p.look(Side::a, read_command(5));
    for (size_t i = 0; i < 3 * IscsiProbe::max_kept_segments; ++i) {
        p.look(Side::a, pattern(1));
        ASSERT_LT(p.probe.kept().size(), IscsiProbe::max_kept_segments);
    }
}

TEST(IscsiProbe, IsNotMovedByWhatOtherProtocolsSay) {
    using namespace std::literals;
    const std::string_view streams[] = {
        "GET /index.html HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n                 "sv,
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
        "SSH-2.0-OpenSSH_9.2\r\n                                                      "sv,
        "\0\0\0\x85\xff\x53\x4d\x42\x72\0\0\0\0\x18\x53\xc8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
    };
    for (const std::string_view text : streams) {
        Probing p;
        const Bytes bytes(text.begin(), text.end());
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(p.look(Side::a, bytes), Verdict::undecided);
            EXPECT_EQ(p.look(Side::b, bytes), Verdict::undecided);
        }
    }
    for (unsigned value = 0; value < 256; ++value) {
        Probing p;
        const Bytes bytes(1024, static_cast<uint8_t>(value));
        for (int i = 0; i < 4; ++i) {
            EXPECT_EQ(p.look(Side::a, bytes), Verdict::undecided) << value;
            EXPECT_EQ(p.look(Side::b, bytes), Verdict::undecided) << value;
        }
    }
}

TEST(IscsiProbe, LooksAtACutSegmentAsFarAsItWasCaptured) {
    Probing p;
    const Bytes login = test::login_request(test::text_keys({"InitiatorName=iqn.i"})).bytes();
    for (uint32_t captured = 0; captured < least_cut_header; ++captured) {
        Probing cut;
        EXPECT_EQ(cut.look(Side::a, login, static_cast<uint32_t>(login.size()) - captured),
                  Verdict::undecided);
    }
    EXPECT_EQ(
        p.look(Side::a, login, static_cast<uint32_t>(login.size()) - static_cast<uint32_t>(least_cut_header)),
        Verdict::iscsi);
}

}  // namespace
}  // namespace sanscope
