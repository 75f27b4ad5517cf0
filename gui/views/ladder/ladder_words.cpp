// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_words.h"

#include <QCoreApplication>

#include "gui/plot/command_words.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("LadderView", text);
}

QString named(const CommandRow& command) {
    if (*command.name != '\0') return QString::fromUtf8(command.name);
    if (command.opcode == unknown<uint16_t>) return tr("SCSI command");
    return tr("SCSI command 0x%1").arg(command.opcode, 2, 16, QLatin1Char('0'));
}

QString with_size(const QString& name, uint64_t bytes) {
    return bytes == 0 || bytes == unknown<uint64_t> ? name : name + QLatin1Char(' ') + data_size(bytes);
}

}  // namespace

QString data_size(uint64_t bytes) {
    constexpr uint64_t kib = 1024;
    const QChar space(0xa0);
    if (bytes >= kib * kib && bytes % (kib * kib) == 0)
        return QString::number(bytes / (kib * kib)) + space + QStringLiteral("MiB");
    if (bytes >= kib && bytes % kib == 0) return QString::number(bytes / kib) + space + QStringLiteral("KiB");
    if (bytes < 100'000) return QString::number(bytes) + space + QStringLiteral("B");
    return short_bytes(static_cast<double>(bytes));
}

QString pdu_words(const PduRow& pdu, const CommandRow* command) {
    const Opcode opcode{pdu.opcode};
    if (opcode == Opcode::scsi_command && command != nullptr)
        return with_size(named(*command), command->bytes);
    if (opcode == Opcode::scsi_response && command != nullptr && command->status != unknown<uint16_t>)
        return tr("Response %1").arg(status_text(static_cast<uint8_t>(command->status)));
    const char* known = opcode_name(pdu.opcode);
    QString name = known != nullptr ? QString::fromUtf8(known)
                                    : tr("opcode 0x%1").arg(pdu.opcode, 2, 16, QLatin1Char('0'));
    if (name.startsWith(QLatin1String("SCSI "))) name.remove(0, 5);
    name.replace(QLatin1String("Task Management Function"), QLatin1String("Task Management"));
    return with_size(name, pdu.data_length);
}

QString command_words(const CommandRow& command) {
    QString words = with_size(named(command), command.bytes);
    if (const int64_t turnaround_ns = command.turnaround_ns(); turnaround_ns != no_time)
        words += QStringLiteral(", ") + short_duration(turnaround_ns);
    if (command.outcome == Outcome::unanswered) words += tr(", not answered");
    if (command.outcome == Outcome::aborted) words += tr(", aborted");
    if (command.outcome == Outcome::rejected) words += tr(", rejected");
    if (command.outcome == Outcome::terminated) words += tr(", terminated by the target");
    if (ended_otherwise_than_good(command)) words += QStringLiteral(", ") + ending_name(command);
    return words;
}

QString arrow_words(const LadderArrow& arrow) {
    QStringList words;
    if (arrow.loss != 0) words << loss_text(arrow.kind);
    if (arrow.fate == LadderArrow::Fate::lost) words << tr("lost");
    if (arrow.lost_bytes > 0) words << tr("%1 of it lost").arg(data_size(arrow.lost_bytes));
    if (arrow.fate == LadderArrow::Fate::lost_beyond) words << tr("lost beyond");
    if (arrow.fate == LadderArrow::Fate::unclear) words << tr("unclear what became of it");
    if (arrow.fate == LadderArrow::Fate::not_captured && arrow.loss == 0)
        words << (arrow.packet != 0 ? tr("not captured at the far point") : tr("not captured here"));
    if (arrow.fate == LadderArrow::Fate::lost_unseen) words << tr("lost before the capture");
    const auto flag = [&](unsigned bit, const QString& name) {
        if ((arrow.flags & bit) != 0) words << name;
    };
    flag(tcp_syn, QStringLiteral("SYN"));
    flag(tcp_fin, QStringLiteral("FIN"));
    flag(tcp_rst, QStringLiteral("RST"));
    if (arrow.length > 0) {
        words << tr("seq %1").arg(arrow.seq) << data_size(arrow.length);
    } else if ((arrow.flags & tcp_ack) != 0 && (arrow.flags & tcp_rst) == 0) {
        words << tr("ACK %1").arg(arrow.ack);
    }
    QStringList blocks;
    for (size_t i = arrow.d_sack ? 1 : 0; i < arrow.sack_blocks; ++i)
        blocks << QStringLiteral("%1–%2").arg(arrow.sack[i].first).arg(arrow.sack[i].second);
    if (arrow.d_sack) words << tr("D-SACK %1–%2").arg(arrow.sack[0].first).arg(arrow.sack[0].second);
    if (!blocks.isEmpty()) words << tr("SACK %1").arg(blocks.join(QStringLiteral(" ")));
    return words.join(QStringLiteral(", "));
}

QString transition_words(const LadderTransition& transition) {
    QString words = ca_text(transition.from) + QStringLiteral(" → ") + ca_text(transition.to);
    if (*transition.cause != '\0') words += QStringLiteral(": ") + QString::fromUtf8(transition.cause);
    return words;
}

QString points_words(const LadderPoints& points, const PathDelay& delay) {
    switch (points.known) {
        case LadderPoints::Known::not_elsewhere:
            return tr("No other point of the path tells of this connection. %1").arg(delay_words(delay));
        case LadderPoints::Known::no_clock:
            return tr("%1 saw it too, but the clocks cannot be compared. %2")
                .arg(points.far, delay_words(delay));
        case LadderPoints::Known::both_ends:
            break;
    }
    if (points.plus_minus_ns == 0) return tr("Ends measured at %1 and %2").arg(points.here, points.far);
    const QString words = tr("Ends measured at %1 and %2, the latter's clock ± %3")
                              .arg(points.here, points.far, short_duration(points.plus_minus_ns));
    return points.measured > 0 && 2 * points.within_band >= points.measured
               ? tr("%1: too much to read delays off slopes").arg(words)
               : words;
}

QString delay_words(const PathDelay& delay) {
    QString place;
    switch (delay.vantage) {
        case Vantage::initiator:
            place = tr("Captured at the initiator");
            break;
        case Vantage::target:
            place = tr("Captured at the target");
            break;
        case Vantage::middle:
            place = tr("Captured on the way");
            break;
        case Vantage::unknown:
            place = tr("Captured at an unknown place, drawn as at the initiator");
            break;
    }
    if (!delay.measured) return tr("%1; no round trip was measured, so no delay is drawn").arg(place);
    switch (delay.vantage) {
        case Vantage::target:
            return tr("%1; the initiator's times are estimated (%2 away)")
                .arg(place, short_duration(delay.one_way_ns()));
        case Vantage::middle:
            return tr("%1; the times of both ends are estimated (%2 apart)")
                .arg(place, short_duration(delay.one_way_ns()));
        case Vantage::initiator:
        case Vantage::unknown:
            break;
    }
    return tr("%1; the target's times are estimated (%2 away)")
        .arg(place, short_duration(delay.one_way_ns()));
}

}  // namespace sanscope
