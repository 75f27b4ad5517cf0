// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/kernel_truth_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/found_packets.h"

namespace sanscope {
namespace {

using test::Bytes;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = KernelTruthBlock::Kind;

std::span<const uint8_t> body_of(const Bytes& block) {
    return std::span(block).subspan(8, block.size() - 12);
}

TEST(KernelTruthBlock, is_as_its_header_describes_it) {
    EXPECT_THAT(make_kernel_truth_block(std::string("\x08\x01\x10", 3)),
                ElementsAre(0xad, 0x0b, 0, 0,                        // type
                            36, 0, 0, 0,                             // length
                            0xd9, 0x7e, 0, 0,                        // 32473
                            's', 'a', 'n', 's', 'c', 'o', 'p', 'e',  //
                            1, 0, 1, 0,                              // kind, version
                            3, 0, 0, 0,                              // payload
                            8, 1, 0x10, 0,                           // and a zero that pads it
                            36, 0, 0, 0));
    EXPECT_THAT(make_kernel_truth_block(std::string("\x08\x01\x10\x02", 4), true),
                ElementsAre(0, 0, 0x0b, 0xad, 0, 0, 0, 36, 0, 0, 0x7e, 0xd9,  //
                            's', 'a', 'n', 's', 'c', 'o', 'p', 'e', 0, 1, 0, 1, 0, 0, 0, 4, 8, 1, 0x10, 2, 0,
                            0, 0, 36));
}

TEST(KernelTruthBlock, reads_back_in_either_byte_order_at_any_length) {
    for (const bool big_endian : {false, true}) {
        for (size_t length = 0; length < 10; ++length) {
            const Bytes payload(length, 0xa5);
            const Bytes block = make_kernel_truth_block(payload, big_endian);
            EXPECT_EQ(block.size() % 4, 0u);
            const KernelTruthBlock read = read_kernel_truth_block(body_of(block));
            EXPECT_EQ(read.kind, Kind::kernel_truth);
            EXPECT_THAT(read.payload, ElementsAreArray(payload));
        }
    }
}

TEST(KernelTruthBlock, of_another_number_name_kind_or_version_is_another_block) {
    const Bytes block = make_kernel_truth_block(std::string("abcd"));
    for (const size_t at :
         {size_t{0}, size_t{3}, size_t{4}, size_t{11}, size_t{12}, size_t{13}, size_t{14}, size_t{15}}) {
        Bytes changed = block;
        changed[8 + at] ^= 0x40;
        const KernelTruthBlock read = read_kernel_truth_block(body_of(changed));
        EXPECT_EQ(read.kind, Kind::other) << at;
        EXPECT_THAT(read.payload, IsEmpty());
    }
    EXPECT_EQ(read_kernel_truth_block({}).kind, Kind::other);
    EXPECT_EQ(read_kernel_truth_block(Bytes{0xd9, 0x7e, 0, 0}).kind, Kind::other);
}

TEST(KernelTruthBlock, is_damaged_where_it_is_shorter_than_it_says_or_says_too_much) {
    const Bytes block = make_kernel_truth_block(std::string("abcdefgh"));
    const auto body = body_of(block);
    for (size_t length = 12; length < body.size(); ++length)
        EXPECT_EQ(read_kernel_truth_block(body.first(length)).kind, Kind::damaged) << length;
    const Bytes longest = make_kernel_truth_block(Bytes(max_kernel_truth_payload));
    EXPECT_EQ(read_kernel_truth_block(body_of(longest)).kind, Kind::kernel_truth);
    const Bytes too_long = make_kernel_truth_block(Bytes(max_kernel_truth_payload + 1));
    EXPECT_EQ(read_kernel_truth_block(body_of(too_long)).kind, Kind::damaged);
}

TEST(KernelTruthBlock, comes_among_the_packets_of_its_file) {
    for (const bool big_endian : {false, true}) {
        const Bytes block = make_kernel_truth_block(std::string("what it said"), big_endian);
        test::PcapngBuilder builder;
        builder.section(big_endian).interface();
        builder.enhanced_packet(0, 1, test::frame(60));
        const auto body = body_of(block);
        builder.block(0x0bad, Bytes(body.begin(), body.end()));
        builder.enhanced_packet(0, 2, test::frame(61));
        const auto source = open_capture_stream(test::make_piece_source(builder.bytes(), size_t{7}), "test",
                                                0, default_block_length);
        ASSERT_TRUE(source);
        const auto found = test::read_all(**source);
        ASSERT_THAT(found, SizeIs(3));
        EXPECT_EQ(found[1].link_type, LinkType::not_a_packet);
        const KernelTruthBlock read = read_kernel_truth_block(found[1].data);
        EXPECT_EQ(std::string(read.payload.begin(), read.payload.end()), "what it said");
    }
}

}  // namespace
}  // namespace sanscope
