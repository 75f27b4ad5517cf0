// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/header_belief.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "analyzer/iscsi/testing/every_opcode.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;

bool looks(const Bytes& bytes, bool from_target) {
    return looks_like_header(bytes.data(), bytes.size(), from_target);
}

TEST(HeaderBelief, BelievesOneHeaderOfEveryOpcode) {
    for (const PduBuilder& pdu : test::one_of_every_opcode()) {
        const Bytes header = pdu.header();
        const bool from_target = is_from_target(header[0] & 0x3f);
        EXPECT_TRUE(can_be_header(header.data(), from_target)) << opcode_name(header[0] & 0x3f);
        EXPECT_TRUE(looks(header, from_target)) << opcode_name(header[0] & 0x3f);
    }
}

TEST(HeaderBelief, BelievesHeadersCutBehindTheSequenceNumbersOrTheTransferLength) {
    for (const PduBuilder& pdu : test::one_of_every_opcode()) {
        const Bytes header = pdu.header();
        for (size_t captured = least_cut_header; captured <= least_judged_header; ++captured) {
            const Bytes cut(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(captured));
            EXPECT_TRUE(looks(cut, is_from_target(header[0] & 0x3f))) << opcode_name(header[0] & 0x3f);
        }
        const Bytes less(header.begin(), header.begin() + least_cut_header - 1);
        EXPECT_FALSE(looks(less, is_from_target(header[0] & 0x3f)));
    }
}

TEST(HeaderBelief, BelievesNoHeaderFromTheWrongSide) {
    for (const PduBuilder& pdu : test::one_of_every_opcode()) {
        const Bytes header = pdu.header();
        const bool from_target = is_from_target(header[0] & 0x3f);
        EXPECT_FALSE(can_be_header(header.data(), !from_target));
        EXPECT_FALSE(looks(header, !from_target));
    }
}

TEST(HeaderBelief, LeavesVendorOpcodesPossibleOnlyWhereAHeaderMustBegin) {
    for (const uint8_t opcode : Bytes{0x1c, 0x1d, 0x1e, 0x3c, 0x3d, 0x3e}) {
        const Bytes header = PduBuilder(Opcode{opcode}).flags(0x80).header();
        EXPECT_TRUE(can_be_header(header.data(), is_from_target(opcode)));
        EXPECT_FALSE(looks(header, is_from_target(opcode)));
    }
}

TEST(HeaderBelief, ExcludesOpcodesNobodyDefined) {
    for (unsigned first = 0; first < 256; ++first) {
        Bytes header(bhs_length);
        header[0] = static_cast<uint8_t>(first);
        const auto opcode = static_cast<uint8_t>(first & 0x3f);
        const bool vendor = (opcode >= 0x1c && opcode <= 0x1e) || (opcode >= 0x3c && opcode <= 0x3e);
        const bool exists = (first & 0x80) == 0 && (vendor || opcode_name(opcode) != nullptr);
        EXPECT_EQ(can_be_header(header.data(), is_from_target(opcode)), exists) << first;
    }
}

TEST(HeaderBelief, BelievesNoRunOfOneByte) {
    for (unsigned value = 0; value < 256; ++value) {
        const Bytes bytes(bhs_length, static_cast<uint8_t>(value));
        EXPECT_FALSE(looks(bytes, false)) << value;
        EXPECT_FALSE(looks(bytes, true)) << value;
    }
}

TEST(HeaderBelief, BelievesNoRandomBytes) {
    std::mt19937 random(1);
    Bytes bytes(bhs_length);
    for (int i = 0; i < 200'000; ++i) {
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
        EXPECT_FALSE(looks(bytes, false));
        EXPECT_FALSE(looks(bytes, true));
    }
}

// Small numbers leave most of a request zero: a blocks' count looks like the length of an additional header segment, an LBA like
// an opcode with its flags.
TEST(HeaderBelief, BelievesNoHeaderAcrossTwoRequests) {
    std::mt19937 random(1);
    size_t believed = 0;
    for (uint32_t lba = 0; lba < 1u << 17; lba += 8) {
        const uint32_t number = 2 + lba / 8;
        const auto blocks = static_cast<uint16_t>(8u << random() % 6);
        const bool reads = random() % 2 == 0;
        const auto moves = reads ? test::Moves::in : test::Moves::out;
        Bytes stream;
        for (uint32_t i = 0; i < 2; ++i) {
            const Bytes cdb =
                reads ? test::read_10(lba + i * blocks, blocks) : test::write_10(lba + i * blocks, blocks);
            const Bytes header =
                test::scsi_command(number + i, number + i, moves, blocks * 512u, cdb).header();
            stream.insert(stream.end(), header.begin(), header.end());
        }
        for (size_t shift = 1; shift < bhs_length; ++shift) {
            const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(shift);
            // Whether there is a login, and which task Data-Out is of, is asked of the session.
            const auto opcode = static_cast<Opcode>(*begin & 0x3f);
            if (opcode == Opcode::scsi_data_out || opcode == Opcode::login_request) continue;
            if (looks({begin, begin + bhs_length}, false)) ++believed;
            if (looks({begin, begin + least_judged_header}, false)) ++believed;
        }
    }
    EXPECT_EQ(believed, 0);
}

