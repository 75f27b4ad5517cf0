// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/scsi_device.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <limits>

#include "captures/iscsi_peer/target/block_limits.h"
#include "captures/iscsi_peer/target/inquiry_pages.h"
#include "captures/iscsi_peer/target/supported_commands.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using What = ScsiPlan::What;

ScsiPlan check_condition(const Sense& sense) {
    ScsiPlan plan;
    plan.status = scsi_status::check_condition;
    plan.sense = sense;
    return plan;
}

// What the initiator has room for.
ScsiPlan give(std::vector<uint8_t>& given, size_t allocation_length) {
    given.resize(std::min(given.size(), allocation_length));
    ScsiPlan plan;
    plan.what = What::give;
    plan.length = static_cast<uint32_t>(given.size());
    return plan;
}

void append_be(std::vector<uint8_t>& bytes, uint64_t value, unsigned count) {
    while (count-- > 0) bytes.push_back(static_cast<uint8_t>(value >> (8 * count)));
}

// REQUEST SENSE, where there is nothing to report but perhaps that the unit does not exist (SPC-4 §6.39).
ScsiPlan request_sense(bool exists, const uint8_t* cdb, std::vector<uint8_t>& given) {
    const Sense sense = exists ? Sense{} : senses::no_such_unit;
    if ((cdb[1] & 1) != 0) {
        given.assign({0x72, sense.key, sense.asc, sense.ascq, 0, 0, 0, 0});
    } else {
        given.resize(fixed_sense_length);
        write_fixed_sense(sense, std::span<uint8_t, fixed_sense_length>(given.data(), fixed_sense_length));
    }
    return give(given, cdb[4]);
}

// Mode pages (SPC-4 §7.5, SBC-3 §6.5); nothing of them can be changed.
constexpr std::array<uint8_t, 20> caching_page{0x08, 18};
constexpr std::array<uint8_t, 12> control_page{0x0a, 10, 0x02,
                                               0x10};  // GLTSD; reordering as the target likes

}  // namespace

void write_fixed_sense(const Sense& sense, std::span<uint8_t, fixed_sense_length> bytes) {
    std::ranges::fill(bytes, uint8_t{0});
    bytes[0] = 0x70;
    bytes[2] = sense.key;
    bytes[7] = fixed_sense_length - 8;
    bytes[12] = sense.asc;
    bytes[13] = sense.ascq;
    if (sense.field != Sense::no_field) {
        bytes[15] = 0xc0;  // SKSV, of the CDB
        bytes[16] = static_cast<uint8_t>(sense.field >> 8);
        bytes[17] = static_cast<uint8_t>(sense.field);
    }
    if (sense.information != Sense::no_information) {
        bytes[0] |= 0x80;  // VALID
        store_be32(bytes.data() + 3, static_cast<uint32_t>(sense.information));
    }
}

ScsiDevice::ScsiDevice(const TargetSettings& settings)
    : target_name_(settings.name),
      serial_(settings.serial),
      luns_(settings.luns),
      block_size_(settings.block_size),
      blocks_(settings.size / settings.block_size) {}

ScsiPlan ScsiDevice::transfer(What what, uint32_t lun, uint64_t lba, uint64_t blocks, unsigned protect,
                              uint16_t field) const {
    if (protect != 0) return check_condition(senses::invalid_field(1));
    if (!holds(lba, blocks)) return check_condition(senses::lba_out_of_range);
    const uint64_t bytes = blocks * block_size_;
    if (what != What::status && bytes > std::numeric_limits<uint32_t>::max())
        return check_condition(senses::invalid_field(field));
    ScsiPlan plan;
    plan.what = bytes == 0 ? What::status : what;
    plan.lun = lun;
    plan.offset = lba * block_size_;
    plan.length = what == What::status ? 0 : static_cast<uint32_t>(bytes);
    return plan;
}

ScsiPlan ScsiDevice::verify(uint32_t lun, const uint8_t* cdb, uint64_t lba, uint64_t blocks,
                            uint16_t field) const {
    const unsigned byte_check = cdb[1] >> 1 & 3;
    if (byte_check > 1) return check_condition(senses::invalid_field(1));
    return transfer(byte_check == 1 ? What::compare : What::status, lun, lba, blocks, cdb[1] >> 5, field);
}

ScsiPlan ScsiDevice::unmap(uint32_t lun, const uint8_t* cdb) const {
    constexpr uint8_t anchor = 0x01;
    if ((cdb[1] & anchor) != 0) return check_condition(senses::invalid_field(1));
    const uint16_t length = load_be16(cdb + 7);
    if (length > longest_unmap_list(block_limits(block_size_)))
        return check_condition(senses::parameter_list_length_error);
    ScsiPlan plan;
    plan.what = length == 0 ? What::status : What::unmap;
    plan.lun = lun;
    plan.length = length;
    return plan;
}

