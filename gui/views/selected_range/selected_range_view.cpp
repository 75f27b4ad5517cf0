// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/selected_range/selected_range_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

enum Column { name_column, shown_column, kept_column, change_column, columns };

constexpr int rest_ms = 80;  // figures are asked for once the range is at rest so long

}  // namespace

SelectedRangeView::SelectedRangeView(Document& document, QWidget* parent)
    : View(document, parent),
      chooser_(new ConnectionChooser(document, ConnectionChooser::Offers::scopes, this)),
      title_(new QLabel(this)),
      keep_(new QPushButton(tr("&Compare with this"), this)),
      forget_(new QPushButton(tr("Compare no &more"), this)),
      table_(new QTableWidget(0, columns, this)),
      debounce_(rest_ms, [this] { ask(); }),
      pace_([this] { ask(); }) {
    title_->setTextFormat(Qt::PlainText);
    title_->setWordWrap(true);
    title_->setContentsMargins(8, 0, 8, 0);
    keep_->setToolTip(tr("Keeps these figures; those of the range looked at next stand beside them"));
    table_->setAccessibleName(tr("Figures of a range of time"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    auto* const bar = new QHBoxLayout;
    bar->setContentsMargins(4, 4, 4, 0);
    bar->addWidget(chooser_);
    bar->addStretch();
    bar->addWidget(keep_);
    bar->addWidget(forget_);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(bar);
    column->addWidget(title_);
    column->addWidget(table_, 1);

    connect(keep_, &QPushButton::clicked, this, &SelectedRangeView::keep);
    connect(forget_, &QPushButton::clicked, this, &SelectedRangeView::forget);
    connect(chooser_, &ConnectionChooser::scope_changed, this, &SelectedRangeView::look);
    for (const auto signal :
         {&ViewState::range_changed, &ViewState::selected_range_changed, &ViewState::filter_changed})
        connect(&state(), signal, this, &SelectedRangeView::look);
    // Figures that stay may have become those of the range in sight.
    connect(&state(), &ViewState::selected_range_changed, this, [this] {
        if (shown_ && shown_->question == question()) show_figures();
    });
    connect(&state(), &ViewState::time_format_changed, this, &SelectedRangeView::show_figures);
    connect(&state(), &ViewState::units_changed, this, &SelectedRangeView::show_figures);
    connect(&document, &Document::grown, this, &SelectedRangeView::look);
    connect(&document, &Document::loaded, this, [this] {
        asked_.reset();
        look();
    });
    auto* const copies = new QShortcut(QKeySequence::Copy, this);
    copies->setContext(Qt::WidgetWithChildrenShortcut);
    connect(copies, &QShortcut::activated, this, &SelectedRangeView::copy);
    show_figures();
    look();
}

bool SelectedRangeView::settled() const {
    return job_.idle() && !debounce_.waiting() && !pace_.waiting() && chooser_->settled();
}

RangeQuestion SelectedRangeView::question() const {
    RangeQuestion question;
    question.range = state().selected_range().empty() ? state().range() : state().selected_range();
    question.scope = chooser_->scope();
    question.filter = state().filter();
    return question;
}

void SelectedRangeView::on_in_sight() {
    look();
}

void SelectedRangeView::look() {
    if (!in_sight()) return;
    if (document().live()) return pace_.on_growth();
    const bool asked = asked_ && *asked_ == question() && !document().loading();
    debounce_.look(document().loading(), asked);
}

void SelectedRangeView::ask() {
    if (question().range.empty()) return;
    asked_ = question();
    pace_.asked();
    job_.request([data = document().data(), question = *asked_](
                     const StopFlag& stop) { return range_figures(data->read(), question, stop); },
                 [this](RangeFigures figures) {
                     pace_.answered();
                     if (!figures.complete) return;
                     shown_ = std::move(figures);
                     count_picture();
                     show_figures();
                 });
}

void SelectedRangeView::keep() {
    if (!shown_) return;
    kept_ = shown_;
    show_figures();
}

void SelectedRangeView::forget() {
    kept_.reset();
    show_figures();
}

QString SelectedRangeView::words_for(const RangeQuestion& of) const {
    return tr("%1 from %2")
        .arg(short_duration(of.range.span_ns()),
             full_time(of.range.begin_ns, document().first_ns(), state().time_format()));
}

void SelectedRangeView::show_figures() {
    keep_->setEnabled(shown_.has_value());
    forget_->setVisible(kept_.has_value());
    if (!shown_) return title_->setText(tr("Shift+drag in a view of time selects a range."));
    const bool selected = shown_->question.range == state().selected_range();
    QString title =
        (selected ? tr("Selected range: %1.") : tr("Range in sight: %1. Shift+drag selects a range."))
            .arg(words_for(shown_->question));
    if (shown_->question.filter != nullptr) title += tr(" Of what passes the filter.");
    if (kept_) title += tr("\nBeside it: %1.").arg(words_for(kept_->question));
    if (kept_ && kept_->question.scope != shown_->question.scope) title += tr(" It is of other connections.");
    if (kept_ && kept_->question.filter != shown_->question.filter) {
        title += kept_->question.filter == nullptr ? tr(" It is of all rows, whatever the filter.")
                                                   : tr(" It is of what passed another filter.");
    }
    title_->setText(title);
    rows_ = range_rows(*shown_, kept_ ? &*kept_ : nullptr);
    table_->setRowCount(static_cast<int>(rows_.size()));
    table_->setHorizontalHeaderLabels(
        {QString(), selected ? tr("selected") : tr("in sight"), tr("compared with"), tr("change")});
    table_->horizontalHeaderItem(name_column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    int at = 0;
    for (const RangeRow& row : rows_) {
        const auto put = [&](Column column, const QString& text) {
            auto* const item = new QTableWidgetItem(text);
            item->setTextAlignment(Qt::AlignVCenter |
                                   (column == name_column ? Qt::AlignLeft : Qt::AlignRight));
            item->setToolTip(row.tip);
            if (row.heading) {
                QFont bold = item->font();
                bold.setBold(true);
                item->setFont(bold);
            }
            table_->setItem(at, column, item);
        };
        put(name_column, row.name);
        put(shown_column, row.shown);
        put(kept_column, row.kept);
        put(change_column, row.change);
        ++at;
    }
    table_->setColumnHidden(kept_column, !kept_);
    table_->setColumnHidden(change_column, !kept_);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    table_->resizeColumnsToContents();
}

// As columns with tabs between, as spreadsheets take them.
void SelectedRangeView::copy() const {
    QString text;
    for (const RangeRow& row : rows_) {
        QStringList cells{row.name, row.shown};
        if (kept_) cells << row.kept << row.change;
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    QApplication::clipboard()->setText(text);
}

}  // namespace sanscope
