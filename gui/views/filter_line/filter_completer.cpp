// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_completer.h"

#include <QCompleter>
#include <QHeaderView>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTreeView>

#include "gui/document/plain_text.h"
#include "gui/plot/theme.h"
#include "gui/views/filter_line/filter_edit.h"

namespace sanscope {

FilterCompleter::FilterCompleter(FilterEdit& edit)
    : QObject(&edit),
      edit_(edit),
      completer_(new QCompleter(this)),
      model_(new QStandardItemModel(0, 2, this)) {
    auto* const list = new QTreeView;
    list->setRootIsDecorated(false);
    list->setHeaderHidden(true);
    list->setUniformRowHeights(true);
    list->setSelectionBehavior(QAbstractItemView::SelectRows);
    list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setAccessibleName(tr("Completions"));
    completer_->setModel(model_);
    completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    completer_->setMaxVisibleItems(12);
    completer_->setWidget(&edit);
    completer_->setPopup(list);
    list->header()->setStretchLastSection(true);
    edit.set_completer(completer_);
    connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
            [this](const QModelIndex& index) { choose(index.row()); });
}

void FilterCompleter::offer(int begin, int end, const std::vector<Offer>& offers) {
    if (offers.empty()) return hide();
    begin_ = begin;
    end_ = end;
    const QColor faint = Theme::of(edit_.palette()).faint_text;
    model_->removeRows(0, model_->rowCount());
    for (const Offer& offer : offers) {
        auto* const text = new QStandardItem(offer.text);
        auto* const explanation = new QStandardItem(offer.explanation);
        explanation->setForeground(faint);
        text->setToolTip(plain_text(offer.tooltip));
        explanation->setToolTip(plain_text(offer.tooltip));
        model_->appendRow({text, explanation});
    }
    auto* const list = static_cast<QTreeView*>(completer_->popup());
    list->resizeColumnToContents(0);
    list->resizeColumnToContents(1);
    const int wide =
        list->columnWidth(0) + list->columnWidth(1) + list->verticalScrollBar()->sizeHint().width() + 12;
    // Below the word that is being written.
    const QFontMetrics metrics(edit_.font());
    const int back =
        metrics.horizontalAdvance(edit_.text().mid(begin, std::max(0, edit_.cursorPosition() - begin)));
    QRect place = edit_.cursor_rectangle();
    place.translate(-back, 2);
    place.setWidth(std::clamp(wide, 240, std::max(240, edit_.width())));
    completer_->complete(place);
    list->setCurrentIndex({});
}

void FilterCompleter::hide() {
    completer_->popup()->hide();
}

bool FilterCompleter::visible() const {
    return completer_->popup()->isVisible();
}

QStringList FilterCompleter::offered() const {
    QStringList texts;
    for (int row = 0; row < model_->rowCount(); ++row) texts.append(model_->item(row)->text());
    return texts;
}

void FilterCompleter::choose(int place) {
    const QString chosen = model_->item(place)->text();
    hide();
    QString text = edit_.text();
    const int end = std::min(std::max(end_, edit_.cursorPosition()), static_cast<int>(text.size()));
    text.replace(begin_, end - begin_, chosen);
    edit_.setText(text);
    edit_.setCursorPosition(begin_ + static_cast<int>(chosen.size()));
    Q_EMIT edit_.textEdited(text);
}

}  // namespace sanscope
