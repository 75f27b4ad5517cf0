// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringDecoder>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

enum class StreamFormat : uint8_t { ascii, hex_dump, utf8 };

// Some bytes of what one side sent.
struct StreamRange {
    Role sender = Role::initiator;
    uint64_t begin = 0;  // in its stream
    uint64_t end = 0;
};

// A part of a stream as text. Lines end with '\n'; there is no other character that ends one.
struct StreamText {
    enum class Kind : uint8_t { initiator, target, not_captured, pdu };
    // Reaches to where the next one begins.
    struct Span {
        qsizetype begin = 0;
        Kind kind = Kind::initiator;
        PacketNumber packet = 0;
    };
    struct Place {
        qsizetype begin = 0;
        qsizetype end = 0;
    };

    QString text;
    std::vector<Span> spans;
    std::vector<Place> found;  // what was looked for; in a hex dump, digits and characters

    // What stands at that place of the text; 0: nothing does.
    PacketNumber packet_at(qsizetype place) const;
};

// Writes a StreamText, piece by piece. What is not printable is a dot; in UTF-8, what is none is a replacement character.
class StreamTextWriter {
  public:
    // As long may a line of ASCII or UTF-8 be.
    static constexpr int longest_line = 1024;

    // `wanted` comes out as StreamText::found.
    StreamTextWriter(StreamFormat format, const std::optional<StreamRange>& wanted);

    // A line of its own.
    void pdu(const QString& title, PacketNumber packet);
    void not_captured(const QString& what, PacketNumber packet);
    // The next ones of that side; `offset`: of the first in its stream.
    void bytes(Role sender, uint64_t offset, std::span<const uint8_t> bytes, PacketNumber packet);

    StreamText take();

  private:
    void line(const QString& text, StreamText::Kind kind, PacketNumber packet);
    void begin_line();
    void begin_span(StreamText::Kind kind, PacketNumber packet);
    void hex_lines(Role sender, uint64_t offset, std::span<const uint8_t> bytes);
    void hex_line(Role sender, uint64_t offset, std::span<const uint8_t> bytes);
    void characters(Role sender, uint64_t offset, std::span<const uint8_t> bytes);
    void character(char32_t code);
    void mark(Role sender, uint64_t offset, qsizetype begin);

    StreamFormat format_;
    std::optional<StreamRange> wanted_;
    StreamText text_;
    int column_ = 0;  // of the line in hand
    std::optional<Role> last_sender_;
    std::array<QStringDecoder, 2> decoders_;  // by Role: a character may lie across pieces
};

}  // namespace sanscope
