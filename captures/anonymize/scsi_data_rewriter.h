// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "captures/anonymize/anonymizer.h"

namespace sanscope {

// Replaces serial numbers and designators in what targets tell of themselves, in place, in the same form and length; zeroes
// what may hold a name and is of no known form. Vendor, product and revision of standard INQUIRY data stay, as do sizes,
// limits, states of paths and ports' numbers: the analysis uses them. `data` may be cut anywhere.

// Data of the command with these CDB bytes (SPC-4, SBC-3), from the data's first byte on.
void rewrite_parameter_data(uint8_t opcode, uint8_t cdb_byte_1, uint8_t cdb_byte_2, std::span<uint8_t> data,
                            Anonymizer& anonymizer);

// The data segment of a SCSI Response (RFC 7143 §11.4.7): a length of two bytes and sense data. What vendors add is zeroed.
void rewrite_sense_segment(std::span<uint8_t> data);

// The data segment of an Asynchronous Message (§11.19.1): sense data in the same way, for which alone bytes are left standing.
void rewrite_async_segment(std::span<uint8_t> data);

}  // namespace sanscope
