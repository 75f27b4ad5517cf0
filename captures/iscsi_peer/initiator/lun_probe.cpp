// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/lun_probe.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "captures/iscsi_peer/initiator/lun_content.h"

namespace sanscope {
namespace {

constexpr uint16_t inquiry_length = 255;
constexpr uint32_t capacity_16_length = 32;
constexpr uint8_t unit_serial_number = 0x80;
constexpr uint64_t blocks_of_capacity_10 = uint64_t{1} << 32;
// A part of what most targets take in one command.
constexpr uint32_t most_at_once = 64 * 1024;

Result<Capacity> capacity_of(TargetClient& client, uint64_t lun_field) {
    auto small = client.read(read_capacity_10_cdb(), lun_field, 8);
    if (!small) return small.error();
    auto capacity = parse_read_capacity_10(*small);
    if (!capacity || capacity->blocks < blocks_of_capacity_10) return capacity;
    auto large = client.read(read_capacity_16_cdb(capacity_16_length), lun_field, capacity_16_length);
    if (!large) return large.error();
    return parse_read_capacity_16(*large);
}

Result<std::vector<uint8_t>> read_blocks(TargetClient& client, uint64_t lun_field, const Capacity& capacity,
                                         uint64_t lba, uint64_t blocks) {
    std::vector<uint8_t> all;
    const uint32_t at_once = most_at_once / capacity.block_length;
    while (blocks > 0) {
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(blocks, std::max(at_once, 1u)));
        const uint32_t bytes = count * capacity.block_length;
        auto piece = client.read(read_cdb(lba, count), lun_field, bytes);
        if (!piece) return piece.error();
        if (piece->size() != bytes) return Error{fmt::format("only a part of block {} came", lba)};
        all.insert(all.end(), piece->begin(), piece->end());
        lba += count;
        blocks -= count;
    }
    return all;
}

}  // namespace

Result<LunFacts> probe_lun(TargetClient& client, uint64_t lun_field) {
    constexpr uint8_t direct_access = 0;
    LunFacts facts;
    auto inquiry = client.read(inquiry_cdb(inquiry_length), lun_field, inquiry_length);
    if (!inquiry) return inquiry.error();
    auto parsed = parse_inquiry(*inquiry);
    if (!parsed) return parsed.error();
    facts.inquiry = std::move(*parsed);
    if (facts.inquiry.qualifier != 0) return Error{"the target has no such LUN"};
    if (facts.inquiry.device_type != direct_access)
        return Error{fmt::format("that is no disk (device type 0x{:02x})", facts.inquiry.device_type)};
    // Not every unit has a page of its own for that.
    if (auto page = client.read(vital_product_data_cdb(unit_serial_number, inquiry_length), lun_field,
                                inquiry_length)) {
        if (auto serial = parse_unit_serial_number(*page)) facts.serial_number = std::move(*serial);
    }
    auto capacity = capacity_of(client, lun_field);
    if (!capacity) return capacity.error();
    facts.capacity = *capacity;
    return facts;
}

Result<std::vector<uint64_t>> list_luns(TargetClient& client) {
    constexpr uint32_t room = 16 * 1024;
    constexpr uint64_t any_lun = 0;
    auto data = client.read(report_luns_cdb(room), any_lun, room);
    if (!data) return data.error();
    return parse_report_luns(*data);
}

Result<LunEnds> read_ends(TargetClient& client, uint64_t lun_field, const Capacity& capacity,
                          uint64_t first_bytes, uint64_t last_bytes) {
    const uint64_t at_first = std::min(first_bytes / capacity.block_length, capacity.blocks);
    const uint64_t at_last = std::min(last_bytes / capacity.block_length, capacity.blocks);
    auto first = read_blocks(client, lun_field, capacity, 0, at_first);
    if (!first) return first.error();
    auto last = read_blocks(client, lun_field, capacity, capacity.blocks - at_last, at_last);
    if (!last) return last.error();
    return LunEnds{.first = std::move(*first), .last = std::move(*last)};
}

Result<std::string> probe_content(TargetClient& client, uint64_t lun_field, const Capacity& capacity) {
    const auto ends = read_ends(client, lun_field, capacity, lun_beginning_bytes, lun_end_bytes);
    if (!ends) return Error{fmt::format("what is on it cannot be read: {}", ends.error().message)};
    return lun_content({.size = capacity.bytes(),
                        .block_size = capacity.block_length,
                        .beginning = ends->first,
                        .end = ends->last});
}

}  // namespace sanscope
