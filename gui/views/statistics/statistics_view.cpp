// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/statistics_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int rest_ms = 80;  // statistics are asked for once the range is at rest so long

}  // namespace

StatisticsView::StatisticsView(Document& document, QWidget* parent)
    : View(document, parent),
      pages_(new QTabBar(this)),
      of_(new QComboBox(this)),
      model_(new StatisticsModel(this)),
      table_(new QTableView(this)),
      note_(new QLabel(this)),
      debounce_(rest_ms, [this] { ask(); }),
      pace_([this] { ask_anew(); }) {
    pages_->setAccessibleName(tr("Statistics"));
    pages_->setDocumentMode(true);
    pages_->setExpanding(false);
    for (size_t page = 0; page < statistics_pages; ++page)
        pages_->addTab(statistics_page_title(static_cast<StatisticsPage>(page)));
    of_->setAccessibleName(tr("What the statistics are of"));
    of_->addItem(tr("All of the capture"));
    of_->addItem(tr("Selected range"));
    of_->setToolTip(
        tr("Shift+drag in a view of time selects a range; where none is selected, it is the range in sight"));
    table_->setModel(model_);
    table_->setSortingEnabled(true);
    table_->setWordWrap(false);
    table_->setAccessibleName(tr("Rows of the statistics"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setMinimumSectionSize(10);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setAlternatingRowColors(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setWordWrap(true);
    note_->setContentsMargins(8, 2, 8, 2);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* const bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 4, 0);
    bar->addWidget(pages_, 1);
    bar->addWidget(of_);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    column->addWidget(note_);
    setFocusProxy(table_);

    connect(pages_, &QTabBar::currentChanged, this, &StatisticsView::ask);
    connect(of_, &QComboBox::currentIndexChanged, this, &StatisticsView::ask);
    connect(&state(), &ViewState::filter_changed, this, &StatisticsView::ask);
    // Of the range in sight the figures are the same, but they are said to be of the selected one.
    connect(&state(), &ViewState::selected_range_changed, this, [this] {
        if (shown_of_ && *shown_of_ == wanted()) show_note();
    });
    for (const auto signal : {&ViewState::range_changed, &ViewState::selected_range_changed})
        connect(&state(), signal, this, &StatisticsView::on_range_changed);
    for (const auto signal : {&ViewState::units_changed, &ViewState::time_format_changed})
        connect(&state(), signal, this, &StatisticsView::ask_anew);
    connect(&document, &Document::loaded, this, &StatisticsView::ask);
    connect(&document, &Document::grown, this, &StatisticsView::on_grown);
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { open_row(index.row()); });
    auto* const copies = new QShortcut(QKeySequence::Copy, this);
    copies->setContext(Qt::WidgetWithChildrenShortcut);
    connect(copies, &QShortcut::activated, this, &StatisticsView::copy);
}

StatisticsPage StatisticsView::page() const {
    return static_cast<StatisticsPage>(pages_->currentIndex());
}

void StatisticsView::show_page(StatisticsPage page) {
    pages_->setCurrentIndex(static_cast<int>(page));
    ask();
}

void StatisticsView::on_in_sight() {
    ask();
}

void StatisticsView::ask_anew() {
    asked_.reset();
    ask();
}

void StatisticsView::on_grown() {
    if (!in_sight()) return;
    if (document().live()) return pace_.on_growth();
    // One pass over all rows each time: as often as that is done anyway.
    if (job_.idle()) ask_anew();
}

void StatisticsView::limit_to_range(bool limited) {
    of_->setCurrentIndex(limited ? 1 : 0);
}

StatisticsView::Asked StatisticsView::wanted() const {
    Asked wanted{page(), {state().filter(), std::nullopt}, document().data()->complete()};
    if (of_->currentIndex() == 0 || !depends_on_range(wanted.page)) return wanted;
    const TimeRange range = state().selected_range().empty() ? state().range() : state().selected_range();
    if (!range.empty()) wanted.scope.range = range;
    return wanted;
}

void StatisticsView::on_range_changed() {
    // What a recording moves on is asked for as that grows.
    if (!in_sight() || of_->currentIndex() == 0 || document().live()) return;
    debounce_.look(document().loading(), asked_ && *asked_ == wanted());
}

void StatisticsView::ask() {
    if (!in_sight()) return;
    const Asked wanted = this->wanted();
    if (asked_ && *asked_ == wanted) return;
    asked_ = wanted;
    pace_.asked();
    job_.request(
        [data = document().data(), wanted](const StopFlag& stop) {
            return capture_statistics(data->read(), wanted.page, wanted.scope, stop);
        },
        [this, wanted](StatisticsTable table) {
            pace_.answered();
            if (table.complete) show_table(std::move(table), wanted);
        });
}

QString StatisticsView::words_for(const Asked& of) const {
    if (!depends_on_range(of.page))
        return tr("Of all of the capture: what was negotiated holds from the login on.");
    if (!of.scope.range) return tr("Of all of the capture.");
    const QString when =
        tr("%1 from %2")
            .arg(short_duration(of.scope.range->span_ns()),
                 full_time(of.scope.range->begin_ns, document().first_ns(), state().time_format()));
    return *of.scope.range == state().selected_range() ? tr("Of the selected range: %1.").arg(when)
                                                       : tr("Of the range in sight: %1.").arg(when);
}

void StatisticsView::show_table(StatisticsTable table, const Asked& of) {
    const bool other_columns = table.columns != statistics().columns;
    if (other_columns) table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    model_->show(std::move(table));
    count_picture();
    if (other_columns) widths_.clear();
    widen_columns();
    shown_of_ = of;
    show_note();
}

// While a capture grows, a column follows what is written in it, but not back: what is read stays where it is.
void StatisticsView::widen_columns() {
    QFont bold = table_->font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const int beside = beside_text(28);  // margins, and the arrow of the order
    widths_.resize(static_cast<size_t>(model_->columnCount()));
    for (int column = 0; column < model_->columnCount(); ++column) {
        int& width = widths_[static_cast<size_t>(column)];
        const int wanted = metrics.horizontalAdvance(model_->longest_text(column)) + beside;
        if (wanted <= width) continue;
        width = wanted;
        table_->setColumnWidth(column, width);
    }
}

void StatisticsView::show_note() {
    QStringList notes{words_for(*shown_of_)};
    if (shown_of_->scope.filter != nullptr) notes << tr("Of what passes the filter.");
    if (!statistics().note.isEmpty()) notes << statistics().note;
    if (statistics().rows.empty()) {
        notes << tr("There is nothing of the kind.");
    } else if (!statistics().filter_table.isEmpty()) {
        notes << tr("A double click on a row filters by it.");
    }
    note_->setText(notes.join(QLatin1Char(' ')));
}

void StatisticsView::open_row(int row) {
    const QString& filter = model_->row_at(row).filter;
    if (!filter.isEmpty()) Q_EMIT filter_wanted(filter, statistics().filter_table);
}

// All of it as it stands, columns with tabs between.
void StatisticsView::copy() const {
    QString text = statistics().columns.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (int row = 0; row < model_->rowCount(); ++row) {
        QStringList cells;
        for (const StatisticsTable::Cell& cell : model_->row_at(row).cells) cells << cell.text();
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    QApplication::clipboard()->setText(text);
}

}  // namespace sanscope
