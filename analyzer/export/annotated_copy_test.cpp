// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/annotated_copy.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

#include "analyzer/export/testing/temporary_folder.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/compress.h"
#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::file_text;
using test::FoundPacket;
using test::frame;
using test::PcapBuilder;
using test::PcapngBuilder;
using test::TemporaryFolder;
using test::write_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using Note = CaptureNotes::Note;

std::string text_of(const Bytes& bytes) {
    return {bytes.begin(), bytes.end()};
}

struct Capture {
    std::vector<FoundPacket> packets;
    std::vector<CaptureInterface> interfaces;
    std::vector<Damage> damage;
    std::vector<Note> notes;
};

Capture read(const std::string& path) {
    const auto source = open_capture(path);
    EXPECT_TRUE(source) << source.error().message;
    if (!source) return {};
    (*source)->keep_notes();
    Capture capture;
    capture.packets = test::read_all(**source);
    capture.interfaces = (*source)->interfaces();
    capture.damage = (*source)->damage();
    if ((*source)->notes() != nullptr) capture.notes = (*source)->notes()->of_packets();
    return capture;
}

class AnnotatedCopyTest : public testing::Test {
  protected:
    // The outcome of copying `bytes`, and the copy's bytes in `copy_`.
    AnnotatedCopy copy(const Bytes& bytes, const PacketNotes& notes) {
        write_file(input_, text_of(bytes));
        const auto outcome = write_annotated_copy({&input_, 1}, notes, target_);
        EXPECT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(folder_.names(), (std::vector<std::string>{"copy", "input"}));
        copy_ = file_text(target_);
        return outcome ? *outcome : AnnotatedCopy{};
    }

    TemporaryFolder folder_;
    std::string input_ = folder_.path("input");
    std::string target_ = folder_.path("copy");
    std::string copy_;
};

// Blocks of every kind that is copied, with options of many kinds, in two byte orders.
PcapngBuilder every_kind_of_block() {
    PcapngBuilder builder;
    for (const bool big_endian : {false, true}) {
        builder.section_of_length(~uint64_t{0}, big_endian, 1, {{1, "of the section"}, {4, "app"}});
        builder.interface({.name = "eth0", .tsresol = uint8_t{9}}).interface({.link_type = 101});
        builder.enhanced_packet(0, 1'700'000'000'123'456'789, frame(61));
        builder.block(4, frame(40)).block(0x77777777, frame(3000));
        builder.enhanced_packet_with(1, 1'700'000'000'000'001, frame(62),
                                     builder.options({{2, "flag"}, {1, "old"}, {3, "hash!"}, {1, "older"}}));
        builder.obsolete_packet(0, 1'700'000'000'000'002'000, frame(63)).block(0x0bad, frame(44));
        builder.simple_packet(64, frame(64)).statistics(0, 1, 2).block(9, frame(8));
        builder.enhanced_packet(0, 1'700'000'001'000'000'000, {}, 90);
    }
    return builder;
}

TEST_F(AnnotatedCopyTest, APcapngWithoutOtherNotesIsCopiedByteByByte) {
    const Bytes bytes = every_kind_of_block().bytes();
    const PacketNotes same = {{1, {}}, {2, {"old", "older"}}, {4, {}}, {9, {"old", "older"}}};
    for (const Bytes& stored : {bytes, test::gzip(bytes), test::zstd(bytes), test::lz4(bytes)}) {
        for (const PacketNotes& notes : {PacketNotes{}, same}) {
            const AnnotatedCopy outcome = copy(stored, notes);
            EXPECT_EQ(copy_, text_of(bytes));
            EXPECT_EQ(outcome.packets, 14u);
            EXPECT_EQ(outcome.annotated, notes.size());
            EXPECT_EQ(outcome.not_placed, 0u);
            EXPECT_FALSE(outcome.damage);
        }
    }
}

