// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/view.h"

namespace sanscope {

View::View(Document& document, QWidget* parent) : QWidget(parent), document_(document) {}

void View::draw(QPainter& painter) {
    render(&painter, QPoint(), QRegion(), DrawWindowBackground | DrawChildren);
}

}  // namespace sanscope
