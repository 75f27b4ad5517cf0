// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/start_place.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QRegularExpression>
#include <optional>

#include "gui/app/capture_window.h"
#include "gui/app/render.h"
#include "gui/app/view_kinds.h"
#include "gui/models/filter_language.h"
#include "gui/models/finding_place.h"
#include "gui/views/filter_line/filter_line.h"

#include "analyzer/report/findings_input.h"

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(StartPlace)
};

// Nothing of what is a moment, or none of both.
std::optional<uint64_t> packet_of(const QString& at) {
    static const QRegularExpression number(QStringLiteral("^[0-9]{1,18}$"));
    if (!number.match(at).hasMatch()) return std::nullopt;
    return at.toULongLong();
}

bool is_finding(const QString& kind) {
    for (int value = 0; value <= static_cast<int>(Finding::Kind::nothing_wrong); ++value) {
        if (finding_kind_name(static_cast<Finding::Kind>(value)) == kind.toStdString()) return true;
    }
    return false;
}

// The first packet at the moment or after it; the last one where there is none.
PacketNumber packet_at(const CaptureData::Reading& reading, int64_t time_ns) {
    const PacketNumber packets = reading.index().packets();
    for (PacketNumber packet = 1; packet <= packets; ++packet) {
        if (reading.timeline().time_of(packet) >= time_ns) return packet;
    }
    return packets;
}

QString go_to_packet(Document& document, const QString& at) {
    const auto reading = document.data()->read();
    const PacketNumber packets = reading.index().packets();
    PacketNumber packet = 0;
    if (const auto number = packet_of(at)) {
        packet = *number;
    } else {
        const AskedTime time = parse_time(at).value_or(AskedTime{});
        const TimeRange whole = document.state().whole();
        const int64_t time_ns = time.absolute ? time.ns : whole.begin_ns + time.ns;
        if (whole.contains(time_ns)) packet = packet_at(reading, time_ns);
    }
    if (packet == 0 || packet > packets) {
        return (packets == 1 ? Words::tr("The capture has %1 packet: there is nothing at %2.")
                             : Words::tr("The capture has %1 packets: there is nothing at %2."))
            .arg(QLocale().toString(static_cast<qulonglong>(packets)), at);
    }
    document.state().select({Selection::Kind::packet, packet});
    document.frame_when_resolved();
    return {};
}

QString go_to_finding(Document& document, const QString& kind) {
    const auto reading = document.data()->read();
    CaptureFindingsInput input(reading.engine(), reading.packets().source(), nullptr);
    for (const Finding& finding : findings(*input)) {
        if (finding_kind_name(finding.kind) != kind.toStdString()) continue;
        show_place(document, finding);
        return {};
    }
    return Words::tr("The capture has no finding %1.").arg(kind);
}

// As a POSIX shell takes it as one word.
QString quoted(QString text) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=+,@%-]+$"));
    if (plain.match(text).hasMatch()) return text;
    return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

}  // namespace

QString fault_of(const StartPlace& place) {
    if (!place.at.isEmpty() && !packet_of(place.at) && !parse_time(place.at)) {
        return Words::tr(
            "--at takes a packet's number, seconds since the capture began (1.25, 340ms), or a UTC time");
    }
    if (!place.at.isEmpty() && !place.finding.isEmpty()) return Words::tr("--at or --finding, not both");
    if (!place.finding.isEmpty() && !is_finding(place.finding)) {
        return Words::tr("--finding takes a kind of finding: there is no %1").arg(place.finding);
    }
    for (const QString& view : place.views) {
        if (find_view_kind(view.toStdString()) != nullptr) continue;
        QStringList names;
        for (const ViewKind& one : view_kinds()) names.append(one.id());
        return Words::tr("there is no view %1; there are %2").arg(view, names.join(QStringLiteral(", ")));
    }
    return {};
}

QString go_to(Document& document, const StartPlace& place) {
    if (!place.at.isEmpty()) return go_to_packet(document, place.at);
    if (!place.finding.isEmpty()) return go_to_finding(document, place.finding);
    return {};
}

QString go_to(CaptureWindow& capture, const StartPlace& place) {
    QString lacking = go_to(capture.document(), place);
    for (const QString& view : place.views) capture.show_view(view.toStdString());
    if (!place.filter.isEmpty()) {
        capture.filter_line().apply_filter(place.filter, QString::fromUtf8(automatic_filter.data()));
    }
    return lacking;
}

QString link_to(CaptureWindow& capture) {
    QString link =
        QStringLiteral("sanscope-gui ") + quoted(QFileInfo(capture.document().path()).absoluteFilePath());
    const ViewState& state = capture.state();
    if (state.selected().packet != 0) {
        link += QStringLiteral(" --at %1").arg(state.selected().packet);
    } else if (state.range() != state.whole() && state.range() != state.first_view()) {
        const int64_t middle_ns =
            state.range().begin_ns + state.range().span_ns() / 2 - state.whole().begin_ns;
        link += QStringLiteral(" --at %1ns").arg(middle_ns);
    }
    if (!capture.current_view_name().isEmpty()) {
        link += QStringLiteral(" --view %1").arg(capture.current_view_name());
    }
    const QString filter = state.filter() == nullptr ? QString() : capture.filter_line().expression();
    if (!filter.isEmpty()) link += QStringLiteral(" --filter %1").arg(quoted(filter));
    return link;
}

}  // namespace sanscope
