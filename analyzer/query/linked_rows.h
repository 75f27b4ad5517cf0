// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "analyzer/query/row_set.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/pdu_index.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The table in which rows were selected.
enum class Selected : uint8_t {
    packets,
    commands,
    pdus,
    connections,
    sessions,
    losses,
    windows,
    ca_transitions,
    kernel_windows,
    kernel_ca_transitions
};

// What a selection is in every table: a set the size of each, packets by number - 1.
struct LinkedRows {
    RowSet packets, commands, pdus, connections, sessions, losses;
};

// What belongs to the rows selected in one table, so that one filter holds for all views:
//
//   selected         brings
//   packets          the PDUs they carry (see PduIndex), these PDUs' commands; their connections; the losses that name one
//                    of them as packet or original packet
//   commands         their PDUs, the packets that carry these; their connection; the losses that name one of these packets
//   pdus             their commands, but not those commands' other PDUs; the packets that carry them; their connections; the
//                    losses that name one of these packets
//   connections      all that is of them: packets, PDUs, commands, losses
//   sessions         their connections and all that is of them; commands of the session besides
//   losses           their packet and original packet; the PDUs to which the bytes belong, and their commands; their
//                    connections
//   windows,         the packet of each as if that was selected, and its connection
//   ca_transitions,
//   and both of the
//   kernel's
//
// And always, the sessions of the connections. The set of the table in which rows were selected is `rows` itself, the size
// of that table; of what the store does not keep there is nothing. What is brought brings nothing else: a packet that two
// commands share does not make one bring the other.
//
// `index` is up to date with its store, which must not change meanwhile. Time: microseconds for a few rows, some nanoseconds
// for each packet, PDU and command of the store at most, which `threads` share; and a look at every loss. Soon after `stop` is
// set, which may be nullptr, this returns with what was found by then.
LinkedRows link_rows(const PduIndex& index, Selected table, const RowSet& rows,
                     const std::atomic<bool>* stop = nullptr, unsigned threads = 1);

// The rows of a table of events that happen at packets (windows, ca_transitions, the kernel's) whose packet is in the set.
template <template <class> class Rows, class Row>
RowSet rows_at_packets(const Rows<Row>& rows, const RowSet& packets) {
    RowSet set(rows.size());
    rows.template for_each_run<&Row::packet>(0, rows.size(), [&](const auto& run, size_t first) {
        for (size_t i = 0; i < run.size(); ++i) {
            const PacketNumber packet = run[i].packet;
            if (packet != 0 && packets.test(packet - 1)) set.set(first + i);
        }
    });
    return set;
}

}  // namespace sanscope
