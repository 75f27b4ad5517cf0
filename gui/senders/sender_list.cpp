// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/sender_list.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/document/iscsi_traffic.h"

#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Senders", text);
}

}  // namespace

const SenderTrack* track_of(const CaptureData::Reading& reading, SenderId sender) {
    const ConnectionTrack* track = reading.timeline().track(sender.connection);
    return track == nullptr ? nullptr : &track->sender(sender.side);
}

SenderId sender_of(const CaptureData::Reading& reading, uint32_t connection, bool target) {
    if (connection == 0 || connection > reading.store().connections().size()) return {};
    return {connection,
            reading.store().connection(connection).side_of(target ? Role::target : Role::initiator)};
}

bool is_target(const CaptureData::Reading& reading, SenderId sender) {
    if (sender.connection == 0 || sender.connection > reading.store().connections().size()) return false;
    return !reading.store().connection(sender.connection).is_initiator(sender.side);
}

bool moments_are_estimated(const CaptureData::Reading& reading, SenderId sender) {
    constexpr size_t most_looked_at = 64;
    const SenderTrack* track = track_of(reading, sender);
    if (track == nullptr) return false;
    for (size_t i = 0; i < std::min(track->windows.size(), most_looked_at); ++i) {
        const WindowRow& row = reading.store().windows()[track->windows[i]];
        if (row.packet != 0 && reading.timeline().time_of(row.packet) != row.time_ns) return true;
    }
    return false;
}

int64_t end_of(const CaptureData::Reading& reading, SenderId sender) {
    const int64_t last_ns = reading.timeline().last_ns();
    if (sender.connection == 0 || sender.connection > reading.store().connections().size()) return last_ns;
    const int64_t end_ns = reading.store().connections()[sender.connection - 1].end_ns;
    return (end_ns == no_time ? last_ns : end_ns) + 1;
}

std::vector<ConnectionChoice> connection_choices(const CaptureData::Reading& reading, size_t most) {
    std::vector<ConnectionChoice> choices;
    uint32_t number = 0;
    for (const ConnectionRow& row : reading.store().connections()) {
        ++number;
        if (row.bytes_out + row.bytes_in == 0) continue;
        choices.push_back({number, row.session, row.initiator, row.target, row.bytes_out, row.bytes_in,
                           is_idle(reading, number)});
    }
    if (choices.size() > most) {
        const auto bytes = [](const ConnectionChoice& choice) { return choice.bytes_out + choice.bytes_in; };
        std::ranges::nth_element(choices, choices.begin() + static_cast<ptrdiff_t>(most), std::greater(),
                                 bytes);
        choices.resize(most);
        std::ranges::sort(choices, {}, &ConnectionChoice::connection);
    }
    if (std::ranges::all_of(choices, &ConnectionChoice::idle)) {
        for (ConnectionChoice& choice : choices) choice.idle = false;
    }
    return choices;
}

QString endpoint_text(const Endpoint& endpoint) {
    return QString::fromStdString(format_endpoint(endpoint.address, endpoint.port));
}

QString connection_text(const Endpoint& initiator, const Endpoint& target) {
    return endpoint_text(initiator) + QStringLiteral(" → ") + endpoint_text(target);
}

QString connection_text(const CaptureData::Reading& reading, uint32_t connection) {
    const QString number = tr("connection %1").arg(connection);
    if (connection == 0 || connection > reading.store().connections().size()) return number;
    const ConnectionRow& row = reading.store().connection(connection);
    return tr("%1, %2").arg(number, connection_text(row.initiator, row.target));
}

QString ca_text(CaState state) {
    const std::string_view name = ca_state_names[static_cast<size_t>(state)];
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString limit_text(SendLimit limit) {
    switch (limit) {
        case SendLimit::application:
            return tr("application");
        case SendLimit::receiver:
            return tr("receiver");
        case SendLimit::congestion:
            return tr("congestion");
        case SendLimit::pacing:
            return tr("pacing");
        case SendLimit::recovery:
            return tr("recovery");
        case SendLimit::unknown:
            break;
    }
    return tr("not known");
}

QString limit_tip(SendLimit limit) {
    switch (limit) {
        case SendLimit::application:
            return tr("Nothing holds TCP back: the application gives it no more to send.");
        case SendLimit::receiver:
            return tr("The receiver's advertised window is full.");
        case SendLimit::congestion:
            return tr("The congestion window is full.");
        case SendLimit::pacing:
            return tr("The sender spaces its packets out: pacing, not a window, holds it back.");
        case SendLimit::recovery:
            return tr("The sender repairs losses before it goes on.");
        case SendLimit::unknown:
            break;
    }
    return tr("What holds the sender back cannot be told here.");
}

QString loss_text(LossKind kind) {
    switch (kind) {
        case LossKind::fast_retransmit:
            return tr("fast retransmission");
        case LossKind::rto:
            return tr("retransmission timeout");
        case LossKind::tlp:
            return tr("tail loss probe");
        case LossKind::spurious:
            return tr("spurious retransmission");
        case LossKind::out_of_order:
            return tr("out of order");
        case LossKind::duplicate:
            return tr("captured twice");
        case LossKind::keep_alive:
            return tr("keep-alive");
        case LossKind::zero_window_probe:
            return tr("zero window probe");
        case LossKind::not_captured:
            return tr("not captured");
    }
    return {};
}

}  // namespace sanscope
