// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/header_belief.h"

#include <algorithm>
#include <array>

#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

struct Fields {
    const uint8_t* p;
    size_t captured;

    // The bytes [from, to), as far as captured, are zero.
    bool zero(size_t from, size_t to) const {
        for (size_t i = from; i < std::min(to, captured); ++i) {
            if (p[i] != 0) return false;
        }
        return true;
    }
};

bool is_stage_pair(const Bhs& bhs) {
    const uint8_t current = bhs.current_stage();
    const uint8_t next = bhs.next_stage();
    if (current == 2 || next == 2 || current == 3) return false;
    return !bhs.transit() || next > current;
}

// Whether the LUN is made as SAM-5 §4.7 says: of elements of two bytes, behind the last of which all is zero. An element of the
// extended addressing method may be longer.
bool is_lun(const Bhs& bhs) {
    constexpr size_t lun_at = 8;
    constexpr size_t lun_length = 8;
    bool ended = false;
    for (size_t i = 0; i < lun_length; i += 2) {
        const uint8_t high = bhs.bytes()[lun_at + i];
        const uint8_t low = bhs.bytes()[lun_at + i + 1];
        if (high >> 6 == 3 && !ended) return true;
        if (ended && (high != 0 || low != 0)) return false;
        // The first may be LUN 0, of which the second names a part.
        ended = ended || (i > 0 && high == 0 && low == 0);
    }
    return true;
}

// Whether the CDB, as far as captured, may come with these lengths and directions: a command that moves data both ways has an
// additional header segment for the length of the one (RFC 7143 §11.2.2.4), and so has a CDB of more than 16 bytes
// (§11.2.2.3); no other has. TEST UNIT READY moves none.
bool is_cdb_of(const Bhs& bhs, const Fields& f) {
    constexpr size_t cdb_at = 32;
    constexpr uint8_t test_unit_ready = 0x00;
    constexpr uint8_t xdwriteread_10 = 0x53;
    constexpr uint8_t extended_cdb = 0x7e;
    constexpr uint8_t variable_length = 0x7f;
    constexpr uint8_t first_vendor_specific = 0xc0;
    const bool both_ways = bhs.read() && bhs.write();
    const bool more_header = bhs.ahs_length() != 0;
    if (both_ways && !more_header) return false;
    if (f.captured <= cdb_at) return true;
    const uint8_t operation = f.p[cdb_at];
    const bool may_be_long =
        operation == extended_cdb || operation == variable_length || operation >= first_vendor_specific;
    if (both_ways && operation != xdwriteread_10 && !may_be_long) return false;
    if (more_header && !both_ways && !may_be_long) return false;
    return operation != test_unit_ready || (!bhs.read() && !bhs.write());
}

bool is_request(const Bhs& bhs, const Fields& f) {
    const uint8_t flags = bhs.flags();
    const uint32_t data = bhs.data_segment_length();
    switch (bhs.opcode()) {
        case Opcode::nop_out:
            return flags == 0x80 && f.zero(2, 4) && f.zero(32, 48) &&
                   (bhs.itt() != reserved_tag || bhs.immediate()) &&
                   (bhs.itt() == reserved_tag || bhs.ttt() == reserved_tag);
        case Opcode::scsi_command: {
            const uint32_t expected = bhs.expected_data_transfer_length();
            if ((flags & 0x18) != 0 || (flags & 0x07) > 4 || !f.zero(2, 4) || bhs.itt() == reserved_tag)
                return false;
            if (!bhs.read() && !bhs.write() && expected != 0) return false;
            if (!bhs.write() && (data != 0 || !bhs.final())) return false;
            if (!is_lun(bhs) || !is_cdb_of(bhs, f)) return false;
            return data <= expected && expected < 1u << 30;
        }
        case Opcode::task_management_request:
            return bhs.final() && bhs.function() >= 1 && bhs.function() <= 14 && f.zero(2, 4) && data == 0;
        case Opcode::login_request:
            return bhs.immediate() && (flags & 0x30) == 0 && is_stage_pair(bhs) && bhs.version_max() == 0 &&
                   f.zero(22, 24) && f.zero(32, 48) && data <= 65536;
        case Opcode::text_request:
            // A target may name a LUN with its TTT (RFC 7143 §11.10.4); none has a reason to.
            return (flags & 0x3f) == 0 && flags != 0 && f.zero(2, 4) && f.zero(8, 16) && f.zero(32, 48) &&
                   data <= 65536;
        case Opcode::scsi_data_out:
            return !bhs.immediate() && (flags & 0x7f) == 0 && f.zero(2, 4) && f.zero(24, 28) &&
                   f.zero(32, 36) && bhs.itt() != reserved_tag && data > 0;
        case Opcode::logout_request:
            return bhs.final() && bhs.reason() <= 2 && f.zero(2, 4) && f.zero(8, 16) && data == 0;
        case Opcode::snack_request:
            return bhs.final() && (flags & 0x70) == 0 && bhs.snack_type() <= 3 && f.zero(2, 4) && data == 0;
        default:
            return false;
    }
}

