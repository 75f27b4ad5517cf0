// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sanscope {

// What INQUIRY says of a memory target's logical unit.
struct InquiryFacts {
    std::string serial;       // of the unit
    std::string target_name;  // an iSCSI name
    uint32_t block_size = 512;
};

// Standard INQUIRY data (SPC-4 §6.6.2). `exists`: there is such a logical unit.
void write_standard_inquiry(bool exists, std::vector<uint8_t>& bytes);
// A page of vital product data (SPC-4 §7.8, SBC-3 §6.6); false where there is none.
bool write_vital_product_data(uint8_t page, const InquiryFacts& facts, std::vector<uint8_t>& bytes);

}  // namespace sanscope
