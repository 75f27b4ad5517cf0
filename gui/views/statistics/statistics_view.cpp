// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/statistics_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QShortcut>
#include <QVBoxLayout>

namespace sanscope {
namespace {

constexpr int row_number = Qt::UserRole + 1;

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
      table_(new QTableWidget(this)),
      note_(new QLabel(this)) {
    pages_->setAccessibleName(tr("Statistics"));
    pages_->setDocumentMode(true);
    pages_->setExpanding(false);
    for (size_t page = 0; page < statistics_pages; ++page)
        pages_->addTab(statistics_page_title(static_cast<StatisticsPage>(page)));
    table_->setAccessibleName(tr("Rows of the statistics"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setAlternatingRowColors(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setContentsMargins(8, 2, 8, 2);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(pages_);
    column->addWidget(table_, 1);
    column->addWidget(note_);
    setFocusProxy(table_);

    connect(pages_, &QTabBar::currentChanged, this, &StatisticsView::ask);
    connect(&state(), &ViewState::filter_changed, this, &StatisticsView::ask);
    connect(&state(), &ViewState::units_changed, this, [this] {
        asked_.reset();
        ask();
    });
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

void StatisticsView::ask() {
    if (!isVisible()) return;
    Asked wanted{page(), state().filter(), document().data()->complete()};
    if (asked_ && *asked_ == wanted) return;
    asked_ = wanted;
    job_.request(
        [data = document().data(), wanted = std::move(wanted)](const StopFlag& stop) {
            return capture_statistics(data->read(), wanted.page, wanted.filter.get(), stop);
        },
        [this](StatisticsTable table) {
            if (table.complete) show_table(std::move(table));
        });
}

void StatisticsView::show_table(StatisticsTable table) {
    const bool other_columns = table.columns != shown_.columns;
    shown_ = std::move(table);
    count_picture();
    table_->setSortingEnabled(false);
    table_->clearContents();
    table_->setColumnCount(static_cast<int>(shown_.columns.size()));
    table_->setRowCount(static_cast<int>(shown_.rows.size()));
    table_->setHorizontalHeaderLabels(shown_.columns);
    if (other_columns) table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    for (int row = 0; row < table_->rowCount(); ++row) {
        int column = 0;
        for (const StatisticsTable::Cell& cell : shown_.rows[static_cast<size_t>(row)].cells)
            table_->setItem(row, column++, new Item(cell, row));
    }
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    table_->setSortingEnabled(true);
    table_->resizeColumnsToContents();
    QString note = shown_.note;
    if (shown_.rows.empty()) note = tr("There is nothing of the kind.");
    if (state().filter() != nullptr)
        note += (note.isEmpty() ? QString() : QStringLiteral(" ")) + tr("Of what passes the filter.");
    if (!shown_.filter_table.isEmpty() && !shown_.rows.empty())
        note +=
            (note.isEmpty() ? QString() : QStringLiteral(" ")) + tr("A double click on a row filters by it.");
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
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
