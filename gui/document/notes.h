// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>

#include "analyzer/export/packet_notes.h"
#include "analyzer/ingest/capture_notes.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The user's bookmarks and notes on packets of a capture, those that came with the file among them. A note without a text is
// a bookmark. They are kept in a pcapng copy of the capture, as comments of its packets. GUI thread only.
class Notes : public QObject {
    Q_OBJECT

  public:
    explicit Notes(QObject* parent = nullptr) : QObject(parent) {}

    const std::map<PacketNumber, QString>& all() const { return notes_; }
    bool has(PacketNumber packet) const { return notes_.contains(packet); }

    // Those of the file; what the user noted meanwhile stays.
    void take(const CaptureNotes& from_file);
    void set(PacketNumber packet, const QString& text);
    // Adds those kept elsewhere, and says so once. Where both have a text, the user's stays, but the file's does not.
    void merge(const std::map<PacketNumber, QString>& others);
    // What all() would be after that.
    std::map<PacketNumber, QString> merged_with(const std::map<PacketNumber, QString>& others) const;
    void remove(PacketNumber packet);

    // Something is not in the file, nor in a copy saved since.
    bool modified() const { return modified_; }
    void saved() { modified_ = false; }
    // What a copy is to have: of every packet whose note is another than in the file.
    PacketNotes changes() const;

  Q_SIGNALS:
    void changed();

  private:
    bool is_of_user(PacketNumber packet, const QString& text) const;

    std::map<PacketNumber, QString> notes_;
    std::map<PacketNumber, QString> in_file_;
    bool modified_ = false;
};

}  // namespace sanscope
