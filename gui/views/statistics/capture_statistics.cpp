// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/capture_statistics.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "gui/document/traffic_in_range.h"
#include "gui/models/moment_literal.h"
#include "gui/plot/command_words.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
#include "gui/views/statistics/negotiated_parameters.h"

#include "analyzer/base/log_histogram.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

using Cell = StatisticsTable::Cell;
using Row = StatisticsTable::Row;

QString tr(const char* text) {
    return QCoreApplication::translate("StatisticsView", text);
}

using Format = StatisticsTable::Format;

Cell figure(Format format, double value) {
    return {{}, value, format, false, true};
}
// Of a connection or a session.
Cell number_of(uint64_t value) {
    return {{}, static_cast<double>(value), Format::number};
}
// Since the capture began.
Cell moment(int64_t ns) {
    return {{}, static_cast<double>(ns), Format::nanoseconds};
}
Cell count(uint64_t value) {
    return figure(Format::number, static_cast<double>(value));
}
Cell bytes(uint64_t value) {
    return figure(Format::bytes, static_cast<double>(value));
}
Cell nothing() {
    return {QString(), -1};
}
Cell rate(uint64_t value, int64_t over_ns) {
    if (over_ns <= 0) return nothing();
    return figure(Format::bytes_a_second, static_cast<double>(value) * 1e9 / static_cast<double>(over_ns));
}
Cell duration(int64_t ns) {
    return figure(Format::nanoseconds, static_cast<double>(ns));
}
Cell share(uint64_t part, uint64_t whole) {
    if (whole == 0) return nothing();
    return figure(Format::percent, 100 * static_cast<double>(part) / static_cast<double>(whole));
}

bool passes(const StatisticsScope& scope, RowSet LinkedRows::*rows, size_t row) {
    return scope.filter == nullptr || (scope.filter->rows.*rows).test(row);
}

bool is_in_range(const StatisticsScope& scope, const CommandRow& row) {
    return !scope.range ||
           scope.range->contains(row.response_ns != no_time ? row.response_ns : row.request_ns);
}

// The rows that `condition` selects of all of the capture, of the range.
QString within_range(const StatisticsScope& scope, const QString& condition) {
    if (!scope.range) return condition;
    const QString begin = moment_literal(scope.range->begin_ns);
    const QString end = moment_literal(scope.range->end_ns);
    return QStringLiteral(
               "%1 && ((response_ns >= %2 && response_ns < %3) || "
               "(not response_ns && request_ns >= %2 && request_ns < %3))")
        .arg(condition, begin, end);
}

// What both sides of a connection sent, and in which time that was.
struct Traffic {
    uint64_t packets_out = 0;
    uint64_t packets_in = 0;
    uint64_t bytes_out = 0;
    uint64_t bytes_in = 0;
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;

    bool timed() const { return begin_ns != no_time && end_ns >= begin_ns; }
};

Traffic traffic_of(const ConnectionRow& row) {
    return {row.packets_out, row.packets_in, row.bytes_out, row.bytes_in, row.start_ns, row.end_ns};
}

// Of one whose packets are not known one by one, without payload or beyond Timeline::max_tracks: all of it or none, and nothing
// where a part of it lies in the range.
std::optional<Traffic> traffic_without_track(const ConnectionRow& row, TimeRange range) {
    if (row.start_ns == no_time || row.end_ns < row.start_ns) return Traffic{};
    const TimeRange lasted{row.start_ns, row.end_ns + 1};
    if (range.contains(lasted)) return traffic_of(row);
    if (range.overlaps(lasted)) return std::nullopt;
    return Traffic{};
}