TEST_F(AnnotatedCopyTest, OnlyTheBlocksOfOtherNotesChange) {
    for (const bool big_endian : {false, true}) {
        PcapngBuilder before;
        PcapngBuilder after;
        for (PcapngBuilder* builder : {&before, &after}) {
            builder->section(big_endian).interface({.tsresol = uint8_t{9}});
            builder->enhanced_packet(0, 1, frame(60));
        }
        const auto both = [&](auto was, auto is) {
            before.enhanced_packet_with(0, 2, frame(61), was);
            if (is.size() > 0) {
                after.enhanced_packet_with(0, 2, frame(61), is);
            } else {
                after.enhanced_packet(0, 2, frame(61));
            }
        };
        // Packet 2 on: none to two, one to others in its place, some to none, the only ones to none, and one that stays.
        both(Bytes{}, before.options({{1, "new"}, {1, "second"}}));
        both(before.options({{2, "flag"}, {1, "a"}, {3, "hash!"}, {1, "b"}, {4, "dropped"}}),
             before.options({{2, "flag"}, {1, "c"}, {1, ""}, {1, "d"}, {3, "hash!"}, {4, "dropped"}}));
        both(before.options({{1, "a"}, {3, "hash!"}}), before.options({{3, "hash!"}}));
        both(before.options({{1, "a"}, {1, "b"}}), Bytes{});
        both(before.options({{1, "kept"}}), before.options({{1, "kept"}}));
        both(before.options({{2, "flag"}}), before.options({{2, "flag"}, {1, "behind"}}));
        // A list without an end, as the format allows, gets one.
        both(before.option(2, "flag"), before.options({{2, "flag"}, {1, "and an end"}}));
        const PacketNotes notes = {{2, {"new", "second"}}, {3, {"c", "", "d"}}, {4, {}},         {5, {}},
                                   {7, {"behind"}},        {8, {"and an end"}}, {9, {"of none"}}};
        const AnnotatedCopy outcome = copy(before.bytes(), notes);
        EXPECT_EQ(copy_, text_of(after.bytes()));
        EXPECT_EQ(outcome.annotated, 6u);
        EXPECT_EQ(outcome.not_placed, 1u);
        EXPECT_THAT(read(target_).notes,
                    ElementsAre(Note{2, "new"}, Note{2, "second"}, Note{3, "c"}, Note{3, ""}, Note{3, "d"},
                                Note{6, "kept"}, Note{7, "behind"}, Note{8, "and an end"}));
    }
}

TEST_F(AnnotatedCopyTest, EveryKindOfPacketTakesANoteAndStaysAsItWas) {
    PacketNotes notes;
    std::vector<Note> expected;
    for (PacketNumber number = 1; number <= 14; number++) {
        notes[number] = {fmt::format("note on {}", number)};
        // The fourth of each section is a custom block, the sixth of systemd's journal.
        if (number % 7 != 4 && number % 7 != 6) expected.push_back({number, notes[number][0]});
    }
    const AnnotatedCopy outcome = copy(every_kind_of_block().bytes(), notes);
    EXPECT_EQ(outcome.annotated, 10u);
    EXPECT_EQ(outcome.not_placed, 4u);
    const Capture before = read(input_);
    const Capture after = read(target_);
    EXPECT_THAT(after.damage, IsEmpty());
    EXPECT_EQ(after.packets, before.packets);
    EXPECT_EQ(after.interfaces.size(), before.interfaces.size());
    EXPECT_EQ(after.notes, expected);
}

