// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/rows_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QScrollBar>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <optional>

#include "gui/document/filter_result.h"
#include "gui/models/empty_table.h"
#include "gui/views/tables/commands_behind_loss.h"
#include "gui/views/tables/find_bar.h"
#include "gui/views/tables/row_delegate.h"

#include "analyzer/query/row_order.h"
#include "analyzer/tables/packets_table.h"

namespace sanscope {
namespace {

constexpr auto delta_key = "tables/delta_of_shown";

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::vector<uint32_t> rows_passing(const FilterResult& filter, const TableKind& kind, const Table& table,
                                   int packet_column, const StopFlag& stop) {
    std::vector<uint32_t> rows;
    if (kind.linked != nullptr) {
        (filter.rows.*kind.linked).append_rows(rows);
        std::erase_if(rows, [&](uint32_t row) { return row >= table.rows(); });
        return rows;
    }
    // Events at packets.
    Cell cell;
    for (size_t row = 0; row < table.rows() && !((row & 0xfff) == 0 && stop); ++row) {
        table.cell(row, static_cast<size_t>(packet_column), cell);
        if (cell.kind == Cell::Kind::unsigned_integer &&
            filter.rows.packets.test(cell.unsigned_integer - 1)) {
            rows.push_back(static_cast<uint32_t>(row));
        }
    }
    return rows;
}

}  // namespace

RowsView::RowsView(Document& document, std::string_view table, QWidget* parent)
    : RowsView(document, access_table(document.data(), table), parent) {}

RowsView::RowsView(Document& document, std::shared_ptr<const TableAccess> access, QWidget* parent)
    : View(document, parent),
      access_(std::move(access)),
      kind_(find_table_kind(access_->name())),
      model_(new TableModel(access_, this)),
      table_(new UniformRowsTable(this)),
      why_empty_(new QLabel(this)),
      status_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      export_button_(new QToolButton(this)),
      export_(new CsvExport(this)) {
    if (const auto column = find_column(access_->columns(), "packet"))
        packet_column_ = static_cast<int>(*column);
    make_widgets();
    set_up_header();
    apply_theme();

    connect(model_, &TableModel::fetched, this, [this] {
        count_picture();
        // Now that they can be painted.
        if (follows_end()) table_->scrollToBottom();
    });
    connect(&document, &Document::grown, this, &RowsView::count_rows);
    connect(&document, &Document::loaded, this, [this] {
        arranged_ = false;
        count_rows();
        model_->refresh();
        highlight_selected();
    });
    connect(&state(), &ViewState::filter_changed, this, [this] {
        waited_job_.cancel();
        arranged_ = false;
        arrange();
    });
    connect(&state(), &ViewState::selection_changed, this, &RowsView::follow_selection);
    connect(&state(), &ViewState::selected_things_changed, this, [this] {
        highlight_selected();
        follow_selection();
    });
    connect(&state(), &ViewState::time_format_changed, this, [this] {
        model_->set_time(time_reference());
        // Dates take more room than seconds do.
        for (int column = 0; column < model_->columnCount(); ++column) {
            if (model_->format(column).shows_moments()) fit_column(column);
        }
    });
    connect(&state(), &ViewState::whole_changed, this, [this] { model_->set_time(time_reference()); });
    connect(export_, &CsvExport::progress, progress_, &QProgressBar::setValue);
    connect(export_, &CsvExport::finished, this, [this](bool written, const QString& error) {
        if (!written) message_ = error.isEmpty() ? tr("Export cancelled") : tr("Not exported: %1").arg(error);
        show_status();
        this->document().writings().end(export_path_, written);
        Q_EMIT exported(written);
    });
    model_->set_time(time_reference());
    show_status();
}

RowsView::~RowsView() = default;

void RowsView::make_widgets() {
    setAccessibleName(tr("Table of %1").arg(noun_for(0)));
    table_->setModel(model_);
    auto* const delegate = new RowDelegate(*model_, table_);
    table_->setItemDelegate(delegate);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setAlternatingRowColors(true);
    table_->setTabKeyNavigation(false);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setAccessibleName(tr("Table of %1").arg(noun_for(0)));
    table_->set_row_height(fontMetrics().height() + 4);
    table_->installEventFilter(this);
    why_empty_->setTextFormat(Qt::PlainText);
    why_empty_->setWordWrap(true);
    why_empty_->setAlignment(Qt::AlignCenter);
    why_empty_->setContentsMargins(24, 8, 24, 8);
    why_empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
    why_empty_->setObjectName(QStringLiteral("why-empty"));
    why_empty_->hide();

    progress_->setMaximumWidth(160);
    progress_->setMaximumHeight(fontMetrics().height());
    progress_->setAccessibleName(tr("Progress"));
    cancel_->setText(tr("Cancel"));
    cancel_->setAutoRaise(true);
    export_button_->setText(tr("Export CSV…"));
    export_button_->setToolTip(tr("Write the rows shown, in this order and with all columns, to a CSV file"));
    export_button_->setAutoRaise(true);
    status_->setTextFormat(Qt::PlainText);

    auto* const bar = new QHBoxLayout;
    bar->setContentsMargins(6, 1, 2, 1);
    bar->addWidget(status_, 1);
    bar->addWidget(progress_);
    bar->addWidget(cancel_);
    bar->addWidget(export_button_);
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* const rows_or_reason = new QGridLayout;
    rows_or_reason->addWidget(table_, 0, 0);
    rows_or_reason->addWidget(why_empty_, 0, 0);
    layout->addLayout(rows_or_reason, 1);
    if (kind_ != nullptr && kind_->name == packets_table_name) {
        find_bar_ = new FindBar(document(), access_, *model_, *table_, this);
        layout->addWidget(find_bar_);
    }
    layout->addLayout(bar);
    setFocusProxy(table_);

    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) { on_current_changed(current); });
    // A row that stands there for something else that is selected becomes what is selected.
    connect(table_, &QTableView::clicked, this,
            [this](const QModelIndex& index) { on_current_changed(index); });
    connect(table_, &QTableView::doubleClicked, &document(), &Document::frame_when_resolved);
    connect(table_, &QWidget::customContextMenuRequested, this, &RowsView::show_row_menu);
    connect(cancel_, &QToolButton::clicked, this, [this] {
        if (export_->running()) return export_->cancel();
        table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    });
    connect(export_button_, &QToolButton::clicked, this, &RowsView::ask_for_export);
}