TEST(HeaderBelief, BelievesCommandsWithAdditionalHeaderSegments) {
    const auto with = [](unsigned flags, uint8_t operation, size_t more) {
        const PduBuilder pdu = PduBuilder(Opcode::scsi_command)
                                   .flags(flags)
                                   .itt(1)
                                   .expected_length(512)
                                   .cmd_sn(1)
                                   .cdb({operation});
        return looks(PduBuilder(pdu).ahs(Bytes(more)).header(), false);
    };
    EXPECT_TRUE(with(0xe1, 0x53, 8)) << "XDWRITEREAD(10) moves data both ways";
    EXPECT_FALSE(with(0xe1, 0x53, 0)) << "the length of the one is in the segment";
    EXPECT_FALSE(with(0xe1, 0x28, 8));
    EXPECT_TRUE(with(0xa1, 0x7f, 20)) << "the rest of a CDB of 32 bytes";
    EXPECT_FALSE(with(0xc1, 0x28, 8));
    EXPECT_FALSE(with(0xc1, 0x00, 0)) << "TEST UNIT READY moves no data";
}

TEST(HeaderBelief, BelievesTheLunsOfEveryAddressingMethod) {
    const auto with = [](const Bytes& lun) {
        Bytes header = test::scsi_command(1, 1, test::Moves::in, 512, test::read_10(0, 1)).header();
        std::ranges::copy(lun, header.begin() + 8);
        return looks(header, false);
    };
    EXPECT_TRUE(with({0x00, 0x05})) << "peripheral device";
    EXPECT_TRUE(with({0x41, 0x05})) << "flat space";
    EXPECT_TRUE(with({0x81, 0x02, 0x00, 0x03})) << "logical unit behind a bus";
    EXPECT_TRUE(with({0x00, 0x01, 0xd2, 0x00, 0x00, 0x00, 0x07})) << "subsidiary of a conglomerate";
    EXPECT_TRUE(with({0xe2, 0, 0, 0, 0, 0, 0, 1})) << "extended, of eight bytes";
    EXPECT_FALSE(with({0, 0, 0, 0, 0x01, 0xc1, 0, 0})) << "nothing, and then something";
    EXPECT_FALSE(with({0, 0, 0, 5, 0, 0, 0, 7})) << "two numbers of 32 bits";
}

// Any one bit of what RFC 7143 reserves makes the header unbelievable.
TEST(HeaderBelief, BelievesNoHeaderWithAReservedBitSet) {
    const auto changed = [](const PduBuilder& pdu, size_t byte, unsigned bit) {
        Bytes header = pdu.header();
        header[byte] = static_cast<uint8_t>(header[byte] ^ bit);
        return looks(header, is_from_target(header[0] & 0x3f));
    };
    const auto read = test::scsi_command(1, 1, test::Moves::in, 512, test::read_10(0, 1));
    for (const unsigned bit : {0x08u, 0x10u}) EXPECT_FALSE(changed(read, 1, bit));
    for (const size_t byte : {2u, 3u}) EXPECT_FALSE(changed(read, byte, 1));
    EXPECT_FALSE(changed(read, 7, 4)) << "a read has no data segment";
    const auto response = test::scsi_response(1, 0, 1, 1);
    for (const unsigned bit : {0x01u, 0x20u, 0x40u, 0x80u}) EXPECT_FALSE(changed(response, 1, bit));
    EXPECT_FALSE(changed(response, 3, 0x01)) << "no such status";
    EXPECT_FALSE(changed(response, 15, 1)) << "reserved where others have the LUN";
    EXPECT_FALSE(changed(response, 4, 1)) << "additional header segments are for commands";
    EXPECT_FALSE(changed(response, 32, 0x40)) << "MaxCmdSN far from ExpCmdSN";
    const auto data_in = test::data_in(1, 0, test::pattern(512), 1);
    for (const unsigned bit : {0x02u, 0x04u, 0x08u, 0x10u, 0x20u}) EXPECT_FALSE(changed(data_in, 1, bit));
    EXPECT_FALSE(changed(data_in, 3, 2)) << "status without the S bit";
    const auto data_out = test::data_out(1, 1, 0, test::pattern(512));
    for (const unsigned bit : {0x01u, 0x40u}) EXPECT_FALSE(changed(data_out, 1, bit));
    EXPECT_FALSE(changed(data_out, 0, 0x40)) << "no command, which may be immediate";
    for (const size_t byte : {24u, 35u}) EXPECT_FALSE(changed(data_out, byte, 1));
    const auto text = PduBuilder(Opcode::text_response).flags(0x80).itt(1).ttt(reserved_tag).exp_cmd_sn(1);
    EXPECT_FALSE(changed(text, 1, 0x80)) << "more is to come, and no tag to ask for it with";
    EXPECT_FALSE(changed(text, 20, 1)) << "the last, and a tag to ask for more with";
    EXPECT_FALSE(changed(text, 1, 0x40)) << "the last, and text that goes on";
    const auto r2t = test::r2t(1, 2, 0, 512, 1);
    EXPECT_FALSE(changed(r2t, 1, 0x80));
    EXPECT_FALSE(changed(r2t, 7, 4));
}

}  // namespace
}  // namespace sanscope
