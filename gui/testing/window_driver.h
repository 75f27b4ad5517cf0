// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QTimer>
#include <QWidget>
#include <gtest/gtest.h>

namespace sanscope::testing_gui {

// Chooses a name in the file dialog that comes next.
inline void answer_file_dialog(const QString& path) {
    auto* const timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, [timer, path] {
        auto* const dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        // What another timer has answered may still be there: its acceptance waits in the event queue.
        constexpr auto answered = "answered by a test";
        if (dialog == nullptr || dialog->property(answered).toBool()) return;
        dialog->setProperty(answered, true);
        timer->deleteLater();
        // Accepting may bring the next dialog, with this timer still there.
        timer->stop();
        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
        QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
    });
    constexpr int between_looks_ms = 20;
    timer->start(between_looks_ms);
}

// The first of the window's actions whose text begins so, but for the marks of its mnemonic; nullptr, and a failure of the
// test, where there is none.
inline QAction* action_of(const QWidget& window, const QString& text) {
    for (QAction* const one : window.findChildren<QAction*>()) {
        if (one->text().remove(QLatin1Char('&')).startsWith(text)) return one;
    }
    ADD_FAILURE() << "no action " << text.toStdString();
    return nullptr;
}

}  // namespace sanscope::testing_gui