void RowsView::set_up_header() {
    QHeaderView* const header = table_->horizontalHeader();
    header->setSectionsMovable(true);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicatorClearable(true);
    if (kind_ != nullptr && !kind_->sorted_by.empty()) {
        if (const auto column = find_column(access_->columns(), kind_->sorted_by))
            sort_column_ = static_cast<int>(*column);
    }
    header->setSortIndicator(sort_column_, Qt::AscendingOrder);
    header->setHighlightSections(false);
    // Numbers far from all others would be hard to read.
    header->setStretchLastSection(access_->name() == packets_table_name);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    for (int column = 0; column < model_->columnCount(); ++column) fit_column(column);
    if (kind_ != nullptr && !kind_->columns.empty()) arrange_columns(kind_->columns);
    restore_columns();
    if (model_->delta_column() >= 0)
        model_->set_delta_of_shown(QSettings().value(QLatin1String(delta_key)).toBool());
    connect(header, &QHeaderView::sortIndicatorChanged, this,
            [this](int column, Qt::SortOrder order) { sort(column, order); });
    connect(header, &QHeaderView::sectionResized, this, [this] { remember_columns(); });
    connect(header, &QHeaderView::sectionMoved, this, [this] { remember_columns(); });
    connect(header, &QWidget::customContextMenuRequested, this, &RowsView::show_header_menu);
}

