// SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>
#include <map>
#include <string_view>

#include "analyzer/budget/budget_groups.h"
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using namespace column;

// One part of the time of a group of commands; or, of a session alone, the time in which its command window was shut.
struct BudgetRow {
    SessionNumber session;
    uint64_t lun = unknown<uint64_t>;
    std::string_view transfer;
    uint64_t size_class = unknown<uint64_t>;
    std::string_view part;
    uint64_t commands = 0;
    int64_t sum_ns = 0;
    int64_t p50_ns = no_time;
    int64_t p99_ns = no_time;
    uint64_t queue_depth = unknown<uint64_t>;
};

constexpr Column<BudgetRow> columns[] = {
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&BudgetRow::session>},
    {"lun", unsigned_column, "Logical unit number", value<&BudgetRow::lun>},
    {"transfer", text_column, "read, write or other", text<&BudgetRow::transfer>},
    {"size_class", unsigned_column,
     "The commands transfer at most so many bytes and more than half of it; 0: none, or unknown how many",
     value<&BudgetRow::size_class>},
    {"part", text_column,
     "Whose time it was, as in the columns budget_*_ns of `commands`; command_window_shut, of a session: its "
     "target let it send no command",
     text<&BudgetRow::part>},
    {"commands", unsigned_column,
     "Commands with a turnaround; of command_window_shut, times that the window shut",
     count<&BudgetRow::commands>},
    {"sum_ns", integer_column, "All together, nanoseconds", time<&BudgetRow::sum_ns>},
    {"mean_ns", integer_column, "A command on average, nanoseconds",
     [](const BudgetRow& row, const CellContext&, Cell& cell) {
         if (row.commands == 0) return cell.set_empty();
         cell.set(row.sum_ns / static_cast<int64_t>(row.commands));
     }},
    {"p50_ns", integer_column, "Half of the commands had no more, nanoseconds", time<&BudgetRow::p50_ns>},
    {"p99_ns", integer_column, "99 of 100 had no more, nanoseconds", time<&BudgetRow::p99_ns>},
    {"queue_depth", unsigned_column,
     "Half of the commands found no more commands of their session under way, themselves included; of "
     "command_window_shut, half of all commands of the session",
     value<&BudgetRow::queue_depth>},
};
constexpr auto infos = column_infos(columns);

constexpr const Column<BudgetRow>& column_of(size_t index) {
    return columns[index];
}

uint64_t median_depth(const LogHistogram& depths) {
    return depths.count() == 0 ? unknown<uint64_t> : static_cast<uint64_t>(depths.percentile_ns(0.5));
}

void append_parts(const BudgetGroup& group, ChunkedRows<BudgetRow>& rows) {
    for (size_t part = 0; part < budget_parts; ++part) {
        if (group.sums_ns[part] == 0) continue;
        BudgetRow& row = rows.append({});
        row.session = group.session;
        row.lun = group.lun;
        row.transfer = transfer_name(group.transfer);
        row.size_class = group.size_class;
        row.part = budget_part_name(static_cast<BudgetPart>(part));
        row.commands = group.commands;
        row.sum_ns = group.sums_ns[part];
        row.p50_ns = group.times[part].percentile_ns(0.5);
        row.p99_ns = group.times[part].percentile_ns(0.99);
        row.queue_depth = median_depth(group.depths);
    }
}

class BudgetsTable final : public Table {
  public:
    explicit BudgetsTable(const ResultStore& store) {
        if (!store.finished() || !store.keeps_budgets()) return;
        std::map<uint32_t, LogHistogram> depths;  // by session
        for (const BudgetGroup& group : group_budgets(store, TimeBudgets(store))) {
            append_parts(group, rows_);
            depths[group.session].add(group.depths);
        }
        uint32_t number = 0;
        for (const SessionRow& session : store.sessions()) {
            ++number;
            if (session.command_window_shuts == 0) continue;
            BudgetRow& row = rows_.append({});
            row.session = number;
            row.part = "command_window_shut";
            row.commands = session.command_window_shuts;
            row.sum_ns = session.command_window_shut_ns;
            row.queue_depth = median_depth(depths[number]);
        }
    }

    std::string_view name() const override { return budgets_table.name; }
    std::span<const ColumnInfo> columns() const override { return infos; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        column_of(column).get(rows_[row], {row + 1, nullptr}, cell);
    }

  private:
    ChunkedRows<BudgetRow> rows_;
};

}  // namespace

const TableInfo budgets_table = {
    "budgets", "Where the time of commands went, one row for each group of commands and part", infos,
    keep_for_budgets,
    [](const ResultStore& store) -> std::unique_ptr<Table> { return std::make_unique<BudgetsTable>(store); }};

}  // namespace sanscope
