// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "gui/practice/mystery_page.h"

class QPushButton;
class QTextBrowser;
class QUrl;

namespace sanscope {

// A case beside its capture: the complaint, the steps, and, once it is asked for, the solution.
//
// A link `sanscope:view=layers&finding=ping_timeout` leads into the capture; its items are those of the program's options
// (docs/window.md, Links into a capture), values percent-encoded.
class PracticePanel : public QWidget {
    Q_OBJECT

  public:
    PracticePanel(MysteryPage page, QWidget* parent);

    const MysteryPage& page() const { return page_; }
    QTextBrowser& text() const { return *text_; }
    QPushButton& solution_button() const { return *solution_; }
    QSize sizeHint() const override;

  Q_SIGNALS:
    // The items of a link into the capture, as QUrlQuery takes them.
    void place_wanted(const QString& items);
    // A page of docs/findings: the name of its kind.
    void finding_page_wanted(const QString& kind);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void show_parts();
    void follow(const QUrl& link);

    MysteryPage page_;
    QTextBrowser* text_;
    QPushButton* solution_;
};

}  // namespace sanscope