// Nothing: not known.
std::optional<Traffic> traffic_of(const CaptureData::Reading& reading, uint32_t connection, TimeRange range) {
    const ConnectionTrack* const track = reading.timeline().track(connection);
    const ConnectionRow& row = reading.store().connection(connection);
    if (track == nullptr) return traffic_without_track(row, range);
    Traffic traffic;
    for (const Side side : {Side::a, Side::b}) {
        const SenderTraffic sent = traffic_in(reading, track->sender(side), range);
        const bool out = row.is_initiator(side);
        (out ? traffic.packets_out : traffic.packets_in) = sent.segments();
        (out ? traffic.bytes_out : traffic.bytes_in) = sent.payload;
    }
    traffic.begin_ns = std::max(row.start_ns, range.begin_ns);
    traffic.end_ns = std::min(row.end_ns, range.end_ns);
    return traffic;
}

void add_note(StatisticsTable& table, const QString& note) {
    if (!table.note.isEmpty()) table.note += QLatin1Char(' ');
    table.note += note;
}

void note_left_out(StatisticsTable& table, uint64_t rows) {
    if (rows == 0) return;
    add_note(table, (rows == 1 ? tr("%1 more row is left out; a filter chooses which are shown.")
                               : tr("%1 more rows are left out; a filter chooses which are shown."))
                        .arg(QLocale().toString(static_cast<qulonglong>(rows))));
}

void limit(StatisticsTable& table) {
    if (table.rows.size() <= most_statistics_rows) return;
    note_left_out(table, table.rows.size() - most_statistics_rows);
    table.rows.resize(most_statistics_rows);
}

// As Wireshark's conversations, initiator and target in place of A and B.
StatisticsTable conversations(const CaptureData::Reading& reading, const StatisticsScope& scope) {
    StatisticsTable table;
    table.filter_table = QStringLiteral("connections");
    table.columns = {tr("Connection"),  tr("Initiator"),       tr("Target"),      tr("Session"),
                     tr("Packets"),     tr("Packets out"),     tr("Payload out"), tr("Packets in"),
                     tr("Payload in"),  tr("Begins at"),       tr("Duration"),    tr("Out a second"),
                     tr("In a second"), tr("Least round trip")};
    const int64_t first_ns = reading.timeline().first_ns();
    uint32_t connection = 0;
    uint64_t in_part = 0;
    uint64_t too_many = 0;
    for (const ConnectionRow& row : reading.store().connections()) {
        if (!passes(scope, &LinkedRows::connections, connection++)) continue;
        const std::optional<Traffic> known =
            scope.range ? traffic_of(reading, connection, *scope.range) : traffic_of(row);
        if (!known) {
            ++in_part;
            continue;
        }
        const Traffic& traffic = *known;
        const uint64_t packets = traffic.packets_out + traffic.packets_in;
        if (scope.range && packets == 0) continue;
        if (table.rows.size() == most_statistics_rows) {
            ++too_many;
            continue;
        }
        const int64_t lasted_ns = traffic.timed() ? traffic.end_ns - traffic.begin_ns : 0;
        Row shown;
        shown.cells = {number_of(connection),
                       {endpoint_text(row.initiator), std::nullopt},
                       {endpoint_text(row.target), std::nullopt},
                       row.session == 0 ? nothing() : number_of(row.session.value()),
                       count(packets),
                       count(traffic.packets_out),
                       bytes(traffic.bytes_out),
                       count(traffic.packets_in),
                       bytes(traffic.bytes_in),
                       traffic.timed() ? moment(traffic.begin_ns - first_ns) : nothing(),
                       traffic.timed() ? duration(lasted_ns) : nothing(),
                       rate(traffic.bytes_out, lasted_ns),
                       rate(traffic.bytes_in, lasted_ns),
                       row.rtt_min_ns == no_time ? nothing() : duration(row.rtt_min_ns)};
        shown.filter = QStringLiteral("connection == %1").arg(connection);
        table.rows.push_back(std::move(shown));
    }
    note_left_out(table, too_many);
    if (in_part > 0) {
        add_note(table, tr("Connections of which only a part lies in the range, and not known which packets, "
                           "are left out: %1.")
                            .arg(QLocale().toString(static_cast<qulonglong>(in_part))));
    }
    return table;
}

