// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QWidget>
#include <gtest/gtest.h>

#include "gui/document/document.h"

namespace sanscope::testing_gui {

// Lets events happen until the condition holds; false after a minute.
template <class Condition>
bool wait_until(Condition condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < 60'000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    return condition();
}

// A sample of the repository, loaded to its end.
inline std::unique_ptr<Document> loaded_sample(const char* name) {
    QString error;
    auto document = Document::open(QStringLiteral(SANSCOPE_SAMPLES "/") + QString::fromUtf8(name), error);
    EXPECT_TRUE(document) << error.toStdString();
    bool done = false;
    if (document) {
        QObject::connect(document.get(), &Document::loaded, [&] { done = true; });
        EXPECT_TRUE(wait_until([&] { return done; }));
    }
    return document;
}

inline void send_mouse(QWidget& widget, QEvent::Type type, QPointF at, Qt::MouseButton button,
                       Qt::KeyboardModifiers keys = Qt::NoModifier) {
    QMouseEvent event(type, at, widget.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : button, keys);
    QApplication::sendEvent(&widget, &event);
}

inline void click(QWidget& widget, QPointF at) {
    send_mouse(widget, QEvent::MouseButtonPress, at, Qt::LeftButton);
    send_mouse(widget, QEvent::MouseButtonRelease, at, Qt::LeftButton);
}

}  // namespace sanscope::testing_gui
