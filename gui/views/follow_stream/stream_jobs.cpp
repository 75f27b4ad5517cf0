// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/follow_stream/stream_jobs.h"

#include <QCoreApplication>
#include <QFile>
#include <QLocale>
#include <algorithm>
#include <span>
#include <utility>

#include "gui/models/packet_search.h"

#include "analyzer/export/replacement_file.h"
#include "analyzer/iscsi/bhs.h"

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("FollowStream", text);
}

QString count_text(uint64_t count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}

std::vector<size_t> divide_into_pages(const StreamOutline& outline, StreamDirection direction) {
    // Many small pieces are many lines.
    constexpr size_t cost_of_piece = 64;
    std::vector<size_t> pages{0};
    size_t cost = 0;
    for (size_t i = 0; i < outline.pieces.size(); ++i) {
        const OutlinedPiece& piece = outline.pieces[i];
        if (!shows(direction, piece.sender)) continue;
        if (cost >= FollowedStream::bytes_per_page) {
            pages.push_back(i);
            cost = 0;
        }
        cost += cost_of_piece + (piece.not_captured ? 0 : piece.length);
    }
    return pages;
}

QString pdu_title(const PduRow& row, uint32_t number) {
    const char* const name = opcode_name(row.opcode);
    QString title = row.sender == Role::initiator ? QStringLiteral("→ ") : QStringLiteral("← ");
    title += name != nullptr ? QString::fromUtf8(name)
                             : translated("opcode 0x%1").arg(row.opcode, 2, 16, QLatin1Char('0'));
    title += QLatin1Char(' ') + translated("(PDU %1").arg(count_text(number));
    if (row.data_length > 0) {
        title += QLatin1String(", ") +
                 (row.data_length == 1 ? translated("1 byte of data")
                                       : translated("%1 bytes of data").arg(count_text(row.data_length)));
    }
    constexpr uint32_t of_no_task = 0xffffffff;
    if (row.itt_known && row.itt != of_no_task)
        title += QLatin1String(", ") + translated("ITT 0x%1").arg(row.itt, 8, 16, QLatin1Char('0'));
    return title + QLatin1Char(')');
}

class PageWriter {
  public:
    PageWriter(const FollowedStream& stream, StreamFormat format, const std::optional<StreamRange>& wanted)
        : stream_(stream),
          reading_(stream.data->read()),
          bytes_(reading_.store(), stream.outline, reading_.packets()),
          writer_(format, wanted) {}

    void write(const OutlinedPiece& piece) {
        const auto read = bytes_.read(piece);
        if (!read && fault_.isEmpty()) fault_ = QString::fromStdString(read.error().message);
        captured_ = read ? std::span<const uint8_t>(*read) : std::span<const uint8_t>();
        uint64_t at = piece.offset;
        const uint64_t end = piece.offset + piece.length;
        for (const uint32_t pdu : pdus_beginning_in(piece.sender, at, end)) {
            const PduRow& row = reading_.store().pdus()[pdu];
            write_bytes(piece, at, row.bhs_offset);
            at = row.bhs_offset;
            writer_.pdu(pdu_title(row, pdu + 1), piece.packet);
        }
        write_bytes(piece, at, end);
        captured_ = {};
    }

    StreamPage take() { return {writer_.take(), fault_}; }

  private:
    std::span<const uint32_t> pdus_beginning_in(Role sender, uint64_t begin, uint64_t end) const {
        const uint32_t connection = stream_.outline.connection;
        const ConnectionRow& row = reading_.store().connection(connection);
        // Else it is not known where they begin.
        if (!row.stream_start_known[index_of(row.side_of(sender))]) return {};
        const std::span<const uint32_t> pdus = reading_.pdu_index().stream(connection, sender);
        const auto begins_at = [&](uint32_t pdu) {
            return reading_.store().pdus().get<&PduRow::bhs_offset>(pdu);
        };
        const auto first = std::ranges::lower_bound(pdus, begin, {}, begins_at);
        const auto behind = std::ranges::lower_bound(first, pdus.end(), end, {}, begins_at);
        return pdus.subspan(static_cast<size_t>(first - pdus.begin()), static_cast<size_t>(behind - first));
    }