// What several commands have in common.
struct Commands {
    uint64_t count = 0;
    uint64_t reads = 0;
    uint64_t writes = 0;
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    uint64_t not_good = 0;
    uint64_t not_answered = 0;
    uint64_t untimed = 0;  // answered nobody knows when, or perhaps not
    double sum_ns = 0;
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
    LogHistogram turnaround;

    void add(const CommandRow& row) {
        ++count;
        const bool answered = row.response_ns != no_time;
        const uint64_t bytes = row.bytes == unknown<uint64_t> || !answered ? 0 : row.bytes;
        if (is_read_opcode(row.opcode)) {
            ++reads;
            bytes_read += bytes;
        } else if (is_write_opcode(row.opcode)) {
            ++writes;
            bytes_written += bytes;
        }
        if (ended_otherwise_than_good(row)) ++not_good;
        if (row.outcome == Outcome::unanswered || ended_without_answer(row.outcome)) ++not_answered;
        if (row.ended_nobody_knows_when()) ++untimed;
        if (row.request_ns != no_time && (first_ns == no_time || row.request_ns < first_ns))
            first_ns = row.request_ns;
        last_ns = std::max(last_ns, row.response_ns);
        if (const int64_t turnaround_ns = row.turnaround_ns(); turnaround_ns != no_time) {
            turnaround.add(turnaround_ns);
            sum_ns += static_cast<double>(turnaround_ns);
        }
    }
    int64_t lasted_ns() const { return first_ns == no_time || last_ns <= first_ns ? 0 : last_ns - first_ns; }
};

Cell percentile(const Commands& commands, double fraction) {
    return commands.turnaround.percentile_holds(fraction, commands.untimed)
               ? duration(commands.turnaround.percentile_ns(fraction))
               : nothing();
}
Cell mean(const Commands& commands) {
    return commands.turnaround.moments_hold(commands.untimed)
               ? duration(static_cast<int64_t>(commands.turnaround.mean_ns()))
               : nothing();
}
// Commands of unknown times may have taken longer.
Cell longest(const Commands& commands) {
    return commands.turnaround.moments_hold(commands.untimed) ? duration(commands.turnaround.max_ns())
                                                              : nothing();
}

template <class Key, class KeyOf>
bool group_commands(const CaptureData::Reading& reading, const StatisticsScope& scope, const StopFlag& stop,
                    std::map<Key, Commands>& groups, KeyOf key_of) {
    size_t number = 0;
    for (const CommandRow& row : reading.store().commands()) {
        if (number % 4096 == 0 && stop) return false;
        if (passes(scope, &LinkedRows::commands, number++) && is_in_range(scope, row))
            groups[key_of(row)].add(row);
    }
    return true;
}

// As Wireshark's SCSI service response times, with percentiles.
StatisticsTable service_response_times(const CaptureData::Reading& reading, const StatisticsScope& scope,
                                       const StopFlag& stop) {
    StatisticsTable table;
    table.filter_table = QStringLiteral("commands");
    table.columns = {tr("Command"), tr("Opcode"),   tr("Calls"),       tr("Least"), tr("Mean"),
                     tr("p50"),     tr("p90"),      tr("p99"),         tr("p99.9"), tr("Longest"),
                     tr("Sum"),     tr("Not GOOD"), tr("Not answered")};
    // What has service actions (SPC-4 §4.2.5) is a row for each name.
    std::map<std::pair<uint16_t, std::string_view>, Commands> groups;
    const bool all = group_commands(reading, scope, stop, groups, [](const CommandRow& row) {
        return std::pair(row.opcode, std::string_view(row.name));
    });
    if (!all) return table;
    std::map<uint16_t, size_t> names_of_opcode;
    for (const auto& [kind, commands] : groups) ++names_of_opcode[kind.first];
    for (const auto& [kind, commands] : groups) {
        const auto& [opcode, name] = kind;
        const bool known = opcode != unknown<uint16_t>;
        const QString code = QStringLiteral("0x%1").arg(opcode, 2, 16, QLatin1Char('0'));
        const QString name_text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        const bool timed = commands.turnaround.count() > 0;
        Row row;
        row.cells = {{!known         ? tr("(not captured)")
                      : name.empty() ? tr("opcode %1").arg(code)
                                     : name_text,
                      std::nullopt},
                     {known ? code : QString(), static_cast<double>(opcode)},
                     count(commands.count),
                     timed ? duration(commands.turnaround.min_ns()) : nothing(),
                     mean(commands),
                     percentile(commands, 0.5),
                     percentile(commands, 0.9),
                     percentile(commands, 0.99),
                     percentile(commands, 0.999),
                     longest(commands),
                     timed ? duration(static_cast<int64_t>(std::min(commands.sum_ns, 9e18))) : nothing(),
                     count(commands.not_good),
                     count(commands.not_answered)};
        QString filter = known ? QStringLiteral("opcode == %1").arg(code) : QStringLiteral("not opcode");
        if (names_of_opcode.at(opcode) > 1) {
            filter += name.empty() ? QStringLiteral(" && not name")
                                   : QStringLiteral(" && name == \"%1\"").arg(name_text);
        }
        row.filter = within_range(scope, filter);
        table.rows.push_back(std::move(row));
    }
    return table;
}

