// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/column_format.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <iterator>
#include <string_view>

#include "gui/plot/time_axis.h"

#include "analyzer/query/column_header.h"
#include "analyzer/query/column_names.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString title_of(const ColumnInfo& column) {
    return QCoreApplication::translate("Columns", column_header(column).c_str());
}

// "turnaround_ns", or both where the header can be written, too: "turnaround or turnaround_ns".
QString filter_names(const ColumnInfo& column) {
    const QString name = from_utf8(column.name);
    const QString header = from_utf8(plain_column_name(column_header(column)));
    return header == name ? name : QCoreApplication::translate("Columns", "%1 or %2").arg(header, name);
}

// Transfers are mostly whole numbers of KiB; what is none is told exactly as long as that is short.
QString size_text(uint64_t bytes) {
    if (bytes >= 1024 && bytes % 1024 == 0 &&
        (bytes < (uint64_t{1} << 20) || bytes % (uint64_t{1} << 20) == 0)) {
        return QString::fromStdString(human_binary_bytes(bytes));
    }
    if (bytes < 10'000'000) return grouped(bytes) + QStringLiteral(" B");
    return short_bytes(static_cast<double>(bytes));
}

QString number_of(const Cell& cell) {
    return cell.kind == Cell::Kind::integer ? QString::number(cell.integer)
                                            : QString::number(cell.unsigned_integer);
}

QString grouped_number_of(const Cell& cell) {
    if (cell.kind != Cell::Kind::integer) return grouped(cell.unsigned_integer);
    return cell.integer < 0 ? QLatin1Char('-') + grouped(uint64_t{0} - static_cast<uint64_t>(cell.integer))
                            : grouped(static_cast<uint64_t>(cell.integer));
}

// Text as the filter language reads it back.
QString quoted(std::string_view text) {
    QString result(QLatin1Char('"'));
    for (const QChar c : from_utf8(text)) {
        if (c == QLatin1Char('"') || c == QLatin1Char('\\')) result += QLatin1Char('\\');
        result += c;
    }
    return result + QLatin1Char('"');
}

}  // namespace

QString grouped(uint64_t number) {
    QString digits = QString::number(number);
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QLatin1Char(','));
    return digits;
}

ColumnFormat::ColumnFormat(const ColumnInfo& column)
    : column_(&column),
      meaning_(meaning_of(column)),
      title_(title_of(column)),
      right_aligned_(meaning_ == Meaning::number || meaning_ == Meaning::bytes ||
                     meaning_ == Meaning::duration || meaning_ == Meaning::moment),
      has_addresses_(meaning_ == Meaning::text &&
                     column.description.find("IP:PORT") != std::string_view::npos) {}

bool ColumnFormat::largest_first() const {
    if (meaning_ == Meaning::duration) return true;
    if (meaning_ == Meaning::bytes) return column_->name != "bhs_offset";
    constexpr std::string_view counts[] = {"blocks",
                                           "r2ts",
                                           "pdus",
                                           "queue_depth",
                                           "packets_out",
                                           "packets_in",
                                           "connections",
                                           "retransmissions_out",
                                           "retransmissions_in"};
    return meaning_ == Meaning::number && std::ranges::find(counts, column_->name) != std::end(counts);
}

QString ColumnFormat::tooltip() const {
    return QCoreApplication::translate("Columns", "%1\nIn filters: %2")
        .arg(QCoreApplication::translate("Columns", std::string(column_->description).c_str()),
             filter_names(*column_));
}

