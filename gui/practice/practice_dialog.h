// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "gui/practice/mystery_page.h"

class QListWidget;
class QPushButton;
class QTextBrowser;

namespace sanscope {

// The cases there are, of which one is chosen: the complaint of each is shown before it is opened.
class PracticeDialog : public QDialog {
    Q_OBJECT

  public:
    PracticeDialog(QList<MysteryPage> pages, QWidget* parent);

  Q_SIGNALS:
    void chosen(const MysteryPage& page);

  private:
    void show_complaint();
    void choose();

    QList<MysteryPage> pages_;
    QListWidget* list_;
    QTextBrowser* complaint_;
    QPushButton* open_;
};

}  // namespace sanscope