ScsiPlan ScsiDevice::write_same(uint32_t lun, const uint8_t* cdb, uint64_t lba, uint32_t blocks,
                                bool sends_block, uint16_t field) const {
    constexpr uint8_t anchor_or_obsolete = 0x16;  // PBDATA, LBDATA
    if ((cdb[1] & anchor_or_obsolete) != 0) return check_condition(senses::invalid_field(1));
    if (!holds(lba, blocks)) return check_condition(senses::lba_out_of_range);
    // 0 would be all up to the end, which the Block Limits VPD page rules out (WSNZ).
    if (blocks == 0 || blocks > block_limits(block_size_).write_same_blocks)
        return check_condition(senses::invalid_field(field));
    ScsiPlan plan = transfer(What::write_same, lun, lba, blocks, cdb[1] >> 5, field);
    if (plan.what != What::write_same) return plan;
    plan.extent = plan.length;
    plan.length = sends_block ? block_size_ : 0;
    return plan;
}

ScsiPlan ScsiDevice::compare_and_write(uint32_t lun, const uint8_t* cdb) const {
    constexpr uint16_t blocks_field = 13;
    const uint8_t blocks = cdb[blocks_field];
    if (blocks > block_limits(block_size_).compare_and_write_blocks)
        return check_condition(senses::invalid_field(blocks_field));
    ScsiPlan plan =
        transfer(What::compare_and_write, lun, load_be64(cdb + 2), blocks, cdb[1] >> 5, blocks_field);
    if (plan.what != What::compare_and_write) return plan;
    plan.extent = plan.length;
    plan.length *= 2;  // what is to be there, and what is to be written
    return plan;
}

ScsiPlan ScsiDevice::plan(uint64_t lun_field, const uint8_t* cdb, std::vector<uint8_t>& given) const {
    const uint64_t number = lun_number(lun_field);
    const bool exists = number < luns_;
    const auto lun = static_cast<uint32_t>(number);
    switch (cdb[0]) {
        case scsi_op::request_sense:
            return request_sense(exists, cdb, given);
        case scsi_op::inquiry:
            return inquiry(number, cdb, given);
        case scsi_op::report_luns:
            return report_luns(cdb, given);
        default:
            if (!exists) return check_condition(senses::no_such_unit);
            break;
    }
    const auto lba_6 = [&] { return load_be24(cdb + 1) & 0x1fffff; };
    const auto blocks_6 = [&] { return cdb[4] == 0 ? 256u : cdb[4]; };
    switch (cdb[0]) {
        case scsi_op::test_unit_ready:
            return {};
        case scsi_op::read_6:
            return transfer(What::read, lun, lba_6(), blocks_6(), 0, 4);
        case scsi_op::read_10:
            return transfer(What::read, lun, load_be32(cdb + 2), load_be16(cdb + 7), cdb[1] >> 5, 7);
        case scsi_op::read_12:
            return transfer(What::read, lun, load_be32(cdb + 2), load_be32(cdb + 6), cdb[1] >> 5, 6);
        case scsi_op::read_16:
            return transfer(What::read, lun, load_be64(cdb + 2), load_be32(cdb + 10), cdb[1] >> 5, 10);
        case scsi_op::write_6:
            return transfer(What::write, lun, lba_6(), blocks_6(), 0, 4);
        case scsi_op::write_10:
            return transfer(What::write, lun, load_be32(cdb + 2), load_be16(cdb + 7), cdb[1] >> 5, 7);
        case scsi_op::write_12:
            return transfer(What::write, lun, load_be32(cdb + 2), load_be32(cdb + 6), cdb[1] >> 5, 6);
        case scsi_op::write_16:
            return transfer(What::write, lun, load_be64(cdb + 2), load_be32(cdb + 10), cdb[1] >> 5, 10);
        case scsi_op::verify_10:
            return verify(lun, cdb, load_be32(cdb + 2), load_be16(cdb + 7), 7);
        case scsi_op::verify_12:
            return verify(lun, cdb, load_be32(cdb + 2), load_be32(cdb + 6), 6);
        case scsi_op::verify_16:
            return verify(lun, cdb, load_be64(cdb + 2), load_be32(cdb + 10), 10);
        case scsi_op::synchronize_cache_10:
            return transfer(What::status, lun, load_be32(cdb + 2), load_be16(cdb + 7), 0, 7);
        case scsi_op::synchronize_cache_16:
            return transfer(What::status, lun, load_be64(cdb + 2), load_be32(cdb + 10), 0, 10);
        case scsi_op::unmap:
            return unmap(lun, cdb);
        case scsi_op::write_same_10:
            return write_same(lun, cdb, load_be32(cdb + 2), load_be16(cdb + 7), true, 7);
        case scsi_op::write_same_16: {
            constexpr uint8_t no_data_out_buffer = 0x01;
            return write_same(lun, cdb, load_be64(cdb + 2), load_be32(cdb + 10),
                              (cdb[1] & no_data_out_buffer) == 0, 10);
        }
        case scsi_op::compare_and_write:
            return compare_and_write(lun, cdb);
        case scsi_op::mode_sense_6:
        case scsi_op::mode_sense_10:
            return mode_sense(cdb, given);
        case scsi_op::read_capacity_10:
            return capacity_10(cdb, given);
        case scsi_op::service_action_in_16:
            if ((cdb[1] & 0x1f) == scsi_op::read_capacity_16) return capacity_16(cdb, given);
            return check_condition(senses::invalid_field(1));
        case scsi_op::maintenance_in:
            if ((cdb[1] & 0x1f) != scsi_op::report_supported_operation_codes)
                return check_condition(senses::invalid_field(1));
            if (const uint16_t wrong = write_supported_commands(cdb, given); wrong != Sense::no_field)
                return check_condition(senses::invalid_field(wrong));
            return give(given, load_be32(cdb + 6));
        default:
            return check_condition(senses::invalid_opcode);
    }
}

