// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "analyzer/points/points_tables.h"
#include "analyzer/tables/column.h"

namespace sanscope {
namespace {

using namespace column;

constexpr std::array<std::string_view, split_lacks> lack_names{
    "", "unanswered", "headers", "bytes", "overlapping", "clock", "order"};

void set_time(Cell& cell, int64_t time_ns) {
    if (time_ns == no_time) return cell.set_empty();
    cell.set(time_ns);
}

template <bool far>
void point(const PointCommandRow& row, const CellContext&, Cell& cell) {
    const bool b = far != row.split->near_is_b;
    cell.set(std::string_view(row.path->points[b ? row.pair->b : row.pair->a]->name()));
}

template <auto member>
void of_command(const PointCommandRow& row, const CellContext& context, Cell& cell) {
    value<member>(*row.command, context, cell);
}

template <auto member>
void duration(const PointCommandRow& row, const CellContext&, Cell& cell) {
    set_time(cell, row.split->*member);
}

template <TimeBand CommandSplit::*band, bool high>
void edge(const PointCommandRow& row, const CellContext&, Cell& cell) {
    set_time(cell, high ? (row.split->*band).high_ns : (row.split->*band).low_ns);
}

constexpr Column<PointCommandRow> point_command_columns[] = {
    {"command", unsigned_column, "Number of the command in the table commands of the path's first capture",
     [](const PointCommandRow& row, const CellContext&, Cell& cell) {
         cell.set(row.split->command.value());
     }},
    {"connection", unsigned_column, "As in `points`", count<&PointCommandRow::connection>},
    {"point", text_column, "The capture nearer to the command's initiator", point<false>},
    {"other_point", text_column, "The next one on its way to the target", point<true>},
    {"name", text_column, "What the command is",
     [](const PointCommandRow& row, const CellContext&, Cell& cell) {
         cell.set(std::string_view(row.command->name));
     }},
    {"lun", unsigned_column, "Logical unit number", of_command<&CommandRow::lun>},
    {"itt", text_column, "Initiator Task Tag, 0x and 8 hexadecimal digits",
     [](const PointCommandRow& row, const CellContext& context, Cell& cell) {
         hexadecimal_value<&CommandRow::itt, 8>(*row.command, context, cell);
     }},
    {"bytes", unsigned_column, "Expected data transfer length, bytes", of_command<&CommandRow::bytes>},
    {"request_packet", unsigned_column, "Packet of the path's first capture that completes the request",
     [](const PointCommandRow& row, const CellContext& context, Cell& cell) {
         number<&CommandRow::request_packet>(*row.command, context, cell);
     }},
    {"request_ns", integer_column, "Its moment by that capture's clock, nanoseconds since the epoch",
     [](const PointCommandRow& row, const CellContext&, Cell& cell) {
         set_time(cell, row.command->request_ns);
     }},
    {"not_split", text_column,
     "Why what follows is empty: unanswered; headers, were not captured; bytes, of the request or the answer "
     "are not in both captures; overlapping, the target did not wait for what it had asked for; clock, was "
     "or may have been stepped; order, which of the points is passed first is not known",
     [](const PointCommandRow& row, const CellContext&, Cell& cell) {
         if (row.split->lack == SplitLack::none) return cell.set_empty();
         cell.set(lack_name(row.split->lack));
     }},
    {"round_trips", unsigned_column,
     "Times it went to the other point and back: 1, and 1 for each R2T that all else waited for",
     [](const PointCommandRow& row, const CellContext&, Cell& cell) {
         if (row.split->round_trips == 0) return cell.set_empty();
         cell.set(uint64_t{row.split->round_trips});
     }},
    {"turnaround_ns", integer_column,
     "From the request's last byte at `point` to the status's last byte there, nanoseconds: the sum of "
     "initiator_ns, paths_ns, target_ns and answer_ns",
     duration<&CommandSplit::turnaround_ns>},
    {"initiator_ns", integer_column,
     "Of it the initiator, and what lies before `point`, had Data-Out to send; by the clock of `point` alone",
     duration<&CommandSplit::initiator_ns>},
    {"paths_ns", integer_column,
     "Of it between the points, there and back: what one clock measured less what the other did",
     duration<&CommandSplit::paths_ns>},
    {"target_ns", integer_column,
     "Of it the target, and what lies beyond `other_point`, until it asked for data or the answer's first "
     "byte came; by the clock of `other_point` alone",
     duration<&CommandSplit::target_ns>},
    {"answer_ns", integer_column,
     "Of it from the answer's first byte to its last, as they left `other_point`; by its clock alone",
     duration<&CommandSplit::answer_ns>},
    {"path_out_low_ns", integer_column,
     "Of paths_ns to `other_point`, at least, nanoseconds; empty where the clocks are not known",
     edge<&CommandSplit::out, false>},
    {"path_out_high_ns", integer_column, "… at most", edge<&CommandSplit::out, true>},
    {"recovery_out_ns", integer_column,
     "Of the path out: until lost or overtaken bytes, its own or earlier ones, had come; empty where copies "
     "cannot be told apart",
     duration<&CommandSplit::recovery_out_ns>},
    {"path_back_low_ns", integer_column, "Of paths_ns back to `point`, at least, nanoseconds",
     edge<&CommandSplit::back, false>},
    {"path_back_high_ns", integer_column, "… at most", edge<&CommandSplit::back, true>},
    {"recovery_back_ns", integer_column, "Of the path back: until lost or overtaken bytes had come",
     duration<&CommandSplit::recovery_back_ns>},
    {"behind_others_ns", integer_column,
     "Of target_ns: what stands before the answer in the target's stream, of other commands, had not left "
     "`other_point` yet; the target itself or its TCP may have held that up",
     duration<&CommandSplit::behind_others_ns>},
};
constexpr auto infos = column_infos(point_command_columns);

class PointCommandsTable final : public Table {
  public:
    PointCommandsTable(const PathPoints& path, const ResultStore& store,
                       const ChunkedRows<CommandSplit>& splits)
        : path_(path), store_(store), splits_(splits), numbers_(connection_numbers(path)) {}

    std::string_view name() const override { return point_commands_table.name; }
    std::span<const ColumnInfo> columns() const override { return point_commands_table.columns; }
    size_t rows() const override { return splits_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        const CommandSplit& split = splits_[row];
        const PointCommandRow whole{numbers_[split.pair][split.at], &path_, &path_.pairs[split.pair],
                                    &store_.command(split.command), &split};
        point_command_columns[column].get(whole, {row + 1, nullptr}, cell);
    }

  private:
    const PathPoints& path_;
    const ResultStore& store_;
    const ChunkedRows<CommandSplit>& splits_;
    std::vector<std::vector<uint32_t>> numbers_;
};

}  // namespace

const TableInfo point_commands_table = {
    "point_commands",
    "With --points: whose time each SCSI command's was, measured at two points; one row a command and pair "
    "of neighbouring points",
    infos, ResultStore::Keep::nothing(), nullptr};

std::string_view lack_name(SplitLack lack) {
    return lack_names[static_cast<size_t>(lack)];
}

std::unique_ptr<Table> make_point_commands_table(const PathPoints& path, const ResultStore& store,
                                                 const ChunkedRows<CommandSplit>& splits) {
    return std::make_unique<PointCommandsTable>(path, store, splits);
}

}  // namespace sanscope