void RowsView::arrange_columns(std::span<const std::string_view> names) {
    QHeaderView* const header = table_->horizontalHeader();
    for (int column = 0; column < model_->columnCount(); ++column) header->hideSection(column);
    int place = 0;
    for (const std::string_view name : names) {
        const auto column = find_column(access_->columns(), name);
        if (!column) continue;
        const int logical = static_cast<int>(*column);
        header->showSection(logical);
        header->moveSection(header->visualIndex(logical), place++);
    }
}

void RowsView::restore_columns() {
    const QSettings settings;
    const QByteArray kept =
        settings.value(QStringLiteral("tables/%1").arg(from_utf8(access_->name()))).toByteArray();
    if (kept.isEmpty() ||
        settings.value(QStringLiteral("tables/%1-columns").arg(from_utf8(access_->name()))).toInt() !=
            model_->columnCount())
        return;
    table_->horizontalHeader()->restoreState(kept);
    table_->horizontalHeader()->setSortIndicator(sort_column_, Qt::AscendingOrder);
}

void RowsView::show_columns(std::span<const std::string_view> names) {
    arrange_columns(names);
    restore_columns();
}

void RowsView::fit_column(int column) {
    const int sort_arrow = beside_text(16);
    const QFontMetrics metrics(table_->font());
    const ColumnFormat& format = model_->format(column);
    const int wide = metrics.horizontalAdvance(QLatin1Char('0')) * format.characters(time_reference().format);
    const int extra = static_cast<const RowDelegate*>(table_->itemDelegate())->extra_width(column);
    table_->horizontalHeader()->resizeSection(
        column, std::max(wide + extra, metrics.horizontalAdvance(format.title()) + sort_arrow) +
                    2 * RowDelegate::margin());
}

void RowsView::remember_columns() const {
    // Of a view that was never seen, sizes are not of the user's choosing.
    if (!in_sight()) return;
    QSettings settings;
    settings.setValue(QStringLiteral("tables/%1").arg(from_utf8(access_->name())),
                      table_->horizontalHeader()->saveState());
    settings.setValue(QStringLiteral("tables/%1-columns").arg(from_utf8(access_->name())),
                      model_->columnCount());
}

void RowsView::set_delta_of_shown(bool of_shown) {
    model_->set_delta_of_shown(of_shown);
    QSettings().setValue(QLatin1String(delta_key), of_shown);
}

bool RowsView::set_time_reference(PacketNumber packet) {
    const Table* const table = access_->final_table();
    const auto column = find_column(access_->columns(), "time_ns");
    if (packet != 0) {
        if (table == nullptr || !column || packet > table->rows()) return false;
        Cell cell;
        table->cell(packet - 1, *column, cell);
        if (cell.kind != Cell::Kind::integer) return false;
        reference_ns_ = cell.integer;
    }
    reference_packet_ = packet;
    model_->set_reference_row(packet == 0 ? std::nullopt : std::optional(static_cast<uint32_t>(packet - 1)));
    model_->set_time(time_reference());
    if (column) fit_column(static_cast<int>(*column));
    return true;
}

TimeReference RowsView::time_reference() const {
    if (reference_packet_ != 0) return {reference_ns_, TimeFormat::relative};
    return {document().first_ns(), state().time_format()};
}

void RowsView::apply_theme() {
    const Theme& theme = Theme::of(palette());
    model_->set_theme(theme);
    model_->set_colors(theme.dark ? colors_.dark : colors_.light);
    prepare_colors();
}

void RowsView::set_colors(ThemedRowColors colors) {
    colors_ = std::move(colors);
    apply_theme();
}

// Of what is in sight now, so that it is painted once.
void RowsView::prepare_colors() {
    if (!in_sight()) return;
    model_->prepare_colors(std::max(0, table_->rowAt(0)),
                           (table_->viewport()->height() / table_->row_height()) + 2);
}

void RowsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && table_ != nullptr) apply_theme();
}

void RowsView::on_in_sight() {
    if (stale_) {
        count_rows();
    } else {
        follow_selection();
    }
}

bool RowsView::settled() const {
    return stale_ ? !in_sight()
                  : count_.idle() && arrange_.idle() && (arranged_ || document().loading()) &&
                        !model_->fetching() && !export_->running() && waited_job_.idle();
}

