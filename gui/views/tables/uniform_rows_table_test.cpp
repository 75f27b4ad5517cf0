// SPDX-License-Identifier: GPL-3.0-or-later
//
// Held to a QTableView of the same rows, which does the same for fewer of them.
#include "gui/views/tables/uniform_rows_table.h"

#include <QAbstractTableModel>
#include <QAccessible>
#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int row_height = 20;

class PlainRows : public QAbstractTableModel {
  public:
    explicit PlainRows(int rows, int columns = 6) : rows_(rows), columns_(columns) {}

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : rows_; }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : columns_; }
    QVariant data(const QModelIndex& index, int role) const override {
        ++asked;
        if (role != Qt::DisplayRole) return {};
        return QStringLiteral("%1/%2").arg(index.row()).arg(index.column());
    }
    void append(int rows) {
        beginInsertRows({}, rows_, rows_ + rows - 1);
        rows_ += rows;
        endInsertRows();
    }
    void remove_first(int rows) {
        beginRemoveRows({}, 0, rows - 1);
        rows_ -= rows;
        endRemoveRows();
    }
    void become(int rows) {
        beginResetModel();
        rows_ = rows;
        endResetModel();
    }

    mutable int asked = 0;

  private:
    int rows_;
    int columns_;
};

// Both show the same model, each with a selection of its own.
class Pair {
  public:
    explicit Pair(int rows) : model(rows) {
        expected.setSelectionBehavior(QAbstractItemView::SelectRows);
        expected.setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
        expected.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        expected.setShowGrid(false);
        expected.setWordWrap(false);
        expected.setCornerButtonEnabled(false);
        expected.verticalHeader()->hide();
        expected.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        expected.verticalHeader()->setMinimumSectionSize(10);
        expected.verticalHeader()->setDefaultSectionSize(row_height);
        table.set_row_height(row_height);
        for (QTableView* const one : both()) {
            one->setModel(&model);
            one->setSelectionMode(QAbstractItemView::ExtendedSelection);
            one->setEditTriggers(QAbstractItemView::NoEditTriggers);
            one->setTabKeyNavigation(false);
            one->setAlternatingRowColors(true);
            one->horizontalHeader()->setSectionsMovable(true);
            one->horizontalHeader()->moveSection(1, 4);
            one->horizontalHeader()->hideSection(3);
            for (int column = 0; column < model.columnCount(); ++column)
                one->horizontalHeader()->resizeSection(column, 70 + 13 * column);
            one->resize(300, 250);
            // The one that is shown first has the keyboard, and makes one current by that.
            one->setCurrentIndex(model.index(0, 0));
            one->show();
        }
        settle();
    }
    std::array<QTableView*, 2> both() { return {&expected, &table}; }
    // A layout moves scroll bars, which ask for another one.
    static void settle() {
        for (int i = 0; i < 4; ++i) {
            QCoreApplication::sendPostedEvents();
            QApplication::processEvents();
        }
    }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        for (QTableView* const one : both()) {
            one->activateWindow();
            one->setFocus();
            QTest::keyClick(one, static_cast<Qt::Key>(key), modifiers);
        }
        settle();
    }
    void click(QPoint at, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        for (QTableView* const one : both())
            QTest::mouseClick(one->viewport(), Qt::LeftButton, modifiers, at);
        settle();
    }
    void drag(QPoint from, QPoint to) {
        for (QTableView* const one : both()) {
            QTest::mousePress(one->viewport(), Qt::LeftButton, Qt::NoModifier, from);
            QMouseEvent move(QEvent::MouseMove, to, one->viewport()->mapToGlobal(to), Qt::NoButton,
                             Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(one->viewport(), &move);
            QTest::mouseRelease(one->viewport(), Qt::LeftButton, Qt::NoModifier, to);
        }
        settle();
    }
    static std::vector<int> selected(const QTableView& view) {
        std::vector<int> rows;
        for (const QModelIndex& index : view.selectionModel()->selectedRows()) rows.push_back(index.row());
        std::ranges::sort(rows);
        return rows;
    }
    void expect_same(const std::string& what) {
        SCOPED_TRACE(what);
        EXPECT_EQ(table.currentIndex(), expected.currentIndex())
            << table.currentIndex().row() << '/' << table.currentIndex().column() << " not "
            << expected.currentIndex().row() << '/' << expected.currentIndex().column();
        EXPECT_EQ(selected(table), selected(expected));
        EXPECT_EQ(table.verticalScrollBar()->value(), expected.verticalScrollBar()->value());
        EXPECT_EQ(table.verticalScrollBar()->maximum(), expected.verticalScrollBar()->maximum());
        EXPECT_EQ(table.horizontalScrollBar()->value(), expected.horizontalScrollBar()->value());
        EXPECT_EQ(table.horizontalScrollBar()->maximum(), expected.horizontalScrollBar()->maximum());
        EXPECT_EQ(table.viewport()->geometry(), expected.viewport()->geometry());
        const QRect room = table.viewport()->rect();
        for (int y = room.top(); y <= room.bottom(); y += 7) {
            EXPECT_EQ(table.rowAt(y), expected.rowAt(y)) << y;
            for (int x = room.left(); x <= room.right(); x += 17)
                EXPECT_EQ(table.indexAt({x, y}), expected.indexAt({x, y})) << x << ' ' << y;
        }
        for (int row = 0; row < model.rowCount(); row += 1 + (model.rowCount() / 50)) {
            for (int column = 0; column < model.columnCount(); ++column) {
                const QModelIndex index = model.index(row, column);
                EXPECT_EQ(table.visualRect(index), expected.visualRect(index)) << row << '/' << column;
            }
        }
    }
    void expect_same_picture(const std::string& what) {
        settle();
        const QImage one = table.grab().toImage();
        const QImage other = expected.grab().toImage();
        EXPECT_EQ(one.size(), other.size()) << what;
        EXPECT_TRUE(one == other) << what;
    }

    PlainRows model;
    QTableView expected;
    UniformRowsTable table{nullptr};
};

