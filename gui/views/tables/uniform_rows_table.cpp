// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/uniform_rows_table.h"

#include <QAbstractButton>
#include <QHeaderView>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStringListModel>
#include <algorithm>

namespace sanscope {

UniformRowsTable::UniformRowsTable(QWidget* parent)
    : QTableView(parent), no_rows_(new QStringListModel(this)) {
    setSelectionBehavior(SelectRows);
    setVerticalScrollMode(ScrollPerItem);
    setHorizontalScrollMode(ScrollPerPixel);
    setShowGrid(false);
    setWordWrap(false);
    verticalHeader()->hide();
    // Between the headers; QTableView hides it where it lays them out.
    if (auto* const corner = findChild<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly))
        corner->hide();
}

void UniformRowsTable::setModel(QAbstractItemModel* model) {
    QTableView::setModel(model);
    verticalHeader()->setModel(no_rows_);
    scheduleDelayedItemsLayout();
}

void UniformRowsTable::set_row_height(int pixels) {
    row_height_ = std::max(1, pixels);
    scheduleDelayedItemsLayout();
}

// At the end the last row is whole, and the first one in sight is what is left of it.
int64_t UniformRowsTable::offset() const {
    const int value = verticalScrollBar()->value();
    const bool at_end = value > 0 && value == verticalScrollBar()->maximum();
    return at_end ? std::max<int64_t>(0, (int64_t{rows()} * row_height_) - viewport()->height())
                  : int64_t{value} * row_height_;
}

int UniformRowsTable::rows_in_sight() const {
    return std::max(1, viewport()->height() / row_height_);
}

int UniformRowsTable::rowAt(int y) const {
    const int64_t place = offset() + y;
    const int64_t row = place / row_height_;
    return place >= 0 && row < rows() ? static_cast<int>(row) : -1;
}

int UniformRowsTable::rowViewportPosition(int row) const {
    constexpr int64_t far = 2'000'000'000;
    return static_cast<int>(std::clamp((int64_t{row} * row_height_) - offset(), -far, far));
}

QRect UniformRowsTable::visualRect(const QModelIndex& index) const {
    if (!index.isValid() || isIndexHidden(index)) return {};
    return {columnViewportPosition(index.column()), rowViewportPosition(index.row()),
            columnWidth(index.column()), row_height_};
}

QModelIndex UniformRowsTable::indexAt(const QPoint& point) const {
    const int row = rowAt(point.y());
    const int column = columnAt(point.x());
    return row < 0 || column < 0 ? QModelIndex() : model()->index(row, column);
}

void UniformRowsTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
    if (!index.isValid() || index.row() >= rows()) return;
    executeDelayedItemsLayout();
    const int in_sight = rows_in_sight();
    const int y = rowViewportPosition(index.row());
    int first = verticalScrollBar()->value();
    if (hint == PositionAtTop || (hint == EnsureVisible && y < 0)) first = index.row();
    if (hint == PositionAtBottom || (hint == EnsureVisible && y + row_height_ > viewport()->height()))
        first = index.row() - in_sight + 1;
    if (hint == PositionAtCenter) first = index.row() - (in_sight / 2);
    verticalScrollBar()->setValue(first);

    const int left = horizontalHeader()->sectionPosition(index.column());
    const int width = horizontalHeader()->sectionSize(index.column());
    const int room = viewport()->width();
    QScrollBar* const across = horizontalScrollBar();
    if (left < across->value() || width > room) {
        across->setValue(left);
    } else if (left + width > across->value() + room) {
        across->setValue(left + width - room);
    }
}

void UniformRowsTable::reset() {
    QTableView::reset();
    scheduleDelayedItemsLayout();
}

void UniformRowsTable::keyboardSearch(const QString&) {}

void UniformRowsTable::scrollContentsBy(int dx, int dy) {
    executeDelayedItemsLayout();
    if (dx != 0) horizontalHeader()->setOffset(horizontalScrollBar()->value());
    if (dx != 0 || dy != 0) viewport()->update();
}

void UniformRowsTable::set_geometry() {
    QHeaderView* const header = horizontalHeader();
    const int height =
        header->isHidden() ? 0 : std::max(header->minimumHeight(), header->sizeHint().height());
    setViewportMargins(0, height, 0, 0);
    const QRect room = viewport()->geometry();
    header->setGeometry(room.left(), room.top() - height, room.width(), height);
    QMetaObject::invokeMethod(header, "updateGeometries");

    verticalScrollBar()->setPageStep(rows_in_sight());
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, std::max(0, rows() - rows_in_sight()));
    horizontalScrollBar()->setPageStep(room.width());
    horizontalScrollBar()->setSingleStep(std::max(2, room.width() / 20));
    horizontalScrollBar()->setRange(0, std::max(0, header->length() - room.width()));
}

void UniformRowsTable::updateGeometries() {
    if (updating_) return;
    updating_ = true;
    // A scroll bar that comes or goes leaves another viewport, with which the other one may come or go.
    constexpr int most = 3;
    for (int i = 0; i < most; ++i) {
        const QSize before = viewport()->size();
        set_geometry();
        if (viewport()->size() == before) break;
    }
    updating_ = false;
}

