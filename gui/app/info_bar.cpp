// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/info_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include "gui/plot/text_scale.h"
#include "gui/plot/theme.h"

namespace sanscope {

InfoBar::InfoBar(QWidget* parent)
    : QFrame(parent),
      label_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      action_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(10, 4, 4, 4);
    label_->setTextFormat(Qt::PlainText);
    label_->setWordWrap(true);
    row->addWidget(label_, 1);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(beside_text(180));
    progress_->setAccessibleName(tr("How much of the captures is read"));
    row->addWidget(progress_);
    action_->setObjectName(QStringLiteral("info-bar-action"));
    row->addWidget(action_);
    close_->setAutoRaise(true);
    close_->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close_->setAccessibleName(tr("Close this bar"));
    row->addWidget(close_);
    connect(action_, &QPushButton::clicked, this, [this] { offers_ ? accepted() : cancelled(); });
    connect(close_, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT dismissed();
    });
    setAccessibleName(tr("Offer about the open captures"));
    setAutoFillBackground(true);
    colour();
    hide();
}

void InfoBar::offer(const QString& text, const QString& action) {
    offers_ = true;
    label_->setText(text);
    action_->setText(action);
    progress_->hide();
    close_->show();
    show();
}

void InfoBar::show_progress(const QString& text) {
    offers_ = false;
    label_->setText(text);
    action_->setText(tr("&Cancel"));
    set_permille(0);
    progress_->show();
    close_->hide();
    show();
}

void InfoBar::set_permille(int permille) {
    progress_->setRange(0, permille == 0 ? 0 : 1000);
    if (permille > 0) progress_->setValue(permille);
}

QString InfoBar::text() const {
    return label_->text();
}

void InfoBar::colour() {
    colouring_ = true;
    const bool dark = Theme::of(parentWidget() != nullptr ? parentWidget()->palette() : palette()).dark;
    QPalette colours = palette();
    colours.setColor(QPalette::Window, dark ? QColor(0x1d, 0x3a, 0x5c) : QColor(0xdc, 0xeb, 0xfb));
    colours.setColor(QPalette::WindowText, dark ? QColor(0xe6, 0xf1, 0xff) : QColor(0x0c, 0x25, 0x40));
    setPalette(colours);
    colouring_ = false;
}

void InfoBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !colouring_) colour();
}

}  // namespace sanscope
