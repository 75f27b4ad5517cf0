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
enum DesignatorType : uint8_t { eui_64 = 2, naa = 3, relative_port = 4, port_group = 5, scsi_name = 8 };
// SPC-4 table 589.
enum Association : uint8_t { logical_unit = 0, target_port = 1 };

struct Designator {
    uint8_t association;
    uint8_t type;
    std::span<const uint8_t> id;
};

// The page's designators; empty where it is another page. `whole`: they are all there.
std::span<const uint8_t> designators_of(std::span<const uint8_t> page, bool& whole) {
    whole = false;
    if (page.size() < header_length || page[1] != page_code) return {};
    const size_t told = load_be16(page.data() + 2);
    const std::span<const uint8_t> rest = page.subspan(header_length);
    whole = told <= rest.size();
    return rest.first(std::min(rest.size(), told));
}

// Takes the first one off; empty where it is cut, and none is left.
std::optional<Designator> take_designator(std::span<const uint8_t>& rest) {
    if (rest.size() < header_length) return {};
    const size_t length = rest[3];
    if (length > rest.size() - header_length) return {};
    const Designator one{static_cast<uint8_t>(rest[1] >> 4 & 3), static_cast<uint8_t>(rest[1] & 0xf),
                         rest.subspan(header_length, length)};
    rest = rest.subspan(header_length + length);
    return one;
}

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

// False where another one says otherwise.
bool note_number(std::optional<uint16_t>& number, std::span<const uint8_t> id) {
    if (id.size() != 4) return false;
    const uint16_t told = load_be16(id.data() + 2);
    if (number && *number != told) return false;
    number = told;
    return true;
}

}  // namespace

std::string unit_name_of(std::span<const uint8_t> page) {
    bool whole = false;
    std::span<const uint8_t> rest = designators_of(page, whole);
    int best = 0;
    std::string name;
    while (const std::optional<Designator> one = take_designator(rest)) {
        if (one->association != logical_unit || !is_worldwide(one->type, one->id)) continue;
        std::string text = hexadecimal(one->type, one->id);
        const int rank = rank_of(one->type);
        // Of one type the least, so that the order does not matter.
        if (rank > best || (rank == best && text < name)) name = std::move(text);
        best = std::max(best, rank);
    }
    return name;
}

std::optional<TargetPort> target_port_of(std::span<const uint8_t> page) {
    bool whole = false;
    std::span<const uint8_t> rest = designators_of(page, whole);
    if (!whole) return {};
    TargetPort port;
    while (const std::optional<Designator> one = take_designator(rest)) {
        if (one->association != target_port) continue;
        if (one->type == relative_port && !note_number(port.relative, one->id)) return {};
        if (one->type == port_group && !note_number(port.group, one->id)) return {};
    }
    if (!rest.empty()) return {};
    return port;
}

}  // namespace sanscope
