// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

using Cdb = std::array<uint8_t, 16>;

Cdb test_unit_ready_cdb();                    // SPC-4 §6.47
Cdb inquiry_cdb(uint16_t allocation_length);  // SPC-4 §6.4
Cdb vital_product_data_cdb(uint8_t page, uint16_t allocation_length);
Cdb report_luns_cdb(uint32_t allocation_length);       // SPC-4 §6.33
Cdb read_capacity_10_cdb();                            // SBC-3 §5.15
Cdb read_capacity_16_cdb(uint32_t allocation_length);  // SBC-3 §5.16
// READ(10) and WRITE(10) where the address and the count of blocks fit, else READ(16) and WRITE(16) (SBC-3 §5.11,
// §5.13).
Cdb read_cdb(uint64_t lba, uint32_t blocks);
Cdb write_cdb(uint64_t lba, uint32_t blocks);

// What a logical unit says of itself in standard INQUIRY data (SPC-4 §6.4.2).
struct InquiryData {
    uint8_t qualifier = 0;    // 0: there is one behind this number
    uint8_t device_type = 0;  // 0: a disk
    std::string vendor;       // without the spaces that fill it up
    std::string product;
    std::string revision;
};
Result<InquiryData> parse_inquiry(std::span<const uint8_t> data);

// The unit serial number of page 80h (SPC-4 §7.8.15), without spaces around it.
Result<std::string> parse_unit_serial_number(std::span<const uint8_t> data);

struct Capacity {
    uint64_t blocks = 0;
    uint32_t block_length = 0;  // bytes, a power of two from 512 to 65,536
    uint64_t bytes() const { return blocks * block_length; }
};
Result<Capacity> parse_read_capacity_10(std::span<const uint8_t> data);  // 2^32 blocks: there may be more
Result<Capacity> parse_read_capacity_16(std::span<const uint8_t> data);

// The LUN fields of REPORT LUNS data, as far as they came.
Result<std::vector<uint64_t>> parse_report_luns(std::span<const uint8_t> data);

}  // namespace sanscope
