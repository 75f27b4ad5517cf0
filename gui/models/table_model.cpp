// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/table_model.h"

#include <QBrush>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <optional>

#include "gui/document/brief_worker_threads.h"
#include "gui/document/plain_text.h"

namespace sanscope {
namespace {

int column_named(std::span<const ColumnInfo> columns, std::string_view name) {
    const auto found = find_column(columns, name);
    return found ? static_cast<int>(*found) : -1;
}

// Colours rows while the loader waits for the table, for a short time; those that come later get no rule.
class BriefColoring {
  public:
    BriefColoring(const RowColors* colors, const Table& table) {
        if (colors != nullptr) test_.emplace(*colors, table);
    }
    // One row after the other.
    void add(size_t row, std::vector<int>& rules) {
        constexpr auto most = std::chrono::milliseconds(20);
        if (!test_ || taken_ >= most) return;
        const auto begin = std::chrono::steady_clock::now();
        rules.push_back((*test_)(row));
        taken_ += std::chrono::steady_clock::now() - begin;
    }

  private:
    std::optional<RowColors::Test> test_;
    std::chrono::steady_clock::duration taken_{};
};

}  // namespace

TableModel::TableModel(std::shared_ptr<const TableAccess> access, QObject* parent)
    : QAbstractTableModel(parent),
      access_(std::move(access)),
      theme_(&Theme::light()),
      fetch_(true, &brief_worker_threads()) {
    const auto columns = access_->columns();
    formats_.reserve(columns.size());
    for (const ColumnInfo& column : columns) formats_.emplace_back(column);
    status_column_ = column_named(columns, "status");
    outcome_column_ = column_named(columns, "outcome");
    damaged_column_ = column_named(columns, "damaged");
    delta_column_ = column_named(columns, "delta_ns");
    time_column_ = column_named(columns, "time_ns");
}

void TableModel::show_all(size_t rows) {
    const int count = static_cast<int>(std::min(rows, most_rows));
    if (shown_ || count < count_) {
        beginResetModel();
        shown_ = nullptr;
        count_ = count;
        endResetModel();
    } else if (count > count_) {
        beginInsertRows({}, count_, count - 1);
        count_ = count;
        endInsertRows();
    }
}

void TableModel::show(ShownRows rows, bool ascending) {
    beginResetModel();
    shown_ = std::move(rows);
    ascending_ = ascending;
    count_ = static_cast<int>(std::min(shown_->size(), most_rows));
    endResetModel();
}

void TableModel::refresh() {
    if (count_ == 0) return;
    if (access_->final_table() == nullptr && !page_.rows.empty()) {
        want(page_.first);
        want(page_.first + static_cast<int>(page_.rows.size()) - 1);
    }
    Q_EMIT dataChanged(index(0, 0), index(count_ - 1, columnCount() - 1));
}

int TableModel::position_of(uint32_t table_row) const {
    if (!shown_) {
        return int64_t{table_row} < count_ ? static_cast<int>(table_row) : -1;
    }
    const auto end = shown_->begin() + count_;
    auto found = end;
    if (ascending_) {
        found = std::lower_bound(shown_->begin(), end, table_row);
        if (found != end && *found != table_row) found = end;
    } else {
        found = std::find(shown_->begin(), end, table_row);
    }
    return found == end ? -1 : static_cast<int>(found - shown_->begin());
}

void TableModel::set_time(const TimeReference& time) {
    if (time == time_) return;
    time_ = time;
    page_ = {};
    refresh();
}

void TableModel::set_reference_row(std::optional<uint32_t> table_row) {
    if (table_row == reference_row_) return;
    reference_row_ = table_row;
    refresh();
}

void TableModel::set_delta_of_shown(bool of_shown) {
    if (of_shown == delta_of_shown_) return;
    delta_of_shown_ = of_shown;
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    refresh();
}

void TableModel::set_host_names(const std::shared_ptr<const HostNames>& names, bool tells_unnamed) {
    tells_unnamed_ = tells_unnamed;
    for (ColumnFormat& format : formats_) format.set_host_names(names);
    page_ = {};
    refresh();
}

// Behind this event, together with what else is painted now.
void TableModel::tell_unnamed(const QString& end) const {
    if (unnamed_.isEmpty()) {
        QTimer::singleShot(0, this, [this] {
            auto* const self = const_cast<TableModel*>(this);
            Q_EMIT self->unnamed_in_sight(std::exchange(self->unnamed_, {}));
        });
    }
    if (!unnamed_.contains(end)) unnamed_.append(end);
}

void TableModel::set_theme(const Theme& theme) {
    theme_ = &theme;
    refresh();
}

void TableModel::set_highlighted(Highlighted highlighted) {
    highlighted_ = std::move(highlighted);
    refresh();
}

void TableModel::set_colors(std::shared_ptr<const RowColors> colors) {
    if (colors == colors_) return;
    colors_ = std::move(colors);
    rule_of_row_.clear();
    uncolored_.clear();
    refresh();
}

void TableModel::prepare_colors(int first, int rows) {
    if (!colors_ || access_->final_table() == nullptr) return;
    const int end = std::min(count_, first + rows);
    for (int row = std::max(0, first); row < end; ++row) color_rule(row);
}

const ColorRule* TableModel::color_rule(int row) const {
    if (!colors_) return nullptr;
    const auto rule_of = [](const RowColors& colors, int number) {
        return number < 0 ? nullptr : &colors.rules()[static_cast<size_t>(number)];
    };
    if (access_->final_table() == nullptr) {
        const int at = row - page_.first;
        const bool known = at >= 0 && at < static_cast<int>(page_.color_rules.size());
        return known ? rule_of(*page_.colors, page_.color_rules[static_cast<size_t>(at)]) : nullptr;
    }
    const uint32_t wanted = table_row(row);
    if (const auto found = rule_of_row_.find(wanted); found != rule_of_row_.end())
        return rule_of(*colors_, found->second);
    want_color(wanted);
    return nullptr;
}

// Behind this event, together with what else is painted now.
void TableModel::want_color(uint32_t table_row) const {
    constexpr size_t most_kept = 100'000;
    if (rule_of_row_.size() >= most_kept) {
        rule_of_row_.clear();
        uncolored_.clear();
    }
    rule_of_row_.emplace(table_row, RowColors::no_rule);  // until it is known
    if (uncolored_.empty())
        QTimer::singleShot(0, this, [this] { const_cast<TableModel*>(this)->fetch_colors(); });
    uncolored_.push_back(table_row);
}

void TableModel::fetch_colors() {
    if (uncolored_.empty() || !color_job_.idle()) return;
    color_job_.request(
        [access = access_, colors = colors_, rows = std::exchange(uncolored_, {})](const StopFlag& stop) {
            ColorAnswer answer{colors, {}};
            const Table& table = *access->final_table();
            RowColors::Test test(*colors, table);
            answer.rules.reserve(rows.size());
            for (const uint32_t row : rows) {
                if (stop) break;
                if (row < table.rows()) answer.rules.emplace_back(row, test(row));
            }
            return answer;
        },
        [this](const ColorAnswer& answer) {
            if (answer.colors == colors_) {
                for (const auto& [row, rule] : answer.rules) rule_of_row_[row] = rule;
                if (count_ > 0) {
                    Q_EMIT dataChanged(index(0, 0), index(count_ - 1, columnCount() - 1),
                                       {Qt::BackgroundRole, Qt::ForegroundRole});
                }
            }
            fetch_colors();
        });
}

void TableModel::set_busy_column(int column) {
    if (column == busy_column_) return;
    busy_column_ = column;
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

const TableModel::Page::Field* TableModel::field(int row, int column) const {
    const int at = row - page_.first;
    if (at < 0 || at >= static_cast<int>(page_.rows.size())) {
        want(row);
        return nullptr;
    }
    return &page_.rows[static_cast<size_t>(at)][static_cast<size_t>(column)];
}

void TableModel::fetch_end(int rows) {
    if (count_ == 0) return;
    want(count_ - 1);
    wanted_first_ = std::max(0, count_ - rows);
    wanted_last_ = count_ - 1;
}

// Of what is painted now: it is fetched at once behind this event.
void TableModel::want(int table_row) const {
    if (wanted_first_ < 0) {
        wanted_first_ = wanted_last_ = table_row;
        QTimer::singleShot(0, this, [this] { const_cast<TableModel*>(this)->fetch_wanted(); });
        return;
    }
    wanted_first_ = std::min(wanted_first_, table_row);
    wanted_last_ = std::max(wanted_last_, table_row);
}

void TableModel::fetch_wanted() {
    constexpr int around = 40;
    constexpr int most = 400;
    if (wanted_first_ < 0) return;
    const int first = std::max(0, wanted_first_ - around);
    const int last = std::min({count_ - 1, wanted_last_ + around, first + most});
    wanted_first_ = wanted_last_ = -1;
    fetch_.request(
        [access = access_, formats = formats_, time = time_, highlighted = highlighted_, colors = colors_,
         first, last](const StopFlag& stop) {
            Page page;
            page.first = first;
            page.colors = colors;
            access->read([&](const Table& table) {
                BriefColoring coloring(colors.get(), table);
                const auto end = std::min(table.rows(), static_cast<size_t>(last) + 1);
                Cell cell;
                for (auto row = static_cast<size_t>(first); row < end && !stop; ++row) {
                    auto& fields = page.rows.emplace_back();
                    fields.reserve(formats.size());
                    for (size_t column = 0; column < formats.size(); ++column) {
                        table.cell(row, column, cell);
                        fields.push_back(
                            {formats[column].text_so_far(cell, time), formats[column].exact(cell, time)});
                    }
                    page.highlighted.push_back(highlighted && highlighted(table, static_cast<uint32_t>(row)));
                    coloring.add(row, page.color_rules);
                }
            });
            return page;
        },
        [this](Page page) {
            page_ = std::move(page);
            if (page_.rows.empty() || count_ == 0) return;
            const int first_row = page_.first;
            const int last_row = std::min(count_, page_.first + static_cast<int>(page_.rows.size())) - 1;
            if (last_row >= first_row) {
                Q_EMIT dataChanged(index(first_row, 0), index(last_row, columnCount() - 1));
            }
            Q_EMIT fetched();
        });
}

bool TableModel::cell(int row, int column, Cell& cell) const {
    const Table* const table = access_->final_table();
    if (table == nullptr) return false;
    table->cell(table_row(row), static_cast<size_t>(column), cell);
    return true;
}

// As it is shown, where that depends on the rows around it.
bool TableModel::shown_cell(int row, int column, Cell& value) const {
    if (!delta_of_shown_ || column != delta_column_ || time_column_ < 0) return cell(row, column, value);
    Cell before;
    if (!cell(row, time_column_, value)) return false;
    if (row == 0 || !cell(row - 1, time_column_, before)) {
        value.set_empty();
        return true;
    }
    int64_t delta_ns = 0;
    const bool known = value.kind == Cell::Kind::integer && before.kind == Cell::Kind::integer &&
                       !__builtin_sub_overflow(value.integer, before.integer, &delta_ns);
    known ? value.set(delta_ns) : value.set_empty();
    return true;
}

QString TableModel::text(int row, int column) const {
    if (reference_row_ == table_row(row) && format(column).shows_moments()) return QStringLiteral("*REF*");
    Cell value;
    if (shown_cell(row, column, value)) return format(column).text(value, time_);
    const Page::Field* const fetched = field(row, column);
    return fetched == nullptr ? QString() : fetched->text;
}

bool TableModel::is_highlighted(int row) const {
    if (const Table* const table = access_->final_table())
        return highlighted_ && highlighted_(*table, table_row(row));
    const int at = row - page_.first;
    return at >= 0 && at < static_cast<int>(page_.highlighted.size()) &&
           page_.highlighted[static_cast<size_t>(at)];
}

// Shows in a colour of its own what its words tell, too.
bool TableModel::is_problem(int row, int column, const Table& table) const {
    if (column != status_column_ && column != outcome_column_ && column != damaged_column_) return false;
    Cell cell;
    table.cell(table_row(row), static_cast<size_t>(column), cell);
    if (column == damaged_column_) return cell.kind == Cell::Kind::boolean && cell.boolean;
    if (cell.kind != Cell::Kind::text) return false;
    return column == status_column_ ? cell.text != "GOOD" : cell.text != "completed";
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count_) return {};
    const int row = index.row();
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole: {
            const QString shown = text(row, column);
            Cell value;
            if (tells_unnamed_ && format(column).has_addresses() && cell(row, column, value) &&
                value.kind == Cell::Kind::text && shown == format(column).exact(value, time_))
                tell_unnamed(shown);
            return shown;
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                Qt::AlignVCenter | (format(column).right_aligned() ? Qt::AlignRight : Qt::AlignLeft)));
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole: {
            Cell value;
            QString exact;
            if (shown_cell(row, column, value)) {
                exact = format(column).exact(value, time_);
            } else if (const Page::Field* const fetched = field(row, column)) {
                exact = fetched->exact;
            }
            return role == Qt::ToolTipRole ? plain_text(exact) : exact;
        }
        case Qt::BackgroundRole: {
            if (is_highlighted(row)) return QBrush(theme_->selection_fill);
            const ColorRule* const rule = color_rule(row);
            return rule != nullptr ? QVariant(QBrush(rule->background)) : QVariant();
        }
        case Qt::ForegroundRole: {
            const Table* const table = access_->final_table();
            if (table != nullptr && is_problem(row, column, *table)) return QBrush(theme_->problem);
            const ColorRule* const rule = is_highlighted(row) ? nullptr : color_rule(row);
            return rule != nullptr ? QVariant(QBrush(rule->foreground)) : QVariant();
        }
        default:
            return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    switch (role) {
        case Qt::DisplayRole: {
            const QString title = section == delta_column_ && delta_of_shown_ ? tr("Since row before")
                                                                              : format(section).title();
            return section == busy_column_ ? title + QStringLiteral(" …") : title;
        }
        case Qt::ToolTipRole:
            return format(section).tooltip();
        case Qt::InitialSortOrderRole:
            return format(section).largest_first() ? Qt::DescendingOrder : Qt::AscendingOrder;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                Qt::AlignVCenter | (format(section).right_aligned() ? Qt::AlignRight : Qt::AlignLeft)));
        default:
            return {};
    }
}

}  // namespace sanscope
