// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/collection_view.h"

#include <QDir>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/collection/budget_bar_delegate.h"
#include "gui/document/plain_text.h"
#include "gui/plot/clear_button.h"
#include "gui/plot/plain_label.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

// A file's name is told apart by its end, and by its beginning.
class FileDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideMiddle;
    }
};

}  // namespace

CollectionView::CollectionView(const QString& folder, QWidget* parent)
    : QWidget(parent),
      folder_(QDir(folder).absolutePath()),
      model_(new CollectionModel(this)),
      state_(plain_label(this)),
      bar_(new QProgressBar(this)),
      stop_(new QPushButton(tr("&Stop"), this)),
      filter_(new QLineEdit(this)),
      filter_error_(plain_label(this)),
      table_(new QTableView(this)),
      trend_(new TrendPanels(*model_, this)) {
    setAccessibleName(tr("Captures of a folder"));
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 0);
    layout->addLayout(make_head());
    filter_error_->setAccessibleName(tr("What is wrong with the filter"));
    filter_error_->hide();
    layout->addWidget(filter_error_);
    make_table();
    auto* const parts = new QSplitter(Qt::Vertical, this);
    parts->addWidget(table_);
    parts->addWidget(trend_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    parts->setSizes({600, 400});
    parts->setChildrenCollapsible(false);
    layout->addWidget(parts, 1);
    setFocusProxy(table_);

    connect(trend_, &TrendPanels::selected, this, &CollectionView::select);
    connect(trend_, &TrendPanels::activated, this, &CollectionView::open);
    connect(&reading_, &CollectionReading::read, this, &CollectionView::take);
    connect(&reading_, &CollectionReading::ended, this, [this](const QString& error) {
        error_ = error;
        show_state();
    });
    reading_.start(folder_);
    show_state();
}

CollectionView::~CollectionView() = default;

QString CollectionView::title() const {
    const QString name = QDir(folder_).dirName();
    return name.isEmpty() ? folder_ : name + QLatin1Char('/');
}

QLayout* CollectionView::make_head() {
    auto* const head = new QHBoxLayout;
    state_->setAccessibleName(tr("How much of the folder is read"));
    bar_->setTextVisible(false);
    bar_->setMaximumHeight(14);
    bar_->setMaximumWidth(200);
    bar_->setAccessibleName(tr("How much of the folder is read"));
    stop_->setToolTip(tr("Stop reading; what was read stays"));
    connect(stop_, &QPushButton::clicked, this, &CollectionView::stop);
    filter_->setPlaceholderText(tr("Which captures: commands > 1000 and turnaround_p99 > 10ms"));
    filter_->setAccessibleName(tr("Filter of captures"));
    filter_->setMinimumWidth(360);
    add_clear_button(*filter_);
    connect(filter_, &QLineEdit::textChanged, this, &CollectionView::apply_filter);
    head->addWidget(state_);
    head->addWidget(bar_);
    head->addWidget(stop_);
    head->addStretch(1);
    head->addWidget(filter_, 2);
    return head;
}

void CollectionView::make_table() {
    table_->setModel(model_);
    table_->setAccessibleName(tr("Captures"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideRight);
    table_->setItemDelegateForColumn(CollectionModel::column_named("file"), new FileDelegate(table_));
    table_->setFrameShape(QFrame::NoFrame);
    table_->verticalHeader()->hide();
    const QFontMetrics letters(font());
    table_->verticalHeader()->setDefaultSectionSize(letters.height() + 8);
    for (int column = 0; column < model_->columnCount(); ++column) {
        const QString header = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int for_values = letters.horizontalAdvance(QLatin1Char('0')) * model_->characters(column);
        // The mark of the order has its place beside the header.
        table_->setColumnWidth(column, std::max(for_values, letters.horizontalAdvance(header) + 24) + 12);
        if (CollectionModel::is_bar(column))
            table_->setItemDelegateForColumn(column, new BudgetBarDelegate(table_));
    }
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    table_->installEventFilter(this);
    connect(table_, &QTableView::doubleClicked, this, &CollectionView::open_selected);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { trend_->select(selected()); });
    connect(model_, &QAbstractItemModel::layoutChanged, this, [this] { trend_->refresh(); });
}

void CollectionView::take(std::vector<CaptureRow> rows, qsizetype done, qsizetype all) {
    done_ = done;
    all_ = all;
    model_->append(std::move(rows));
    show_state();
}

QString CollectionView::state() const {
    return state_->text();
}

void CollectionView::show_state() {
    const auto captures = model_->captures();
    size_t unreadable = 0;
    size_t damaged = 0;
    for (size_t i = 0; i < captures; ++i) {
        const CaptureRow& row = model_->capture(i);
        if (row.damage.empty()) continue;
        ++(row.packets == 0 ? unreadable : damaged);
    }
    QString text = all_ > 0 && done_ < all_
                       ? tr("%1 of %2 captures")
                             .arg(grouped(static_cast<uint64_t>(done_)), grouped(static_cast<uint64_t>(all_)))
                       : counted(captures, tr("capture"), tr("captures"));
    if (captures != model_->shown().size()) text += tr(", %1 shown").arg(grouped(model_->shown().size()));
    if (unreadable > 0) text += tr(", %1 not readable").arg(grouped(unreadable));
    if (damaged > 0) text += tr(", %1 damaged").arg(grouped(damaged));
    if (stopped_) {
        text += tr("; stopped");
    } else if (reading()) {
        text += tr("; reading…");
    } else if (!error_.isEmpty()) {
        text += tr("; %1").arg(error_);
    } else if (captures == 0) {
        text = tr("No capture in this folder or below it: none with a name like .pcap or .pcapng");
    }
    state_->setText(text);
    state_->setToolTip(plain_text(folder_));
    bar_->setMaximum(static_cast<int>(all_));
    bar_->setValue(static_cast<int>(done_));
    bar_->setVisible(reading());
    stop_->setVisible(reading());
}

void CollectionView::stop() {
    if (!reading()) return;
    stopped_ = true;
    reading_.stop();
    show_state();
}

void CollectionView::apply_filter() {
    const auto error = model_->set_filter(filter_->text().toStdString());
    filter_error_->setVisible(error.has_value());
    if (error) {
        QPalette colours = palette();
        colours.setColor(QPalette::WindowText, Theme::of(palette()).problem);
        filter_error_->setPalette(colours);
        filter_error_->setText(QString::fromStdString(error->message));
    }
    show_state();
}

std::optional<size_t> CollectionView::selected() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) return std::nullopt;
    return model_->number_of(rows.front().row());
}

void CollectionView::select(size_t number) {
    const int row = model_->row_of(number);
    if (row < 0) return;
    table_->selectRow(row);
    table_->scrollTo(model_->index(row, 0));
}

void CollectionView::open(size_t number) {
    const CaptureRow& row = model_->capture(number);
    const QString file = QFile::decodeName(QByteArray::fromStdString(row.file));
    Q_EMIT capture_wanted(QDir(folder_).absoluteFilePath(file), row.finding_packet);
}

void CollectionView::open_selected() {
    if (const auto number = selected()) open(*number);
}

void CollectionView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) trend_->update();
}

bool CollectionView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            open_selected();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace sanscope
