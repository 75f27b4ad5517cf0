// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcapng_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using Kind = PcapngSections::Kind;
using test::Bytes;
using test::PcapngBuilder;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::SizeIs;

constexpr uint32_t name_resolution = 4;
constexpr uint32_t decryption_secrets = 10;

TEST(PcapngSections, KeepsWhatPacketsRestOn) {
    PcapngBuilder builder;
    const auto block_from = [&](size_t begin) {
        return Bytes(builder.bytes().begin() + static_cast<std::ptrdiff_t>(begin), builder.bytes().end());
    };
    builder.section().section();
    size_t begin = builder.bytes().size();
    const Bytes interface = (builder.interface({.name = "eth0"}), block_from(begin));
    builder.enhanced_packet(0, 1, test::frame(60));
    begin = builder.bytes().size();
    const Bytes names = (builder.block(name_resolution, test::frame(40)), block_from(begin));
    builder.enhanced_packet(0, 2, test::frame(61)).statistics(0, 1, 2).section(true);
    begin = builder.bytes().size();
    const Bytes other_interface = (builder.interface(), block_from(begin));
    begin = builder.bytes().size();
    const Bytes secrets = (builder.block(decryption_secrets, test::frame(400'000)), block_from(begin));
    builder.enhanced_packet(0, 3, test::frame(62));

    const test::TemporaryFile file(builder.bytes());
    for (const size_t stretch : {size_t{4096}, default_block_length}) {
        const auto source = open_capture_file(file.path(), stretch);
        ASSERT_TRUE(source);
        (*source)->keep_sections();
        ASSERT_THAT(test::read_all(**source), SizeIs(3));
        const PcapngSections* const sections = (*source)->sections();
        ASSERT_NE(sections, nullptr);
        ASSERT_EQ(sections->blocks(), 4u);
        const auto expect = [&](size_t index, uint64_t before, uint32_t section, Kind kind,
                                const Bytes& bytes) {
            const PcapngSections::Block block = sections->block(index);
            EXPECT_EQ(block.before_packet, before);
            EXPECT_EQ(block.section, section);
            EXPECT_EQ(block.kind, kind);
            EXPECT_THAT(block.bytes, ElementsAreArray(bytes));
        };
        expect(0, 1, 2, Kind::interface, interface);
        expect(1, 2, 2, Kind::other, names);
        expect(2, 3, 3, Kind::interface, other_interface);
        expect(3, 3, 3, Kind::other, secrets);
        EXPECT_EQ(sections->section_of(1), 2u);
        EXPECT_EQ(sections->section_of(2), 2u);
        EXPECT_EQ(sections->section_of(3), 3u);
        EXPECT_FALSE(sections->order_of(2).swapped);
        EXPECT_TRUE(sections->order_of(3).swapped);
    }
}

TEST(PcapngSections, AreNotKeptUnasked) {
    PcapngBuilder builder;
    builder.section().interface().enhanced_packet(0, 1, test::frame(60));
    const test::TemporaryFile file(builder.bytes());
    const auto source = open_capture(file.path());
    ASSERT_THAT(test::read_all(**source), SizeIs(1));
    EXPECT_EQ((*source)->sections(), nullptr);
}

TEST(PcapngSections, LargeNamesAndSecretsArePassedOver) {
    PcapngSections sections;
    const Bytes large(PcapngSections::max_other_bytes / 2 + 1);
    sections.begin_section({}, 1);
    sections.add(Kind::other, large, 1);
    sections.add(Kind::other, large, 1);
    sections.add(Kind::interface, test::frame(20), 1);
    ASSERT_EQ(sections.blocks(), 2u);
    EXPECT_EQ(sections.block(1).kind, Kind::interface);
    EXPECT_EQ(sections.section_of(1), 1u);
}

TEST(PcapngSections, BeyondTheLimitPacketsAreOfNoSection) {
    PcapngSections sections;
    const Bytes large(PcapngSections::max_bytes / 2 + 1);
    sections.begin_section({}, 1);
    sections.add(Kind::interface, large, 1);
    sections.add(Kind::interface, large, 7);
    sections.begin_section({}, 9);
    sections.add(Kind::interface, test::frame(20), 9);
    EXPECT_EQ(sections.blocks(), 1u);
    EXPECT_EQ(sections.section_of(6), 1u);
    EXPECT_EQ(sections.section_of(7), 0u);
    EXPECT_EQ(sections.section_of(9), 0u);
    EXPECT_EQ(sections.end(), 7u);
    EXPECT_THAT(PcapngSections::why_ended(), HasSubstr("64 MiB"));
}

}  // namespace
}  // namespace sanscope
