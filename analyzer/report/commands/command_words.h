// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/report/finding_list.h"

namespace sanscope {

// How findings name a command, and lead to it.

inline void place_at(Finding& finding, uint64_t number, const CommandRow& row) {
    finding.command = number;
    finding.connection = row.connection;
    finding.session = row.session;
    finding.packet = row.request_packet;
    finding.begin_ns = row.request_ns;
    finding.end_ns = row.response_ns;
}

// "READ(16) of 64 KiB"
inline std::string words_for(const CommandRow& row) {
    std::string text = row.name;
    if (text.empty()) {
        text = row.opcode == unknown<uint16_t> ? "one not seen whole"
                                               : fmt::format("operation code 0x{:02x}", row.opcode);
    }
    if (row.bytes != unknown<uint64_t> && row.bytes > 0) text += " of " + human_binary_bytes(row.bytes);
    return text;
}

// "LUN 3"; empty where it is not known.
inline std::string lun_words(uint64_t lun) {
    return lun == unknown<uint64_t> ? "" : fmt::format("LUN {}", lun);
}

}  // namespace sanscope