void RowsView::count_rows() {
    if (!in_sight()) {
        stale_ = true;
        return;
    }
    stale_ = false;
    count_.request(
        [access = access_](const StopFlag&) {
            size_t rows = 0;
            access->read([&](const Table& table) { rows = table.rows(); });
            return rows;
        },
        [this](size_t rows) {
            total_ = rows;
            if (access_->final_table() != nullptr && !arranged_) {
                arrange();
            } else if (access_->final_table() == nullptr) {
                show_growth(rows);
            }
            follow_selection();
            show_status();
        });
}

void RowsView::show_growth(size_t rows) {
    model_->show_all(rows);
    if (follows_end()) {
        model_->fetch_end((table_->viewport()->height() / table_->row_height()) + 1);
    } else {
        model_->refresh();
    }
}

// As long as the user follows the end, its rows are in sight; those of few connections and sessions stay where they are.
bool RowsView::follows_end() const {
    return kind_ != nullptr && kind_->ordered_by_time && document().live() && state().following();
}

void RowsView::sort(int column, Qt::SortOrder order) {
    if (column == sort_column_ && order == sort_order_) return;
    sort_column_ = column;
    sort_order_ = order;
    QHeaderView* const header = table_->horizontalHeader();
    if (header->sortIndicatorSection() != column || header->sortIndicatorOrder() != order) {
        const QSignalBlocker blocker(header);
        header->setSortIndicator(column, order);
    }
    arranged_ = false;
    to_top_ = true;
    arrange();
}

void RowsView::show_greatest(std::string_view column) {
    const auto found = find_column(access_->columns(), column);
    if (!found) return;
    const int logical = static_cast<int>(*found);
    QHeaderView* const header = table_->horizontalHeader();
    if (header->isSectionHidden(logical)) {
        // Beside what tells the commands apart, not at the far end of the table.
        constexpr int place = 1;
        header->showSection(logical);
        header->moveSection(header->visualIndex(logical), place);
    }
    sort(logical, Qt::DescendingOrder);
    table_->scrollToTop();
    // Whatever is in front of it: the column is what was asked for.
    table_->horizontalScrollBar()->setValue(
        std::max(0, header->sectionPosition(logical) + header->sectionSize(logical) -
                        std::max(header->sectionSize(logical), table_->viewport()->width())));
}

// Filter and order, behind the GUI thread; the rows before stand until then.
void RowsView::arrange() {
    if (!in_sight()) {
        stale_ = true;
        return;
    }
    model_->set_busy_column(sort_column_);
    const Table* const table = access_->final_table();
    if (table == nullptr) return show_status();
    const auto filter = kind_ != nullptr ? state().filter() : nullptr;
    arrange_.request(
        [access = access_, table, filter, kind = kind_, packet_column = packet_column_, column = sort_column_,
         descending = sort_order_ == Qt::DescendingOrder](const StopFlag& stop) {
            Arranged arranged;
            arranged.total = table->rows();
            if (filter == nullptr && column < 0) {
                arranged.done = true;
                return arranged;
            }
            std::vector<uint32_t> rows;
            if (filter != nullptr) {
                rows = rows_passing(*filter, *kind, *table, packet_column, stop);
            } else {
                rows.resize(table->rows());
                std::iota(rows.begin(), rows.end(), 0u);
            }
            arranged.done =
                column < 0 || order_rows(*table, static_cast<size_t>(column), descending, rows, &stop);
            arranged.ascending = column < 0 || std::ranges::is_sorted(rows);
            arranged.rows = std::make_shared<const std::vector<uint32_t>>(std::move(rows));
            return arranged;
        },
        [this](const Arranged& arranged) {
            if (arranged.done) show_arranged(arranged);
        });
    show_status();
}

