// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QTableView>

class QStringListModel;

namespace sanscope {

// A QTableView whose rows are all of one height, and of which it keeps nothing: a QHeaderView takes 16 bytes for each, and the
// time to fill them whenever there are others. It scrolls by whole rows, which are selected as a whole, neither
// moved nor hidden, nor edited; the vertical header has none of them.
class UniformRowsTable : public QTableView {
    Q_OBJECT

  public:
    explicit UniformRowsTable(QWidget* parent);

    // Of a model that has rows already, QTableView shows them to the header first, which takes that memory for as long.
    void setModel(QAbstractItemModel* model) override;

    int row_height() const { return row_height_; }  // pixels
    void set_row_height(int pixels);
    // As QTableView's, in pixels of the viewport: -1 where none is.
    int rowAt(int y) const;
    // Places farther away than two billion pixels, with Shift some 100 million rows, are told as so far away.
    int rowViewportPosition(int row) const;

    QRect visualRect(const QModelIndex& index) const override;
    QModelIndex indexAt(const QPoint& point) const override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    void reset() override;
    // Nothing: going through millions of rows for a letter that was typed takes longer than anyone waits.
    void keyboardSearch(const QString& text) override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void updateGeometries() override;
    void rowsInserted(const QModelIndex& parent, int first, int last) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) override;
    int verticalOffset() const override;
    int sizeHintForRow(int row) const override;
    bool isIndexHidden(const QModelIndex& index) const override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) override;
    QRegion visualRegionForSelection(const QItemSelection& selection) const override;

  private:
    int rows() const { return model() == nullptr ? 0 : model()->rowCount(); }
    int rows_in_sight() const;  // whole ones
    int64_t offset() const;     // pixels of rows above the viewport
    int shown_column(int from, int step) const;
    void set_geometry();
    void paint_row(QPainter& painter, QStyleOptionViewItem& option, int row, const QRect& dirty) const;

    int row_height_ = 20;
    bool updating_ = false;
    QStringListModel* no_rows_;  // the vertical header's: with none at all it keeps those of the table's
};

}  // namespace sanscope
