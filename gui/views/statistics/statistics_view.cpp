// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/statistics_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int row_number = Qt::UserRole + 1;
constexpr int rest_ms = 80;  // statistics are asked for once the range is at rest so long

// Sorted by what it stands for, not by how that is written.
class Item : public QTableWidgetItem {
  public:
    Item(const StatisticsTable::Cell& cell, int row) : QTableWidgetItem(cell.text), value_(cell.value) {
        setData(row_number, row);
        setTextAlignment(Qt::AlignVCenter | (value_ ? Qt::AlignRight : Qt::AlignLeft));
        if (!cell.stands_out) return;
        QFont bold = font();
        bold.setBold(true);
        setFont(bold);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        const auto* const one = dynamic_cast<const Item*>(&other);
        if (one == nullptr || !value_ || !one->value_) return QTableWidgetItem::operator<(other);
        return *value_ < *one->value_;
    }

  private:
    std::optional<double> value_;
};

}  // namespace

StatisticsView::StatisticsView(Document& document, QWidget* parent)
    : View(document, parent),
      pages_(new QTabBar(this)),
      of_(new QComboBox(this)),
      table_(new QTableWidget(this)),
      note_(new QLabel(this)),
      debounce_(rest_ms, [this] { ask(); }) {
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
    table_->setAccessibleName(tr("Rows of the statistics"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->verticalHeader()->hide();
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
    for (const auto signal : {&ViewState::units_changed, &ViewState::time_format_changed}) {
        connect(&state(), signal, this, [this] {
            asked_.reset();
            ask();
        });
    }
    connect(&document, &Document::loaded, this, &StatisticsView::ask);
    connect(&document, &Document::grown, this, &StatisticsView::on_grown);
    connect(table_, &QTableWidget::cellActivated, this, &StatisticsView::open_row);
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

void StatisticsView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    ask();
}

// One pass over all rows each time: as often as that is done anyway.
void StatisticsView::on_grown() {
    if (!job_.idle()) return;
    asked_.reset();
    ask();
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
    if (!isVisible() || of_->currentIndex() == 0) return;
    debounce_.look(document().loading(), asked_ && *asked_ == wanted());
}

void StatisticsView::ask() {
    if (!isVisible()) return;
    const Asked wanted = this->wanted();
    if (asked_ && *asked_ == wanted) return;
    asked_ = wanted;
    job_.request(
        [data = document().data(), wanted](const StopFlag& stop) {
            return capture_statistics(data->read(), wanted.page, wanted.scope, stop);
        },
        [this, wanted](StatisticsTable table) {
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
    const bool other_columns = table.columns != shown_.columns;
    shown_ = std::move(table);
    count_picture();
    table_->setSortingEnabled(false);
    table_->clearContents();
    table_->setColumnCount(static_cast<int>(shown_.columns.size()));
    table_->setRowCount(static_cast<int>(shown_.rows.size()));
    table_->setHorizontalHeaderLabels(shown_.columns);
    if (other_columns) table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    for (int column = 0; column < table_->columnCount(); ++column) {
        const bool figures = std::ranges::any_of(shown_.rows, [&](const StatisticsTable::Row& row) {
            return row.cells[static_cast<size_t>(column)].is_figure;
        });
        table_->horizontalHeaderItem(column)->setData(
            Qt::InitialSortOrderRole, static_cast<int>(figures ? Qt::DescendingOrder : Qt::AscendingOrder));
    }
    for (int row = 0; row < table_->rowCount(); ++row) {
        int column = 0;
        for (const StatisticsTable::Cell& cell : shown_.rows[static_cast<size_t>(row)].cells)
            table_->setItem(row, column++, new Item(cell, row));
    }
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    table_->setSortingEnabled(true);
    table_->resizeColumnsToContents();
    shown_of_ = of;
    show_note();
}

void StatisticsView::show_note() {
    QStringList notes{words_for(*shown_of_)};
    if (shown_of_->scope.filter != nullptr) notes << tr("Of what passes the filter.");
    if (!shown_.note.isEmpty()) notes << shown_.note;
    if (shown_.rows.empty()) {
        notes << tr("There is nothing of the kind.");
    } else if (!shown_.filter_table.isEmpty()) {
        notes << tr("A double click on a row filters by it.");
    }
    note_->setText(notes.join(QLatin1Char(' ')));
}

void StatisticsView::open_row(int row) {
    const QTableWidgetItem* const item = table_->item(row, 0);
    if (item == nullptr) return;
    const auto at = static_cast<size_t>(item->data(row_number).toInt());
    if (at >= shown_.rows.size() || shown_.rows[at].filter.isEmpty()) return;
    Q_EMIT filter_wanted(shown_.rows[at].filter, shown_.filter_table);
}

// All of it as it stands, columns with tabs between.
void StatisticsView::copy() const {
    QString text = shown_.columns.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (int row = 0; row < table_->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < table_->columnCount(); ++column) {
            const QTableWidgetItem* const item = table_->item(row, column);
            cells << (item == nullptr ? QString() : item->text());
        }
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    QApplication::clipboard()->setText(text);
}

}  // namespace sanscope
