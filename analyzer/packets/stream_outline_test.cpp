// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/stream_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/engine/analysis.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/temporary_file.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A capture of one connection, whose sides sent text, and what comes of following it.
class FollowedStream : public testing::Test {
  protected:
    // Sequence numbers count from the first byte of the text, which is near where they wrap.
    static constexpr uint32_t first_seq = 0xfffffff0;

    void out(uint32_t offset, std::string_view text, uint32_t captured = UINT32_MAX,
             uint16_t flags = tcp_ack) {
        frames::Tcp tcp;
        tcp.seq = first_seq + offset;
        tcp.ack = first_seq + in_acknowledged;
        tcp.flags = flags;
        add(frames::ipv4({}, frames::tcp(tcp, text)), captured);
    }
    void in(uint32_t offset, std::string_view text, uint32_t acknowledges) {
        frames::Tcp tcp;
        std::swap(tcp.source_port, tcp.destination_port);
        tcp.seq = first_seq + offset;
        tcp.ack = first_seq + acknowledges;
        frames::Ipv4 ip;
        std::swap(ip.source, ip.destination);
        add(frames::ipv4(ip, frames::tcp(tcp, text)), UINT32_MAX);
    }
    void syn() { out(UINT32_MAX, "", UINT32_MAX, tcp_syn); }
    void add(const frames::Layer& datagram, uint32_t captured) {
        test::Bytes frame = frames::ethernet(datagram).bytes;
        const auto wire = static_cast<uint32_t>(frame.size());
        if (captured < wire) frame.resize(captured);
        builder.record(1000 + next_second, 0, static_cast<uint32_t>(frame.size()), wire, frame);
        ++next_second;
    }

    void follow(uint32_t connection = 1) {
        const test::TemporaryFile file(builder.bytes());
        auto opened = PacketReader::open(file.path(), {});
        ASSERT_TRUE(opened) << opened.error().message;
        reader = std::move(*opened);
        Engine engine(ResultStore::Keep::everything(), Engine::StopAfter::none);
        auto source = open_capture(file.path());
        ASSERT_TRUE(source);
        ASSERT_TRUE(analyse(**source, engine, {}));
        const std::atomic<bool> stop = false;
        outline = outline_stream(engine.store(), reader->index(), connection, stop);
        const StreamBytes bytes(engine.store(), outline, *reader);
        for (const OutlinedPiece& piece : outline.pieces) {
            const auto read = bytes.read(piece);
            ASSERT_TRUE(read) << read.error().message;
            std::string text = piece.sender == Role::initiator ? "> " : "< ";
            text.append(read->begin(), read->end());
            text.append(piece.length - read->size(), piece.not_captured ? '?' : '.');
            texts.push_back(text);
            packets.push_back(piece.packet);
        }
    }

    test::PcapBuilder builder;
    uint32_t next_second = 0;
    uint32_t in_acknowledged = 0;
    std::unique_ptr<PacketReader> reader;
    StreamOutline outline;
    std::vector<std::string> texts;
    std::vector<PacketNumber> packets;
};

TEST_F(FollowedStream, BothSidesComeInTheOrderOfDelivery) {
    syn();
    out(0, "a long request, across the wrap");
    in(0, "an answer", 31);
    out(31, "more");
    follow();
    EXPECT_THAT(texts, ElementsAre("> a long request, across the wrap", "< an answer", "> more"));
    EXPECT_THAT(packets, ElementsAre(2u, 3u, 4u));
    EXPECT_EQ(outline.pieces[2].offset, 31u);
    EXPECT_THAT(outline.bytes, ElementsAre(35u, 9u));
}

TEST_F(FollowedStream, RetransmittedBytesComeOnceAndReorderedOnesInTheirPlace) {
    syn();
    out(0, "one ");
    out(8, "three ");
    out(4, "two ");
    out(0, "one two three ");
    out(8, "three four");
    follow();
    EXPECT_THAT(texts, ElementsAre("> one ", "> two ", "> three ", "> four"));
    EXPECT_THAT(packets, ElementsAre(2u, 4u, 3u, 6u));
}

TEST_F(FollowedStream, AHoleIsAPieceOfItsOwn) {
    syn();
    out(0, "before");
    out(10, "behind");
    in(0, "seen", 16);
    in(4, "it", 16);
    follow();
    EXPECT_THAT(texts, testing::UnorderedElementsAre("> before", "> ????", "> behind", "< seen", "< it"));
    EXPECT_THAT(outline.not_captured, ElementsAre(4u, 0u));
}

TEST_F(FollowedStream, OfCutPacketsTheBeginningIsThere) {
    syn();
    out(0, "captured and cut", 14 + 20 + 20 + 8);
    out(16, "cut", 14 + 20 + 20);
    follow();
    EXPECT_THAT(texts, ElementsAre("> captured........", "> ..."));
}

TEST_F(FollowedStream, FragmentedSegmentsAreWhole) {
    syn();
    frames::Tcp tcp;
    tcp.seq = first_seq;
    const frames::Layer whole = frames::tcp(tcp, "the first part, and the second one");
    const auto fragment = [&](size_t begin, size_t end) {
        frames::Layer part = whole;
        part.bytes.assign(whole.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                          whole.bytes.begin() + static_cast<std::ptrdiff_t>(end));
        frames::Ipv4 ip;
        ip.id = 7;
        ip.fragment_offset = static_cast<uint16_t>(begin);
        ip.more_fragments = end < whole.bytes.size();
        add(frames::ipv4(ip, part), UINT32_MAX);
    };
    fragment(0, 32);
    fragment(32, whole.bytes.size());
    follow();
    EXPECT_THAT(texts, ElementsAre("> the first part, and the second one"));
    EXPECT_THAT(packets, ElementsAre(3u));
}

TEST_F(FollowedStream, WhatIsNoConnectionHasNothing) {
    syn();
    out(0, "text");
    follow(2);
    EXPECT_THAT(texts, IsEmpty());
    follow(0);
    EXPECT_THAT(texts, IsEmpty());
}

}  // namespace
}  // namespace sanscope
