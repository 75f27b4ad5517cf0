// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/packet_search.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QRegularExpression>
#include <utility>

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("PacketSearch", text);
}

// As a regular expression that stands for itself.
std::string quoted(const std::string& text) {
    constexpr std::string_view end_of_quote = "\\E";
    std::string result = "\\Q";
    size_t from = 0;
    for (size_t at = text.find(end_of_quote); at != std::string::npos; at = text.find(end_of_quote, from)) {
        result.append(text, from, at - from).append("\\E\\\\E\\Q");
        from = at + end_of_quote.size();
    }
    return result.append(text, from).append("\\E");
}

// Empty where they are none.
std::string read_hex(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9a-fA-F]{2}[\\s:]*)+$"));
    if (!form.match(text).hasMatch()) return {};
    return QByteArray::fromHex(QString(text).remove(QLatin1Char(':')).toLatin1()).toStdString();
}

// Where the `step`th packet stands that a search looks at.
size_t position_at(const PacketSearch& search, size_t step) {
    if (search.forward) return search.from ? (*search.from + 1 + step) % search.count : step;
    const size_t begin = search.from.value_or(search.count);
    return (begin + 2 * search.count - 1 - step) % search.count;
}

bool is_wrapped(const PacketSearch& search, size_t position) {
    return search.from && (search.forward ? position <= *search.from : position >= *search.from);
}

}  // namespace

std::variant<PacketNeedle, QString> PacketNeedle::make(Kind kind, const QString& text) {
    PacketNeedle needle(kind);
    if (text.isEmpty()) return translated("There is nothing to look for.");
    if (kind == Kind::bytes_hex) {
        needle.bytes_ = read_hex(text);
        if (needle.bytes_.empty()) return translated("Hex bytes are pairs of digits, as in 0a 1b or 0a:1b.");
        return needle;
    }
    const bool is_pattern = kind == Kind::info_pattern || kind == Kind::bytes_pattern;
    const std::string utf8 = text.toStdString();
    Pattern::Fault fault;
    auto pattern = Pattern::compile(is_pattern ? utf8 : quoted(utf8), fault);
    if (!pattern) return QString::fromStdString(fault.message);
    needle.pattern_ = std::make_shared<const Pattern>(std::move(*pattern));
    return needle;
}

PatternMatcher::Answer PacketNeedle::find_in(std::string_view text, PatternMatcher& matcher) const {
    using Answer = PatternMatcher::Answer;
    if (pattern_ == nullptr) return text.find(bytes_) != std::string_view::npos ? Answer::yes : Answer::no;
    return matcher.find(*pattern_, text);
}

PacketFound find_packet(const CaptureData& data, const Table& table, const PacketSearch& search,
                        std::atomic<size_t>& looked_at, const StopFlag& stop) {
    const auto info = find_column(table.columns(), "info");
    PacketFound found;
    if (!info) return found;
    const auto reading = data.read();
    PatternMatcher matcher;
    Cell cell;
    for (size_t step = 0; step < search.count && !stop; ++step) {
        const size_t position = position_at(search, step);
        const auto row = search.rows ? (*search.rows)[position] : static_cast<uint32_t>(position);
        looked_at.store(step, std::memory_order_relaxed);
        auto answer = PatternMatcher::Answer::no;
        if (search.needle.in_bytes()) {
            const auto bytes = reading.packets().read(PacketNumber{row} + 1);
            if (!bytes) {
                ++found.unreadable;
                continue;
            }
            answer =
                search.needle.find_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, matcher);
        } else {
            table.cell(row, *info, cell);
            if (cell.kind == Cell::Kind::text) answer = search.needle.find_in(cell.text, matcher);
        }
        if (answer == PatternMatcher::Answer::gave_up) ++found.given_up;
        if (answer != PatternMatcher::Answer::yes) continue;
        found.table_row = row;
        found.wrapped = is_wrapped(search, position);
        break;
    }
    return found;
}

}  // namespace sanscope
