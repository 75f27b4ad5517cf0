// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/capture_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/damaged_captures.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/record_parser.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Note = CaptureNotes::Note;

struct Kept {
    std::vector<test::FoundPacket> packets;
    std::vector<Damage> damage;
    std::optional<CaptureNotes> notes;
};

Kept read(const Bytes& bytes, bool keep = true, size_t piece = 1000) {
    const auto source =
        open_capture_stream(test::make_piece_source(bytes, piece), "test", 0, default_block_length);
    if (!source) return {};
    if (keep) (*source)->keep_notes();
    Kept kept;
    kept.packets = test::read_all(**source);
    kept.damage = (*source)->damage();
    if ((*source)->notes() != nullptr) kept.notes = *(*source)->notes();
    return kept;
}

PcapngBuilder commented() {
    PcapngBuilder builder;
    for (const bool big_endian : {false, true}) {
        builder.section_of_length(40, big_endian, 1,
                                  {{4, "app"}, {1, big_endian ? "second" : "first"}, {1, "more"}});
        builder.interface();
        builder.enhanced_packet(0, 1, frame(61));
        builder.enhanced_packet_with(0, 2, frame(62),
                                     builder.options({{2, "flag"}, {1, "slow"}, {1, "why?"}}));
        builder.block(0x0bad, frame(44));
        // As long as a packet of 63 bytes needs, and its comment behind a padding.
        builder.enhanced_packet_with(0, 3, frame(63), builder.options({{1, ""}}));
        builder.simple_packet(45, frame(45));
        test::ByteWriter body(big_endian);
        body.u16(0).u16(0).u32(0).u32(4).u32(5).u32(5).bytes(frame(5)).pad();
        body.bytes(builder.options({{1, "obsolete"}}));
        builder.block(2, body.result());
    }
    return builder;
}

TEST(CaptureNotes, AreTheCommentsOnPacketsAndSections) {
    for (const Bytes& bytes : {commented().bytes(), test::zstd(commented().bytes())}) {
        for (const size_t piece : {size_t{1}, size_t{7}, size_t{100'000}}) {
            const Kept kept = read(bytes, true, piece);
            ASSERT_THAT(kept.damage, IsEmpty());
            ASSERT_TRUE(kept.notes);
            EXPECT_THAT(kept.notes->of_packets(),
                        ElementsAre(Note{2, "slow"}, Note{2, "why?"}, Note{4, ""}, Note{6, "obsolete"},
                                    Note{8, "slow"}, Note{8, "why?"}, Note{10, ""}, Note{12, "obsolete"}));
            EXPECT_THAT(kept.notes->of_capture(), ElementsAre("first", "more", "second", "more"));
            EXPECT_EQ(kept.notes->left_out(), 0u);
        }
    }
}

TEST(CaptureNotes, AreKeptAcrossTheStretchesOfAFile) {
    PcapngBuilder builder;
    builder.section().interface();
    for (unsigned i = 1; i <= 3000; i++) {
        const std::string text = std::to_string(i);
        builder.enhanced_packet_with(0, i, frame(i % 1500), builder.options({{1, text}}));
    }
    const test::TemporaryFile file(builder.bytes());
    for (const size_t stretch : {size_t{4096}, default_block_length}) {
        const auto source = open_capture_file(file.path(), stretch);
        ASSERT_TRUE(source);
        (*source)->keep_notes();
        ASSERT_THAT(test::read_all(**source), SizeIs(3000));
        const auto& notes = (*source)->notes()->of_packets();
        ASSERT_THAT(notes, SizeIs(3000));
        for (size_t i = 0; i < notes.size(); i++) ASSERT_EQ(notes[i], (Note{i + 1, std::to_string(i + 1)}));
    }
}

TEST(CaptureNotes, AreNotKeptUnaskedNorOfAPcap) {
    EXPECT_FALSE(read(commented().bytes(), false).notes);
    PcapBuilder pcap;
    pcap.packet(1, 2, frame(60));
    const Kept kept = read(pcap.bytes());
    EXPECT_THAT(kept.packets, SizeIs(1));
    EXPECT_FALSE(kept.notes);
}

TEST(CaptureNotes, AreTextWhateverTheBytes) {
    PcapngBuilder builder;
    builder.section().interface();
    builder.enhanced_packet_with(0, 1, frame(60),
                                 builder.options({{1, "\x1b[31mred\xff\r\nnext"}, {1, "\xc3"}}));
    EXPECT_THAT(read(builder.bytes()).notes->of_packets(),
                ElementsAre(Note{1, "\ufffd[31mred\ufffd\nnext"}, Note{1, "\ufffd"}));
}

TEST(CaptureNotes, EndWhereAnOptionReachesBeyondItsBlock) {
    PcapngBuilder builder;
    builder.section().interface();
    Bytes options = builder.option(1, "whole");
    const Bytes cut = builder.option(1, std::string(64, 'x'));
    options.insert(options.end(), cut.begin(), cut.begin() + 16);
    builder.enhanced_packet_with(0, 1, frame(60), options);
    // Options behind the end of options are none, and so are fewer than four bytes.
    Bytes behind_end = builder.options({});
    const Bytes more = builder.option(1, "not told");
    behind_end.insert(behind_end.end(), more.begin(), more.end());
    builder.enhanced_packet_with(0, 2, frame(60), behind_end);
    const Kept kept = read(builder.bytes());
    EXPECT_THAT(kept.packets, SizeIs(2));
    EXPECT_THAT(kept.damage, IsEmpty());
    EXPECT_THAT(kept.notes->of_packets(), ElementsAre(Note{1, "whole"}));
}

TEST(CaptureNotes, AreBoundedInNumber) {
    CaptureNotes notes;
    const Bytes text = {'x'};
    for (size_t i = 0; i < CaptureNotes::max_notes; i++) notes.add(i + 1, text);
    notes.add(CaptureNotes::max_notes + 1, text);
    notes.add_of_capture(text);
    EXPECT_THAT(notes.of_packets(), SizeIs(CaptureNotes::max_notes));
    EXPECT_THAT(notes.of_capture(), IsEmpty());
    EXPECT_EQ(notes.left_out(), 2u);
}

TEST(CaptureNotes, AreBoundedInBytesAlsoWhereTheirTextGrows) {
    CaptureNotes notes;
    const Bytes no_text(65532, 0xff);  // three times as long as text
    for (int i = 0; i < 1000; i++) notes.add(1, no_text);
    size_t bytes = 0;
    for (const Note& note : notes.of_packets()) bytes += note.text.size();
    EXPECT_LE(bytes, CaptureNotes::max_bytes);
    EXPECT_GT(bytes, CaptureNotes::max_bytes / 2);
    EXPECT_EQ(notes.of_packets().size() + notes.left_out(), 1000u);
    notes.add(2, Bytes{'x'});
    EXPECT_EQ(notes.of_packets().back(), (Note{2, "x"}));
}

TEST(CaptureNotes, KeepingThemChangesNothingElseOfDamagedFiles) {
    test::expect_keeping_changes_nothing_else(commented().bytes(), 3000, read, &Kept::notes);
}

}  // namespace
}  // namespace sanscope
