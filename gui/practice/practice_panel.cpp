// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/practice/practice_panel.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

namespace sanscope {

PracticePanel::PracticePanel(MysteryPage page, QWidget* parent)
    : QWidget(parent),
      page_(std::move(page)),
      text_(new QTextBrowser(this)),
      solution_(new QPushButton(tr("Show the &solution"), this)) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    text_->setAccessibleName(tr("Steps of the practice case"));
    text_->setOpenLinks(false);
    text_->setFrameShape(QFrame::NoFrame);
    column->addWidget(text_, 1);
    solution_->setCheckable(true);
    column->addWidget(solution_);
    connect(solution_, &QPushButton::toggled, this, [this](bool shown) {
        solution_->setText(shown ? tr("Hide the &solution") : tr("Show the &solution"));
        show_parts();
    });
    connect(text_, &QTextBrowser::anchorClicked, this, &PracticePanel::follow);
    constexpr int least_ems = 19;
    setMinimumWidth(least_ems * fontMetrics().height());
    show_parts();
}

// The text keeps the colours of its links otherwise.
void PracticePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) show_parts();
}

// Lines of some sixty characters.
QSize PracticePanel::sizeHint() const {
    const int em = fontMetrics().height();
    return {26 * em, 40 * em};
}

// What was being read stays where it is. The page's headings are too large for a panel.
void PracticePanel::show_parts() {
    const int at = text_->verticalScrollBar()->value();
    QString markdown = QStringLiteral("\n## %1\n").arg(page_.title) + page_.complaint + page_.steps;
    if (solution_->isChecked()) markdown += page_.solution;
    markdown.replace(QStringLiteral("\n## "), QStringLiteral("\n### "));
    text_->setMarkdown(markdown);
    text_->verticalScrollBar()->setValue(at);
}

void PracticePanel::follow(const QUrl& link) {
    if (link.scheme() == QStringLiteral("sanscope")) {
        Q_EMIT place_wanted(link.path(QUrl::FullyEncoded));
        return;
    }
    const QUrl whole = QUrl::fromLocalFile(page_.path).resolved(link);
    const QFileInfo file(whole.toLocalFile());
    if (whole.isLocalFile() && file.dir().dirName() == QStringLiteral("findings") &&
        file.suffix() == QStringLiteral("md")) {
        Q_EMIT finding_page_wanted(file.completeBaseName());
        return;
    }
    QDesktopServices::openUrl(whole);
}

}  // namespace sanscope
