// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/base/byte_order.h"
#include "analyzer/base/serial32.h"

namespace sanscope {

// RFC 7143 §11.2.1.2.
enum class Opcode : uint8_t {
    nop_out = 0x00,
    scsi_command = 0x01,
    task_management_request = 0x02,
    login_request = 0x03,
    text_request = 0x04,
    scsi_data_out = 0x05,
    logout_request = 0x06,
    snack_request = 0x10,
    nop_in = 0x20,
    scsi_response = 0x21,
    task_management_response = 0x22,
    login_response = 0x23,
    text_response = 0x24,
    scsi_data_in = 0x25,
    logout_response = 0x26,
    r2t = 0x31,
    async_message = 0x32,
    reject = 0x3f,
};

constexpr size_t bhs_length = 48;
constexpr uint32_t max_data_segment_length = 0xffffff;
constexpr uint32_t reserved_tag = 0xffffffff;  // an ITT or TTT that names no task (RFC 7143 §11.2.1.8)
constexpr size_t digest_length = 4;

// The name as RFC 7143 §11 heads its section ("SCSI Data-In"; "R2T" in short); nullptr for an opcode it does not know.
const char* opcode_name(uint8_t opcode);

constexpr bool is_from_target(uint8_t opcode) {
    return (opcode & 0x20) != 0;
}

// A Basic Header Segment where it lies on the wire (RFC 7143 §11.2.1 and the section of each opcode). Holds no bytes:
// those given must stay for as long as it is used, 48 of them. Fields that an opcode lacks are not to be asked for.
class Bhs {
  public:
    explicit Bhs(const uint8_t* bytes) : p_(bytes) {}

    const uint8_t* bytes() const { return p_; }

    // All PDUs (§11.2.1).
    bool immediate() const { return (p_[0] & 0x40) != 0; }
    uint8_t opcode_value() const { return p_[0] & 0x3f; }
    Opcode opcode() const { return Opcode{opcode_value()}; }
    uint8_t flags() const { return p_[1]; }
    bool final() const { return (p_[1] & 0x80) != 0; }
    uint32_t ahs_length() const { return p_[4] * 4u; }  // bytes
    uint32_t data_segment_length() const { return load_be24(p_ + 5); }
    uint32_t padded_data_length() const { return (data_segment_length() + 3) & ~3u; }
    uint64_t lun_field() const { return load_be64(p_ + 8); }
    uint32_t itt() const { return load_be32(p_ + 16); }
    uint32_t ttt() const { return load_be32(p_ + 20); }

    // From the initiator.
    Serial32 cmd_sn() const { return Serial32(load_be32(p_ + 24)); }  // not in Data-Out and SNACK
    Serial32 exp_stat_sn() const { return Serial32(load_be32(p_ + 28)); }

    // From the target.
    Serial32 stat_sn() const { return Serial32(load_be32(p_ + 24)); }
    Serial32 exp_cmd_sn() const { return Serial32(load_be32(p_ + 28)); }
    Serial32 max_cmd_sn() const { return Serial32(load_be32(p_ + 32)); }

    // SCSI Command (§11.3).
    bool read() const { return (p_[1] & 0x40) != 0; }
    bool write() const { return (p_[1] & 0x20) != 0; }
    uint8_t task_attributes() const { return p_[1] & 0x07; }
    uint32_t expected_data_transfer_length() const { return load_be32(p_ + 20); }
    const uint8_t* cdb() const { return p_ + 32; }  // 16 bytes

    // SCSI Response (§11.4) and, where its S bit is set, SCSI Data-In (§11.7).
    bool overflow() const { return (p_[1] & 0x04) != 0; }
    bool underflow() const { return (p_[1] & 0x02) != 0; }
    bool bidirectional_overflow() const { return (p_[1] & 0x10) != 0; }
    bool bidirectional_underflow() const { return (p_[1] & 0x08) != 0; }
    uint8_t response() const { return p_[2]; }
    uint8_t status() const { return p_[3]; }
    uint32_t snack_tag() const { return load_be32(p_ + 20); }
    uint32_t exp_data_sn() const { return load_be32(p_ + 36); }
    uint32_t bidirectional_residual_count() const { return load_be32(p_ + 40); }
    uint32_t residual_count() const { return load_be32(p_ + 44); }

    // SCSI Data-In and Data-Out (§11.7, §11.8), R2T (§11.9).
    bool acknowledge() const { return (p_[1] & 0x40) != 0; }
    bool has_status() const { return (p_[1] & 0x01) != 0; }  // Data-In
    uint32_t data_sn() const { return load_be32(p_ + 36); }  // R2TSN in an R2T
    uint32_t buffer_offset() const { return load_be32(p_ + 40); }
    uint32_t desired_data_transfer_length() const { return load_be32(p_ + 44); }

    // Task management (§11.5, §11.6).
    uint8_t function() const { return p_[1] & 0x7f; }
    uint32_t referenced_task_tag() const { return load_be32(p_ + 20); }
    uint32_t ref_cmd_sn() const { return load_be32(p_ + 32); }

    // Login, text and logout (§11.10 – §11.15).
    bool transit() const { return (p_[1] & 0x80) != 0; }
    bool continues() const { return (p_[1] & 0x40) != 0; }
    uint8_t current_stage() const { return p_[1] >> 2 & 3; }
    uint8_t next_stage() const { return p_[1] & 3; }
    uint8_t version_max() const { return p_[2]; }
    uint8_t version_min_or_active() const { return p_[3]; }
    uint64_t isid() const { return load_be48(p_ + 8); }
    uint16_t tsih() const { return load_be16(p_ + 14); }
    uint16_t cid() const { return load_be16(p_ + 20); }  // requests of login and logout
    uint8_t status_class() const { return p_[36]; }
    uint8_t status_detail() const { return p_[37]; }
    uint8_t reason() const { return p_[1] & 0x7f; }  // logout; reject has it in byte 2

    // SNACK (§11.16), asynchronous message (§11.19).
    uint8_t snack_type() const { return p_[1] & 0x0f; }
    uint32_t beg_run() const { return load_be32(p_ + 40); }
    uint32_t run_length() const { return load_be32(p_ + 44); }
    uint8_t async_event() const { return p_[36]; }
    uint16_t parameter_1() const { return load_be16(p_ + 38); }  // of an asynchronous message
    uint8_t reject_reason() const { return p_[2]; }

  private:
    const uint8_t* p_;
};

// The logical unit number of a LUN field (SAM-5 §4.7): single-level peripheral, flat space and extended flat space
// addressing give the number within the level; anything deeper gives the field as it stands.
uint64_t lun_number(uint64_t lun_field);

}  // namespace sanscope