bool is_answer(const Bhs& bhs, const Fields& f) {
    const uint8_t flags = bhs.flags();
    const uint32_t data = bhs.data_segment_length();
    // A target may send fewer commands' room than it expects only by one (RFC 7143 §4.2.2.1).
    if (f.captured >= least_judged_header) {
        const int32_t room = bhs.exp_cmd_sn().distance_to(bhs.max_cmd_sn());
        if (room < -1 || room > 1 << 20) return false;
    }
    switch (bhs.opcode()) {
        case Opcode::nop_in:
            return flags == 0x80 && f.zero(2, 4) && f.zero(36, 48);
        case Opcode::scsi_response:
            return (flags & 0xe1) == 0x80 && (bhs.response() <= 1 || bhs.response() >= 0x80) &&
                   is_scsi_status(bhs.status()) && f.zero(8, 16) && bhs.itt() != reserved_tag &&
                   data <= 65536;
        case Opcode::task_management_response:
            return flags == 0x80 && (bhs.response() <= 6 || bhs.response() == 255) && f.zero(8, 16) &&
                   f.zero(20, 24) && f.zero(36, 48) && data == 0;
        case Opcode::login_response:
            return (flags & 0x30) == 0 && is_stage_pair(bhs) && bhs.version_max() == 0 && f.zero(38, 48) &&
                   (f.captured <= 36 || bhs.status_class() <= 3) && data <= 65536;
        case Opcode::text_response:
            // Either it is the last of its answer, or it names the request that is to ask for the rest (RFC 7143 §11.11).
            return (flags & 0x3f) == 0 && flags != 0xc0 && bhs.final() == (bhs.ttt() == reserved_tag) &&
                   f.zero(2, 4) && f.zero(36, 48) && data <= 65536;
        case Opcode::scsi_data_in:
            if ((flags & 0x38) != 0 || bhs.itt() == reserved_tag) return false;
            if (bhs.has_status()) return bhs.final() && is_scsi_status(bhs.status());
            return (flags & 0x06) == 0 && f.zero(2, 4) && data > 0;
        case Opcode::logout_response:
            return flags == 0x80 && bhs.response() <= 3 && f.zero(8, 16) && data == 0;
        case Opcode::r2t:
            return flags == 0x80 && f.zero(2, 4) && bhs.itt() != reserved_tag && bhs.ttt() != reserved_tag &&
                   data == 0 && (f.captured < bhs_length || bhs.desired_data_transfer_length() != 0);
        case Opcode::async_message:
            return flags == 0x80 && f.zero(2, 4) && bhs.itt() == reserved_tag && f.zero(20, 24) &&
                   data <= 65536;
        case Opcode::reject:
            return flags == 0x80 && f.zero(3, 4) && f.zero(8, 16) && bhs.itt() == reserved_tag &&
                   data >= bhs_length && data <= 65536;
        default:
            return false;
    }
}

}  // namespace

bool can_be_header(const uint8_t* bytes, bool from_target) {
    return can_begin_header(bytes[0], from_target);
}

bool looks_like_header(const uint8_t* bytes, size_t captured, bool from_target) {
    if (captured < least_cut_header || !can_be_header(bytes, from_target)) return false;
    const Bhs bhs(bytes);
    const Fields fields{bytes, captured};
    if (bhs.ahs_length() != 0 && bhs.opcode() != Opcode::scsi_command) return false;
    if (from_target && bhs.immediate()) return false;
    return from_target ? is_answer(bhs, fields) : is_request(bhs, fields);
}

}  // namespace sanscope
