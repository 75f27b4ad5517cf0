// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view_engine/view.h"

namespace sanscope {

View::View(Document& document, QWidget* parent) : QWidget(parent), document_(document) {}

void View::set_in_front(bool in_front) {
    if (in_front == in_front_) return;
    in_front_ = in_front;
    if (in_sight()) on_in_sight();
}

void View::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    shown_once_ = true;
    if (in_front_) on_in_sight();
}

void View::draw(QPainter& painter) {
    render(&painter, QPoint(), QRegion(), DrawWindowBackground | DrawChildren);
}

}  // namespace sanscope
