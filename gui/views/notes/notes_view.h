// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>

#include "gui/view_engine/view.h"

namespace sanscope {

// The bookmarks and notes of a capture: a click goes to the packet, the text can be written right here.
class NotesView : public View {
    Q_OBJECT

  public:
    NotesView(Document& document, QWidget* parent);

    bool settled() const override { return true; }
    // Opens the note of that packet for typing; nothing happens where it has none.
    void edit(PacketNumber packet);

  private:
    void fill();
    void go_to(int row);
    void take_text(int row, int column);
    PacketNumber packet_of(int row) const;

    QTableWidget* table_;
    QWidget* hint_;
    bool filling_ = false;
};

}  // namespace sanscope
