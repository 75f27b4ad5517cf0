// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/captures_table.h"

#include "analyzer/tables/column.h"

namespace sanscope {
namespace {

using namespace column;

template <BudgetPart part>
constexpr auto budget = [](const CaptureRow& row, const CellContext&, Cell& cell) {
    if (!row.budgets_known) return cell.set_empty();
    cell.set(row.budgets_ns[static_cast<size_t>(part)]);
};

constexpr Column<CaptureRow> columns[] = {
    {"file", text_column,
     "The capture, as it was given; several that are analysed as one with commas between",
     text<&CaptureRow::file>},
    {"start_ns", integer_column, "Time of the first packet, nanoseconds since the epoch",
     time<&CaptureRow::start_ns>},
    {"end_ns", integer_column, "Time of the last packet, nanoseconds since the epoch",
     time<&CaptureRow::end_ns>},
    {"packets", unsigned_column, "Packets in the capture", count<&CaptureRow::packets>},
    {"wire_bytes", unsigned_column, "What they had on the wire, bytes", count<&CaptureRow::wire_bytes>},
    {"dropped", unsigned_column, "Packets that the recorder dropped; empty where the file does not say",
     value<&CaptureRow::dropped>},
    {"connections", unsigned_column, "TCP connections", count<&CaptureRow::connections>},
    {"sessions", unsigned_column, "iSCSI sessions", count<&CaptureRow::sessions>},
    {"target_names", text_column,
     "iSCSI names of the targets whose logins were captured, with commas between",
     text<&CaptureRow::target_names>},
    {"commands", unsigned_column, "SCSI commands", count<&CaptureRow::commands>},
    {"bytes_read", unsigned_column, "What commands read, bytes; empty where of one nobody knows",
     value<&CaptureRow::bytes_read>},
    {"bytes_written", unsigned_column, "What commands wrote, bytes; empty where of one nobody knows",
     value<&CaptureRow::bytes_written>},
    {"errors", unsigned_column, "Commands answered otherwise than with GOOD", count<&CaptureRow::errors>},
    {"unanswered", unsigned_column, "Commands without an answer, and those aborted, rejected or terminated",
     count<&CaptureRow::unanswered>},
    {"retransmissions", unsigned_column, "Segments sent again, in both directions",
     count<&CaptureRow::retransmissions>},
    {"turnaround_p50_ns", integer_column,
     "Half of the commands took no longer, nanoseconds; empty where the times of too many are not known",
     time<&CaptureRow::turnaround_p50_ns>},
    {"turnaround_p99_ns", integer_column, "99 of 100 took no longer, nanoseconds; likewise",
     time<&CaptureRow::turnaround_p99_ns>},
    {"budget_request_path_ns", integer_column,
     "Of all turnarounds together, nanoseconds: commands and their data travelled to the target",
     budget<BudgetPart::request_path>},
    {"budget_cwnd_ns", integer_column,
     "Of all turnarounds together, nanoseconds: data were held back by congestion windows",
     budget<BudgetPart::cwnd>},
    {"budget_recovery_ns", integer_column,
     "Of all turnarounds together, nanoseconds: lost segments were awaited that acknowledgements had sent "
     "again",
     budget<BudgetPart::recovery>},
    {"budget_timeout_ns", integer_column,
     "Of all turnarounds together, nanoseconds: lost segments were awaited that a retransmission timer had "
     "sent again",
     budget<BudgetPart::timeout>},
    {"budget_receiver_window_ns", integer_column,
     "Of all turnarounds together, nanoseconds: data were held back by advertised windows",
     budget<BudgetPart::receiver_window>},
    {"budget_pacing_ns", integer_column,
     "Of all turnarounds together, nanoseconds: data were held back by pacing", budget<BudgetPart::pacing>},
    {"budget_application_ns", integer_column,
     "Of all turnarounds together, nanoseconds: initiators had Data-Out to send, and did not",
     budget<BudgetPart::application>},
    {"budget_r2t_wait_ns", integer_column,
     "Of all turnarounds together, nanoseconds: initiators waited for an R2T", budget<BudgetPart::r2t_wait>},
    {"budget_target_ns", integer_column,
     "Of all turnarounds together, nanoseconds: targets had all and sent nothing",
     budget<BudgetPart::target>},
    {"budget_behind_others_ns", integer_column,
     "Of all turnarounds together, nanoseconds: bytes stood behind those of other commands",
     budget<BudgetPart::behind_others>},
    {"budget_wire_ns", integer_column,
     "Of all turnarounds together, nanoseconds: bytes were sent at the path's rate",
     budget<BudgetPart::wire>},
    {"budget_return_path_ns", integer_column,
     "Of all turnarounds together, nanoseconds: last bytes travelled back", budget<BudgetPart::return_path>},
    {"budget_unknown_ns", integer_column,
     "Of all turnarounds together, nanoseconds: what the capture does not tell", budget<BudgetPart::unknown>},
    {"problems", unsigned_column, "Problems among the rows of `findings`", count<&CaptureRow::problems>},
    {"notices", unsigned_column, "Notices among them", count<&CaptureRow::notices>},
    {"finding", text_column, "Kind of the first problem or notice, as in `findings`",
     text<&CaptureRow::finding>},
    {"finding_title", text_column, "That one in one line", text<&CaptureRow::finding_title>},
    {"finding_cost_ns", integer_column,
     "Estimate of the time lost to it, nanoseconds; empty where nobody can tell",
     time<&CaptureRow::finding_cost_ns>},
    {"finding_packet", unsigned_column, "Packet that shows it best", number<&CaptureRow::finding_packet>},
    {"damage", text_column, "What of the file could not be read, and where", text<&CaptureRow::damage>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo captures_table = {"captures", "What is in a capture, in one row", infos,
                                  ResultStore::Keep::everything(), nullptr};

std::unique_ptr<Table> make_captures_table(const ChunkedRows<CaptureRow>& captures) {
    return std::make_unique<RowsTable<CaptureRow>>(captures_table, columns, captures);
}

}  // namespace sanscope
