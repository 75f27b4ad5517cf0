// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Why a command did not end well, from either format of sense data (SPC-4 §4.5). What the sense data lack,
// mark as not valid, or end before, is `unknown<T>`.
struct SenseData {
    uint16_t sense_key = unknown<uint16_t>;  // 0 … 15
    uint16_t asc = unknown<uint16_t>;        // additional sense code
    uint16_t ascq = unknown<uint16_t>;       // additional sense code qualifier
    uint16_t field_replaceable_unit = unknown<uint16_t>;
    // What the command's standard makes of them: an LBA, a residue (negative ones as two's complement) …
    uint64_t information = unknown<uint64_t>;
    uint64_t command_specific_information = unknown<uint64_t>;
    bool descriptor_format = false;
    bool deferred = false;  // the error is of an earlier command (response codes 71h and 73h)
    bool filemark = false;
    bool end_of_medium = false;
    bool incorrect_length = false;
};

// Sense data, of any length; empty where they begin with no response code of SPC-4 (70h to 73h). In a SCSI
// Response they follow the two bytes of SenseLength (RFC 7143 §11.4.7.2), which are not given here.
std::optional<SenseData> parse_sense(std::span<const uint8_t> bytes);

// The name of a sense key as SPC-4 table 48 has it: "ILLEGAL REQUEST"; "" beyond 15. Static storage.
const char* sense_key_name(uint16_t sense_key);

// What the T10 list of additional sense codes says of a code: "LOGICAL BLOCK ADDRESS OUT OF RANGE"; "" for a
// code not known here. Static storage.
const char* additional_sense_text(uint16_t asc, uint16_t ascq);

}  // namespace sanscope
