// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/collection_model.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "gui/plot/budget_bar.h"

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

constexpr std::string_view bar = "budget_bar";

// In the order in which they are looked at: where it was, how slow, why.
constexpr std::string_view order_of_columns[] = {
    "file",       "start_ns",   "commands",      "turnaround_p50_ns", "turnaround_p99_ns", bar,
    "problems",   "notices",    "finding_title", "finding_cost_ns",   "retransmissions",   "errors",
    "unanswered", "bytes_read", "bytes_written", "target_names",      "sessions",          "connections",
    "packets",    "dropped",    "damage"};

// Of the table; nothing: the bar.
std::optional<size_t> table_column(int column) {
    const std::string_view name = order_of_columns[static_cast<size_t>(column)];
    return name == bar ? std::nullopt : find_column(captures_table.columns, name);
}

}  // namespace

CollectionModel::Key CollectionModel::key_of_cell(const Cell& cell) {
    switch (cell.kind) {
        case Cell::Kind::empty:
            break;
        case Cell::Kind::integer:
            return {true, false, cell.integer, {}};
        case Cell::Kind::unsigned_integer:
            return {
                true, false, static_cast<int64_t>(std::min(cell.unsigned_integer, uint64_t{INT64_MAX})), {}};
        case Cell::Kind::boolean:
            return {true, false, cell.boolean ? 1 : 0, {}};
        case Cell::Kind::text:
            return {true, true, 0,
                    QString::fromUtf8(cell.text.data(), static_cast<qsizetype>(cell.text.size()))};
    }
    return {};
}

CollectionModel::CollectionModel(QObject* parent)
    : QAbstractTableModel(parent), table_(make_captures_table(rows_)) {
    for (const ColumnInfo& column : table_->columns()) formats_.emplace_back(column);
}

void CollectionModel::clear() {
    beginResetModel();
    table_ = nullptr;
    rows_ = ChunkedRows<CaptureRow>();
    table_ = make_captures_table(rows_);
    shown_.clear();
    endResetModel();
}

void CollectionModel::append(std::vector<CaptureRow> rows) {
    for (CaptureRow& row : rows) rows_.append(std::move(row));
    arrange();
}

std::optional<FilterError> CollectionModel::set_filter(const std::string& expression) {
    if (expression.find_first_not_of(' ') == std::string::npos) {
        filter_.reset();
    } else {
        auto compiled = RowFilter::compile(expression, captures_table.name, captures_table.columns);
        if (auto* const error = std::get_if<FilterError>(&compiled)) return *error;
        filter_ = std::get<RowFilter>(std::move(compiled));
    }
    arrange();
    return std::nullopt;
}

void CollectionModel::arrange() {
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<size_t> numbers;
    for (const QModelIndex& index : before) numbers.push_back(number_of(index.row()));

    shown_.clear();
    std::optional<RowTest> test;
    if (filter_) test.emplace(*filter_, *table_);
    for (size_t number = 0; number < rows_.size(); ++number) {
        if (!test || (*test)(number)) shown_.push_back(number);
    }
    if (sorted_by_ >= 0) put_in_order();

    for (qsizetype i = 0; i < before.size(); ++i) {
        const int row = row_of(numbers[static_cast<size_t>(i)]);
        changePersistentIndex(before[i], row < 0 ? QModelIndex() : index(row, before[i].column()));
    }
    Q_EMIT layoutChanged();
}

CollectionModel::Key CollectionModel::key_of(size_t number) const {
    const std::optional<size_t> column = table_column(sorted_by_);
    if (!column) return {rows_[number].budgets_known, false, sum_of(rows_[number].budgets_ns), {}};
    Cell cell;
    table_->cell(number, *column, cell);
    return key_of_cell(cell);
}

void CollectionModel::put_in_order() {
    std::vector<std::pair<Key, size_t>> keys;
    keys.reserve(shown_.size());
    for (const size_t number : shown_) keys.emplace_back(key_of(number), number);
    std::ranges::stable_sort(keys, [this](const auto& a, const auto& b) {
        if (a.first.known != b.first.known) return a.first.known;
        const Key& first = order_ == Qt::DescendingOrder ? b.first : a.first;
        const Key& second = order_ == Qt::DescendingOrder ? a.first : b.first;
        return first.is_text ? QString::localeAwareCompare(first.text, second.text) < 0
                             : first.number < second.number;
    });
    std::ranges::transform(keys, shown_.begin(), [](const auto& key) { return key.second; });
}

int CollectionModel::row_of(size_t number) const {
    const auto found = std::ranges::find(shown_, number);
    return found == shown_.end() ? -1 : static_cast<int>(found - shown_.begin());
}

int CollectionModel::column_named(std::string_view name) {
    return static_cast<int>(std::ranges::find(order_of_columns, name) - std::begin(order_of_columns));
}

bool CollectionModel::is_bar(int column) {
    return !table_column(column);
}

int CollectionModel::characters(int column) const {
    const std::optional<size_t> of_table = table_column(column);
    constexpr int of_bar = 24;
    if (!of_table) return of_bar;
    const std::string_view name = order_of_columns[static_cast<size_t>(column)];
    if (name == "file") return 34;
    if (name == "finding_title" || name == "damage" || name == "target_names") return 44;
    return formats_[*of_table].characters(TimeFormat::local);
}

int CollectionModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int CollectionModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::size(order_of_columns));
}

QVariant CollectionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::optional<size_t> column = table_column(index.column());
    const size_t number = number_of(index.row());
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignVCenter |
                        (column && formats_[*column].right_aligned() ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (!column) {
        if (role == Qt::ToolTipRole && rows_[number].budgets_known)
            return largest_parts(rows_[number].budgets_ns, 6).join(QLatin1Char('\n'));
        if (role == Qt::AccessibleTextRole && rows_[number].budgets_known)
            return largest_parts(rows_[number].budgets_ns, 3).join(QStringLiteral(", "));
        return {};
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    Cell cell;
    table_->cell(number, *column, cell);
    const TimeReference time{.first_ns = 0, .format = TimeFormat::local};
    return role == Qt::DisplayRole ? formats_[*column].text(cell, time) : formats_[*column].exact(cell, time);
}

QVariant CollectionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const std::optional<size_t> column = table_column(section);
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignVCenter |
                        (column && formats_[*column].right_aligned() ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (!column) {
        if (role == Qt::DisplayRole) return tr("Where the time went");
        if (role == Qt::ToolTipRole)
            return tr("The turnaround of all commands together, in parts: whose time it was");
        return {};
    }
    if (role == Qt::DisplayRole) return formats_[*column].title();
    if (role == Qt::ToolTipRole) return formats_[*column].tooltip();
    return {};
}

void CollectionModel::sort(int column, Qt::SortOrder order) {
    sorted_by_ = column;
    order_ = order;
    arrange();
}

}  // namespace sanscope
