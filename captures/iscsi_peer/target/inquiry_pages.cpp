// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/inquiry_pages.h"

#include <algorithm>
#include <string_view>

#include "captures/iscsi_peer/target/block_limits.h"

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

constexpr std::string_view vendor = "SANSCOPE";
constexpr std::string_view product = "MEMORY TARGET   ";
constexpr std::string_view revision = "0001";
static_assert(vendor.size() == 8 && product.size() == 16 && revision.size() == 4);

void append(std::vector<uint8_t>& bytes, std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
}

// A designation descriptor (SPC-4 §7.8.6.1).
void append_designator(std::vector<uint8_t>& bytes, unsigned protocol_and_code_set,
                       unsigned association_and_type, std::string_view designator) {
    bytes.push_back(static_cast<uint8_t>(protocol_and_code_set));
    bytes.push_back(static_cast<uint8_t>(association_and_type));
    bytes.push_back(0);
    bytes.push_back(static_cast<uint8_t>(designator.size()));
    append(bytes, designator);
}

// A name that the owner of a serial number may give itself (NAA 3, "locally assigned").
std::string locally_assigned_name(std::string_view serial) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : serial) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    hash = uint64_t{3} << 60 | hash >> 4;
    std::string name(8, '\0');
    for (size_t i = 0; i < name.size(); ++i) name[i] = static_cast<char>(hash >> (56 - 8 * i) & 0xff);
    return name;
}

void append_identification(const InquiryFacts& facts, std::vector<uint8_t>& bytes) {
    append_designator(bytes, 0x02, 0x01, std::string(vendor) + facts.serial);
    append_designator(bytes, 0x01, 0x03, locally_assigned_name(facts.serial));
    // The target port: its name, ended by a zero byte and padded to four (SPC-4 §7.8.6.11).
    std::string port = facts.target_name + ",t,0x0001";
    port.resize((port.size() + 4) & ~size_t{3});
    append_designator(bytes, 0x53, 0x98, port);
}

void append_block_limits(uint32_t block_size, std::vector<uint8_t>& bytes) {
    const BlockLimits limits = block_limits(block_size);
    bytes.resize(64);
    bytes[4] = 0x01;  // WSNZ: WRITE SAME names how many blocks
    bytes[5] = limits.compare_and_write_blocks;
    store_be32(bytes.data() + 20, limits.unmap_blocks);
    store_be32(bytes.data() + 24, limits.unmap_descriptors);
    store_be32(bytes.data() + 40, limits.write_same_blocks);  // the lower half of eight bytes
}

}  // namespace

void write_standard_inquiry(bool exists, std::vector<uint8_t>& bytes) {
    bytes.assign(96, 0);
    bytes[0] = exists ? 0x00 : 0x7f;  // a block device; no device can be there
    bytes[2] = 0x06;                  // SPC-4
    bytes[3] = 0x12;                  // HISUP, this format
    bytes[4] = static_cast<uint8_t>(bytes.size() - 5);
    bytes[7] = 0x02;  // CMDQUE
    std::ranges::copy(vendor, bytes.begin() + 8);
    std::ranges::copy(product, bytes.begin() + 16);
    std::ranges::copy(revision, bytes.begin() + 32);
    // SAM-5, iSCSI, SPC-4, SBC-3.
    constexpr uint8_t versions[] = {0x00, 0xa0, 0x09, 0x60, 0x04, 0x60, 0x04, 0xc0};
    std::ranges::copy(versions, bytes.begin() + 58);
}

bool write_vital_product_data(uint8_t page, const InquiryFacts& facts, std::vector<uint8_t>& bytes) {
    bytes.assign({0x00, page, 0, 0});
    switch (page) {
        case 0x00:
            bytes.insert(bytes.end(), {0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2});
            break;
        case 0x80:
            append(bytes, facts.serial);
            break;
        case 0x83:
            append_identification(facts, bytes);
            break;
        case 0xb0:
            append_block_limits(facts.block_size, bytes);
            break;
        case 0xb1:
            bytes.resize(64);
            bytes[5] = 1;  // nothing rotates
            break;
        case 0xb2:  // logical block provisioning
            bytes.resize(8);
            bytes[5] = 0xe4;  // LBPU, LBPWS, LBPWS10, LBPRZ
            bytes[6] = 0x02;  // thin
            break;
        default:
            return false;
    }
    const size_t length = bytes.size() - 4;
    bytes[2] = static_cast<uint8_t>(length >> 8);
    bytes[3] = static_cast<uint8_t>(length);
    return true;
}

}  // namespace sanscope
