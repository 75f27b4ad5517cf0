// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/follow_stream/stream_text.h"

#include <QByteArrayView>
#include <algorithm>
#include <utility>

namespace sanscope {
namespace {

constexpr size_t bytes_per_line = 16;

StreamText::Kind kind_of(Role sender) {
    return sender == Role::initiator ? StreamText::Kind::initiator : StreamText::Kind::target;
}

// Neither moves what stands around it nor ends a line.
bool is_printable(char32_t code) {
    constexpr char32_t line_separator = 0x2028;
    constexpr char32_t paragraph_separator = 0x2029;
    constexpr char32_t object_replacement = 0xfffc;
    return QChar::isPrint(code) && code != line_separator && code != paragraph_separator &&
           code != object_replacement;
}

}  // namespace

PacketNumber StreamText::packet_at(qsizetype place) const {
    const auto behind =
        std::ranges::upper_bound(spans, place, {}, [](const Span& span) { return span.begin; });
    return behind == spans.begin() ? 0 : std::prev(behind)->packet;
}

StreamTextWriter::StreamTextWriter(StreamFormat format, const std::optional<StreamRange>& wanted)
    : format_(format),
      wanted_(wanted),
      decoders_{QStringDecoder(QStringDecoder::Utf8), QStringDecoder(QStringDecoder::Utf8)} {}

void StreamTextWriter::pdu(const QString& title, PacketNumber packet) {
    line(title, StreamText::Kind::pdu, packet);
}

void StreamTextWriter::not_captured(const QString& what, PacketNumber packet) {
    line(what, StreamText::Kind::not_captured, packet);
    for (QStringDecoder& decoder : decoders_) decoder.resetState();
}

void StreamTextWriter::line(const QString& text, StreamText::Kind kind, PacketNumber packet) {
    begin_line();
    begin_span(kind, packet);
    text_.text += text;
    text_.text += QLatin1Char('\n');
    last_sender_.reset();
}

void StreamTextWriter::bytes(Role sender, uint64_t offset, std::span<const uint8_t> bytes,
                             PacketNumber packet) {
    if (bytes.empty()) return;
    if (last_sender_ != sender || format_ == StreamFormat::hex_dump) begin_line();
    last_sender_ = sender;
    begin_span(kind_of(sender), packet);
    if (format_ == StreamFormat::hex_dump) {
        hex_lines(sender, offset, bytes);
    } else {
        characters(sender, offset, bytes);
    }
}

StreamText StreamTextWriter::take() {
    begin_line();
    return std::move(text_);
}

void StreamTextWriter::begin_line() {
    if (column_ > 0) text_.text += QLatin1Char('\n');
    column_ = 0;
}

void StreamTextWriter::begin_span(StreamText::Kind kind, PacketNumber packet) {
    text_.spans.push_back({text_.text.size(), kind, packet});
}

// That the text from `begin` on stands for that byte.
void StreamTextWriter::mark(Role sender, uint64_t offset, qsizetype begin) {
    if (!wanted_ || wanted_->sender != sender || offset < wanted_->begin || offset >= wanted_->end) return;
    if (!text_.found.empty() && text_.found.back().end == begin) {
        text_.found.back().end = text_.text.size();
    } else {
        text_.found.push_back({begin, text_.text.size()});
    }
}

void StreamTextWriter::hex_lines(Role sender, uint64_t offset, std::span<const uint8_t> bytes) {
    for (size_t at = 0; at < bytes.size(); at += bytes_per_line) {
        hex_line(sender, offset + at, bytes.subspan(at, std::min(bytes_per_line, bytes.size() - at)));
    }
}

// That of the target stands farther right, so that colours are not all that tells the two apart.
void StreamTextWriter::hex_line(Role sender, uint64_t offset, std::span<const uint8_t> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    QString& text = text_.text;
    if (sender == Role::target) text += QLatin1String("    ");
    constexpr int offset_digits = 8;
    text += QStringLiteral("%1  ").arg(offset, offset_digits, 16, QLatin1Char('0'));
    for (size_t i = 0; i < bytes_per_line; ++i) {
        if (i == bytes_per_line / 2) text += QLatin1Char(' ');
        if (i >= bytes.size()) {
            text += QLatin1String("   ");
            continue;
        }
        const qsizetype begin = text.size();
        text += QLatin1Char(digits[bytes[i] >> 4]);
        text += QLatin1Char(digits[bytes[i] & 0xf]);
        text += QLatin1Char(' ');
        mark(sender, offset + i, begin);
    }
    text += QLatin1Char(' ');
    for (size_t i = 0; i < bytes.size(); ++i) {
        const qsizetype begin = text.size();
        const bool printable = bytes[i] >= 0x20 && bytes[i] < 0x7f;
        text += QLatin1Char(printable ? static_cast<char>(bytes[i]) : '.');
        mark(sender, offset + i, begin);
    }
    text += QLatin1Char('\n');
}

void StreamTextWriter::characters(Role sender, uint64_t offset, std::span<const uint8_t> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
        // That of a line end in text protocols.
        if (bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n') continue;
        const qsizetype begin = text_.text.size();
        if (format_ == StreamFormat::ascii) {
            character(bytes[i] < 0x80 ? bytes[i] : U'\0');
        } else {
            const auto byte = static_cast<char>(bytes[i]);
            const QString decoded = decoders_[index_of(sender)].decode(QByteArrayView(&byte, 1));
            for (const char32_t code : decoded.toUcs4()) character(code);
        }
        if (text_.text.size() > begin) mark(sender, offset + i, begin);
    }
}

void StreamTextWriter::character(char32_t code) {
    if (code == U'\n') {
        text_.text += QLatin1Char('\n');
        column_ = 0;
        return;
    }
    if (column_ == longest_line) begin_line();
    if (code == U'\t') {
        text_.text += QLatin1Char('\t');
    } else if (is_printable(code)) {
        text_.text += QChar::fromUcs4(code);
    } else {
        text_.text += QLatin1Char('.');
    }
    ++column_;
}

}  // namespace sanscope
