// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "gui/plot/theme.h"

namespace sanscope {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), label_(new QLabel(this)) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 4, 4);
    auto* const icon = new QLabel(this);
    const int size = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon->setPixmap(style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(size, size));
    row->addWidget(icon);
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label_->setTextFormat(Qt::PlainText);
    row->addWidget(label_, 1);
    auto* const close = new QToolButton(this);
    close->setAutoRaise(true);
    close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close->setAccessibleName(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    row->addWidget(close);
    setAccessibleName(tr("Message about the capture"));
    setAutoFillBackground(true);
    colour();
    hide();
}

void MessageBar::show_message(const QString& message) {
    label_->setText(message);
    setVisible(!message.isEmpty());
}

QString MessageBar::message() const {
    return label_->text();
}

void MessageBar::colour() {
    colouring_ = true;
    const bool dark = Theme::of(parentWidget() != nullptr ? parentWidget()->palette() : palette()).dark;
    QPalette colours = palette();
    colours.setColor(QPalette::Window, dark ? QColor(0x5a, 0x48, 0x10) : QColor(0xff, 0xf1, 0xc2));
    colours.setColor(QPalette::WindowText, dark ? QColor(0xff, 0xf4, 0xd6) : QColor(0x3a, 0x2c, 0x00));
    setPalette(colours);
    colouring_ = false;
}

void MessageBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !colouring_) colour();
}

}  // namespace sanscope
