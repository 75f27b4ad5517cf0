// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/budget/shared_budgets.h"
#include "analyzer/scsi/status.h"
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/outcome_names.h"

namespace sanscope {
namespace {

using namespace column;

constexpr Column<CommandRow> columns[] = {
    {"command", unsigned_column, "Number of the command, counted from 1 in order of request", row_number},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&CommandRow::connection>},
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&CommandRow::session>},
    {"lun", unsigned_column, "Logical unit number", value<&CommandRow::lun>},
    {"itt", text_column,
     "Initiator task tag, 0x and 8 hexadecimal digits; empty where the capture cut off every header with it",
     hexadecimal_value<&CommandRow::itt, 8>},
    {"cmd_sn", unsigned_column, "CmdSN of the SCSI Command PDU",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (!row.cmd_sn_known) return cell.set_empty();
         cell.set(uint64_t{row.cmd_sn});
     }},
    {"opcode", text_column, "SCSI operation code, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::opcode, 2>},
    {"name", text_column, "Name of the SCSI command, as in READ(10)", text<&CommandRow::name>},
    {"lba", unsigned_column, "First logical block address", value<&CommandRow::lba>},
    {"blocks", unsigned_column, "Logical blocks to transfer", value<&CommandRow::blocks>},
    {"bytes", unsigned_column, "Expected data transfer length, bytes", value<&CommandRow::bytes>},
    {"request_packet", unsigned_column, "Packet that completes the SCSI Command PDU",
     number<&CommandRow::request_packet>},
    {"first_data_packet", unsigned_column, "Packet that completes the first PDU with data",
     number<&CommandRow::first_data_packet>},
    {"last_data_packet", unsigned_column, "Packet that completes the last PDU with data",
     number<&CommandRow::last_data_packet>},
    {"response_packet", unsigned_column, "Packet that completes the PDU with the status",
     number<&CommandRow::response_packet>},
    {"request_ns", integer_column, "Time of request_packet, nanoseconds since the epoch",
     time<&CommandRow::request_ns>},
    {"first_data_ns", integer_column, "Time of first_data_packet, nanoseconds since the epoch",
     time<&CommandRow::first_data_ns>},
    {"last_data_ns", integer_column, "Time of last_data_packet, nanoseconds since the epoch",
     time<&CommandRow::last_data_ns>},
    {"response_ns", integer_column, "Time of response_packet, nanoseconds since the epoch",
     time<&CommandRow::response_ns>},
    {"turnaround_ns", integer_column, "From request_packet to response_packet, nanoseconds",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         const int64_t turnaround = row.turnaround_ns();
         if (turnaround == no_time) return cell.set_empty();
         cell.set(turnaround);
     }},
    {"status", text_column, "SCSI status as named in SAM, as in CHECK_CONDITION; an undefined code as 0x41",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (row.status == unknown<uint16_t>) return cell.set_empty();
         cell.set(scsi_status_name(static_cast<uint8_t>(row.status)));
     }},
    {"sense_key", text_column, "Sense key, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::sense_key, 2>},
    {"asc", text_column, "Additional sense code, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::asc, 2>},
    {"ascq", text_column, "Additional sense code qualifier, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::ascq, 2>},
    {"residual", integer_column, "Bytes expected and not transferred; negative: bytes more than expected",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (row.residual == unknown<int64_t>) return cell.set_empty();
         cell.set(row.residual);
     }},
    {"r2ts", unsigned_column, "R2T PDUs of the command", count<&CommandRow::r2ts>},
    {"pdus", unsigned_column, "PDUs of the command, request and response included", count<&CommandRow::pdus>},
    {"outcome", text_column, "completed, unanswered, aborted, response_only, rejected or terminated",
     word<&CommandRow::outcome, outcome_names>},
    {"first_byte_packet", unsigned_column, "Packet that holds the first byte of data",
     number<&CommandRow::first_byte_packet>},
    {"first_byte_ns", integer_column, "Time of first_byte_packet, nanoseconds since the epoch",
     time<&CommandRow::first_byte_ns>},
    {"inferred", boolean_column,
     "The header of its request or of its status was cut off; the sizes and numbers around imply it",
     boolean<&CommandRow::inferred>},
    {"aborted_packet", unsigned_column,
     "Packet that completes what ended it without an answer: the answer to the task management request that "
     "aborted it, the Reject, or the Async Message that its task is terminated",
     number<&CommandRow::aborted_packet>},
    {"queue_depth", unsigned_column,
     "Commands of the session under way at request_packet, this one included: requested, and neither "
     "answered nor aborted, rejected or terminated nor their tag used again",
     value<&CommandRow::queue_depth>},
};
constexpr size_t own_columns = std::size(columns);

// Behind a command's own columns, one for each BudgetPart, in order.
constexpr ColumnInfo budget_columns[] = {
    {"budget_request_path_ns", integer_column,
     "Of turnaround_ns, nanoseconds: the command and its data travelled to the target"},
    {"budget_cwnd_ns", integer_column,
     "Of turnaround_ns, nanoseconds: data were held back by their sender's congestion window"},
    {"budget_recovery_ns", integer_column,
     "Of turnaround_ns, nanoseconds: lost segments were awaited that acknowledgements had sent again"},
    {"budget_timeout_ns", integer_column,
     "Of turnaround_ns, nanoseconds: lost segments were awaited that a retransmission timer had sent again"},
    {"budget_receiver_window_ns", integer_column,
     "Of turnaround_ns, nanoseconds: data were held back by the window their receiver advertised"},
    {"budget_pacing_ns", integer_column,
     "Of turnaround_ns, nanoseconds: data were held back by their sender's pacing"},
    {"budget_application_ns", integer_column,
     "Of turnaround_ns, nanoseconds: the initiator had Data-Out to send, and did not"},
    {"budget_r2t_wait_ns", integer_column,
     "Of turnaround_ns, nanoseconds: the initiator had sent all that the target had let it, and waited for "
     "an R2T"},
    {"budget_target_ns", integer_column,
     "Of turnaround_ns, nanoseconds: the target had all and sent nothing, though TCP would have let it"},
    {"budget_behind_others_ns", integer_column,
     "Of turnaround_ns, nanoseconds: its bytes stood behind those of other commands of the connection"},
    {"budget_wire_ns", integer_column,
     "Of turnaround_ns, nanoseconds: its bytes were sent at the path's rate"},
    {"budget_return_path_ns", integer_column, "Of turnaround_ns, nanoseconds: the last byte travelled back"},
    {"budget_unknown_ns", integer_column, "Of turnaround_ns, nanoseconds: what the capture does not tell"},
};
static_assert(std::size(budget_columns) == budget_parts);

// Of its own, but behind those.
constexpr Column<CommandRow> late_columns[] = {
    {"iscsi_response", text_column,
     "Response code of the SCSI Response PDU, 0x and 2 hexadecimal digits: 0x00 command completed at target, "
     "0x01 target failure, 0x80 and more vendor-specific; with another than 0x00 there is no SCSI status",
     hexadecimal_value<&CommandRow::iscsi_response, 2>},
    {"sense_deferred", boolean_column,
     "Sense key, asc and ascq are of an earlier command's error (response codes 71h and 73h of SPC)",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (row.sense_key == unknown<uint16_t>) return cell.set_empty();
         cell.set(row.sense_deferred);
     }},
    {"sense_bits", text_column,
     "Bits of the sense data, 0x and 2 hexadecimal digits: 0x80 FILEMARK, 0x40 EOM, 0x20 ILI",
     [](const CommandRow& row, const CellContext& context, Cell& cell) {
         if (row.sense_key == unknown<uint16_t>) return cell.set_empty();
         hexadecimal_value<&CommandRow::sense_bits, 2>(row, context, cell);
     }},
};
constexpr size_t first_late_column = own_columns + budget_parts;

