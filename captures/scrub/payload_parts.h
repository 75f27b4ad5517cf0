// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a stretch of an iSCSI connection's TCP payload is (RFC 7143 §11.2).
enum class PayloadKind : uint8_t {
    unknown,            // no iSCSI, or out of step with it: to be treated as users' data
    basic_header,       // Basic Header Segment, CDB and all
    additional_header,  // Additional Header Segments
    header_digest,
    data_digest,
    padding,  // behind a data segment; nobody checks that it is zeros
    text,  // data segment of Login and Text Requests and Responses: keys and values, each ended by a zero byte
    sense_data,  // of SCSI Response: SenseLength, sense data, response data (§11.4.7)
    parameter_data,  // of SCSI Command, Data-In, Data-Out: what the command's standard defines; INQUIRY, MODE SENSE, UNMAP
    users_data,   // of the same: blocks of the medium, and all of which no more is known
    ping_data,    // of NOP-Out and NOP-In: anything
    async_data,   // of Asynchronous Message: sense data, or what a vendor defines (§11.9.4)
    reject_data,  // of Reject: the header that was rejected (§11.17.4)
};

constexpr uint8_t no_iscsi_opcode = 0xff;
constexpr uint16_t no_scsi_opcode = 0xffff;

// A stretch of one packet's TCP payload that is of one kind, and all of one PDU.
struct PayloadPart {
    uint32_t offset = 0;  // of its first byte in the payload
    uint32_t length = 0;  // bytes, of which a cut capture may have fewer; never 0
    PayloadKind kind = PayloadKind::unknown;
    uint8_t opcode = no_iscsi_opcode;  // of the PDU, without the I bit
    // Of the command that the PDU belongs to, where that was seen: of Data-In, Data-Out and SCSI Response by its Initiator
    // Task Tag. CDB bytes 0, 1 and 2; of INQUIRY the last two are the EVPD bit and the page code.
    uint16_t scsi_opcode = no_scsi_opcode;
    uint8_t cdb_byte_1 = 0;
    uint8_t cdb_byte_2 = 0;
    // The same stretch of the PDU may go over several packets.
    uint32_t begin =
        0;  // of the part's first byte in its stretch of the PDU: the data segment, header, digest
    uint32_t whole = 0;          // the length of that stretch
    uint32_t buffer_offset = 0;  // of the stretch in the command's data (Data-In and Data-Out, §11.7.5)
    uint64_t stream_offset = 0;  // in this direction of the connection, since its first byte that was seen
};

// All that is known of one packet's payload. `parts` are in order, disjoint, and cover the payload; none where the packet has
// none or is no TCP segment.
struct PacketParts {
    PacketNumber packet = 0;
    uint32_t connection = 0;   // counted from 0, each incarnation its own; only of a TCP segment
    bool iscsi = false;        // the connection is known to carry it; else all of the payload is unknown
    bool from_target = false;  // where iscsi
    bool seen_before =
        false;  // all of the payload came in an earlier packet: a retransmission, or the packet twice
    std::span<const PayloadPart> parts;  // until the follower's next call
};

// Whether such a part tells of the protocol and never of what users stored: what `--keep headers` keeps.
constexpr bool is_kept_with_headers(PayloadKind kind) {
    switch (kind) {
        case PayloadKind::basic_header:
        case PayloadKind::additional_header:
        case PayloadKind::header_digest:
        case PayloadKind::data_digest:
        case PayloadKind::text:
        case PayloadKind::sense_data:
        case PayloadKind::parameter_data:
        case PayloadKind::async_data:
        case PayloadKind::reject_data:
            return true;
        case PayloadKind::unknown:
        case PayloadKind::padding:
        case PayloadKind::users_data:
        case PayloadKind::ping_data:
            return false;
    }
    return false;
}

// Calls kept(begin, end) for each stretch of a payload that is_kept_with_headers(), in order; of the payload, the first
// `captured` bytes are there. True where all of it is known for what it is.
template <class Kept>
bool for_each_kept(const PacketParts& parts, size_t captured, const Kept& kept) {
    bool all_known = true;
    for (const PayloadPart& part : parts.parts) {
        all_known = all_known && part.kind != PayloadKind::unknown;
        if (!is_kept_with_headers(part.kind)) continue;
        const size_t begin = part.offset < captured ? part.offset : captured;
        const size_t end = part.length < captured - begin ? begin + part.length : captured;
        if (begin < end) kept(begin, end);
    }
    return all_known;
}

// "users' data", "basic header segment": for tests and for people.
std::string_view payload_kind_name(PayloadKind kind);

}  // namespace sanscope