TEST_F(AnnotatedCopyTest, ASimplePacketGetsTheTimeItHadInItsInterfacesUnit) {
    for (const bool big_endian : {false, true}) {
        PcapngBuilder before;
        PcapngBuilder after;
        for (PcapngBuilder* builder : {&before, &after}) {
            builder->section(big_endian)
                .interface({.snap_length = 50, .tsresol = uint8_t{6}, .tsoffset = 1000});
            builder->interface({.tsresol = uint8_t{9}})
                .enhanced_packet(1, 1'700'000'000'123'456'789, frame(60));
        }
        before.simple_packet(1500, frame(50));
        test::ByteWriter body(big_endian);
        const uint64_t ticks = 1'699'999'000'123'456;
        body.u32(0)
            .u32(static_cast<uint32_t>(ticks >> 32))
            .u32(static_cast<uint32_t>(ticks))
            .u32(50)
            .u32(1500);
        body.bytes(frame(50)).pad().bytes(after.options({{1, "simple"}}));
        after.block(6, body.result());
        EXPECT_EQ(copy(before.bytes(), {{2, {"simple"}}}).annotated, 1u);
        EXPECT_EQ(copy_, text_of(after.bytes()));
    }
}

TEST_F(AnnotatedCopyTest, SectionsThatTellTheirLengthTellTheNewOne) {
    // Two sections, the first of which changes.
    const auto build = [](bool noted) {
        PcapngBuilder builder;
        for (const bool big_endian : {true, false}) {
            const size_t note_length = noted && big_endian ? 4 + 4 + 4 : 0;
            builder.section_of_length(20 + 20 + 32 + 60 + note_length, big_endian);
            builder.block(1, test::ByteWriter(big_endian).u16(1).u16(0).u32(0).result());
            builder.block(0x77777777, frame(8));
            if (noted && big_endian) {
                builder.enhanced_packet_with(0, 1, frame(60), builder.options({{1, "note"}}));
            } else {
                builder.enhanced_packet(0, 1, frame(60));
            }
        }
        return builder.bytes();
    };
    copy(build(false), {{1, {"note"}}});
    EXPECT_EQ(copy_, text_of(build(true)));
    copy(build(true), {{1, {}}});
    EXPECT_EQ(copy_, text_of(build(false)));
}

TEST_F(AnnotatedCopyTest, BlocksThatAreNotToBeCopiedAreNot) {
    PcapngBuilder before;
    PcapngBuilder after;
    before.section_of_length(32 + 92 + 56 + 92, false).interface({.tsresol = uint8_t{9}});
    after.section_of_length(32 + 92 + 92, false).interface({.tsresol = uint8_t{9}});
    before.enhanced_packet(0, 1, frame(60)).block(0x40000bad, frame(44)).enhanced_packet(0, 2, frame(60));
    after.enhanced_packet(0, 1, frame(60)).enhanced_packet(0, 2, frame(60));
    const AnnotatedCopy outcome = copy(before.bytes(), {{2, {"of the custom block"}}});
    EXPECT_EQ(copy_, text_of(after.bytes()));
    EXPECT_EQ(outcome.left_out, 1u);
    EXPECT_EQ(outcome.packets, 2u);
    EXPECT_EQ(outcome.not_placed, 1u);
}

TEST_F(AnnotatedCopyTest, BlocksAreFollowedAcrossReads) {
    // More than is read at once, with blocks larger than that, and notes on packets here and there.
    PcapngBuilder builder;
    builder.section().interface();
    PacketNotes notes;
    std::vector<Note> expected;
    for (unsigned i = 1; i <= 4000; i++) {
        builder.enhanced_packet(0, i, frame(i * 13 % 1500));
        if (i % 1000 == 0) builder.block(0x77777777, frame(3'000'000));
        if (i % 7 == 0) {
            notes[i] = {std::string(i, 'n')};
            expected.push_back({i, notes[i][0]});
        }
    }
    for (const Bytes& stored : {builder.bytes(), test::zstd(builder.bytes())}) {
        EXPECT_EQ(copy(stored, notes).annotated, notes.size());
        EXPECT_EQ(read(target_).packets, read(input_).packets);
        EXPECT_EQ(read(target_).notes, expected);
    }
}

