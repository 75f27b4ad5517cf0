// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/table_kinds.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>

#include "analyzer/tables/packets_table.h"

namespace sanscope {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TableKind", text);
}

constexpr std::string_view commands_columns[] = {
    "command",    "request_ns",     "name",           "lun",     "lba",
    "bytes",      "turnaround_ns",  "status",         "outcome", "queue_depth",
    "connection", "request_packet", "response_packet"};
constexpr std::string_view pdus_columns[] = {
    "pdu",          "time_ns",     "name",       "sender", "itt",     "data_length",   "command",
    "first_packet", "last_packet", "connection", "final",  "damaged", "header_digest", "data_digest"};
constexpr std::string_view sessions_columns[] = {"session",
                                                 "initiator_name",
                                                 "target_name",
                                                 "connections",
                                                 "header_digest",
                                                 "data_digest",
                                                 "max_burst_length",
                                                 "first_burst_length",
                                                 "max_recv_data_segment_length_initiator",
                                                 "max_recv_data_segment_length_target",
                                                 "initial_r2t",
                                                 "immediate_data",
                                                 "tsih"};
constexpr std::string_view connections_columns[] = {"connection",
                                                    "initiator",
                                                    "target",
                                                    "iscsi",
                                                    "session",
                                                    "packets_out",
                                                    "packets_in",
                                                    "bytes_out",
                                                    "bytes_in",
                                                    "rtt_min_ns",
                                                    "mss",
                                                    "retransmissions_out",
                                                    "retransmissions_in",
                                                    "congestion_control_initiator",
                                                    "congestion_control_target",
                                                    "vantage",
                                                    "start_ns",
                                                    "end_ns"};
constexpr std::string_view losses_columns[] = {"time_ns",  "kind",   "sender", "packet",    "original_packet",
                                               "delay_ns", "length", "seq",    "connection"};
constexpr std::string_view windows_columns[] = {
    "time_ns",  "sender",  "cwnd",   "in_flight", "ssthresh",  "advertised_window", "limit",
    "ca_state", "srtt_ns", "packet", "cwnd_low",  "cwnd_high", "connection"};
// The kernel reports no limit, and no interval.
constexpr std::string_view kernel_windows_columns[] = {
    "time_ns",           "sender",   "cwnd",    "in_flight", "ssthresh",
    "advertised_window", "ca_state", "srtt_ns", "packet",    "connection"};
constexpr std::string_view kernel_ca_transitions_columns[] = {"time_ns", "sender", "from",
                                                              "to",      "packet", "connection"};
constexpr std::string_view packets_columns[] = {"packet",      "time_ns",  "delta_ns", "source",
                                                "destination", "protocol", "length",   "relative_seq",
                                                "analysis",    "info"};

constexpr std::array kinds{
    TableKind{.name = "commands",
              .title = QT_TRANSLATE_NOOP("TableKind", "Commands"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "command"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "commands"),
              .columns = commands_columns,
              .view = "commands",
              .selection = Selection::Kind::command,
              .selection_name = "command",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "Command %1"),
              .filtered = Selected::commands,
              .linked = &LinkedRows::commands},
    TableKind{.name = "pdus",
              .title = QT_TRANSLATE_NOOP("TableKind", "PDUs"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "PDU"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "PDUs"),
              .columns = pdus_columns,
              .view = "pdus",
              .selection = Selection::Kind::pdu,
              .selection_name = "pdu",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "PDU %1"),
              .filtered = Selected::pdus,
              .linked = &LinkedRows::pdus},
    TableKind{.name = packets_table_name,
              .title = QT_TRANSLATE_NOOP("TableKind", "Packets"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "packet"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "packets"),
              .columns = packets_columns,
              .view = "packets",
              .selection = Selection::Kind::packet,
              .selection_name = "packet",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "Packet %1"),
              .filtered = Selected::packets,
              .linked = &LinkedRows::packets},
    TableKind{.name = "connections",
              .title = QT_TRANSLATE_NOOP("TableKind", "Connections"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "connection"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "connections"),
              .columns = connections_columns,
              .view = "connections",
              .selection = Selection::Kind::connection,
              .selection_name = "connection",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "Connection %1"),
              .filtered = Selected::connections,
              .linked = &LinkedRows::connections,
              .ordered_by_time = false},
    TableKind{.name = "sessions",
              .title = QT_TRANSLATE_NOOP("TableKind", "Sessions"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "session"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "sessions"),
              .columns = sessions_columns,
              .view = "sessions",
              .selection = Selection::Kind::session,
              .selection_name = "session",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "Session %1"),
              .filtered = Selected::sessions,
              .linked = &LinkedRows::sessions,
              .ordered_by_time = false},
    TableKind{.name = "losses",
              .title = QT_TRANSLATE_NOOP("TableKind", "Losses"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "loss"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "losses"),
              .columns = losses_columns,
              .view = "losses",
              .selection = Selection::Kind::loss,
              .selection_name = "loss",
              .selection_title = QT_TRANSLATE_NOOP("TableKind", "Loss %1"),
              .filtered = Selected::losses,
              .linked = &LinkedRows::losses,
              .at_packets = true,
              .sorted_by = "time_ns"},
    TableKind{.name = "windows",
              .title = QT_TRANSLATE_NOOP("TableKind", "Windows"),
              .columns = windows_columns,
              .filtered = Selected::windows,
              .at_packets = true},
    TableKind{.name = "ca_transitions",
              .title = QT_TRANSLATE_NOOP("TableKind", "States of congestion control"),
              .filtered = Selected::ca_transitions,
              .at_packets = true},
    TableKind{.name = "kernel_windows",
              .title = QT_TRANSLATE_NOOP("TableKind", "Kernel windows"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "kernel window"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "kernel windows"),
              .columns = kernel_windows_columns,
              .view = "kernel-windows",
              .filtered = Selected::kernel_windows,
              .at_packets = true},
    TableKind{.name = "kernel_ca_transitions",
              .title = QT_TRANSLATE_NOOP("TableKind", "Kernel CA transitions"),
              .noun = QT_TRANSLATE_NOOP("TableKind", "kernel CA transition"),
              .nouns = QT_TRANSLATE_NOOP("TableKind", "kernel CA transitions"),
              .columns = kernel_ca_transitions_columns,
              .view = "kernel-ca-transitions",
              .filtered = Selected::kernel_ca_transitions,
              .at_packets = true},
};

const TableKind* find(auto matches) {
    const auto found = std::ranges::find_if(kinds, matches);
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

QString TableKind::translated_title() const {
    return translated(title);
}

QString TableKind::noun_for(uint64_t count) const {
    return translated(count == 1 ? noun : nouns);
}

std::span<const TableKind> table_kinds() {
    return kinds;
}

const TableKind* find_table_kind(std::string_view name) {
    return find([&](const TableKind& kind) { return kind.name == name; });
}

const TableKind* find_table_kind(Selection::Kind selection) {
    if (selection == Selection::Kind::none) return nullptr;
    return find([&](const TableKind& kind) { return kind.selection == selection; });
}

const TableKind* find_selectable(std::string_view selection_name) {
    if (selection_name.empty()) return nullptr;
    return find([&](const TableKind& kind) { return kind.selection_name == selection_name; });
}

QString selection_text(const Selection& selection) {
    const TableKind* const kind = find_table_kind(selection.kind);
    if (kind == nullptr) return {};
    return translated(kind->selection_title)
        .arg(QLocale().toString(static_cast<qulonglong>(selection.number)));
}

}  // namespace sanscope