void RowsView::show_arranged(const Arranged& arranged) {
    arranged_ = true;
    total_ = arranged.total;
    model_->set_busy_column(-1);
    const bool before = std::exchange(selecting_, true);
    if (arranged.rows) {
        model_->show(arranged.rows, arranged.ascending);
    } else {
        model_->show_all(arranged.total);
    }
    selecting_ = before;
    follow_selection();
    if (std::exchange(to_top_, false)) table_->scrollToTop();
    prepare_colors();
    show_status();
}

// The row, as it is shown, of what is selected; -1: none is here.
int RowsView::row_of_selection() const {
    if (kind_ == nullptr) return -1;
    const Selection& selection = state().selection();
    const Selection::Kind kind = kind_->selection;
    if (kind != Selection::Kind::none && selection.kind == kind) {
        return selection.number == 0 ? -1 : model_->position_of(static_cast<uint32_t>(selection.number - 1));
    }
    const SelectedThings& things = state().selected();
    if (things.selection != selection) return -1;
    if (kind_->at_packets) return first_at_selected_packets();
    const uint64_t number = things.first(kind);
    return number == 0 ? -1 : model_->position_of(static_cast<uint32_t>(number - 1));
}

// Of a table of events, the first row at one of the selected packets; -1: none.
int RowsView::first_at_selected_packets() const {
    const Table* const table = access_->final_table();
    const std::vector<uint32_t>& packets = state().selected().packets;
    if (table == nullptr || packet_column_ < 0 || packets.empty()) return -1;
    auto packet_of = [&, cell = Cell{}](int row) mutable {
        table->cell(model_->table_row(row), static_cast<size_t>(packet_column_), cell);
        return cell.kind == Cell::Kind::unsigned_integer ? cell.unsigned_integer : 0;
    };
    // That which was chosen here stays, though there may be others before it.
    const int current = table_->currentIndex().row();
    if (current >= 0 && std::ranges::binary_search(packets, static_cast<uint32_t>(packet_of(current))))
        return current;
    const bool by_packet = sort_column_ < 0;
    int low = 0;
    int high = by_packet ? model_->rowCount() : 0;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (packet_of(middle) < packets.front()) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    constexpr int most_looked_at = 10'000;
    const int end = std::min(model_->rowCount(), low + most_looked_at);
    for (int row = low; row < end; ++row) {
        const uint64_t packet = packet_of(row);
        if (by_packet && packet > packets.back()) break;
        if (std::ranges::binary_search(packets, static_cast<uint32_t>(packet))) return row;
    }
    return -1;
}

void RowsView::follow_selection() {
    if (selecting_ || !in_sight()) return;
    const int row = row_of_selection();
    if (row >= 0) return select_row(row);
    // What is selected has no row here; nothing shall look as if it had.
    const bool known = state().selected().selection == state().selection();
    if (known && table_->selectionModel()->hasSelection()) {
        const bool before = std::exchange(selecting_, true);
        table_->selectionModel()->clear();
        selecting_ = before;
    }
}

