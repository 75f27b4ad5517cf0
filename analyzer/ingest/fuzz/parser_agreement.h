// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/ingest/found_packets.h"
#include "analyzer/ingest/record_joiner.h"

namespace sanscope::test {

struct Found {
    std::vector<FoundPacket> packets;
    std::optional<FormatFault> fault;
    std::optional<CaptureNotes> notes;   // where they were to be kept
    std::optional<ResolvedNames> names;  // likewise
};

// Runs `parser` over `bytes` in batches of the lengths that `next_length` gives (at least one byte each).
template <class NextLength>
Found parse_in_pieces(std::unique_ptr<RecordParser> parser, std::span<const uint8_t> bytes,
                      NextLength next_length) {
    RecordJoiner joiner(std::move(parser), {});
    Found found;
    PacketBatch batch;
    for (size_t at = 0; !batch.last;) {
        const size_t length = std::min(bytes.size() - at, std::max<size_t>(next_length(), 1));
        // No more room than the bytes need, so that a step beyond them is seen.
        batch.buffer.reallocate(length);
        batch.begin = batch.buffer.size() - length;
        batch.end = batch.buffer.size();
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length,
                    batch.buffer.data() + batch.begin);
        batch.file_offset = at;
        at += length;
        batch.last = at == bytes.size();
        joiner.parse(batch);
        keep_packets(batch, found.packets);
    }
    found.fault = joiner.fault();
    if (joiner.parser().notes() != nullptr) found.notes = *joiner.parser().notes();
    if (joiner.parser().names() != nullptr) found.names = *joiner.parser().names();
    return found;
}

// Ends the program unless both found the same packets and the same fault, and where both kept them, the same notes and names.
inline void demand_agreement(const Found& a, const Found& b) {
    if (a.packets != b.packets || a.fault.has_value() != b.fault.has_value()) std::abort();
    if (a.fault && (a.fault->at_byte != b.fault->at_byte || a.fault->message != b.fault->message))
        std::abort();
    if (a.notes && b.notes && *a.notes != *b.notes) std::abort();
    if (a.names && b.names && *a.names != *b.names) std::abort();
}

}  // namespace sanscope::test