    // Those of [begin, end) of the stream, which are of the piece.
    void write_bytes(const OutlinedPiece& piece, uint64_t begin, uint64_t end) {
        if (begin >= end) return;
        const uint64_t captured_to = piece.offset + captured_.size();
        const uint64_t there = std::min(end, std::max(begin, captured_to));
        if (there > begin) {
            writer_.bytes(piece.sender, begin, captured_.subspan(begin - piece.offset, there - begin),
                          piece.packet);
        }
        if (there == end) return;
        const QString count = count_text(end - there);
        const bool one = end - there == 1;
        const QString not_captured =
            one ? translated("[1 byte not captured]") : translated("[%1 bytes not captured]").arg(count);
        const QString cut_off =
            one ? translated("[1 byte cut off]") : translated("[%1 bytes cut off]").arg(count);
        writer_.not_captured(piece.not_captured ? not_captured : cut_off, piece.packet);
    }

    const FollowedStream& stream_;
    CaptureData::Reading reading_;
    StreamBytes bytes_;
    StreamTextWriter writer_;
    std::span<const uint8_t> captured_;  // of the piece in hand
    QString fault_;
};

char small_letter(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

class StreamFinder {
  public:
    StreamFinder(const FollowedStream& stream, const StreamNeedle& needle, StreamDirection direction)
        : stream_(stream),
          needle_(needle),
          direction_(direction),
          reading_(stream.data->read()),
          bytes_(reading_.store(), stream.outline, reading_.packets()) {}

    // Among the pieces [first, behind), those that the last of which is of [report_from, behind), and that begin at or behind
    // `least` of their stream, by Role.
    std::optional<StreamHit> find(size_t first, size_t report_from, size_t behind,
                                  const std::array<uint64_t, 2>& least, std::atomic<size_t>& done,
                                  const StopFlag& stop) {
        std::optional<StreamHit> found;
        visit(first, behind, done, stop, [&](size_t number, Role sender, uint64_t begin) {
            if (number < report_from || begin < least[index_of(sender)]) return false;
            found = hit(number, sender, begin);
            return true;
        });
        return found;
    }

    // The last one that ends before `from` does, and the last one of all.
    struct Last {
        std::optional<StreamHit> before;
        std::optional<StreamHit> of_all;
    };
    Last find_last(const std::optional<StreamHit>& from, std::atomic<size_t>& done, const StopFlag& stop) {
        struct Place {
            size_t number;
            Role sender;
            uint64_t begin;
        };
        std::optional<Place> before;
        std::optional<Place> of_all;
        const size_t pieces = stream_.outline.pieces.size();
        visit(0, pieces, done, stop, [&](size_t number, Role sender, uint64_t begin) {
            of_all = Place{number, sender, begin};
            const bool is_before = from && (number < from->last_piece ||
                                            (number == from->last_piece && begin < from->range.begin));
            const bool overlaps =
                from && sender == from->range.sender && begin + needle_.bytes.size() > from->range.begin;
            if (is_before && !overlaps) before = of_all;
            // Those behind are of interest only where there is none before.
            return from && !is_before && before.has_value();
        });
        const auto as_hit = [&](const std::optional<Place>& place) {
            return place ? std::optional(hit(place->number, place->sender, place->begin)) : std::nullopt;
        };
        return {as_hit(before), as_hit(of_all)};
    }

    StreamCount count(const StopFlag& stop) {
        StreamCount counted;
        std::array<uint64_t, 2> behind = {0, 0};  // by Role: the end of the last one
        std::atomic<size_t> done = 0;
        visit(0, stream_.outline.pieces.size(), done, stop, [&](size_t number, Role sender, uint64_t begin) {
            if (begin < behind[index_of(sender)]) return false;
            behind[index_of(sender)] = begin + needle_.bytes.size();
            return !counted.add({number, begin});
        });
        counted.left_out = unreadable_;
        return counted;
    }

    size_t unreadable() const { return unreadable_; }

  private:
    // Calls `take` with the last piece, the sender, and where in its stream it begins, of each one, until that returns true.
    template <class Take>
    void visit(size_t first, size_t behind, std::atomic<size_t>& done, const StopFlag& stop, Take take) {
        begins_ = {first, first};
        for (std::string& before : before_) before.clear();
        for (size_t i = first; i < behind && !stop; ++i) {
            const OutlinedPiece& piece = stream_.outline.pieces[i];
            if (!shows(direction_, piece.sender)) continue;
            done.fetch_add(1, std::memory_order_relaxed);
            if (look_at(i, piece, take)) return;
        }
    }

    template <class Take>
    bool look_at(size_t number, const OutlinedPiece& piece, Take& take) {
        std::string& text = before_[index_of(piece.sender)];
        const auto read = bytes_.read(piece);
        if (!read) ++unreadable_;
        const size_t captured = read ? read->size() : 0;
        const uint64_t text_begins = piece.offset - text.size();
        for (size_t i = 0; i < captured; ++i) {
            const auto byte = static_cast<char>((*read)[i]);
            text += needle_.any_case ? small_letter(byte) : byte;
        }
        for (size_t at = text.find(needle_.bytes); at != std::string::npos;
             at = text.find(needle_.bytes, at + 1)) {
            if (take(number, piece.sender, text_begins + at)) return true;
        }
        if (captured < piece.length) {
            text.clear();
        } else if (text.size() >= needle_.bytes.size()) {
            text.erase(0, text.size() - (needle_.bytes.size() - 1));
        }
        return false;
    }

    StreamHit hit(size_t number, Role sender, uint64_t begin) const {
        return {
            {sender, begin, begin + needle_.bytes.size()}, piece_with(sender, begin, number), number, false};
    }

    size_t piece_with(Role sender, uint64_t offset, size_t last) const {
        for (size_t i = last; i > begins_[index_of(sender)]; --i) {
            const OutlinedPiece& piece = stream_.outline.pieces[i];
            if (piece.sender == sender && piece.offset <= offset) return i;
        }
        return begins_[index_of(sender)];
    }

    const FollowedStream& stream_;
    const StreamNeedle& needle_;
    StreamDirection direction_;
    CaptureData::Reading reading_;
    StreamBytes bytes_;
    std::array<std::string, 2> before_;  // by Role: the last bytes, with which what is looked for may begin
    std::array<size_t, 2> begins_ = {0, 0};
    size_t unreadable_ = 0;
};

}  // namespace

