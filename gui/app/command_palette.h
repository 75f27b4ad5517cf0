// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPointer>
#include <vector>

namespace sanscope {

// Every command of the menus, to be found by typing parts of its name and carried out with Enter. Lives until it is closed.
class CommandPalette : public QDialog {
    Q_OBJECT

  public:
    CommandPalette(QMenuBar& menus, QWidget* parent);

    void set_words(const QString& words) { line_->setText(words); }
    // "Time › Zoom in", those that fit what is typed, the best first.
    QStringList found() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Command {
        QString name;  // with its menus
        QPointer<QAction> action;
    };

    void collect(QMenu& menu, const QString& path);
    void find();
    void carry_out();

    std::vector<Command> commands_;
    QLineEdit* line_;
    QListWidget* list_;
};

}  // namespace sanscope
