// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/session/commands/command_tracker.h"

namespace sanscope {

// How many bytes of the stream this target's answers take, as its connection's headers, login and earlier answers
// show: PDUs are padded to four bytes (RFC 7143 §11.1), digests follow where they were negotiated (§11.2.3), and the
// data of a read are split at the initiator's MaxRecvDataSegmentLength (§13.12) or below.
struct AnswerShape {
    uint32_t header_length = bhs_length;  // with header digest, if any
    uint32_t data_digest_length = 0;
    uint32_t declared_limit = 0;  // the initiator's MaxRecvDataSegmentLength; 0: unknown

    // A PDU with a data segment of that length.
    uint32_t pdu_bytes(uint32_t data) const {
        return header_length + padded(data) + (data > 0 ? data_digest_length : 0);
    }
    // How long the Data-In PDUs of a read are that one does not hold.
    uint32_t data_in_limit(const ResponseProfile& profile) const {
        if (profile.split_length > 0) return profile.split_length;
        return declared_limit > 0 ? std::max(declared_limit, profile.longest_data_in)
                                  : max_data_segment_length;
    }
    // The Data-In PDUs that carry those bytes of a read's data.
    uint32_t data_in_bytes(uint32_t from, uint32_t to, const ResponseProfile& profile) const {
        const uint32_t limit = data_in_limit(profile);
        const uint32_t data = to - from;
        const uint32_t whole = data / limit;
        const uint32_t rest = data % limit;
        const uint64_t bytes = uint64_t{whole} * pdu_bytes(limit) + (rest > 0 ? pdu_bytes(rest) : 0);
        return static_cast<uint32_t>(std::min<uint64_t>(bytes, std::numeric_limits<uint32_t>::max() / 2));
    }

  private:
    static uint32_t padded(uint32_t bytes) { return (bytes + 3) & ~uint32_t{3}; }
};

}  // namespace sanscope
