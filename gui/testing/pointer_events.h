// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <QWidget>

namespace sanscope::testing_gui {

// What a pointer does, sent to a widget at once; places are the widget's own.

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

// In two steps, so that the second one goes on with a drag.
inline void drag(QWidget& widget, QPointF from, QPointF to, Qt::MouseButton button = Qt::LeftButton,
                 Qt::KeyboardModifiers keys = Qt::NoModifier) {
    send_mouse(widget, QEvent::MouseButtonPress, from, button, keys);
    send_mouse(widget, QEvent::MouseMove, (from + to) / 2, button, keys);
    send_mouse(widget, QEvent::MouseMove, to, button, keys);
    send_mouse(widget, QEvent::MouseButtonRelease, to, button, keys);
}

// Turns the wheel by so many clicks, away from the user where they are positive.
inline void send_wheel(QWidget& widget, QPointF at, int clicks, Qt::KeyboardModifiers keys = Qt::NoModifier) {
    QWheelEvent event(at, widget.mapToGlobal(at), QPoint(), QPoint(0, 120 * clicks), Qt::NoButton, keys,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

}  // namespace sanscope::testing_gui
