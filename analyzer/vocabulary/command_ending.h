// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How a command that was answered ended: what those that ended alike are counted by.
struct CommandEnding {
    uint16_t status = unknown<uint16_t>;
    uint16_t sense_key = unknown<uint16_t>;
    uint16_t asc = unknown<uint16_t>;
    uint16_t ascq = unknown<uint16_t>;
    uint16_t iscsi_response = unknown<uint16_t>;
    bool sense_deferred = false;
    uint8_t sense_bits = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison left to the compiler for a pointer
    auto operator<=>(const CommandEnding&) const = default;
    // The target answered, but not with a SCSI status (RFC 7143 §11.4.3).
    bool lacks_status() const { return iscsi_response != unknown<uint16_t> && iscsi_response != 0; }
};

inline CommandEnding ending_of(const CommandRow& row) {
    return {row.status,         row.sense_key,      row.asc,       row.ascq,
            row.iscsi_response, row.sense_deferred, row.sense_bits};
}

// The answer says how it ended: with a SCSI status, or an iSCSI response that stands for none.
inline bool ending_is_known(const CommandRow& row) {
    return row.status != unknown<uint16_t> || ending_of(row).lacks_status();
}

// … and that was not with GOOD.
inline bool ended_otherwise_than_good(const CommandRow& row) {
    return ending_is_known(row) && row.status != 0;
}

// What RFC 7143 §11.4.3 calls a response: "target failure (iSCSI response 0x01)".
std::string iscsi_response_words(uint16_t response);

}  // namespace sanscope