// Shown for itself, with so many rows.
struct Alone {
    explicit Alone(int rows) {
        table.set_row_height(row_height);
        table.setModel(&model);
        model.become(rows);
        table.resize(300, 250);
        table.show();
        Pair::settle();
    }
    PlainRows model{0};
    UniformRowsTable table{nullptr};
};

class UniformRowsTableOf : public testing::TestWithParam<int> {};

TEST_P(UniformRowsTableOf, RowsLieAndAreFoundWhereTheyAreInAQTableView) {
    Pair pair(GetParam());
    pair.expect_same("at first");
    for (const int value : {1, 7, GetParam() - 3, GetParam() + 5}) {
        for (QTableView* const one : pair.both()) one->verticalScrollBar()->setValue(value);
        for (QTableView* const one : pair.both()) one->horizontalScrollBar()->setValue(value * 9);
        pair.expect_same("scrolled to " + std::to_string(value));
    }
    for (QTableView* const one : pair.both()) one->resize(900, 170);
    pair.settle();
    pair.expect_same("wide");
    for (QTableView* const one : pair.both()) one->resize(500, 1200);
    pair.settle();
    pair.expect_same("high");
}

TEST_P(UniformRowsTableOf, KeysGoWhereTheyGoInAQTableView) {
    Pair pair(GetParam());
    pair.click({30, 50});
    pair.expect_same("click");
    int step = 0;
    for (const Qt::KeyboardModifiers modifiers :
         {Qt::KeyboardModifiers(Qt::NoModifier), Qt::KeyboardModifiers(Qt::ShiftModifier),
          Qt::KeyboardModifiers(Qt::ControlModifier),
          Qt::KeyboardModifiers(Qt::ControlModifier | Qt::ShiftModifier)}) {
        for (const int key :
             {Qt::Key_Down, Qt::Key_PageDown, Qt::Key_Right, Qt::Key_Right, Qt::Key_Right, Qt::Key_Up,
              Qt::Key_Left, Qt::Key_PageDown, Qt::Key_End, Qt::Key_PageUp, Qt::Key_Home, Qt::Key_Down}) {
            pair.key(key, modifiers);
            pair.expect_same("step " + std::to_string(step++) + " key " + std::to_string(key) + " with " +
                             std::to_string(modifiers.toInt()));
        }
    }
    pair.key(Qt::Key_A, Qt::ControlModifier);
    pair.expect_same("all");
}

TEST_P(UniformRowsTableOf, ThePointerSelectsWhatItSelectsInAQTableView) {
    Pair pair(GetParam());
    pair.click({100, 45});
    pair.click({20, 105}, Qt::ShiftModifier);
    pair.expect_same("with shift");
    pair.click({20, 65}, Qt::ControlModifier);
    pair.expect_same("one less");
    pair.drag({200, 125}, {30, 25});
    pair.expect_same("dragged up");
    pair.drag({30, 5}, {250, 180});
    pair.expect_same("dragged down");
    for (QTableView* const one : pair.both()) one->verticalScrollBar()->setValue(5);
    pair.click({20, 85}, Qt::ShiftModifier);
    pair.expect_same("with shift, scrolled");
    pair.click({290, 199});
    pair.expect_same("at the end, or below it");
}

TEST_P(UniformRowsTableOf, ScrollsToWhereAQTableViewDoes) {
    Pair pair(GetParam());
    for (const auto hint : {QAbstractItemView::EnsureVisible, QAbstractItemView::PositionAtTop,
                            QAbstractItemView::PositionAtBottom}) {
        for (const int row : {GetParam() - 1, 0, GetParam() / 2, GetParam() / 2 + 1, 3}) {
            for (const int column : {5, 0, 2}) {
                for (QTableView* const one : pair.both()) one->scrollTo(pair.model.index(row, column), hint);
                pair.expect_same("to " + std::to_string(row) + '/' + std::to_string(column));
            }
        }
    }
    pair.table.scrollToBottom();
    pair.expected.scrollToBottom();
    pair.expect_same("bottom");
    pair.table.scrollToTop();
    pair.expected.scrollToTop();
    pair.expect_same("top");
}