TEST_F(AnnotatedCopyTest, APcapBecomesAPcapng) {
    PcapBuilder nanoseconds({.big_endian = true, .magic = 0xa1b23c4d, .snap_length = 128, .network = 113});
    nanoseconds.packet(1'700'000'000, 999'999'999, frame(77)).record(1'700'000'001, 1, 40, 1500, frame(40));
    PcapBuilder microseconds;
    for (uint32_t i = 0; i < 3000; i++) microseconds.packet(i, 999'999, frame(i % 1500));
    const PacketNotes notes = {{1, {}}, {2, {"slow", "\u00e4"}}, {4'000, {"of none"}}};
    for (const Bytes& stored : {nanoseconds.bytes(), test::lz4(nanoseconds.bytes()), microseconds.bytes()}) {
        const AnnotatedCopy outcome = copy(stored, notes);
        const Capture before = read(input_);
        const Capture after = read(target_);
        EXPECT_EQ(after.packets, before.packets);
        EXPECT_EQ(outcome.packets, before.packets.size());
        EXPECT_THAT(after.notes, ElementsAre(Note{2, "slow"}, Note{2, "\u00e4"}));
        EXPECT_EQ(outcome.annotated, 2u);
        EXPECT_EQ(outcome.not_placed, 1u);
        ASSERT_THAT(after.interfaces, SizeIs(1));
        EXPECT_EQ(after.interfaces[0].link_type, before.interfaces[0].link_type);
        EXPECT_EQ(after.interfaces[0].snap_length, before.interfaces[0].snap_length);
    }
}

TEST_F(AnnotatedCopyTest, ADamagedCaptureIsCopiedUpToTheDamage) {
    PcapngBuilder builder;
    builder.section_of_length(4000, true, 1, {{1, "section"}});
    const size_t header_length = builder.bytes().size();
    builder.interface().block(0x77777777, frame(40));
    builder.enhanced_packet(0, 1, frame(10))
        .enhanced_packet_with(0, 2, frame(11), builder.options({{1, "old"}}));
    builder.section_of_length(5000, false).interface().enhanced_packet(0, 3, frame(12)).block(4, frame(12));
    const Bytes whole = builder.bytes();
    const PacketNotes notes = {{1, {"one"}}, {3, {"three"}}};
    for (size_t length = 24; length < whole.size(); length++) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        if (length < header_length) {
            write_file(input_, text_of(cut));
            const auto outcome = write_annotated_copy({&input_, 1}, notes, target_);
            ASSERT_FALSE(outcome);
            EXPECT_THAT(outcome.error().message, AllOf(StartsWith(input_), HasSubstr("no whole block")));
            EXPECT_THAT(folder_.names(), ElementsAre("input"));
            continue;
        }
        const AnnotatedCopy outcome = copy(cut, notes);
        const Capture before = read(input_);
        const Capture after = read(target_);
        ASSERT_EQ(after.packets, before.packets) << length;
        ASSERT_THAT(after.damage, IsEmpty()) << length;
        ASSERT_EQ(outcome.damage.has_value(), !before.damage.empty()) << length;
        if (outcome.damage) {
            EXPECT_EQ(outcome.damage->at_byte, before.damage[0].at_byte);
            EXPECT_EQ(outcome.damage->message, before.damage[0].message);
        }
    }
    PcapBuilder pcap;
    pcap.packet(1, 1, frame(100)).packet(2, 2, frame(100));
    const Bytes cut(pcap.bytes().begin(), pcap.bytes().end() - 50);
    const AnnotatedCopy outcome = copy(cut, notes);
    EXPECT_EQ(outcome.packets, 1u);
    ASSERT_TRUE(outcome.damage);
    EXPECT_EQ(outcome.damage->at_byte, 24u + 116);
    const Bytes packed = test::gzip(Bytes(every_kind_of_block().bytes()));
    const AnnotatedCopy of_cut = copy(Bytes(packed.begin(), packed.end() - 20), {});
    ASSERT_TRUE(of_cut.damage);
    EXPECT_THAT(of_cut.damage->message, HasSubstr("gzip"));
    EXPECT_THAT(read(target_).damage, IsEmpty());
}

TEST_F(AnnotatedCopyTest, HostileBlocksAreCopiedAsTheyAreRead) {
    const Bytes whole = every_kind_of_block().bytes();
    PacketNotes notes;
    for (PacketNumber number = 1; number <= 14; number++) notes[number] = {"n"};
    std::mt19937 random(5);
    int copied = 0;
    for (int round = 0; round < 1500; round++) {
        Bytes changed = whole;
        for (int i = 0; i < 2; i++) {
            // Mostly in the small numbers of block types, lengths and options.
            const size_t at = 24 + random() % (changed.size() - 24);
            changed[at] = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 16);
        }
        write_file(input_, text_of(changed));
        const auto outcome = write_annotated_copy({&input_, 1}, notes, target_);
        if (!outcome) continue;
        ++copied;
        std::vector<FoundPacket> before = read(input_).packets;
        const Capture after = read(target_);
        ASSERT_THAT(after.damage, IsEmpty()) << round;
        ASSERT_EQ(after.packets.size() + outcome->left_out, before.size()) << round;
        if (outcome->left_out > 0) continue;
        // A simple packet's time may be one that its interface's unit cannot tell.
        for (size_t i = 0; i < before.size(); i++) {
            before[i].time_ns = after.packets[i].time_ns;
            ASSERT_EQ(after.packets[i], before[i]) << round;
        }
    }
    EXPECT_GT(copied, 1000);
}

TEST_F(AnnotatedCopyTest, RefusesWhatIsNotOneFile) {
    write_file(input_, text_of(every_kind_of_block().bytes()));
    const std::string before = file_text(input_);
    const auto error_of = [&](std::vector<std::string> captures, const std::string& target) {
        const auto outcome = write_annotated_copy(captures, {}, target);
        EXPECT_FALSE(outcome);
        return outcome ? std::string() : outcome.error().message;
    };
    EXPECT_THAT(error_of({}, target_), HasSubstr("no capture"));
    EXPECT_THAT(error_of({input_, input_}, target_), HasSubstr("2 captures"));
    EXPECT_THAT(error_of({"-"}, target_), HasSubstr("standard input"));
    EXPECT_THAT(error_of({folder_.path("none")}, target_), StartsWith(folder_.path("none") + ": "));
    write_file(folder_.path("text"), "neither pcap nor pcapng");
    EXPECT_THAT(error_of({folder_.path("text")}, target_), HasSubstr("not a capture"));
    write_file(folder_.path("empty"), "");
    EXPECT_THAT(error_of({folder_.path("empty")}, target_), StartsWith(folder_.path("empty") + ": "));
    ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
    EXPECT_THAT(error_of({folder_.path("pipe")}, target_), HasSubstr("only a file"));
    EXPECT_THAT(error_of({"/dev/null"}, target_), HasSubstr("only a file"));
    EXPECT_FALSE(fs::exists(target_));

    fs::create_hard_link(input_, folder_.path("hard"));
    fs::create_symlink("input", folder_.path("soft"));
    for (const char* name : {"input", "hard", "soft"})
        EXPECT_THAT(error_of({input_}, folder_.path(name)), HasSubstr("would be overwritten"));
    EXPECT_THAT(error_of({input_}, folder_.path("no/where")), StartsWith(folder_.path("no/where") + ": "));
    EXPECT_EQ(file_text(input_), before);
}

TEST_F(AnnotatedCopyTest, NotesAreStoredAsTextOfALengthThatFits) {
    const Bytes bytes = every_kind_of_block().bytes();
    copy(bytes, {{1, {"caf\xe9\r\nline", std::string(65535, 'x')}}, {2, {""}}});
    EXPECT_THAT(read(target_).notes, ElementsAre(Note{1, "caf\ufffd\nline"}, Note{1, std::string(65535, 'x')},
                                                 Note{2, ""}, Note{9, "old"}, Note{9, "older"}));
    const std::string before = copy_;
    const auto too_long = write_annotated_copy({&input_, 1}, {{3, {std::string(65536, 'x')}}}, target_);
    ASSERT_FALSE(too_long);
    EXPECT_THAT(too_long.error().message, HasSubstr("packet 3"));
    const PacketNotes too_many = {{3, std::vector<std::string>(300, std::string(65535, 'x'))}};
    const auto too_large = write_annotated_copy({&input_, 1}, too_many, target_);
    ASSERT_FALSE(too_large);
    EXPECT_THAT(too_large.error().message, HasSubstr("notes on packet 3"));
    EXPECT_EQ(file_text(target_), before);
    EXPECT_THAT(folder_.names(), ElementsAre("copy", "input"));
}

TEST_F(AnnotatedCopyTest, TellsProgressAndStopsWithoutATrace) {
    PcapBuilder pcap;
    for (uint32_t i = 0; i < 3000; i++) pcap.packet(i, 0, frame(1500));
    write_file(input_, text_of(pcap.bytes()));
    write_file(target_, "what was there");
    std::atomic<bool> stop = false;
    std::vector<uint64_t> done;
    ExportControl control;
    control.stop = &stop;
    control.progress = [&](uint64_t now, uint64_t total) {
        EXPECT_EQ(total, pcap.bytes().size());
        done.push_back(now);
        stop = done.size() == 2;
    };
    const auto stopped = write_annotated_copy({&input_, 1}, {{1, {"n"}}}, target_, control);
    ASSERT_TRUE(stopped);
    EXPECT_TRUE(stopped->stopped);
    EXPECT_THAT(done, SizeIs(2));
    EXPECT_EQ(file_text(target_), "what was there");
    EXPECT_THAT(folder_.names(), ElementsAre("copy", "input"));

    stop = false;
    done.clear();
    control.progress = [&](uint64_t now, uint64_t) { done.push_back(now); };
    const auto whole = write_annotated_copy({&input_, 1}, {{1, {"n"}}}, target_, control);
    ASSERT_TRUE(whole);
    EXPECT_FALSE(whole->stopped);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_EQ(done.back(), pcap.bytes().size());
    EXPECT_EQ(read(target_).packets, read(input_).packets);
}

TEST_F(AnnotatedCopyTest, AFullDiskLeavesWhatWasThere) {
    PcapBuilder pcap;
    for (uint32_t i = 0; i < 3000; i++) pcap.packet(i, 0, frame(1500));
    PcapngBuilder pcapng;
    pcapng.section().interface();
    for (uint32_t i = 0; i < 3000; i++) pcapng.enhanced_packet(0, i, frame(1500));
    for (const Bytes& bytes : {pcap.bytes(), pcapng.bytes()}) {
        write_file(input_, text_of(bytes));
        write_file(target_, "what was there");
        // A limit on the size of files stands in for the disk.
        rlimit before{};
        ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
        rlimit small = before;
        small.rlim_cur = 1'000'000;
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto outcome = write_annotated_copy({&input_, 1}, {{1, {"n"}}}, target_);
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        ASSERT_FALSE(outcome);
        EXPECT_THAT(outcome.error().message, StartsWith(target_ + ": cannot write"));
        EXPECT_EQ(file_text(target_), "what was there");
        EXPECT_THAT(folder_.names(), ElementsAre("copy", "input"));
    }
}

// ---- The samples, also as Wireshark's programs read the copies

std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string answer;
    for (int c; (c = std::fgetc(pipe)) != EOF;) answer += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return answer;
}

