// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QWidget>

#include "gui/document/document.h"
#include "gui/senders/sender_list.h"

namespace sanscope {

// Chooses the connection that views of one connection show, and which side sends: shows and sets those of the view state.
// With `sums`, all connections of a session together may be chosen too; that is this chooser's own.
class SenderChooser : public QWidget {
    Q_OBJECT

  public:
    enum class Sums : uint8_t { no, yes };
    SenderChooser(Document& document, Sums sums, QWidget* parent);

    // The session whose connections are to be summed, or all_sessions; 0: the view state's connection alone.
    uint32_t session() const { return session_; }
    // What is chosen, in words.
    QString title() const;
    bool settled() const { return job_.idle(); }

  Q_SIGNALS:
    void session_changed();

  private:
    void look();
    void fill(std::vector<ConnectionChoice> choices);
    void follow_state();
    void choose(int index);

    Document& document_;
    Sums sums_;
    QComboBox* what_;
    QComboBox* side_;
    std::vector<ConnectionChoice> choices_;
    uint32_t session_ = 0;
    LatestJob<std::vector<ConnectionChoice>> job_;
};

}  // namespace sanscope
