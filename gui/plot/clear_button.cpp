// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/clear_button.h"

#include <QAction>
#include <QCoreApplication>
#include <QLineEdit>

namespace sanscope {

void add_clear_button(QLineEdit& line) {
    line.setClearButtonEnabled(true);
    if (auto* const clear = line.findChild<QAction*>(QStringLiteral("_q_qlineeditclearaction")))
        clear->setText(QCoreApplication::translate("ClearButton", "Empty the line"));
}

}  // namespace sanscope