void UniformRowsTable::rowsInserted(const QModelIndex& parent, int first, int last) {
    QTableView::rowsInserted(parent, first, last);
    scheduleDelayedItemsLayout();
}

void UniformRowsTable::rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) {
    QTableView::rowsAboutToBeRemoved(parent, first, last);
    scheduleDelayedItemsLayout();
}

// Of a place that was pressed, to which it is added, it is taken off again: what is lost of more than a billion does not matter.
int UniformRowsTable::verticalOffset() const {
    constexpr int64_t most = 1 << 30;
    return static_cast<int>(offset() % most);
}

int UniformRowsTable::sizeHintForRow(int) const {
    return row_height_;
}

bool UniformRowsTable::isIndexHidden(const QModelIndex& index) const {
    return isColumnHidden(index.column());
}

// The place, as columns are shown, of the first at `from` or behind it in the direction of `step`; -1: none.
int UniformRowsTable::shown_column(int from, int step) const {
    const QHeaderView& header = *horizontalHeader();
    for (int at = from; at >= 0 && at < header.count(); at += step) {
        if (!header.isSectionHidden(header.logicalIndex(at))) return at;
    }
    return -1;
}

QModelIndex UniformRowsTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
    executeDelayedItemsLayout();
    const QHeaderView& header = *horizontalHeader();
    const int last_row = rows() - 1;
    const int first_column = shown_column(0, 1);
    const int last_column = shown_column(header.count() - 1, -1);
    if (last_row < 0 || first_column < 0) return {};
    const QModelIndex current = currentIndex();
    if (!current.isValid()) return model()->index(0, header.logicalIndex(first_column));
    const bool control = modifiers.testFlag(Qt::ControlModifier);
    int row = current.row();
    int column = header.visualIndex(current.column());
    const auto go = [&](int step) {
        const int next = shown_column(column + step, step);
        if (next >= 0) column = next;
    };
    switch (action) {
        case MoveUp:
            --row;
            break;
        case MoveDown:
            ++row;
            break;
        case MoveLeft:
        case MovePrevious:
            go(isRightToLeft() ? 1 : -1);
            break;
        case MoveRight:
        case MoveNext:
            go(isRightToLeft() ? -1 : 1);
            break;
        case MoveHome:
            column = first_column;
            if (control) row = 0;
            break;
        case MoveEnd:
            column = last_column;
            if (control) row = last_row;
            break;
        case MovePageUp:
            row -= rows_in_sight();
            break;
        case MovePageDown:
            row += std::min(rows_in_sight(), last_row - row);
            break;
    }
    return model()->index(std::clamp(row, 0, last_row), header.logicalIndex(column));
}

void UniformRowsTable::setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) {
    const QModelIndex first = indexAt(rect.topLeft());
    const QModelIndex last = indexAt(rect.bottomRight());
    if (selectionModel() != nullptr && first.isValid() && last.isValid())
        selectionModel()->select(QItemSelection(first, last), command);
}

QRegion UniformRowsTable::visualRegionForSelection(const QItemSelection& selection) const {
    QRegion region;
    const auto first_in_sight = static_cast<int>(offset() / row_height_);
    const int last_in_sight = first_in_sight + rows_in_sight() + 1;
    for (const QItemSelectionRange& range : selection) {
        const int first = std::max(range.top(), first_in_sight);
        const int last = std::min(range.bottom(), last_in_sight);
        if (first > last) continue;
        region += QRect(0, rowViewportPosition(first), viewport()->width(), (last - first + 1) * row_height_);
    }
    return region & viewport()->rect();
}

void UniformRowsTable::paint_row(QPainter& painter, QStyleOptionViewItem& option, int row,
                                 const QRect& dirty) const {
    const QHeaderView& header = *horizontalHeader();
    const int y = rowViewportPosition(row);
    const bool odd = alternatingRowColors() && (row & 1) == 1;
    const QModelIndex current = currentIndex();
    const bool focused = hasFocus() && current.row() == row;
    option.features.setFlag(QStyleOptionViewItem::Alternate, odd);
    option.state.setFlag(QStyle::State_Selected, selectionModel()->isSelected(model()->index(row, 0)));
    for (int at = 0; at < header.count(); ++at) {
        const int column = header.logicalIndex(at);
        if (header.isSectionHidden(column)) continue;
        option.rect = QRect(columnViewportPosition(column), y, columnWidth(column), row_height_);
        if (!option.rect.intersects(dirty)) continue;
        option.index = model()->index(row, column);
        option.state.setFlag(QStyle::State_HasFocus, focused && current.column() == column);
        if (odd) painter.fillRect(option.rect, option.palette.alternateBase());
        itemDelegate()->paint(&painter, option, option.index);
    }
}

void UniformRowsTable::paintEvent(QPaintEvent* event) {
    executeDelayedItemsLayout();
    if (model() == nullptr || rows() == 0) return;
    QPainter painter(viewport());
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    const QRect dirty = event->rect();
    const auto row_at = [this](int y) { return static_cast<int>((offset() + y) / row_height_); };
    const int last = std::min(rows() - 1, row_at(dirty.bottom()));
    for (int row = row_at(std::max(0, dirty.top())); row <= last; ++row)
        paint_row(painter, option, row, dirty);
}

}  // namespace sanscope