StatisticsTable logical_units(const CaptureData::Reading& reading, const StatisticsScope& scope,
                              const StopFlag& stop) {
    StatisticsTable table;
    table.filter_table = QStringLiteral("commands");
    table.columns = {
        tr("Session"),     tr("LUN"),        tr("Designator"),    tr("Commands"),      tr("Reads"),
        tr("Writes"),      tr("Bytes read"), tr("Bytes written"), tr("Read a second"), tr("Written a second"),
        tr("Mean"),        tr("p50"),        tr("p99"),           tr("Longest"),       tr("Not GOOD"),
        tr("Not answered")};
    std::map<std::pair<uint32_t, uint64_t>, Commands> groups;
    const bool all = group_commands(reading, scope, stop, groups, [](const CommandRow& row) {
        return std::pair(row.session.value(), row.lun);
    });
    if (!all) return table;
    for (const auto& [unit, commands] : groups) {
        const auto& [session, lun] = unit;
        const bool known = lun != unknown<uint64_t>;
        const std::string& designator = reading.store().unit_names().of(session, lun);
        Row row;
        row.cells = {session == 0 ? nothing() : number_of(session),
                     {known ? lun_text(lun) : tr("(not captured)"), static_cast<double>(lun)},
                     {QString::fromStdString(designator), std::nullopt},
                     count(commands.count),
                     count(commands.reads),
                     count(commands.writes),
                     bytes(commands.bytes_read),
                     bytes(commands.bytes_written),
                     rate(commands.bytes_read, commands.lasted_ns()),
                     rate(commands.bytes_written, commands.lasted_ns()),
                     mean(commands),
                     percentile(commands, 0.5),
                     percentile(commands, 0.99),
                     longest(commands),
                     count(commands.not_good),
                     count(commands.not_answered)};
        row.filter = within_range(
            scope,
            (session == 0 ? QStringLiteral("not session") : QStringLiteral("session == %1").arg(session)) +
                (known ? QStringLiteral(" && lun == %1").arg(lun) : QStringLiteral(" && not lun")));
        table.rows.push_back(std::move(row));
    }
    return table;
}