bool is_there(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

class AnnotatedSample : public testing::TestWithParam<std::string> {};

TEST_P(AnnotatedSample, HasItsPacketsAndTheNotes) {
    const TemporaryFolder folder;
    const std::string input = std::string(SANSCOPE_SAMPLES) + "/" + GetParam();
    const std::string target = folder.path("copy.pcapng");
    const Capture before = read(input);
    ASSERT_FALSE(before.packets.empty());
    const PacketNumber last = before.packets.size();
    PacketNotes notes;
    std::vector<Note> expected;
    std::string told;
    for (const PacketNumber number : {PacketNumber{1}, PacketNumber{2}, last / 2, last}) {
        if (notes.contains(number) || number == 0) continue;
        notes[number] = {fmt::format("slow \u2192 {}", number)};
        // A record that is no packet, such as what a kernel reported, has no place for a comment.
        if (before.packets[number - 1].link_type == LinkType::not_a_packet) continue;
        expected.push_back({number, notes[number][0]});
        told += fmt::format("{}\t{}\n", number, notes[number][0]);
    }
    const auto outcome = write_annotated_copy({&input, 1}, notes, target);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->annotated, expected.size());
    EXPECT_EQ(outcome->packets, last);
    EXPECT_EQ(outcome->damage.has_value(), !before.damage.empty());
    const Capture after = read(target);
    EXPECT_EQ(after.packets, before.packets);
    EXPECT_EQ(after.notes, expected);
    EXPECT_THAT(after.damage, IsEmpty());
    // Once more, of what is a pcapng now.
    const std::string again = folder.path("again.pcapng");
    PacketNotes none;
    for (const auto& [number, texts] : notes) none[number] = {};
    ASSERT_TRUE(write_annotated_copy({&target, 1}, none, again));
    EXPECT_EQ(read(again).packets, before.packets);
    EXPECT_THAT(read(again).notes, IsEmpty());

    if (!is_there("tshark") || !is_there("capinfos")) GTEST_SKIP() << "Wireshark's programs are not there";
    EXPECT_EQ(output_of("tshark -r '" + target +
                        "' -Y frame.comment -T fields -e frame.number -e frame.comment 2>/dev/null"),
              told);
    const auto packets = std::ranges::count_if(
        before.packets, [](const FoundPacket& packet) { return packet.link_type != LinkType::not_a_packet; });
    EXPECT_EQ(output_of("capinfos -Mrc -T '" + target + "'"), fmt::format("{}\t{}\n", target, packets));
}

