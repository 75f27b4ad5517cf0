// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "captures/iscsi_peer/target/target_settings.h"

#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {

// Why a command ends with CHECK CONDITION (SPC-4 §4.5).
struct Sense {
    static constexpr uint16_t no_field = 0xffff;
    static constexpr uint64_t no_information = ~uint64_t{0};

    uint8_t key = 0;
    uint8_t asc = 0;
    uint8_t ascq = 0;
    uint16_t field = no_field;              // the byte of the CDB that is wrong
    uint64_t information = no_information;  // 32 bits; what it says depends on the command
};

namespace senses {
constexpr Sense parameter_list_length_error{sense_key::illegal_request, 0x1a, 0x00};
constexpr Sense invalid_field_in_parameter_list{sense_key::illegal_request, 0x26, 0x00};
constexpr Sense unrecovered_read{sense_key::medium_error, 0x11, 0x00};
constexpr Sense write_error{sense_key::medium_error, 0x0c, 0x00};
constexpr Sense invalid_opcode{sense_key::illegal_request, 0x20, 0x00, 0};
constexpr Sense lba_out_of_range{sense_key::illegal_request, 0x21, 0x00};
constexpr Sense no_such_unit{sense_key::illegal_request, 0x25, 0x00};
constexpr Sense no_saved_parameters{sense_key::illegal_request, 0x39, 0x00};
constexpr Sense crc_error{sense_key::aborted_command, 0x47,
                          0x05};  // "protocol service CRC error", for data digests (RFC 7143 §11.4.7.2)
constexpr Sense miscompare{sense_key::miscompare, 0x1d, 0x00};
constexpr Sense invalid_field(uint16_t byte) {
    return {sense_key::illegal_request, 0x24, 0x00, byte};
}
}  // namespace senses

// Fixed format sense data (SPC-4 §4.5.3).
constexpr size_t fixed_sense_length = 18;
void write_fixed_sense(const Sense& sense, std::span<uint8_t, fixed_sense_length> bytes);

// What is to be done for a command.
struct ScsiPlan {
    enum class What : uint8_t {
        status,   // only to be answered
        give,     // bytes that the device wrote, `length` of them
        read,     // `length` bytes of the unit, from `offset`
        write,    // …
        compare,  // what comes, with those of the unit
        // Once all `length` bytes of data have come, carry_out() does it (medium_commands.h).
        unmap,
        write_same,
        compare_and_write,
    };
    What what = What::status;
    uint8_t status = scsi_status::good;
    Sense sense;  // where the status is CHECK CONDITION
    uint32_t lun = 0;
    uint64_t offset = 0;
    uint32_t length = 0;
    uint64_t extent = 0;  // of WRITE SAME and COMPARE AND WRITE: bytes of the unit that they are about

    // Whether its data are kept until all of them are there.
    bool collects_data() const { return what >= What::unmap; }
};

// The logical units of a target: block devices (SBC-3) that are all alike, as their CDBs find them. Holds no medium.
class ScsiDevice {
  public:
    explicit ScsiDevice(const TargetSettings& settings);

    // `lun_field` as in the Basic Header Segment, `cdb` 16 bytes. `given`: where the plan is to give bytes, they are
    // here, cut off at the allocation length; its room is reused. Commands that read or write allocate nothing.
    ScsiPlan plan(uint64_t lun_field, const uint8_t* cdb, std::vector<uint8_t>& given) const;

    uint64_t blocks() const { return blocks_; }
    uint32_t block_size() const { return block_size_; }
    // Whether a unit has these blocks.
    bool holds(uint64_t lba, uint64_t blocks) const { return lba <= blocks_ && blocks <= blocks_ - lba; }

  private:
    ScsiPlan inquiry(uint64_t lun, const uint8_t* cdb, std::vector<uint8_t>& given) const;
    ScsiPlan mode_sense(const uint8_t* cdb, std::vector<uint8_t>& given) const;
    ScsiPlan report_luns(const uint8_t* cdb, std::vector<uint8_t>& given) const;
    ScsiPlan capacity_10(const uint8_t* cdb, std::vector<uint8_t>& given) const;
    ScsiPlan capacity_16(const uint8_t* cdb, std::vector<uint8_t>& given) const;
    ScsiPlan verify(uint32_t lun, const uint8_t* cdb, uint64_t lba, uint64_t blocks, uint16_t field) const;
    ScsiPlan unmap(uint32_t lun, const uint8_t* cdb) const;
    ScsiPlan write_same(uint32_t lun, const uint8_t* cdb, uint64_t lba, uint32_t blocks, bool sends_block,
                        uint16_t field) const;
    ScsiPlan compare_and_write(uint32_t lun, const uint8_t* cdb) const;
    // `protect`: the three bits that ask for protection information, which there is none of.
    ScsiPlan transfer(ScsiPlan::What what, uint32_t lun, uint64_t lba, uint64_t blocks, unsigned protect,
                      uint16_t field) const;

    std::string target_name_;
    std::string serial_;
    uint32_t luns_;
    uint32_t block_size_;
    uint64_t blocks_;
};

}  // namespace sanscope
