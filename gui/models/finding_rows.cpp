// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/finding_rows.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "gui/models/table_access.h"
#include "gui/models/table_kinds.h"

#include "analyzer/query/column_meaning.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/query/select.h"
#include "analyzer/report/capture_clocks.h"
#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

QString from_text(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

struct Condition {
    std::string_view table;
    QString filter;
};

QString of_sender(const CaptureData::Reading& reading, const Finding& finding) {
    const ConnectionRow& row = reading.store().connection(finding.connection);
    const Endpoint& sender = finding.sender == Finding::Sender::target ? row.target : row.initiator;
    return QStringLiteral("connection == %1 && sender == \"%2\"")
        .arg(finding.connection)
        .arg(from_text(format_endpoint(sender.address, sender.port)));
}

// Of one sender, or nothing.
std::optional<Condition> of_losses(const CaptureData::Reading& reading, const Finding& finding,
                                   const char* kinds) {
    const bool known = finding.sender != Finding::Sender::unknown && finding.connection != 0 &&
                       finding.connection <= reading.store().connections().size();
    if (!known) return std::nullopt;
    return Condition{
        "losses",
        QStringLiteral("%1 && kind in {%2}").arg(of_sender(reading, finding), QString::fromLatin1(kinds))};
}

// Which commands are slow, no condition over columns says; so many can be told one by one.
std::optional<Condition> of_slow_commands(const CaptureData::Reading& reading, const Finding& finding,
                                          const StopFlag& stop) {
    constexpr size_t most = 1000;
    const std::function<void()> between;
    const bool in_order =
        capture_clocks(reading.engine().issues(), reading.store()) == CaptureClocks::in_order;
    const CommandFacts facts = find_command_facts(reading.store(), in_order, Stop(&stop, between));
    // Another number: some of them are not counted there.
    if (facts.slow.empty() || facts.slow.size() > most ||
        !finding.title.starts_with(human_count(facts.slow.size()) + " of "))
        return std::nullopt;
    std::vector<uint64_t> commands;
    for (const SlowCommand& slow : facts.slow) commands.push_back(slow.number);
    std::ranges::sort(commands);
    QStringList numbers;
    for (const uint64_t number : commands) numbers << QString::number(number);
    return Condition{"commands", QStringLiteral("command in {%1}").arg(numbers.join(QStringLiteral(", ")))};
}

// Those that ended as the first one.
std::optional<Condition> of_status(const CaptureData::Reading& reading, const Finding& finding) {
    if (finding.command == 0 || finding.command > reading.store().commands().size()) return std::nullopt;
    const auto table = make_table(reading, "commands");
    QStringList conditions;
    Cell cell;
    for (const std::string_view name :
         {"status", "sense_key", "asc", "ascq", "iscsi_response", "sense_deferred", "sense_bits"}) {
        const auto column = find_column(table->columns(), name);
        if (!column) return std::nullopt;
        table->cell(finding.command - 1, *column, cell);
        if (cell.kind == Cell::Kind::boolean) {
            conditions << QStringLiteral("%1 == %2")
                              .arg(from_text(name),
                                   cell.boolean ? QStringLiteral("true") : QStringLiteral("false"));
            continue;
        }
        conditions << (cell.kind == Cell::Kind::empty
                           ? QStringLiteral("not %1").arg(from_text(name))
                           : QStringLiteral("%1 == %2").arg(from_text(name), from_text(cell.text)));
    }
    return Condition{"commands", conditions.join(QStringLiteral(" && "))};
}

std::optional<Condition> condition_of(const CaptureData::Reading& reading, const Finding& finding,
                                      const StopFlag& stop) {
    switch (finding.kind) {
        case Kind::lost_segments:
            return of_losses(reading, finding, "fast_retransmit, rto, tlp");
        case Kind::retransmission_timeout:
            return of_losses(reading, finding, "rto");
        case Kind::needless_retransmission:
            return of_losses(reading, finding, "spurious");
        case Kind::not_captured:
            return Condition{"losses", QStringLiteral("kind == not_captured")};
        case Kind::captured_twice:
            if (finding.sender != Finding::Sender::unknown) return of_losses(reading, finding, "duplicate");
            return Condition{"losses", QStringLiteral("kind == duplicate")};
        case Kind::bad_digest:
            return Condition{"pdus", QStringLiteral("header_digest == bad || data_digest == bad")};
        case Kind::command_status:
        case Kind::target_queue_full:
            return of_status(reading, finding);
        case Kind::slow_commands:
            return of_slow_commands(reading, finding, stop);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<FindingRows> find_rows_of(const CaptureData::Reading& reading,
                                        std::span<const Finding* const> findings, const StopFlag& stop) {
    QStringList filters;
    std::string_view name;
    for (const Finding* const finding : findings) {
        const auto condition = condition_of(reading, *finding, stop);
        if (!condition || (!name.empty() && condition->table != name)) return std::nullopt;
        name = condition->table;
        filters << condition->filter;
    }
    if (filters.isEmpty()) return std::nullopt;
    FindingRows rows;
    rows.table = from_text(name);
    rows.filter = filters.size() == 1 ? filters.front()
                                      : QStringLiteral("(%1)").arg(filters.join(QStringLiteral(") || (")));
    const auto table = make_table(reading, name);
    const std::string expression = rows.filter.toStdString();
    const auto compiled = RowFilter::compile(expression, name, table->columns());
    const auto* const filter = std::get_if<RowFilter>(&compiled);
    if (filter == nullptr) return std::nullopt;
    std::vector<size_t> selected;
    select(*filter, *table, 0, table->rows(), selected, &stop);
    rows.count = selected.size();
    if (rows.count == 0 || stop) return std::nullopt;
    return rows;
}

QString words_for(const FindingRows& rows) {
    const TableKind* const kind = find_table_kind(rows.table.toStdString());
    const QString title = kind == nullptr ? rows.table : kind->translated_title();
    if (rows.count == 1) return QCoreApplication::translate("FindingRows", "Show it in %1").arg(title);
    return QCoreApplication::translate("FindingRows", "Show all %1 in %2")
        .arg(QLocale().toString(static_cast<qulonglong>(rows.count)), title);
}

}  // namespace sanscope
