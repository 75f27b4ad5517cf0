// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>

namespace sanscope::testing_gui {

// Lets events happen until the condition holds; false where it does not after `patience_ms`.
template <class Condition>
bool wait_until(Condition condition, int patience_ms = 60'000) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > patience_ms) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    return true;
}

}  // namespace sanscope::testing_gui
