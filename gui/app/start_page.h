// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QListWidget;

namespace sanscope {

// What is seen while no capture is open: how to come to one, and those opened last.
class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent);
    void set_recent(const QStringList& paths);

  Q_SIGNALS:
    void open_asked();
    void record_asked();
    void load_asked();
    void practice_asked();
    void file_chosen(const QString& path);

  private:
    QListWidget* recent_;
    QWidget* recent_box_;
};

}  // namespace sanscope
