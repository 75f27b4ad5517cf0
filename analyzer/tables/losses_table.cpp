// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

constexpr Column<LossRow> columns[] = {
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&LossRow::connection>},
    {"sender", text_column, "Address and port of the side whose bytes they are, IP:PORT or [IPv6]:PORT",
     sender},
    {"receiver", text_column, "Address and port of the other side, IP:PORT or [IPv6]:PORT", receiver},
    {"packet", unsigned_column, "Packet that repeats the bytes, or shows that they are missing",
     number<&LossRow::packet>},
    {"time_ns", integer_column, "Moment of the packet at the sender, nanoseconds since the epoch",
     time<&LossRow::time_ns>},
    {"seq", unsigned_column, "Sequence number of the first of the bytes, as in the headers",
     count<&LossRow::seq>},
    {"length", unsigned_column, "How many bytes", count<&LossRow::length>},
    {"kind", text_column,
     "fast_retransmit, rto, tlp, spurious, out_of_order, duplicate, keep_alive, zero_window_probe or "
     "not_captured",
     word<&LossRow::kind, loss_kind_names>},
    {"original_packet", unsigned_column, "Packet that first carried the bytes",
     number<&LossRow::original_packet>},
    {"delay_ns", integer_column, "From original_packet to packet, nanoseconds", time<&LossRow::delay_ns>},
    {"reordering", text_column,
     "Of what is out_of_order: path, where the receiver's SACKs tell that it arrived late, or tap, where "
     "only "
     "the capture has it late",
     word<&LossRow::reordering, reordering_names>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo losses_table = {
    "losses", "Bytes sent again, seen again or never seen, and why; one row each", infos,
    ResultStore::Keep::only(&ResultStore::Keep::losses),
    [](const ResultStore& store) { return make_losses_table(store.losses(), store.connections()); }};

std::unique_ptr<Table> make_losses_table(const ChunkedRows<LossRow>& losses,
                                         const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<LossRow>>(losses_table, columns, losses, &connections);
}

}  // namespace sanscope
