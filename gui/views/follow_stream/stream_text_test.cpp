// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/follow_stream/stream_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace sanscope {
namespace {

using testing::ElementsAre;

class StreamTextTest : public testing::Test {
  protected:
    static std::span<const uint8_t> bytes(std::string_view text) {
        return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
    }
    void out(std::string_view text, PacketNumber packet = 1) {
        writer.bytes(Role::initiator, sent[0], bytes(text), packet);
        sent[0] += text.size();
    }
    void in(std::string_view text, PacketNumber packet = 2) {
        writer.bytes(Role::target, sent[1], bytes(text), packet);
        sent[1] += text.size();
    }
    void write_in(StreamFormat format, std::optional<StreamRange> wanted = std::nullopt) {
        writer = StreamTextWriter(format, wanted);
        sent = {0, 0};
    }
    std::string text() {
        result = writer.take();
        return result.text.toStdString();
    }
    // What is found, as text.
    std::vector<std::string> found() const {
        std::vector<std::string> texts;
        for (const auto& place : result.found)
            texts.push_back(result.text.mid(place.begin, place.end - place.begin).toStdString());
        return texts;
    }

    StreamTextWriter writer{StreamFormat::ascii, std::nullopt};
    std::array<uint64_t, 2> sent = {0, 0};
    StreamText result;
};

TEST_F(StreamTextTest, AsciiGoesOnInALineUntilTheOtherSideSpeaks) {
    out("GET /", 1);
    out("x\r\nHost", 2);
    in("OK\x01\xff", 3);
    out("again", 4);
    EXPECT_EQ(text(), "GET /x\nHost\nOK..\nagain\n");
    EXPECT_EQ(result.packet_at(0), 1u);
    EXPECT_EQ(result.packet_at(5), 2u);
    EXPECT_EQ(result.packet_at(12), 3u);
    EXPECT_EQ(result.packet_at(17), 4u);
}

TEST_F(StreamTextTest, PdusAndHolesAreLinesOfTheirOwn) {
    writer.pdu(QStringLiteral("Login Request"), 1);
    out("half", 1);
    writer.not_captured(QStringLiteral("[3 bytes not captured]"), 2);
    out("rest", 2);
    EXPECT_EQ(text(), "Login Request\nhalf\n[3 bytes not captured]\nrest\n");
    ASSERT_EQ(result.spans.size(), 4u);
    EXPECT_EQ(result.spans[0].kind, StreamText::Kind::pdu);
    EXPECT_EQ(result.spans[1].kind, StreamText::Kind::initiator);
    EXPECT_EQ(result.spans[2].kind, StreamText::Kind::not_captured);
}

TEST_F(StreamTextTest, ALongLineIsBroken) {
    out(std::string(StreamTextWriter::longest_line + 1, 'x'));
    EXPECT_EQ(text(), std::string(StreamTextWriter::longest_line, 'x') + "\nx\n");
}

TEST_F(StreamTextTest, AHexDumpCountsFromTheStreamsBeginning) {
    write_in(StreamFormat::hex_dump);
    out("0123456789abcdef\x00", 1);
    in("\xff", 2);
    // The literal ends before its zero byte.
    EXPECT_EQ(text(),
              "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef\n"
              "    00000000  ff                                                .\n");
    EXPECT_EQ(result.packet_at(result.text.size() - 2), 2u);
}

TEST_F(StreamTextTest, Utf8MayLieAcrossPackets) {
    write_in(StreamFormat::utf8);
    out("na\xc3");
    out("\xafve \xe2\x82\xac", 2);
    EXPECT_EQ(text(), "na\xc3\xafve \xe2\x82\xac\n");
}

TEST_F(StreamTextTest, NothingInUtf8MovesWhatStandsAroundIt) {
    write_in(StreamFormat::utf8);
    out("a\xe2\x80\xae"
        "b\xe2\x80\xa8"
        "c\x1b[31m");
    EXPECT_EQ(text(), "a.b.c.[31m\n");
}

TEST_F(StreamTextTest, WhatIsFoundIsMarkedWhereverItLies) {
    write_in(StreamFormat::ascii, StreamRange{Role::initiator, 2, 6});
    out("abcd");
    in("abcdefgh");
    out("efgh");
    text();
    EXPECT_THAT(found(), ElementsAre("cd", "ef"));
    write_in(StreamFormat::hex_dump, StreamRange{Role::target, 1, 3});
    out("abcd");
    in("abcd");
    text();
    EXPECT_THAT(found(), ElementsAre("62 63 ", "bc"));
}

}  // namespace
}  // namespace sanscope
