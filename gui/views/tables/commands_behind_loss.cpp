// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/commands_behind_loss.h"

#include <QStringList>
#include <algorithm>
#include <string_view>

#include "gui/document/time_range.h"

namespace sanscope {
namespace {

// From when the bytes were sent first until they were sent again: as the sender and as the capture have it, whichever is wider.
TimeRange time_of_repair(const CaptureData::Reading& reading, uint64_t loss) {
    const LossRow& row = reading.store().losses()[loss - 1];
    const int64_t repaired_ns = reading.timeline().time_of_loss(loss - 1);
    TimeRange range{repaired_ns, repaired_ns + 1};
    const auto include = [&](int64_t time_ns) {
        if (time_ns == no_time) return;
        range = {std::min(range.begin_ns, time_ns), std::max(range.end_ns, time_ns + 1)};
    };
    include(row.time_ns);
    if (row.delay_ns != no_time && row.time_ns != no_time) include(row.time_ns - row.delay_ns);
    for (const PacketNumber packet : {row.original_packet, row.packet}) {
        if (packet != 0 && packet <= reading.index().packets()) include(reading.timeline().time_of(packet));
    }
    return range;
}

// The answer to a probe comes within a round trip; it had waited for two.
bool probe_repaired_something(const ResultStore& store, const LossRow& probe) {
    if (probe.delay_ns == no_time || probe.time_ns == no_time) return false;
    for (const CaTransitionRow& row : store.ca_transitions()) {
        if (row.connection != probe.connection || row.sender != probe.sender) continue;
        if (row.time_ns <= probe.time_ns || row.to == CaState::disorder || row.to == CaState::open) continue;
        const bool at_once = row.time_ns - probe.time_ns <= probe.delay_ns;
        return row.cause == std::string_view("tail loss probe repaired a loss") ||
               (row.to == CaState::recovery && at_once);
    }
    return false;
}

bool overlaps(const CommandRow& command, TimeRange range) {
    if (command.request_ns != no_time && command.request_ns >= range.end_ns) return false;
    return command.response_ns == no_time || command.response_ns > range.begin_ns;
}

}  // namespace

bool keeps_waiting(const ResultStore& store, const LossRow& loss) {
    if (loss.kind == LossKind::tlp) return probe_repaired_something(store, loss);
    return loss.kind == LossKind::fast_retransmit || loss.kind == LossKind::rto;
}

std::vector<uint64_t> commands_behind_loss(const CaptureData::Reading& reading, uint64_t loss,
                                           const StopFlag& stop) {
    const ResultStore& store = reading.store();
    if (loss == 0 || loss > store.losses().size()) return {};
    const LossRow& row = store.losses()[loss - 1];
    if (row.connection == 0 || !keeps_waiting(store, row)) return {};
    std::vector<uint32_t> lost;
    reading.pdu_index().pdus_of_bytes(row.connection.value(), row.sender, row.seq, row.length, row.packet,
                                      lost);
    if (lost.empty()) return {};
    const TimeRange repair = time_of_repair(reading, loss);
    const bool by_initiator = store.connection(row.connection).is_initiator(row.sender);
    const auto stream =
        reading.pdu_index().stream(row.connection.value(), by_initiator ? Role::initiator : Role::target);
    const uint64_t from = store.pdus().get<&PduRow::bhs_offset>(lost.front());
    std::vector<uint64_t> commands;
    // Those whose bytes these are wait in any case: what was sent again may have been lost once more, and came later.
    for (const uint32_t number : lost) {
        if (store.pdus().get<&PduRow::command>(number) != 0)
            commands.push_back(store.pdus().get<&PduRow::command>(number).value());
    }
    size_t looked_at = 0;
    for (const uint32_t number : stream) {
        if (looked_at++ % 4096 == 0 && stop) return {};
        const PduRow& pdu = store.pdus()[number];
        if (pdu.bhs_offset < from || pdu.command == 0) continue;
        const bool begun = pdu.first_packet == 0 || pdu.first_packet > reading.index().packets() ||
                           reading.timeline().time_of(pdu.first_packet) < repair.end_ns;
        if (!begun || !overlaps(store.commands()[pdu.command.value() - 1], repair)) continue;
        commands.push_back(pdu.command.value());
    }
    std::ranges::sort(commands);
    commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
    return commands;
}

QString filter_for_commands(const std::vector<uint64_t>& commands) {
    if (commands.empty()) return {};
    QStringList numbers;
    for (size_t i = 0; i < std::min(commands.size(), most_commands_in_filter); ++i)
        numbers << QString::number(commands[i]);
    return QStringLiteral("command in {%1}").arg(numbers.join(QStringLiteral(", ")));
}

}  // namespace sanscope
