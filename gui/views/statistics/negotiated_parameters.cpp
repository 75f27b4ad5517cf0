// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/negotiated_parameters.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

constexpr size_t most_sessions = 64;

QString tr(const char* text) {
    return QCoreApplication::translate("StatisticsView", text);
}

QString bytes(uint32_t value) {
    return value == unknown<uint32_t> ? QString() : QString::fromStdString(human_binary_bytes(value));
}
QString number(uint32_t value) {
    return value == unknown<uint32_t> ? QString() : QString::number(value);
}
QString yes_no(Ternary value) {
    return value == Ternary::unknown ? QString()
           : value == Ternary::yes   ? QStringLiteral("Yes")
                                     : QStringLiteral("No");
}
QString words(const std::string& text) {
    return QString::fromStdString(text);
}

struct Parameter {
    const char* name;  // as in RFC 7143
    QString (*value)(const SessionRow& row);
};

constexpr Parameter parameters[] = {
    {"InitiatorName", [](const SessionRow& row) { return words(row.initiator_name); }},
    {"TargetName", [](const SessionRow& row) { return words(row.target_name); }},
    {"AuthMethod", [](const SessionRow& row) { return words(row.auth_method); }},
    {"HeaderDigest", [](const SessionRow& row) { return words(row.header_digest); }},
    {"DataDigest", [](const SessionRow& row) { return words(row.data_digest); }},
    {"MaxRecvDataSegmentLength (initiator)",
     [](const SessionRow& row) { return bytes(row.max_recv_data_segment_length_initiator); }},
    {"MaxRecvDataSegmentLength (target)",
     [](const SessionRow& row) { return bytes(row.max_recv_data_segment_length_target); }},
    {"MaxBurstLength", [](const SessionRow& row) { return bytes(row.max_burst_length); }},
    {"FirstBurstLength", [](const SessionRow& row) { return bytes(row.first_burst_length); }},
    {"InitialR2T", [](const SessionRow& row) { return yes_no(row.initial_r2t); }},
    {"ImmediateData", [](const SessionRow& row) { return yes_no(row.immediate_data); }},
    {"MaxOutstandingR2T", [](const SessionRow& row) { return number(row.max_outstanding_r2t); }},
    {"ErrorRecoveryLevel", [](const SessionRow& row) { return number(row.error_recovery_level); }},
    {"MaxConnections", [](const SessionRow& row) { return number(row.max_connections); }},
    {"command window (MaxCmdSN − ExpCmdSN + 1, at the widest)",
     [](const SessionRow& row) { return number(row.command_window); }},
};

// The value that most have; of several the first. Nothing where all are alike, or nobody's is known.
QString usual_among(const std::vector<QString>& values) {
    std::map<QString, size_t> counts;
    for (const QString& value : values) {
        if (!value.isEmpty()) ++counts[value];
    }
    if (counts.size() < 2) return {};
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& of_value) { return of_value.second; });
    return most->first;
}

}  // namespace

StatisticsTable negotiated_parameters(const ResultStore& store, const RowSet* sessions) {
    StatisticsTable table;
    table.columns << tr("Key");
    std::vector<const SessionRow*> shown;
    size_t left_out = 0;
    for (size_t row = 0; row < store.sessions().size(); ++row) {
        const SessionRow& session = store.sessions()[row];
        if (sessions != nullptr && !sessions->test(row)) continue;
        if (session.target_name.empty() && !session.initiator_name.empty()) continue;
        if (shown.size() == most_sessions) {
            ++left_out;
            continue;
        }
        shown.push_back(&session);
        table.columns << tr("Session %1").arg(row + 1);
    }
    if (left_out > 0) table.note = tr("%1 more sessions are left out; a filter chooses which.").arg(left_out);
    for (const Parameter& parameter : parameters) {
        std::vector<QString> values;
        values.reserve(shown.size());
        for (const SessionRow* const session : shown) values.push_back(parameter.value(*session));
        const QString usual = usual_among(values);
        StatisticsTable::Row row;
        row.cells.push_back(
            {.words = QString::fromUtf8(parameter.name), .value = {}, .stands_out = !usual.isEmpty()});
        for (const QString& value : values) {
            const bool differs = !usual.isEmpty() && !value.isEmpty() && value != usual;
            row.cells.push_back(
                {.words = value.isEmpty() ? tr("not seen") : value, .value = {}, .stands_out = differs});
        }
        table.rows.push_back(std::move(row));
    }
    if (shown.empty()) table.rows.clear();
    table.complete = true;
    return table;
}

}  // namespace sanscope