constexpr auto infos = [] {
    std::array<ColumnInfo, first_late_column + std::size(late_columns)> all{};
    std::ranges::copy(column_infos(columns), all.begin());
    std::ranges::copy(budget_columns, all.begin() + own_columns);
    std::ranges::copy(column_infos(late_columns), all.begin() + first_late_column);
    return all;
}();

// Within the table, whose columns() hides that name.
constexpr std::span<const Column<CommandRow>> first_columns = columns;

class CommandsTable final : public Table {
  public:
    CommandsTable(const ChunkedRows<CommandRow>& rows, std::shared_ptr<SharedBudgets> budgets)
        : rows_(rows), budgets_(std::move(budgets)) {}

    std::string_view name() const override { return commands_table.name; }
    std::span<const ColumnInfo> columns() const override { return infos; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        if (column < own_columns) return first_columns[column].get(rows_[row], {row + 1, nullptr}, cell);
        if (column >= first_late_column)
            return late_columns[column - first_late_column].get(rows_[row], {row + 1, nullptr}, cell);
        CommandBudget budget;
        const bool known =
            rows_[row].turnaround_ns() != no_time && budgets_ != nullptr && budgets_->find(row + 1, budget);
        if (!known) return cell.set_empty();
        cell.set(budget.parts()[column - own_columns]);
    }
    void numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const override {
        std::vector<NumberSlice> of_rows;
        std::vector<NumberSlice> late;
        std::vector<NumberSlice> of_budgets;
        for (NumberSlice slice : slices) {
            if (slice.column < own_columns) {
                of_rows.push_back(slice);
            } else if (slice.column < first_late_column) {
                slice.column -= own_columns;
                of_budgets.push_back(slice);
            } else {
                slice.column -= first_late_column;
                late.push_back(slice);
            }
        }
        read_numbers<CommandRow>(first_columns, rows_, nullptr, first, count, of_rows);
        read_numbers<CommandRow>(late_columns, rows_, nullptr, first, count, late);
        if (!of_budgets.empty()) read_budgets(first, count, of_budgets);
    }
    void cells(size_t column, size_t first, std::span<Cell> cells) const override {
        if (column < own_columns)
            return read_cells<CommandRow>(first_columns[column], rows_, nullptr, first, cells);
        if (column >= first_late_column) {
            const auto& late = late_columns[column - first_late_column];
            return read_cells<CommandRow>(late, rows_, nullptr, first, cells);
        }
        Table::cells(column, first, cells);
    }

