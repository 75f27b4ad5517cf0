// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/resolved_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/damaged_captures.h"
#include "analyzer/ingest/found_packets.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using Address = ResolvedNames::Address;

constexpr uint32_t name_resolution_block = 4;

Address v4(uint8_t last) {
    return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, last};
}

Address v6(uint8_t last) {
    return {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last};
}

// The value of a record: an address and its names, each with a zero at its end.
std::string v4_value(uint8_t last, const std::string& names) {
    return std::string("\xc0\x00\x02", 3) + static_cast<char>(last) + names + std::string(1, '\0');
}

std::string v6_value(uint8_t last, const std::string& names) {
    const Address address = v6(last);
    return std::string(address.begin(), address.end()) + names + std::string(1, '\0');
}

struct Kept {
    std::vector<test::FoundPacket> packets;
    std::vector<Damage> damage;
    std::optional<ResolvedNames> names;
};

Kept read(const Bytes& bytes, bool keep = true, size_t piece = 1000) {
    const auto source =
        open_capture_stream(test::make_piece_source(bytes, piece), "test", 0, default_block_length);
    if (!source) return {};
    if (keep) (*source)->keep_names();
    Kept kept;
    kept.packets = test::read_all(**source);
    kept.damage = (*source)->damage();
    if ((*source)->names() != nullptr) kept.names = *(*source)->names();
    return kept;
}

// A section in either byte order; the block has an option behind its records.
PcapngBuilder named() {
    PcapngBuilder builder;
    for (const bool big_endian : {false, true}) {
        const uint8_t shift = big_endian ? 100 : 0;
        builder.section(big_endian).interface();
        builder.enhanced_packet(0, 1, frame(61));
        Bytes body = builder.options({{1, v4_value(static_cast<uint8_t>(1 + shift), "initiator")},
                                      {3, std::string("\x02\0\0\0\0\x01nic\0", 10)},
                                      {2, v6_value(static_cast<uint8_t>(2 + shift), "target.example")},
                                      {1, v4_value(1, "later")}});
        const Bytes options = builder.options({{1, "a comment"}});
        body.insert(body.end(), options.begin(), options.end());
        builder.block(name_resolution_block, body);
        builder.enhanced_packet(0, 2, frame(62));
    }
    return builder;
}

std::map<Address, std::string> names_of(const Bytes& block_body, bool big_endian = false) {
    ResolvedNames names;
    names.add_block(block_body, FileByteOrder{big_endian});
    return names.all();
}

TEST(ResolvedNames, AreThoseOfTheBlocksInEitherByteOrderTheFirstOfAnAddress) {
    for (const Bytes& bytes : {named().bytes(), test::zstd(named().bytes())}) {
        for (const size_t piece : {size_t{1}, size_t{7}, size_t{100'000}}) {
            const Kept kept = read(bytes, true, piece);
            ASSERT_THAT(kept.damage, IsEmpty());
            EXPECT_THAT(kept.packets, SizeIs(4));
            ASSERT_TRUE(kept.names);
            EXPECT_THAT(kept.names->all(),
                        ElementsAre(Pair(v4(1), "initiator"), Pair(v4(101), "initiator"),
                                    Pair(v6(2), "target.example"), Pair(v6(102), "target.example")));
            EXPECT_EQ(kept.names->left_out(), 0u);
        }
    }
}

TEST(ResolvedNames, AreNotKeptUnaskedNorOfAPcap) {
    EXPECT_FALSE(read(named().bytes(), false).names);
    PcapBuilder pcap;
    pcap.packet(1, 2, frame(60));
    EXPECT_FALSE(read(pcap.bytes()).names);
}

TEST(ResolvedNames, OfOneRecordTheFirstHostNameCounts) {
    const PcapngBuilder builder;
    const std::string several =
        std::string("two words") + '\0' + '\0' + "<b>" + '\0' + "good-name_1" + '\0' + "b";
    EXPECT_THAT(names_of(builder.options({{1, v4_value(1, several)},
                                          {1, v4_value(2, "\x1b[31m")},
                                          {1, v4_value(3, "")},
                                          {1, v4_value(4, std::string(253, 'a'))},
                                          {1, v4_value(5, std::string(254, 'a'))},
                                          {1, v4_value(2, "after one that is none")},
                                          {1, v4_value(2, "after-one-that-is-none")}})),
                ElementsAre(Pair(v4(1), "good-name_1"), Pair(v4(2), "after-one-that-is-none"),
                            Pair(v4(4), std::string(253, 'a'))));
}

TEST(ResolvedNames, ANameWithoutAZeroEndsWithItsRecord) {
    const PcapngBuilder builder;
    std::string value = v4_value(1, "host");
    value.pop_back();
    EXPECT_THAT(names_of(builder.options({{1, value}})), ElementsAre(Pair(v4(1), "host")));
}

TEST(ResolvedNames, EndWhereARecordReachesBeyondItsBlock) {
    const PcapngBuilder builder;
    Bytes body = builder.option(1, v4_value(1, "whole"));
    const Bytes cut = builder.option(1, v4_value(2, std::string(64, 'x')));
    body.insert(body.end(), cut.begin(), cut.begin() + 16);
    EXPECT_THAT(names_of(body), ElementsAre(Pair(v4(1), "whole")));
    // Too short for their addresses; behind the end of the records.
    EXPECT_THAT(names_of(builder.options({{1, "abc"}, {1, "abcd"}, {2, std::string(16, 'x')}})), IsEmpty());
    Bytes behind_end = builder.options({});
    const Bytes more = builder.option(1, v4_value(1, "option"));
    behind_end.insert(behind_end.end(), more.begin(), more.end());
    EXPECT_THAT(names_of(behind_end), IsEmpty());
    EXPECT_THAT(names_of({}), IsEmpty());
    EXPECT_THAT(names_of({1, 0, 0}), IsEmpty());
}

TEST(ResolvedNames, AreBoundedInNumber) {
    ResolvedNames names;
    const PcapngBuilder builder;
    for (size_t i = 0; i < ResolvedNames::max_names + 3; ++i) {
        std::string value(4, '\0');
        for (size_t byte = 0; byte < 4; ++byte) value[byte] = static_cast<char>(i >> 8 * byte);
        names.add_block(builder.option(1, value + "host"), {});
    }
    EXPECT_THAT(names.all(), SizeIs(ResolvedNames::max_names));
    EXPECT_EQ(names.left_out(), 3u);
}

TEST(ResolvedNames, KeepingThemChangesNothingElseOfDamagedFiles) {
    test::expect_keeping_changes_nothing_else(named().bytes(), 2000, read, &Kept::names);
}

}  // namespace
}  // namespace sanscope