int ColumnFormat::characters(TimeFormat format) const {
    switch (meaning_) {
        case Meaning::moment:
            return format == TimeFormat::relative ? 15 : format == TimeFormat::utc ? 33 : 29;
        case Meaning::duration:
        case Meaning::bytes:
            return 11;  // "59 min 59 s", "9,999,999 B"
        case Meaning::boolean:
            return 3;
        case Meaning::hexadecimal:
            return column_->description.find("8 hex") != std::string_view::npos    ? 10
                   : column_->description.find("12 hex") != std::string_view::npos ? 14
                                                                                   : 5;
        case Meaning::number:
            // Numbers of things are short where things are few; sequence numbers are not.
            return column_->name == "lun" || column_->name == "connection" || column_->name == "session" ? 5
                   : column_->name == "seq" || column_->name == "ack"                                    ? 10
                   : column_->name == "queue_depth"                                                      ? 4
                                                                                                         : 10;
        case Meaning::text:
            return column_->description.find("IP:PORT") != std::string_view::npos ? 20
                   : column_->name == "info"                                      ? 60
                   : column_->name == "protocol"                                  ? 6
                   : column_->name == "analysis"                                  ? 22
                   : column_->name.find("_name") != std::string_view::npos        ? 40
                                                                                  : 16;
    }
    return 10;
}

// The tables' words as standards write them.
QString ColumnFormat::words(std::string_view text) const {
    QString words = from_utf8(text);
    return column_->name == "status" ? words.replace(QLatin1Char('_'), QLatin1Char(' ')) : words;
}

QString ColumnFormat::text(const Cell& cell, const TimeReference& time) const {
    switch (cell.kind) {
        case Cell::Kind::empty:
            return {};
        case Cell::Kind::boolean:
            return cell.boolean ? QString(QChar(0x2713)) : QString();
        case Cell::Kind::text:
            return has_addresses_ && host_names_ ? host_names_->named(from_utf8(cell.text))
                                                 : words(cell.text);
        default:
            break;
    }
    switch (meaning_) {
        case Meaning::moment:
            return full_time(cell.integer, time.first_ns, time.format);
        case Meaning::duration:
            return short_duration(cell.integer);
        case Meaning::bytes:
            return cell.kind == Cell::Kind::integer ? grouped_number_of(cell) + QStringLiteral(" B")
                                                    : size_text(cell.unsigned_integer);
        default:
            return number_of(cell);
    }
}

QString ColumnFormat::text_so_far(const Cell& cell, const TimeReference& time) const {
    if (column_->name == "outcome" && cell.kind == Cell::Kind::text && cell.text == "unanswered")
        return QCoreApplication::translate("Columns", "under way");
    return text(cell, time);
}

QString ColumnFormat::exact(const Cell& cell, const TimeReference& time) const {
    switch (cell.kind) {
        case Cell::Kind::empty:
            return QCoreApplication::translate("Columns", "unknown");
        case Cell::Kind::boolean:
            return cell.boolean ? QCoreApplication::translate("Columns", "yes")
                                : QCoreApplication::translate("Columns", "no");
        case Cell::Kind::text:
            return words(cell.text);
        default:
            break;
    }
    switch (meaning_) {
        case Meaning::moment:
            return QCoreApplication::translate("Columns", "%1\n%2\n%3 ns since 1970")
                .arg(full_time(cell.integer, time.first_ns, TimeFormat::relative),
                     full_time(cell.integer, time.first_ns,
                               time.format == TimeFormat::relative ? TimeFormat::local : time.format),
                     number_of(cell));
        case Meaning::duration:
            return QCoreApplication::translate("Columns", "%1 ns").arg(grouped_number_of(cell));
        case Meaning::bytes:
            return QCoreApplication::translate("Columns", "%1 bytes").arg(grouped_number_of(cell));
        default:
            return grouped_number_of(cell);
    }
}

QString ColumnFormat::literal(const Cell& cell) const {
    switch (cell.kind) {
        case Cell::Kind::empty:
            return {};
        case Cell::Kind::boolean:
            return cell.boolean ? QStringLiteral("true") : QStringLiteral("false");
        case Cell::Kind::text:
            return meaning_ == Meaning::hexadecimal ? from_utf8(cell.text) : quoted(cell.text);
        default:
            return number_of(cell);
    }
}

}  // namespace sanscope
