// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace sanscope {

// A bar above the tabs that offers something, or says what is under way: nothing waits for an answer to it.
class InfoBar : public QFrame {
    Q_OBJECT

  public:
    explicit InfoBar(QWidget* parent);

    // A question with a button that accepts, and one that closes the bar.
    void offer(const QString& text, const QString& action);
    // What is under way, with a button that cancels.
    void show_progress(const QString& text);
    void set_permille(int permille);  // 0: not known

    QString text() const;
    QPushButton& action() const { return *action_; }
    QToolButton& close_button() const { return *close_; }

  Q_SIGNALS:
    void accepted();
    void cancelled();
    void dismissed();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void colour();

    bool colouring_ = false;
    bool offers_ = false;
    QLabel* label_;
    QProgressBar* progress_;
    QPushButton* action_;
    QToolButton* close_;
};

}  // namespace sanscope
