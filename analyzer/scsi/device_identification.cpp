// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/device_identification.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

constexpr uint8_t page_code = 0x83;
constexpr size_t header_length = 4;
constexpr size_t most_bytes = 64;

// SPC-4 table 590.
enum DesignatorType : uint8_t { eui_64 = 2, naa = 3, scsi_name = 8 };

std::string hexadecimal(uint8_t type, std::span<const uint8_t> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text{digits[type & 0xf], ':'};
    for (const uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 0xf];
    }
    return text;
}

bool is_worldwide(uint8_t type, std::span<const uint8_t> id) {
    if (id.empty() || id.size() > most_bytes) return false;
    if (std::ranges::all_of(id, [](uint8_t byte) { return byte == 0; })) return false;
    constexpr uint8_t locally_assigned = 3;  // SPC-4 §7.8.6.6.1
    if (type == naa) return id[0] >> 4 != locally_assigned;
    return type == eui_64 || type == scsi_name;
}

// Which of several stands for the unit, whatever their order on another path.
int rank_of(uint8_t type) {
    return type == naa ? 3 : type == eui_64 ? 2 : 1;
}

}  // namespace

std::string unit_name_of(std::span<const uint8_t> page) {
    if (page.size() < header_length || page[1] != page_code) return {};
    const size_t told = load_be16(page.data() + 2);
    std::span<const uint8_t> rest = page.subspan(header_length);
    rest = rest.first(std::min(rest.size(), told));
    int best = 0;
    std::string name;
    while (rest.size() > header_length) {
        const size_t length = rest[3];
        if (length > rest.size() - header_length) break;
        const std::span<const uint8_t> id = rest.subspan(header_length, length);
        const uint8_t association = rest[1] >> 4 & 3;  // 0: the logical unit, not its port or target
        const uint8_t type = rest[1] & 0xf;
        if (association == 0 && is_worldwide(type, id)) {
            std::string text = hexadecimal(type, id);
            const int rank = rank_of(type);
            // Of one type the least, so that the order does not matter.
            if (rank > best || (rank == best && text < name)) name = std::move(text);
            best = std::max(best, rank);
        }
        rest = rest.subspan(header_length + length);
    }
    return name;
}

}  // namespace sanscope
