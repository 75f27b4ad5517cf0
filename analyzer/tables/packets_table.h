// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analyzer/packets/packet_index.h"
#include "analyzer/store/pdu_index.h"
#include "analyzer/store/result_store.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// The packets of a capture as a table, for views and their filters. It is none of table_infos(), for beside a store it takes
// an index of the capture.

constexpr std::string_view packets_table_name = "packets";
constexpr std::string_view packets_table_description = "Packets of the capture, one row each";
std::span<const ColumnInfo> packets_table_columns();

// A row for each packet of `index`, in order. The store keeps segments; of a packet it has none of yet, what TCP would tell
// is empty. With `pdus`, cells tell which PDUs a packet completes and which bytes it repeats. All must outlive the table; any
// number of threads may ask for cells as long as nobody changes what they are made of.
std::unique_ptr<Table> make_packets_table(const PacketIndex& index, const ResultStore& store,
                                          const PduIndex* pdus = nullptr);

}  // namespace sanscope