size_t FollowedStream::page_of(StreamDirection direction, size_t piece) const {
    const std::vector<size_t>& starts = pages_of(direction);
    const auto behind = std::ranges::upper_bound(starts, piece);
    return behind == starts.begin() ? 0 : static_cast<size_t>(behind - starts.begin()) - 1;
}

std::shared_ptr<const FollowedStream> follow_stream(std::shared_ptr<const CaptureData> data,
                                                    uint32_t connection, const StopFlag& stop) {
    auto stream = std::make_shared<FollowedStream>();
    {
        const auto reading = data->read();
        stream->outline = outline_stream(reading.store(), reading.index(), connection, stop);
    }
    stream->data = std::move(data);
    for (size_t i = 0; i < stream_directions; ++i)
        stream->pages[i] = divide_into_pages(stream->outline, static_cast<StreamDirection>(i));
    return stream;
}

StreamPage write_page(const FollowedStream& stream, StreamDirection direction, size_t page,
                      StreamFormat format, const std::optional<StreamRange>& wanted, const StopFlag& stop) {
    const std::vector<size_t>& starts = stream.pages_of(direction);
    if (page >= starts.size()) return {};
    const size_t behind = page + 1 < starts.size() ? starts[page + 1] : stream.outline.pieces.size();
    PageWriter writer(stream, format, wanted);
    for (size_t i = starts[page]; i < behind && !stop; ++i) {
        const OutlinedPiece& piece = stream.outline.pieces[i];
        if (shows(direction, piece.sender)) writer.write(piece);
    }
    return writer.take();
}