StatisticsTable retransmissions(const CaptureData::Reading& reading, const StatisticsScope& scope,
                                const StopFlag& stop) {
    const ResultStore& store = reading.store();
    StatisticsTable table;
    table.filter_table = QStringLiteral("losses");
    table.columns = {tr("Connection"),   tr("Sender"),     tr("Receiver"),
                     tr("Packets sent"), tr("Sent again"), tr("Share")};
    for (size_t kind = 0; kind < loss_kinds; ++kind) table.columns << loss_text(static_cast<LossKind>(kind));
    struct Losses {
        std::array<uint64_t, loss_kinds> of_kind{};
        PacketNumber first = 0;  // that shows one of them
        PacketNumber last = 0;
    };
    std::map<std::pair<uint32_t, Side>, Losses> senders;
    size_t number = 0;
    for (const LossRow& row : store.losses()) {
        if (number % 4096 == 0 && stop) return table;
        const size_t at = number++;
        if (!passes(scope, &LinkedRows::losses, at)) continue;
        if (scope.range && !scope.range->contains(reading.timeline().time_of_loss(at))) continue;
        Losses& losses = senders[{row.connection.value(), row.sender}];
        ++losses.of_kind[static_cast<size_t>(row.kind)];
        losses.first = losses.first == 0 ? row.packet : std::min(losses.first, row.packet);
        losses.last = std::max(losses.last, row.packet);
    }
    for (const auto& [sender, losses] : senders) {
        const ConnectionRow& row = store.connection(sender.first);
        const bool is_initiator = row.is_initiator(sender.second);
        const std::optional<Traffic> traffic =
            scope.range ? traffic_of(reading, sender.first, *scope.range) : traffic_of(row);
        const uint64_t packets = !traffic ? 0 : is_initiator ? traffic->packets_out : traffic->packets_in;
        uint64_t again = 0;
        for (size_t kind = 0; kind < loss_kinds; ++kind) {
            if (is_sent_again(static_cast<LossKind>(kind))) again += losses.of_kind[kind];
        }
        const Endpoint& from = row.endpoint(sender.second);
        Row shown;
        shown.cells = {number_of(sender.first),
                       {endpoint_text(from), std::nullopt},
                       {endpoint_text(row.endpoint(other_side(sender.second))), std::nullopt},
                       traffic ? count(packets) : nothing(),
                       count(again),
                       share(again, packets)};
        for (const uint64_t loss : losses.of_kind) shown.cells.push_back(count(loss));
        shown.filter =
            QStringLiteral("connection == %1 && sender == %2").arg(sender.first).arg(endpoint_text(from));
        // In order of capture, as the range is.
        if (scope.range) {
            shown.filter +=
                QStringLiteral(" && packet >= %1 && packet <= %2").arg(losses.first).arg(losses.last);
        }
        table.rows.push_back(std::move(shown));
    }
    return table;
}

}  // namespace

const char* statistics_page_name(StatisticsPage page) {
    constexpr const char* names[statistics_pages] = {"conversations", "service-response-times",
                                                     "logical-units", "negotiated-parameters",
                                                     "retransmissions"};
    return names[static_cast<size_t>(page)];
}

QString statistics_page_title(StatisticsPage page) {
    constexpr const char* titles[statistics_pages] = {
        QT_TRANSLATE_NOOP("StatisticsView", "Conversations"),
        QT_TRANSLATE_NOOP("StatisticsView", "Service response times"),
        QT_TRANSLATE_NOOP("StatisticsView", "Logical units"),
        QT_TRANSLATE_NOOP("StatisticsView", "Negotiated parameters"),
        QT_TRANSLATE_NOOP("StatisticsView", "Retransmissions by cause")};
    return tr(titles[static_cast<size_t>(page)]);
}

bool depends_on_range(StatisticsPage page) {
    return page != StatisticsPage::negotiated_parameters;
}

StatisticsTable capture_statistics(const CaptureData::Reading& reading, StatisticsPage page,
                                   const StatisticsScope& scope, const StopFlag& stop) {
    StatisticsTable table;
    switch (page) {
        case StatisticsPage::conversations:
            table = conversations(reading, scope);
            break;
        case StatisticsPage::service_response_times:
            table = service_response_times(reading, scope, stop);
            break;
        case StatisticsPage::logical_units:
            table = logical_units(reading, scope, stop);
            break;
        case StatisticsPage::negotiated_parameters:
            return negotiated_parameters(reading.store(),
                                         scope.filter == nullptr ? nullptr : &scope.filter->rows.sessions);
        case StatisticsPage::retransmissions:
            table = retransmissions(reading, scope, stop);
            break;
    }
    limit(table);
    table.complete = !stop;
    return table;
}

}  // namespace sanscope