  private:
    // `slices`: their columns are parts.
    void read_budgets(size_t first, size_t count, std::span<const NumberSlice> slices) const {
        if (budgets_ == nullptr) {
            for (const NumberSlice& slice : slices) {
                std::fill_n(slice.known, count, uint8_t{0});
                std::fill_n(slice.values, count, uint64_t{0});
            }
            return;
        }
        std::array<CommandBudget, 64> budgets;
        std::array<uint8_t, budgets.size()> known{};
        for (size_t begin = 0; begin < count; begin += budgets.size()) {
            const size_t rows = std::min(budgets.size(), count - begin);
            for (size_t i = 0; i < rows; i++) {
                const size_t row = first + begin + i;
                known[i] =
                    rows_[row].turnaround_ns() != no_time && budgets_->find(row + 1, budgets[i]) ? 1 : 0;
                if (known[i] == 0) budgets[i] = {};
            }
            for (const NumberSlice& slice : slices) {
                for (size_t i = 0; i < rows; i++) {
                    slice.known[begin + i] = known[i];
                    slice.values[begin + i] = static_cast<uint64_t>(budgets[i].parts()[slice.column]);
                }
            }
        }
    }

    const ChunkedRows<CommandRow>& rows_;
    std::shared_ptr<SharedBudgets> budgets_;
};

}  // namespace

const TableInfo commands_table = {
    "commands", "SCSI commands from request to status, one row each, in order of request", infos,
    keep_for_budgets, [](const ResultStore& store) -> std::unique_ptr<Table> {
        return std::make_unique<CommandsTable>(store.commands(), std::make_shared<SharedBudgets>(store));
    }};

std::unique_ptr<Table> make_commands_table(const ChunkedRows<CommandRow>& commands,
                                           std::shared_ptr<SharedBudgets> budgets) {
    return std::make_unique<CommandsTable>(commands, std::move(budgets));
}

}  // namespace sanscope