void RowsView::select_row(int row) {
    const QModelIndex now = table_->currentIndex();
    if (now.isValid() && now.row() == row && table_->selectionModel()->isRowSelected(row)) return;
    const bool before = std::exchange(selecting_, true);
    int column = now.isValid() ? now.column() : table_->horizontalHeader()->logicalIndex(0);
    if (table_->isColumnHidden(column)) column = table_->horizontalHeader()->logicalIndex(0);
    const QModelIndex index = model_->index(row, column);
    table_->selectionModel()->setCurrentIndex(
        index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    const int across = table_->horizontalScrollBar()->value();
    table_->scrollTo(index, QAbstractItemView::EnsureVisible);
    table_->horizontalScrollBar()->setValue(across);
    selecting_ = before;
}

void RowsView::on_current_changed(const QModelIndex& current) {
    if (selecting_ || !current.isValid() || kind_ == nullptr) return;
    Selection selection{kind_->selection, uint64_t{model_->table_row(current.row())} + 1};
    if (kind_->selection == Selection::Kind::none) {
        Cell cell;
        if (packet_column_ < 0 || !model_->cell(current.row(), packet_column_, cell)) return;
        if (cell.kind != Cell::Kind::unsigned_integer) return;
        selection = {Selection::Kind::packet, cell.unsigned_integer};
    }
    const bool before = std::exchange(selecting_, true);
    state().select(selection);
    selecting_ = before;
}

// All rows that belong to what is selected, in whichever view.
void RowsView::highlight_selected() {
    if (kind_ == nullptr) return;
    auto things = std::make_shared<const SelectedThings>(state().selected());
    if (!things->selection) return model_->set_highlighted(nullptr);
    if (!kind_->at_packets) {
        return model_->set_highlighted([things, kind = kind_->selection](const Table&, uint32_t row) {
            return things->includes(kind, uint64_t{row} + 1);
        });
    }
    model_->set_highlighted([things, column = packet_column_](const Table& table, uint32_t row) {
        if (column < 0) return false;
        Cell cell;
        table.cell(row, static_cast<size_t>(column), cell);
        return cell.kind == Cell::Kind::unsigned_integer &&
               things->includes(Selection::Kind::packet, cell.unsigned_integer);
    });
}

// What so many of its rows are called; without a number, the table as a whole.
QString RowsView::noun_for(uint64_t count) const {
    if (kind_ != nullptr) return kind_->noun_for(count);
    return count == 1 ? tr("row") : tr("rows");
}

QString RowsView::table_name() const {
    return from_utf8(access_->name());
}

QString RowsView::status_text() const {
    return status_->text();
}

void RowsView::show_status() {
    const bool exporting = export_->running();
    const bool arranging = !arrange_.idle();
    const auto shown = static_cast<uint64_t>(model_->rowCount());
    QString text;
    if (exporting) {
        text = tr("Exporting %1 %2").arg(grouped(shown), noun_for(shown));
    } else if (!message_.isEmpty()) {
        text = std::exchange(message_, {});
    } else {
        const QString rows = noun_for(total_);
        text = shown == total_ || document().loading()
                   ? QStringLiteral("%1 %2").arg(grouped(total_), rows)
                   : tr("%1 of %2 %3").arg(grouped(shown), grouped(total_), rows);
        if (shown == TableModel::most_rows && total_ > shown) text += tr(" (more cannot be listed)");
        const bool asked = sort_column_ >= 0 || state().filter() != nullptr;
        if (document().loading()) {
            const QString what = document().live() ? tr("recording") : tr("loading");
            text +=
                asked ? tr(" — %1; sorted and filtered once all is there").arg(what) : tr(" — %1").arg(what);
        } else if (arranging && sort_column_ >= 0) {
            text += tr(" — sorting by %1").arg(model_->format(sort_column_).title());
        } else if (arranging) {
            text += tr(" — filtering");
        } else if (sort_column_ >= 0) {
            text += sort_order_ == Qt::AscendingOrder
                        ? tr(" — by %1, smallest first").arg(model_->format(sort_column_).title())
                        : tr(" — by %1, greatest first").arg(model_->format(sort_column_).title());
        }
    }
    status_->setText(text);
    show_why_empty();
    progress_->setVisible(exporting || (arranging && sort_column_ >= 0));
    progress_->setRange(0, exporting ? 100 : 0);
    cancel_->setVisible(progress_->isVisibleTo(this));
    export_button_->setEnabled(!exporting && access_->final_table() != nullptr);
}

void RowsView::show_why_empty() {
    QString why;
    if (arranged_ && !document().loading() && model_->rowCount() == 0) {
        if (total_ == 1) {
            why = tr("The only %1 does not pass the filter.").arg(noun_for(1));
        } else if (total_ > 0) {
            why = tr("None of the %1 %2 passes the filter.").arg(grouped(total_), noun_for(total_));
        } else if (const auto reading = document().data()->try_read(); kind_ != nullptr && reading) {
            why = sanscope::why_empty(*kind_, *reading);
        }
    }
    why_empty_->setText(why);
    why_empty_->setVisible(!why.isEmpty());
}

bool RowsView::copy_selection() {
    constexpr int most = 200'000;
    const QItemSelection selection = table_->selectionModel()->selection();
    std::vector<std::pair<int, int>> ranges;
    int64_t rows = 0;
    for (const QItemSelectionRange& range : selection) {
        ranges.emplace_back(range.top(), range.bottom());
        rows += range.height();
    }
    if (rows == 0) return false;
    if (rows > most) {
        message_ = tr("At most %1 rows can be copied; export them instead").arg(grouped(most));
        show_status();
        return false;
    }
    std::ranges::sort(ranges);
    const QHeaderView* const header = table_->horizontalHeader();
    std::vector<int> columns;
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        if (!header->isSectionHidden(column)) columns.push_back(column);
    }
    QString text;
    const auto add_line = [&](const auto& field) {
        for (size_t i = 0; i < columns.size(); ++i) {
            if (i > 0) text += QLatin1Char('\t');
            text += field(columns[i]).replace(QLatin1Char('\t'), QLatin1Char(' '));
        }
        text += QLatin1Char('\n');
    };
    add_line([&](int column) { return model_->format(column).title(); });
    for (const auto& [top, bottom] : ranges) {
        for (int row = top; row <= bottom; ++row) {
            add_line([&](int column) { return model_->text(row, column); });
        }
    }
    QApplication::clipboard()->setText(text);
    message_ =
        tr("%1 %2 copied").arg(grouped(static_cast<uint64_t>(rows)), rows == 1 ? tr("row") : tr("rows"));
    show_status();
    return true;
}

