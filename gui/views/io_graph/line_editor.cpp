// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/line_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QIcon>
#include <QLineEdit>
#include <QPixmap>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "gui/document/plain_text.h"
#include "gui/views/io_graph/graph_painting.h"
#include "gui/views/io_graph/graph_words.h"

namespace sanscope {
namespace {

enum Place {
    on_place,
    color_place,
    function_place,
    column_place,
    table_place,
    filter_place,
    time_place,
    split_place,
    remove_place,
    places
};

constexpr int rows_in_sight = 4;
constexpr int least_filter_characters = 24;
constexpr int longest_filter = 4096;

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

void choose(QComboBox& box, const QVariant& data) {
    box.setCurrentIndex(std::max(0, box.findData(data)));
}

// Names as data, titles to be read.
template <class Title>
void fill_names(QComboBox& box, const std::vector<std::string_view>& names, Title title) {
    for (const std::string_view name : names) box.addItem(title(name), from_utf8(name));
}

}  // namespace

LineEditor::LineEditor(QWidget* parent) : QTableWidget(0, places, parent) {
    setAccessibleName(tr("Lines of the graph"));
    setHorizontalHeaderLabels({QString(), tr("colour"), tr("shows"), tr("of"), tr("rows"), tr("where"),
                               tr("at"), tr("split"), QString()});
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSizeAdjustPolicy(QAbstractScrollArea::AdjustIgnored);
    horizontalHeader()->setHighlightSections(false);
    fit();
}

void LineEditor::set_lines(std::vector<GraphLine> lines) {
    lines.resize(std::min(lines.size(), most_graph_lines));
    lines_ = std::move(lines);
    while (rows_.size() > lines_.size()) {
        rows_.pop_back();
        removeRow(static_cast<int>(rows_.size()));
    }
    while (rows_.size() < lines_.size()) make_row();
    for (size_t i = 0; i < lines_.size(); ++i) fill(i);
    fit();
}

void LineEditor::add_line() {
    if (lines_.size() >= most_graph_lines) return;
    auto lines = lines_;
    lines.push_back(lines.empty() ? GraphLine() : lines.back());
    lines.back().on = true;
    lines.back().color = static_cast<uint8_t>((lines.back().color + 1) % graph_colors);
    set_lines(std::move(lines));
    Q_EMIT lines_changed();
}

void LineEditor::make_row() {
    const int at = rowCount();
    insertRow(at);
    rows_.push_back(std::make_unique<Row>());
    Row& row = *rows_.back();
    row.on = new QCheckBox(this);
    row.color = new QComboBox(this);
    row.function = new QComboBox(this);
    row.column = new QComboBox(this);
    row.table = new QComboBox(this);
    row.filter = new QLineEdit(this);
    row.time = new QComboBox(this);
    row.split = new QComboBox(this);
    row.remove = new QToolButton(this);
    const std::pair<Place, QWidget*> widgets[] = {
        {on_place, row.on},         {color_place, row.color}, {function_place, row.function},
        {column_place, row.column}, {table_place, row.table}, {filter_place, row.filter},
        {time_place, row.time},     {split_place, row.split}, {remove_place, row.remove}};
    const QStringList names{tr("Drawn"),  tr("Colour"), tr("Function"), tr("Column"),         tr("Table"),
                            tr("Filter"), tr("Time"),   tr("Split"),    tr("Remove the line")};
    for (const auto& [place, widget] : widgets) {
        widget->setAccessibleName(names[place]);
        setCellWidget(at, place, widget);
    }
    fill_colors(*row.color);
    for (size_t i = 0; i < graph_functions; ++i)
        row.function->addItem(function_title(static_cast<GraphFunction>(i)), static_cast<int>(i));
    fill_names(*row.table, graph_tables(), table_title);
    row.filter->setPlaceholderText(tr("all"));
    row.filter->setMaxLength(longest_filter);
    row.filter->setMinimumWidth(fontMetrics().averageCharWidth() * least_filter_characters);
    row.remove->setText(QStringLiteral("\u2715"));
    row.remove->setAutoRaise(true);
    row.remove->setToolTip(tr("Remove the line"));

    const Row* const its = &row;
    connect(row.on, &QCheckBox::clicked, this, [this, its] { read(*its); });
    for (QComboBox* const box : {row.color, row.function, row.column, row.table, row.time, row.split}) {
        connect(box, &QComboBox::activated, this, [this, its] { read(*its); });
        box->setFocusPolicy(Qt::StrongFocus);
        box->installEventFilter(this);
    }
    connect(row.filter, &QLineEdit::editingFinished, this, [this, its] { read(*its); });
    // The button must not go while it is pressed.
    connect(row.remove, &QToolButton::clicked, this,
            [this, its] { QTimer::singleShot(0, this, [this, its] { remove(its); }); });
}

void LineEditor::fill(size_t at) {
    const GraphLine& line = lines_[at];
    const Row& row = *rows_[at];
    row.on->setChecked(line.on);
    choose(*row.color, int{line.color});
    choose(*row.function, static_cast<int>(line.function));
    choose(*row.table, QString::fromStdString(line.table));
    const auto title = [&](std::string_view column) { return column_title(line.table, column); };
    row.column->clear();
    row.column->addItem(
        takes_column(line.function) && needs_column(line.function) ? tr("(choose)") : tr("rows"), QString());
    if (takes_column(line.function)) fill_names(*row.column, graph_value_columns(line.table), title);
    choose(*row.column, QString::fromStdString(line.column));
    row.column->setEnabled(takes_column(line.function));
    row.time->clear();
    fill_names(*row.time, graph_times(line.table), title);
    choose(*row.time, QString::fromStdString(line.time));
    row.split->clear();
    for (const GraphSplit split : graph_splits_of(line.table))
        row.split->addItem(split_title(split), static_cast<int>(split));
    choose(*row.split, static_cast<int>(line.split));
    const QString filter = QString::fromStdString(line.filter);
    if (row.filter->text() != filter) row.filter->setText(filter);
}

void LineEditor::read(const Row& row) {
    const auto found = std::ranges::find_if(rows_, [&](const auto& one) { return one.get() == &row; });
    if (found == rows_.end()) return;
    const auto at = static_cast<size_t>(found - rows_.begin());
    GraphLine line;
    line.on = row.on->isChecked();
    line.color = static_cast<uint8_t>(row.color->currentData().toInt());
    line.function = static_cast<GraphFunction>(row.function->currentData().toInt());
    line.table = row.table->currentData().toString().toStdString();
    line.column = row.column->currentData().toString().toStdString();
    line.time = row.time->currentData().toString().toStdString();
    line.split = static_cast<GraphSplit>(row.split->currentData().toInt());
    line.filter = row.filter->text().trimmed().toStdString();
    make_fit(line);
    if (line == lines_[at]) return;
    lines_[at] = line;
    fill(at);
    resizeColumnsToContents();
    Q_EMIT lines_changed();
}

void LineEditor::remove(const Row* row) {
    const auto found = std::ranges::find_if(rows_, [&](const auto& one) { return one.get() == row; });
    if (found == rows_.end()) return;
    const auto at = found - rows_.begin();
    lines_.erase(lines_.begin() + at);
    rows_.erase(found);
    removeRow(static_cast<int>(at));
    fit();
    Q_EMIT lines_changed();
}

void LineEditor::show_problems(const std::vector<QString>& problems) {
    for (size_t i = 0; i < rows_.size(); ++i) {
        const QString problem = i < problems.size() ? problems[i] : QString();
        QLineEdit& filter = *rows_[i]->filter;
        filter.setToolTip(plain_text(problem));
        // What is not set in it follows the theme.
        QPalette colors;
        if (!problem.isEmpty()) colors.setColor(QPalette::Text, Theme::of(palette()).problem);
        filter.setPalette(colors);
        auto* const number = new QTableWidgetItem(QString::number(i + 1));
        number->setToolTip(plain_text(problem));
        setVerticalHeaderItem(static_cast<int>(i), number);
    }
}

void LineEditor::fit() {
    resizeColumnsToContents();
    resizeRowsToContents();
    horizontalHeader()->setStretchLastSection(false);
    height_ = horizontalHeader()->sizeHint().height() + horizontalScrollBar()->sizeHint().height() +
              2 * frameWidth();
    for (int row = 0; row < std::min(rowCount(), rows_in_sight); ++row) height_ += rowHeight(row);
    setMaximumHeight(height_);
    updateGeometry();
}

void LineEditor::fill_colors(QComboBox& box) const {
    constexpr int swatch_pixels = 12;
    const QVariant chosen = box.currentData();
    box.clear();
    for (uint8_t color = 0; color < graph_colors; ++color) {
        QPixmap swatch(swatch_pixels, swatch_pixels);
        swatch.fill(graph_color(Theme::of(palette()), color));
        box.addItem(QIcon(swatch), graph_color_name(color), int{color});
    }
    if (chosen.isValid()) choose(box, chosen);
}

void LineEditor::changeEvent(QEvent* event) {
    QTableWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    for (const auto& row : rows_) fill_colors(*row->color);
}

// Before they are shown, boxes do not know how wide they will be.
void LineEditor::showEvent(QShowEvent* event) {
    QTableWidget::showEvent(event);
    fit();
}

// A wheel that scrolls the list changes nothing that happens to be under the pointer.
bool LineEditor::eventFilter(QObject* watched, QEvent* event) {
    const auto* const box = qobject_cast<QComboBox*>(watched);
    if (event->type() == QEvent::Wheel && box != nullptr && !box->hasFocus()) {
        event->ignore();
        return true;
    }
    return QTableWidget::eventFilter(watched, event);
}

}  // namespace sanscope
