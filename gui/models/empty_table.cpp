// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/empty_table.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "analyzer/tables/packets_table.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("EmptyTable", text);
}

QString no_tcp(const CaptureData::Reading& reading) {
    const uint64_t packets = reading.index().packets();
    if (packets == 0) return tr("The capture holds no packets.");
    return (packets == 1 ? tr("The capture's only packet is not of a TCP connection.")
                         : tr("None of the capture's %1 packets is of a TCP connection."))
        .arg(QLocale().toString(static_cast<qulonglong>(packets)));
}

// Empty where there is some.
QString no_iscsi(const CaptureData::Reading& reading) {
    const auto& connections = reading.store().connections();
    if (connections.empty()) return no_tcp(reading);
    if (std::ranges::any_of(connections, [](const ConnectionRow& row) { return row.iscsi; })) return {};
    return (connections.size() == 1 ? tr("The capture's only TCP connection does not look like iSCSI.")
                                    : tr("None of the capture's %1 TCP connections looks like iSCSI."))
               .arg(QLocale().toString(static_cast<qulonglong>(connections.size()))) +
           QLatin1Char(' ') +
           tr("Where you know that one is, choose Analyze › Decode As… and say so of its port.");
}

QString no_kernel_record(const CaptureData::Reading& reading) {
    if (reading.store().connections().empty()) return no_tcp(reading);
    return tr(
        "The capture holds nothing that a host's kernel reported of these connections. Such a record is made "
        "while packets are recorded on one of the two hosts: Capture › Record… with Kernel truth ticked, or "
        "sanscope capture --kernel-truth.");
}

}  // namespace

QString why_empty(const TableKind& table, const CaptureData::Reading& reading) {
    const ResultStore& store = reading.store();
    if (table.name == packets_table_name) return tr("The capture holds no packets.");
    if (table.name == "kernel_windows") return no_kernel_record(reading);
    if (table.name == "kernel_ca_transitions") {
        return store.kernel_windows().empty()
                   ? no_kernel_record(reading)
                   : tr("By what the kernel reported, no connection's congestion state ever changed.");
    }
    if (table.name == "commands" || table.name == "pdus" || table.name == "sessions") {
        const QString reason = no_iscsi(reading);
        return reason.isEmpty() ? tr("The capture's iSCSI connections show no %1.").arg(table.noun_for(1))
                                : reason;
    }
    if (store.connections().empty()) return no_tcp(reading);
    if (table.name == "losses") {
        return tr(
            "No loss, retransmission, reordering or probe is seen on the capture's TCP connections, and "
            "nothing that was acknowledged is missing.");
    }
    return tr("The capture shows none.");
}

}  // namespace sanscope
