// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/scsi_commands.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <string_view>

#include "analyzer/base/byte_order.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

constexpr uint8_t unit_serial_number_page = 0x80;

void store_be16(uint8_t* p, uint16_t value) {
    p[0] = static_cast<uint8_t>(value >> 8);
    p[1] = static_cast<uint8_t>(value);
}

void store_be64(uint8_t* p, uint64_t value) {
    store_be32(p, static_cast<uint32_t>(value >> 32));
    store_be32(p + 4, static_cast<uint32_t>(value));
}

Cdb transfer_cdb(uint8_t in_10, uint8_t in_16, uint64_t lba, uint32_t blocks) {
    Cdb cdb{};
    if (lba <= 0xffffffff && blocks <= 0xffff) {
        cdb[0] = in_10;
        store_be32(&cdb[2], static_cast<uint32_t>(lba));
        store_be16(&cdb[7], static_cast<uint16_t>(blocks));
    } else {
        cdb[0] = in_16;
        store_be64(&cdb[2], lba);
        store_be32(&cdb[10], blocks);
    }
    return cdb;
}

// A field of ASCII that spaces fill up.
std::string text_of(std::span<const uint8_t> bytes) {
    std::string text(bytes.begin(), bytes.end());
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, ' ');
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

Error too_short(std::string_view what, size_t length) {
    return {fmt::format("the target answered {} with {} bytes, which is too few", what, length)};
}

Result<Capacity> capacity_of(uint64_t last_lba, uint32_t block_length) {
    constexpr uint32_t shortest = 512;
    constexpr uint32_t longest = 65536;
    if (!std::has_single_bit(block_length) || block_length < shortest || block_length > longest)
        return Error{fmt::format("the target says that its blocks have {} bytes", block_length)};
    if (last_lba >= (uint64_t{1} << 63) / block_length)
        return Error{fmt::format("the target says that its last block is {}", last_lba)};
    return Capacity{.blocks = last_lba + 1, .block_length = block_length};
}

}  // namespace

Cdb test_unit_ready_cdb() {
    return {scsi_op::test_unit_ready};
}

Cdb inquiry_cdb(uint16_t allocation_length) {
    Cdb cdb{scsi_op::inquiry};
    store_be16(&cdb[3], allocation_length);
    return cdb;
}

Cdb vital_product_data_cdb(uint8_t page, uint16_t allocation_length) {
    constexpr uint8_t enable_vital_product_data = 1;
    Cdb cdb{scsi_op::inquiry, enable_vital_product_data, page};
    store_be16(&cdb[3], allocation_length);
    return cdb;
}

Cdb report_luns_cdb(uint32_t allocation_length) {
    Cdb cdb{scsi_op::report_luns};
    store_be32(&cdb[6], allocation_length);
    return cdb;
}

Cdb read_capacity_10_cdb() {
    return {scsi_op::read_capacity_10};
}

Cdb read_capacity_16_cdb(uint32_t allocation_length) {
    Cdb cdb{scsi_op::service_action_in_16, scsi_op::read_capacity_16};
    store_be32(&cdb[10], allocation_length);
    return cdb;
}

Cdb read_cdb(uint64_t lba, uint32_t blocks) {
    return transfer_cdb(scsi_op::read_10, scsi_op::read_16, lba, blocks);
}

Cdb write_cdb(uint64_t lba, uint32_t blocks) {
    return transfer_cdb(scsi_op::write_10, scsi_op::write_16, lba, blocks);
}

Result<InquiryData> parse_inquiry(std::span<const uint8_t> data) {
    constexpr size_t standard_length = 36;
    if (data.size() < standard_length) return too_short("INQUIRY", data.size());
    return InquiryData{.qualifier = static_cast<uint8_t>(data[0] >> 5),
                       .device_type = static_cast<uint8_t>(data[0] & 0x1f),
                       .vendor = text_of(data.subspan(8, 8)),
                       .product = text_of(data.subspan(16, 16)),
                       .revision = text_of(data.subspan(32, 4))};
}

Result<std::string> parse_unit_serial_number(std::span<const uint8_t> data) {
    constexpr size_t header_length = 4;
    if (data.size() < header_length) return too_short("INQUIRY for its serial number", data.size());
    if (data[1] != unit_serial_number_page)
        return Error{fmt::format("the target answered INQUIRY for page 0x80 with page 0x{:02x}", data[1])};
    const size_t length = std::min<size_t>(load_be16(&data[2]), data.size() - header_length);
    return text_of(data.subspan(header_length, length));
}

Result<Capacity> parse_read_capacity_10(std::span<const uint8_t> data) {
    if (data.size() < 8) return too_short("READ CAPACITY(10)", data.size());
    return capacity_of(load_be32(data.data()), load_be32(&data[4]));
}

Result<Capacity> parse_read_capacity_16(std::span<const uint8_t> data) {
    if (data.size() < 12) return too_short("READ CAPACITY(16)", data.size());
    return capacity_of(load_be64(data.data()), load_be32(&data[8]));
}

Result<std::vector<uint64_t>> parse_report_luns(std::span<const uint8_t> data) {
    constexpr size_t header_length = 8;
    constexpr size_t entry_length = 8;
    if (data.size() < header_length) return too_short("REPORT LUNS", data.size());
    const size_t length = std::min<size_t>(load_be32(data.data()), data.size() - header_length);
    std::vector<uint64_t> luns;
    for (size_t at = 0; at + entry_length <= length; at += entry_length)
        luns.push_back(load_be64(&data[header_length + at]));
    return luns;
}

}  // namespace sanscope
