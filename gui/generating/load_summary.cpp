// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_summary.h"

#include <QCoreApplication>
#include <QLocale>

#include "captures/load/load_account.h"
#include "gui/plot/value_ticks.h"

#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("LoadSummary", text);
}

QString exact(uint64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qulonglong>(count));
}

QString duration(const QJsonObject& object, const char* name) {
    const double ns = number_of(object, name);
    return ns < 0 ? QStringLiteral("–") : value_text(ns, ValueUnit::nanoseconds);
}

QString binary(const QJsonObject& object, const char* name) {
    return QString::fromStdString(human_binary_bytes(count_of(object, name)));
}

// Of a kind that has a place in errors_by_kind, by the names of this program only.
QString errors_text(const QJsonObject& by_kind) {
    QStringList parts;
    for (size_t i = 0; i < load_failures; ++i) {
        const auto failure = static_cast<LoadFailure>(i);
        const std::string key(load_failure_key(failure));
        const uint64_t count = count_of(by_kind, key.c_str());
        const std::string_view name = load_failure_name(failure);
        if (count > 0) {
            parts << exact(count) + u' ' +
                         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        }
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace

QString end_sentence(const LoadEnd& end) {
    if (!end.why.isEmpty()) return end.why;
    const uint64_t errors = count_of(end.summary, "errors");
    if (count_of(end.summary, "sent") == 0) return tr("Ended; no command was sent.");
    if (errors > 0) {
        return tr("Ended; %1 of %2 commands failed.")
            .arg(exact(errors), exact(count_of(end.summary, "sent")));
    }
    if (end.status != 0)
        return tr("Ended; every command was answered well, but a session was lost meanwhile.");
    return tr("Ended; every command was answered well.");
}

std::vector<std::pair<QString, QString>> summary_rows(const QJsonObject& summary) {
    std::vector<std::pair<QString, QString>> rows;
    if (summary.isEmpty()) return rows;
    const auto add = [&](const QString& name, const QString& value) { rows.emplace_back(name, value); };
    const double seconds = std::max(0.0, number_of(summary, "seconds"));
    add(tr("Commands"),
        tr("%1 in %2, %3/s")
            .arg(exact(count_of(summary, "commands")), value_text(seconds * 1e9, ValueUnit::nanoseconds),
                 value_text(std::max(0.0, number_of(summary, "commands_per_second")), ValueUnit::count)));
    add(tr("Data"),
        tr("%1, %2").arg(
            value_text(static_cast<double>(count_of(summary, "bytes")), ValueUnit::bytes),
            value_text(std::max(0.0, number_of(summary, "bytes_per_second")), ValueUnit::bytes_per_second)));
    const QJsonObject by_kind = summary.value(QStringLiteral("errors_by_kind")).toObject();
    const QString errors = errors_text(by_kind);
    add(tr("Errors"), errors.isEmpty() ? exact(count_of(summary, "errors")) : errors);
    if (const uint64_t unknown = count_of(summary, "in_flight"); unknown > 0)
        add(tr("Still in flight"), exact(unknown));
    const auto add_turnaround = [&](const QString& name, const QJsonObject& turnaround) {
        add(name,
            tr("p50 %1, p90 %2, p99 %3")
                .arg(duration(turnaround, "p50"), duration(turnaround, "p90"), duration(turnaround, "p99")));
        add(QString(), tr("p99.9 %1, max %2, mean %3")
                           .arg(duration(turnaround, "p999"), duration(turnaround, "max"),
                                duration(turnaround, "mean")));
    };
    add_turnaround(tr("Turnaround"), summary.value(QStringLiteral("turnaround_ns")).toObject());
    if (const QJsonObject due = summary.value(QStringLiteral("since_due_ns")).toObject(); !due.isEmpty())
        add_turnaround(tr("… since due"), due);
    if (const uint64_t lost = count_of(summary, "connections_lost"); lost > 0) {
        add(tr("Connections"),
            tr("%1 lost; logged in again: %2").arg(exact(lost), exact(count_of(summary, "reconnected"))));
    }
    const double cpu = std::max(0.0, number_of(summary, "cpu_seconds"));
    if (seconds > 0) {
        add(tr("Processor"),
            tr("%1 % of one; %2 a GB")
                .arg(QString::number(100 * cpu / seconds, 'f', 0),
                     value_text(1e9 * std::max(0.0, number_of(summary, "cpu_seconds_per_gigabyte")),
                                ValueUnit::nanoseconds)));
    }
    const QJsonObject negotiated = summary.value(QStringLiteral("negotiated")).toObject();
    if (!negotiated.isEmpty()) {
        add(tr("Negotiated"), tr("PDUs of %1 here, %2 at the target; bursts of %3")
                                  .arg(binary(negotiated, "max_recv_data_segment_length_initiator"),
                                       binary(negotiated, "max_recv_data_segment_length_target"),
                                       binary(negotiated, "max_burst_length")));
        add(QString(), tr("digests of headers %1, of data %2")
                           .arg(text_of(negotiated, "header_digest"), text_of(negotiated, "data_digest")));
    }
    return rows;
}

}  // namespace sanscope