void RowsView::ask_for_export() {
    const QString proposed =
        QFileInfo(document().path())
            .dir()
            .filePath(QStringLiteral("%1.%2.csv")
                          .arg(QFileInfo(document().path()).completeBaseName(), from_utf8(access_->name())));
    const QString path = QFileDialog::getSaveFileName(this, tr("Export rows"), proposed,
                                                      tr("Comma-separated values (*.csv);;All files (*)"));
    if (!path.isEmpty()) export_csv(path);
}

void RowsView::export_csv(const QString& path) {
    if (export_->running() || access_->final_table() == nullptr) return;
    message_.clear();
    export_path_ = path;
    document().writings().begin(path);
    export_->start(access_, model_->shown(), path, document().path());
    show_status();
}

bool RowsView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_ && event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Copy)) {
            copy_selection();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            document().frame_when_resolved();
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

void RowsView::show_header_menu(QPoint at) {
    QHeaderView* const header = table_->horizontalHeader();
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    int shown = 0;
    for (int column = 0; column < header->count(); ++column) shown += header->isSectionHidden(column) ? 0 : 1;
    for (int column = 0; column < header->count(); ++column) {
        QAction* const action = menu->addAction(model_->format(column).title());
        action->setToolTip(model_->format(column).tooltip());
        action->setCheckable(true);
        action->setChecked(!header->isSectionHidden(column));
        action->setEnabled(shown > 1 || header->isSectionHidden(column));
        connect(action, &QAction::toggled, this, [this, header, column](bool on) {
            header->setSectionHidden(column, !on);
            remember_columns();
        });
    }
    if (model_->delta_column() >= 0) {
        menu->addSeparator();
        QAction* const of_shown = menu->addAction(tr("Time since the row above, not the packet before"), this,
                                                  &RowsView::set_delta_of_shown);
        of_shown->setCheckable(true);
        of_shown->setChecked(model_->delta_of_shown());
    }
    menu->popup(header->mapToGlobal(at));
}

// Of a row that is shown; 0: it has none, or is not at hand.
uint32_t RowsView::connection_of(int row) const {
    const auto column = find_column(access_->columns(), "connection");
    Cell cell;
    if (!column || !model_->cell(row, static_cast<int>(*column), cell) ||
        cell.kind != Cell::Kind::unsigned_integer)
        return 0;
    return static_cast<uint32_t>(cell.unsigned_integer);
}

bool RowsView::is_loss_waited_for(int row) const {
    if (kind_ == nullptr || kind_->selection != Selection::Kind::loss || !document().has_loaded())
        return false;
    const auto reading = document().data()->try_read();
    const size_t loss = model_->table_row(row);
    return reading && loss < reading->store().losses().size() &&
           keeps_waiting(reading->store(), reading->store().losses()[loss]);
}

void RowsView::show_waiting_commands(uint64_t loss) {
    waited_job_.request([data = document().data(), loss](
                            const StopFlag& stop) { return commands_behind_loss(data->read(), loss, stop); },
                        [this](const std::vector<uint64_t>& commands) { show_commands(commands); });
}

void RowsView::show_commands(const std::vector<uint64_t>& commands) {
    if (commands.empty()) message_ = tr("No command is known to have waited for this loss");
    show_status();
    if (commands.empty()) return;
    Q_EMIT rows_wanted(filter_for_commands(commands), QStringLiteral("commands"));
    if (commands.size() > most_commands_in_filter) {
        Q_EMIT told(tr("The first %1 of %2 commands are shown")
                        .arg(grouped(most_commands_in_filter), grouped(commands.size())));
    }
}

void RowsView::show_row_menu(QPoint at) {
    const QModelIndex index = table_->indexAt(at);
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* const copy = menu->addAction(tr("Copy rows"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setEnabled(table_->selectionModel()->hasSelection());
    connect(copy, &QAction::triggered, this, [this] { copy_selection(); });
    Cell cell;
    if (index.isValid() && model_->cell(index.row(), index.column(), cell)) {
        // What depends on the rows around it is no condition.
        const bool filterable = !(model_->delta_of_shown() && index.column() == model_->delta_column());
        const QString text = model_->text(index.row(), index.column());
        QAction* const copy_value = menu->addAction(tr("Copy value"));
        connect(copy_value, &QAction::triggered, this, [text] { QApplication::clipboard()->setText(text); });
        const QString name = from_utf8(access_->columns()[static_cast<size_t>(index.column())].name);
        const QString literal = model_->format(index.column()).literal(cell);
        menu->addSeparator();
        const auto add_filter = [&](const QString& expression) {
            if (!filterable) return;
            QAction* const action = menu->addAction(
                tr("Filter: %1").arg(QString(expression).replace(QLatin1Char('&'), QLatin1String("&&"))));
            connect(action, &QAction::triggered, this,
                    [this, expression] { Q_EMIT filter_wanted(expression, from_utf8(access_->name())); });
        };
        if (literal.isEmpty()) {
            add_filter(QStringLiteral("not %1").arg(name));
        } else {
            add_filter(QStringLiteral("%1 == %2").arg(name, literal));
            add_filter(QStringLiteral("%1 != %2").arg(name, literal));
            if (model_->format(index.column()).right_aligned()) {
                add_filter(QStringLiteral("%1 >= %2").arg(name, literal));
                add_filter(QStringLiteral("%1 <= %2").arg(name, literal));
            }
        }
    }
    menu->addSeparator();
    if (const uint32_t connection = index.isValid() ? connection_of(index.row()) : 0; connection != 0) {
        QAction* const follow = menu->addAction(tr("Follow TCP stream"));
        connect(follow, &QAction::triggered, this, [this, connection] { Q_EMIT stream_wanted(connection); });
        QAction* const decode = menu->addAction(tr("Decode As…"));
        connect(decode, &QAction::triggered, this,
                [this, connection] { Q_EMIT decode_as_wanted(connection); });
    }
    if (index.isValid() && is_loss_waited_for(index.row())) {
        QAction* const waited = menu->addAction(tr("Show the commands that waited"));
        connect(waited, &QAction::triggered, this,
                [this, loss = uint64_t{model_->table_row(index.row())} + 1] { show_waiting_commands(loss); });
    }
    QAction* const export_action = menu->addAction(tr("Export CSV…"));
    export_action->setEnabled(export_button_->isEnabled());
    connect(export_action, &QAction::triggered, this, &RowsView::ask_for_export);
    menu->popup(table_->viewport()->mapToGlobal(at));
}

}  // namespace sanscope