ScsiPlan ScsiDevice::inquiry(uint64_t lun, const uint8_t* cdb, std::vector<uint8_t>& given) const {
    const bool vital = (cdb[1] & 1) != 0;
    const uint8_t page = cdb[2];
    if (!vital) {
        if (page != 0) return check_condition(senses::invalid_field(2));
        write_standard_inquiry(lun < luns_, given);
        return give(given, load_be16(cdb + 3));
    }
    if (lun >= luns_) return check_condition(senses::no_such_unit);
    const InquiryFacts facts{lun == 0 ? serial_ : fmt::format("{}-{}", serial_, lun), target_name_,
                             block_size_};
    if (!write_vital_product_data(page, facts, given)) return check_condition(senses::invalid_field(2));
    return give(given, load_be16(cdb + 3));
}

ScsiPlan ScsiDevice::mode_sense(const uint8_t* cdb, std::vector<uint8_t>& given) const {
    constexpr uint8_t all = 0x3f;
    const bool is_short = cdb[0] == scsi_op::mode_sense_6;
    const unsigned values = cdb[2] >> 6;  // 0 current, 1 which can be changed, 2 default, 3 saved
    const uint8_t page = cdb[2] & 0x3f;
    const uint8_t subpage = cdb[3];
    const bool with_descriptor = (cdb[1] & 0x08) == 0;
    if (values == 3) return check_condition(senses::no_saved_parameters);
    if (page != all && page != caching_page[0] && page != control_page[0])
        return check_condition(senses::invalid_field(2));
    if (subpage != 0 && subpage != 0xff) return check_condition(senses::invalid_field(3));

    constexpr uint8_t dpo_fua = 0x10;
    const uint8_t descriptor_length = with_descriptor ? 8 : 0;
    given.clear();
    if (is_short) {
        given.assign({0, 0, dpo_fua, descriptor_length});
    } else {
        given.assign({0, 0, 0, dpo_fua, 0, 0, 0, descriptor_length});
    }
    if (with_descriptor) {
        append_be(given, std::min<uint64_t>(blocks_, 0xffffffff), 4);
        append_be(given, block_size_, 4);
    }
    const auto append = [&](std::span<const uint8_t> bytes) {
        if (page != all && page != bytes[0]) return;
        given.insert(given.end(), bytes.begin(), bytes.end());
        if (values == 1)
            std::fill(given.end() - static_cast<ptrdiff_t>(bytes.size()) + 2, given.end(), uint8_t{0});
    };
    append(caching_page);
    append(control_page);
    if (is_short) {
        given[0] = static_cast<uint8_t>(given.size() - 1);
    } else {
        given[1] = static_cast<uint8_t>(given.size() - 2);
    }
    return give(given, is_short ? cdb[4] : load_be16(cdb + 7));
}

ScsiPlan ScsiDevice::report_luns(const uint8_t* cdb, std::vector<uint8_t>& given) const {
    constexpr uint8_t with_well_known = 2;
    constexpr uint8_t only_well_known = 1;
    if (cdb[2] > with_well_known) return check_condition(senses::invalid_field(2));
    if (load_be32(cdb + 6) < 16) return check_condition(senses::invalid_field(6));
    const uint32_t count = cdb[2] == only_well_known ? 0 : luns_;
    given.clear();
    append_be(given, uint64_t{count} * 8, 4);
    append_be(given, 0, 4);
    for (uint32_t lun = 0; lun < count; ++lun) append_be(given, uint64_t{lun} << 48, 8);
    return give(given, load_be32(cdb + 6));
}

ScsiPlan ScsiDevice::capacity_10(const uint8_t* cdb, std::vector<uint8_t>& given) const {
    const bool partial = (cdb[8] & 1) != 0;
    if (!partial && load_be32(cdb + 2) != 0) return check_condition(senses::invalid_field(2));
    given.clear();
    append_be(given, std::min<uint64_t>(blocks_ - 1, 0xffffffff), 4);
    append_be(given, block_size_, 4);
    return give(given, 8);
}

ScsiPlan ScsiDevice::capacity_16(const uint8_t* cdb, std::vector<uint8_t>& given) const {
    given.clear();
    append_be(given, blocks_ - 1, 8);
    append_be(given, block_size_, 4);
    given.resize(32);
    given[14] = 0xc0;  // LBPME, LBPRZ: thin provisioned, and what is unmapped reads as zeros
    return give(given, load_be32(cdb + 10));
}

}  // namespace sanscope
