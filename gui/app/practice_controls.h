// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "gui/practice/mystery_page.h"

class QWidget;

namespace sanscope {

class CaptureWindow;
class PracticePanel;
struct StartPlace;

// The place that the items of a link of a practice page name: `at`, `finding`, `view` (may come several times), `filter`.
StartPlace place_of_link(const QString& items);

// Help › Practice: lists the cases, opens one's capture with its steps beside it, and leads to the places that the steps name.
class PracticeControls : public QObject {
    Q_OBJECT

  public:
    // `open`: opens a capture in a tab in front; nullptr, after a message, where it cannot be.
    PracticeControls(QWidget* window, std::function<CaptureWindow*(const QString& path)> open);

    void ask();
    // Opens the capture with the panel; nullptr, after a message, where it cannot be opened.
    PracticePanel* begin(const MysteryPage& page);

  private:
    QWidget* window_;
    std::function<CaptureWindow*(const QString& path)> open_;
};

}  // namespace sanscope
