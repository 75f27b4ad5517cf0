// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/pdu_index.h"
#include "analyzer/store/result_store.h"
#include "analyzer/tables/short_text.h"

namespace sanscope {

// Appends what stands out in a packet that brings a segment of a known connection, in the terms of Wireshark's TCP analysis:
// "fast retransmission", "retransmission (RTO)", "retransmission (TLP)", "spurious retransmission", "out of order",
// "captured twice", "keep-alive", "zero window probe", "previous segment not captured", "RST", "zero window",
// "duplicate ACK", "window update", "keep-alive ACK", "zero window probe ACK"; and the SCSI status that it brings, unless
// that is GOOD, as in "CHECK CONDITION".
//
// Retransmissions are told as `losses` has them, and like statuses only with `pdus`. What an ACK is follows from the segment
// of its sender before it, looked for among the 1,000 packets before: farther back nothing is told.
void add_analysis(PacketNumber packet, const ResultStore& store, const PduIndex* pdus, ShortText& text);

}  // namespace sanscope