TEST_P(UniformRowsTableOf, KeepsItsPlaceAsRowsComeAndGo) {
    Pair pair(GetParam());
    for (QTableView* const one : pair.both()) one->verticalScrollBar()->setValue(4);
    pair.click({30, 25});
    const auto expect_same_after = [&](const std::string& what, auto change) {
        change(pair.model);
        pair.settle();
        pair.expect_same(what);
    };
    expect_same_after("more", [](PlainRows& model) { model.append(30); });
    expect_same_after("fewer", [](PlainRows& model) { model.remove_first(2); });
    expect_same_after("others", [](PlainRows& model) { model.become(7); });
    expect_same_after("none", [](PlainRows& model) { model.become(0); });
    expect_same_after("many", [](PlainRows& model) { model.become(400); });
}

TEST_P(UniformRowsTableOf, LooksLikeAQTableView) {
    Pair pair(GetParam());
    pair.expect_same_picture("at first");
    pair.click({30, 45});
    for (QTableView* const one : pair.both()) one->clearFocus();
    pair.expect_same_picture("one selected");
    for (QTableView* const one : pair.both()) one->verticalScrollBar()->setValue(3);
    for (QTableView* const one : pair.both()) one->horizontalScrollBar()->setValue(33);
    pair.expect_same_picture("scrolled");
    for (QTableView* const one : pair.both()) one->setLayoutDirection(Qt::RightToLeft);
    pair.expect_same_picture("from right to left");
}

INSTANTIATE_TEST_SUITE_P(Rows, UniformRowsTableOf, testing::Values(5, 11, 300));

TEST(UniformRowsTable, FiftyMillionRowsTakeNoMemoryAndAShiftClickReachesAllOfThem) {
    constexpr int rows = 50'000'000;
    Alone alone(rows);
    PlainRows& model = alone.model;
    UniformRowsTable& table = alone.table;
    table.setSelectionMode(QAbstractItemView::ExtendedSelection);
    EXPECT_EQ(table.verticalHeader()->count(), 0);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier, {20, 30});
    table.scrollToBottom();
    Pair::settle();
    EXPECT_EQ(table.indexAt({20, table.viewport()->height() / row_height * row_height - 1}).row(), rows - 1);
    model.asked = 0;
    table.grab();
    EXPECT_LT(model.asked, 1000);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ShiftModifier, {20, 30});
    const QItemSelection selection = table.selectionModel()->selection();
    ASSERT_EQ(selection.size(), 1);
    EXPECT_EQ(selection.front().top(), 1);
    EXPECT_EQ(selection.front().bottom(), table.rowAt(30));
    EXPECT_GT(selection.front().bottom(), rows - 20);
}

TEST(UniformRowsTable, BillionsOfRowsAreReachedToTheLast) {
    constexpr int rows = 2'000'000'000;
    Alone alone(rows);
    PlainRows& model = alone.model;
    UniformRowsTable& table = alone.table;
    table.scrollToBottom();
    Pair::settle();
    const int last_line = table.viewport()->height() - 1;
    EXPECT_EQ(table.rowAt(last_line), rows - 1);
    EXPECT_EQ(table.rowAt(last_line + 1), -1);
    EXPECT_TRUE(table.viewport()->rect().contains(table.visualRect(model.index(rows - 1, 0))));
    EXPECT_LT(table.visualRect(model.index(0, 0)).bottom(), 0);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier, {20, last_line});
    EXPECT_EQ(table.currentIndex().row(), rows - 1);
    table.setCurrentIndex(model.index(0, 0));
    EXPECT_EQ(table.rowAt(0), 0);
}

TEST(UniformRowsTable, ALetterTypedAsksNoRow) {
    Alone alone(100'000);
    alone.model.asked = 0;
    alone.table.keyboardSearch(QStringLiteral("x"));
    EXPECT_EQ(alone.model.asked, 0);
}

TEST(UniformRowsTable, IsATableToScreenReaders) {
    Alone alone(1000);
    QAccessibleInterface* const one = QAccessible::queryAccessibleInterface(&alone.table);
    ASSERT_NE(one, nullptr);
    ASSERT_NE(one->tableInterface(), nullptr);
    EXPECT_EQ(one->tableInterface()->rowCount(), 1000);
    QAccessibleInterface* const cell = one->tableInterface()->cellAt(3, 2);
    ASSERT_NE(cell, nullptr);
    EXPECT_EQ(cell->text(QAccessible::Name).toStdString(), "3/2");
    EXPECT_TRUE(cell->rect().intersects(one->rect()));
}

}  // namespace
}  // namespace sanscope