INSTANTIATE_TEST_SUITE_P(Every, AnnotatedSample, testing::ValuesIn([] {
                             std::vector<std::string> names;
                             for (const auto& entry : fs::directory_iterator(SANSCOPE_SAMPLES)) {
                                 const std::string name = entry.path().filename().string();
                                 if (name.find(".pcap") != std::string::npos) names.push_back(name);
                             }
                             std::sort(names.begin(), names.end());
                             return names;
                         }()),
                         [](const auto& sample) {
                             std::string name = sample.param;
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                             return name;
                         });

TEST_F(AnnotatedCopyTest, WiresharkReadsTheNotesOfEveryKindOfPacket) {
    if (!is_there("tshark")) GTEST_SKIP() << "there is no tshark";
    PcapngBuilder builder;
    for (const bool big_endian : {true, false}) {
        builder.section(big_endian).interface({.tsresol = uint8_t{9}}).enhanced_packet(0, 1, frame(60));
        builder.enhanced_packet_with(0, 2, frame(61),
                                     builder.options({{2, std::string_view("\0\0\0\1", 4)}, {1, "old"}}));
        builder.obsolete_packet(0, 3, frame(62)).simple_packet(63, frame(63));
    }
    PacketNotes notes;
    for (PacketNumber number = 1; number <= 8; number++) {
        if (number != 6) notes[number] = {fmt::format("n{}", number)};
    }
    notes[3] = {"x", "y"};
    EXPECT_EQ(copy(builder.bytes(), notes).annotated, 7u);
    EXPECT_EQ(
        output_of("tshark -r '" + target_ +
                  "' -Y frame.comment -T fields -e frame.number -e frame.len -e frame.comment 2>/dev/null"),
        "1\t60\tn1\n2\t61\tn2\n3\t62\tx,y\n4\t63\tn4\n5\t60\tn5\n6\t61\told\n7\t62\tn7\n8\t63\tn8\n");
}

}  // namespace
}  // namespace sanscope
