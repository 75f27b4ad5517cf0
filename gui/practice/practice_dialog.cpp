// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/practice/practice_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <utility>

namespace sanscope {

PracticeDialog::PracticeDialog(QList<MysteryPage> pages, QWidget* parent)
    : QDialog(parent),
      pages_(std::move(pages)),
      list_(new QListWidget(this)),
      complaint_(new QTextBrowser(this)) {
    setObjectName(QStringLiteral("practice"));
    setWindowTitle(tr("Practice"));
    auto* const column = new QVBoxLayout(this);
    auto* const words = new QLabel(
        tr("Complaints whose cause is known, each with its capture. Find it yourself, or follow the steps."),
        this);
    words->setWordWrap(true);
    column->addWidget(words);
    list_->setAccessibleName(tr("Complaints"));
    for (const MysteryPage& page : pages_)
        list_->addItem(QStringLiteral("%1. %2").arg(list_->count() + 1).arg(page.title));
    column->addWidget(list_, 3);
    complaint_->setAccessibleName(tr("The complaint"));
    complaint_->setOpenLinks(false);
    column->addWidget(complaint_, 2);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    open_ = buttons->addButton(tr("&Open the case"), QDialogButtonBox::AcceptRole);
    open_->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &PracticeDialog::choose);
    connect(list_, &QListWidget::itemActivated, this, &PracticeDialog::choose);
    connect(list_, &QListWidget::currentRowChanged, this, &PracticeDialog::show_complaint);
    if (pages_.isEmpty()) {
        complaint_->setPlainText(
            tr("The practice cases are not installed here: they are docs/mysteries of the sources."));
        open_->setEnabled(false);
    } else {
        list_->setCurrentRow(0);
    }
    const int em = fontMetrics().height();
    resize(42 * em, 30 * em);
}

void PracticeDialog::show_complaint() {
    const int row = list_->currentRow();
    if (row >= 0 && row < pages_.size()) complaint_->setMarkdown(pages_[row].complaint);
}

void PracticeDialog::choose() {
    const int row = list_->currentRow();
    if (row < 0 || row >= pages_.size()) return;
    Q_EMIT chosen(pages_[row]);
    accept();
}

}  // namespace sanscope