std::variant<StreamNeedle, QString> StreamNeedle::of_text(const QString& text) {
    StreamNeedle needle;
    needle.any_case = true;
    needle.bytes = text.toStdString();
    std::ranges::transform(needle.bytes, needle.bytes.begin(), small_letter);
    if (needle.bytes.empty()) return translated("There is nothing to look for.");
    if (needle.bytes.size() > most_bytes) return translated("That is too long to look for.");
    return needle;
}

std::variant<StreamNeedle, QString> StreamNeedle::of_hex(const QString& text) {
    const auto made = PacketNeedle::make(PacketNeedle::Kind::bytes_hex, text);
    if (const auto* const fault = std::get_if<QString>(&made)) return *fault;
    StreamNeedle needle;
    needle.bytes = std::get<PacketNeedle>(made).hex_bytes();
    if (needle.bytes.size() > most_bytes) return translated("That is too long to look for.");
    return needle;
}

StreamFound find_in_stream(const FollowedStream& stream, const StreamNeedle& needle,
                           StreamDirection direction, const std::optional<StreamHit>& from, bool forward,
                           std::atomic<size_t>& done, const StopFlag& stop) {
    StreamFinder finder(stream, needle, direction);
    const size_t pieces = stream.outline.pieces.size();
    if (!forward) {
        auto last = finder.find_last(from, done, stop);
        if (from && !last.before && last.of_all) last.of_all->wrapped = true;
        return {last.before ? last.before : last.of_all, finder.unreadable()};
    }
    if (!from) return {finder.find(0, 0, pieces, {0, 0}, done, stop), finder.unreadable()};
    // What begins before the piece in which the last one ends may end behind it.
    constexpr size_t pieces_before = 64;
    const size_t last = std::min(from->last_piece, pieces);
    std::array<uint64_t, 2> least = {0, 0};
    least[index_of(from->range.sender)] = from->range.end;
    auto hit = finder.find(last > pieces_before ? last - pieces_before : 0, last, pieces, least, done, stop);
    if (!hit && !stop) {
        hit = finder.find(0, 0, std::min(last + 1, pieces), {0, 0}, done, stop);
        if (hit) hit->wrapped = true;
    }
    return {hit, finder.unreadable()};
}

StreamCount count_in_stream(const FollowedStream& stream, const StreamNeedle& needle,
                            StreamDirection direction, const StopFlag& stop) {
    return StreamFinder(stream, needle, direction).count(stop);
}

SavedStream save_stream(const FollowedStream& stream, StreamDirection direction, const QString& path,
                        const QString& capture, std::atomic<size_t>& done, const StopFlag& stop) {
    SavedStream saved;
    const auto failed = [&](const Error& error) {
        saved.error = QString::fromStdString(error.message);
        return saved;
    };
    const std::string target = QFile::encodeName(path).toStdString();
    if (const auto allowed = refuse_overwriting(QFile::encodeName(capture).toStdString(), target); !allowed)
        return failed(allowed.error());
    auto file = ReplacementFile::create(target);
    if (!file) return failed(file.error());
    const auto reading = stream.data->read();
    const StreamBytes bytes(reading.store(), stream.outline, reading.packets());
    for (const OutlinedPiece& piece : stream.outline.pieces) {
        if (stop) return saved;
        if (!shows(direction, piece.sender)) continue;
        done.fetch_add(1, std::memory_order_relaxed);
        const auto read = bytes.read(piece);
        if (!read) return failed(read.error());
        if (!(*file)->sink().write({reinterpret_cast<const char*>(read->data()), read->size()})) break;
        saved.bytes += read->size();
        saved.left_out += piece.length - read->size();
    }
    if (const auto committed = (*file)->commit(); !committed) return failed(committed.error());
    saved.written = true;
    return saved;
}

}  // namespace sanscope
