// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace sanscope {

// A bar above the views that says what the user ought to know of the capture, until it is closed.
class MessageBar : public QFrame {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent);

    void show_message(const QString& message);
    QString message() const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void colour();
    bool colouring_ = false;
    QLabel* label_;
};

}  // namespace sanscope
