// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/points_tables.h"
#include "analyzer/tables/column.h"

namespace sanscope {
namespace {

using namespace column;

template <bool own>
void point(const PointSenderRow& row, const CellContext&, Cell& cell) {
    const bool b = row.agreement.own_is_b == own;
    cell.set(std::string_view(row.path->points[b ? row.pair->b : row.pair->a]->name()));
}

template <auto member>
void figure(const PointSenderRow& row, const CellContext&, Cell& cell) {
    cell.set(row.agreement.*member);
}

template <auto member>
void window_error(const PointSenderRow& row, const CellContext&, Cell& cell) {
    if (row.agreement.acknowledgements == 0) return cell.set_empty();
    cell.set(row.agreement.*member);
}

constexpr Column<PointSenderRow> point_sender_columns[] = {
    {"connection", unsigned_column, "As in `points`", count<&PointSenderRow::connection>},
    {"sender", text_column,
     "Address and port of the sender, as the point nearer to the initiators shows them",
     [](const PointSenderRow& row, const CellContext&, Cell& cell) {
         set_endpoint(cell, row.agreement.way == Way::out ? row.at->initiator : row.at->target);
     }},
    {"own_point", text_column, "The capture nearer to the sender, by which it is replayed first",
     point<true>},
    {"far_point", text_column, "The other one, by which it is replayed again", point<false>},
    {"acknowledgements", unsigned_column,
     "Acknowledgements of new data after which both replays have a congestion window",
     figure<&SenderAgreement::acknowledgements>},
    {"cwnd_error_p50_permille", integer_column,
     "The far replay's congestion window less the own one's, thousandths of that: the median",
     window_error<&SenderAgreement::cwnd_p50_permille>},
    {"cwnd_error_p90_permille", unsigned_column, "… the size that 9 of 10 do not exceed",
     window_error<&SenderAgreement::cwnd_p90_permille>},
    {"ca_state_agreed_permille", unsigned_column,
     "Thousandths of the own replay's time in which both are in the same congestion state",
     [](const PointSenderRow& row, const CellContext&, Cell& cell) {
         const SenderAgreement& agreement = row.agreement;
         if (agreement.compared_ns <= 0) return cell.set_empty();
         cell.set(static_cast<uint64_t>(static_cast<double>(agreement.agreed_ns) * 1000 /
                                        static_cast<double>(agreement.compared_ns)));
     }},
    {"retransmissions", unsigned_column, "Segments sent again, by the own replay",
     figure<&SenderAgreement::resent>},
    {"retransmissions_far", unsigned_column, "… by the far one", figure<&SenderAgreement::resent_far>},
    {"retransmissions_both", unsigned_column, "… by both, from the same sequence number on",
     figure<&SenderAgreement::resent_both>},
    {"retransmissions_same_kind", unsigned_column, "… and of the same kind of `losses`",
     figure<&SenderAgreement::resent_alike>},
};
constexpr auto infos = column_infos(point_sender_columns);

}  // namespace

const TableInfo point_senders_table = {"point_senders",
                                       "With --points: what the replay of a TCP sender from the other end "
                                       "says of it, held against that from its "
                                       "own; one row a sender and pair of neighbouring points",
                                       infos, ResultStore::Keep::nothing(), nullptr};

void append_point_sender_rows(const PathPoints& path, const std::vector<SenderAgreement>& agreements,
                              ChunkedRows<PointSenderRow>& rows) {
    const auto numbers = connection_numbers(path);
    for (const SenderAgreement& agreement : agreements) {
        const PointPair& pair = path.pairs[agreement.pair];
        rows.append(PointSenderRow{numbers[agreement.pair][agreement.at], &path, &pair,
                                   &pair.connections[agreement.at], agreement});
    }
}

std::unique_ptr<Table> make_point_senders_table(const ChunkedRows<PointSenderRow>& rows) {
    return std::make_unique<RowsTable<PointSenderRow>>(point_senders_table, point_sender_columns, rows);
}

}  // namespace sanscope
