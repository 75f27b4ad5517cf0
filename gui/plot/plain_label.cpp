// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/plain_label.h"

#include <QLabel>

namespace sanscope {

QLabel* plain_label(QWidget* parent) {
    auto* const label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace sanscope
