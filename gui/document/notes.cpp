// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/notes.h"

#include <utility>

namespace sanscope {

void Notes::take(const CaptureNotes& from_file) {
    for (const CaptureNotes::Note& note : from_file.of_packets()) {
        QString& text = in_file_[note.packet];
        if (!text.isEmpty()) text += QLatin1Char('\n');
        text += QString::fromStdString(note.text);
    }
    for (const auto& [packet, text] : in_file_) notes_.try_emplace(packet, text);
    if (!in_file_.empty()) Q_EMIT changed();
}

void Notes::set(PacketNumber packet, const QString& text) {
    const auto [at, fresh] = notes_.try_emplace(packet, text);
    if (!fresh && at->second == text) return;
    at->second = text;
    modified_ = true;
    Q_EMIT changed();
}

bool Notes::is_of_user(PacketNumber packet, const QString& text) const {
    if (text.isEmpty()) return false;
    const auto before = in_file_.find(packet);
    return before == in_file_.end() || before->second != text;
}

std::map<PacketNumber, QString> Notes::merged_with(const std::map<PacketNumber, QString>& others) const {
    std::map<PacketNumber, QString> merged = notes_;
    for (const auto& [packet, text] : others) {
        const auto [at, fresh] = merged.try_emplace(packet, text);
        if (!fresh && !is_of_user(packet, at->second)) at->second = text;
    }
    return merged;
}

void Notes::merge(const std::map<PacketNumber, QString>& others) {
    std::map<PacketNumber, QString> merged = merged_with(others);
    if (merged == notes_) return;
    notes_ = std::move(merged);
    modified_ = true;
    Q_EMIT changed();
}

void Notes::remove(PacketNumber packet) {
    if (notes_.erase(packet) == 0) return;
    modified_ = true;
    Q_EMIT changed();
}

PacketNotes Notes::changes() const {
    PacketNotes changes;
    for (const auto& [packet, text] : notes_) {
        const auto before = in_file_.find(packet);
        if (before == in_file_.end() || before->second != text) changes[packet] = {text.toStdString()};
    }
    for (const auto& [packet, text] : in_file_) {
        if (!notes_.contains(packet)) changes[packet] = {};
    }
    return changes;
}

}  // namespace sanscope
