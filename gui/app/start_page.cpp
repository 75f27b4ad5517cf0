// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/start_page.h"

#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/document/plain_text.h"

namespace sanscope {

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), recent_(new QListWidget(this)), recent_box_(new QWidget(this)) {
    auto* const outer = new QVBoxLayout(this);
    auto* const column = new QVBoxLayout;
    column->setSpacing(12);
    auto* const title = new QLabel(tr("Where does the time go?"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.9);
    title->setFont(large);
    column->addWidget(title);
    auto* const words = new QLabel(
        tr("Open a capture of iSCSI traffic: pcap or pcapng, plain or compressed.\nOr drop one here."), this);
    column->addWidget(words);
    auto* const button = new QPushButton(tr("Open a capture…"), this);
    button->setDefault(true);
    connect(button, &QPushButton::clicked, this, &StartPage::open_asked);
    auto* const record = new QPushButton(tr("Record live…"), this);
    connect(record, &QPushButton::clicked, this, &StartPage::record_asked);
    auto* const buttons = new QHBoxLayout;
    buttons->addWidget(button);
    buttons->addWidget(record);
    auto* const load = new QPushButton(tr("Generate load…"), this);
    connect(load, &QPushButton::clicked, this, &StartPage::load_asked);
    buttons->addWidget(load);
    auto* const practice = new QPushButton(tr("Practice…"), this);
    practice->setToolTip(tr("Captures of real complaints whose cause is known, with the steps to it"));
    connect(practice, &QPushButton::clicked, this, &StartPage::practice_asked);
    buttons->addWidget(practice);
    buttons->addStretch();
    column->addLayout(buttons);
    auto* const recent_column = new QVBoxLayout(recent_box_);
    recent_column->setContentsMargins(0, 12, 0, 0);
    recent_column->addWidget(new QLabel(tr("Opened last"), this));
    recent_->setFixedSize(680, 240);
    recent_->setFrameShape(QFrame::StyledPanel);
    recent_->setAccessibleName(tr("Captures opened last"));
    const auto choose = [this](const QListWidgetItem* item) {
        Q_EMIT file_chosen(item->data(Qt::UserRole).toString());
    };
    connect(recent_, &QListWidget::itemActivated, this, choose);
    connect(recent_, &QListWidget::itemClicked, this, choose);
    recent_column->addWidget(recent_);
    column->addWidget(recent_box_);
    auto* const middle = new QHBoxLayout;
    middle->addStretch();
    middle->addLayout(column);
    middle->addStretch();
    outer->addStretch();
    outer->addLayout(middle);
    outer->addStretch();
    recent_box_->hide();
}

void StartPage::set_recent(const QStringList& paths) {
    recent_->clear();
    for (const QString& path : paths) {
        const QFileInfo info(path);
        auto* const item = new QListWidgetItem(
            QStringLiteral("%1    %2").arg(info.fileName(), info.absolutePath()), recent_);
        item->setData(Qt::UserRole, path);
        item->setToolTip(plain_text(path));
    }
    recent_box_->setVisible(!paths.isEmpty());
}

}  // namespace sanscope
