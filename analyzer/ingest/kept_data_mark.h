// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// How the section header of a pcapng says that of its packets only what tells of the protocol was kept: packets end behind it,
// and data segments before it are zeros. A custom option (draft-ietf-opsawg-pcapng §3.5.1) with the number that RFC 5612
// reserves for examples, in the byte order of the section, as our custom blocks have it.
constexpr uint16_t kept_data_option = 2988;  // text, which tools may copy
constexpr uint32_t kept_data_number = 32473;
constexpr std::string_view kept_data_text = "sanscope keep=headers";
// For people, behind what made the file.
constexpr std::string_view kept_data_sentences =
    "data segments with users' data are not kept. Packets end behind the last header, login text, sense data "
    "or "
    "SCSI parameter data in them, and zeros stand where users' data stood before that. Original lengths "
    "stand.";

constexpr bool is_kept_data_mark(uint16_t code, std::span<const uint8_t> value, FileByteOrder order) {
    if (code != kept_data_option || value.size() != 4 + kept_data_text.size()) return false;
    if (order.load32(value.data()) != kept_data_number) return false;
    for (size_t i = 0; i < kept_data_text.size(); ++i) {
        if (value[4 + i] != static_cast<uint8_t>(kept_data_text[i])) return false;
    }
    return true;
}

}  // namespace sanscope
