// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// A Basic Header Segment to be sent, field by field (RFC 7143 §11.2.1 and the section of each opcode); what is not set is 0.
// Bhs reads it.
class BhsWriter {
  public:
    explicit BhsWriter(Opcode opcode) { bytes_[0] = static_cast<uint8_t>(opcode); }

    std::span<const uint8_t, bhs_length> bytes() const { return bytes_; }
    Bhs view() const { return Bhs(bytes_.data()); }

    // All PDUs.
    BhsWriter& immediate() { return set8(0, bytes_[0] | 0x40u); }
    BhsWriter& flags(unsigned flags) { return set8(1, flags); }
    BhsWriter& data_segment_length(uint32_t bytes) { return set8(5, bytes >> 16).set16(6, bytes); }
    BhsWriter& lun_field(uint64_t field) {
        return set32(8, static_cast<uint32_t>(field >> 32)).set32(12, static_cast<uint32_t>(field));
    }
    BhsWriter& itt(uint32_t tag) { return set32(16, tag); }
    BhsWriter& ttt(uint32_t tag) { return set32(20, tag); }

    // From the initiator.
    BhsWriter& cmd_sn(uint32_t number) { return set32(24, number); }
    BhsWriter& exp_stat_sn(uint32_t number) { return set32(28, number); }

    // From the target.
    BhsWriter& stat_sn(uint32_t number) { return set32(24, number); }
    BhsWriter& exp_cmd_sn(uint32_t number) { return set32(28, number); }
    BhsWriter& max_cmd_sn(uint32_t number) { return set32(32, number); }

    // SCSI Command (§11.3).
    BhsWriter& expected_data_transfer_length(uint32_t bytes) { return set32(20, bytes); }
    BhsWriter& cdb(std::span<const uint8_t> cdb) {
        std::copy_n(cdb.begin(), std::min<size_t>(cdb.size(), 16), bytes_.begin() + 32);
        return *this;
    }
    // SCSI Data-Out (§11.7).
    BhsWriter& data_sn(uint32_t number) { return set32(36, number); }
    BhsWriter& buffer_offset(uint32_t bytes) { return set32(40, bytes); }
    // SCSI Response (§11.4), Data-In with a status (§11.7); other answers of a target have their outcome where the response is.
    BhsWriter& response(unsigned response) { return set8(2, response); }
    BhsWriter& status(unsigned status) { return set8(3, status); }
    BhsWriter& residual_count(uint32_t bytes) { return set32(44, bytes); }
    // R2T (§11.8).
    BhsWriter& desired_data_transfer_length(uint32_t bytes) { return set32(44, bytes); }
    // Task management (§11.5).
    BhsWriter& referenced_task_tag(uint32_t tag) { return set32(20, tag); }
    BhsWriter& ref_cmd_sn(uint32_t number) { return set32(32, number); }
    // Login (§11.12).
    BhsWriter& isid(uint64_t isid) {
        return set16(8, static_cast<uint32_t>(isid >> 32)).set32(10, static_cast<uint32_t>(isid));
    }
    BhsWriter& tsih(uint16_t handle) { return set16(14, handle); }
    BhsWriter& cid(uint16_t connection) { return set16(20, connection); }
    BhsWriter& login_status(unsigned status_class, unsigned detail) {
        return set8(36, status_class).set8(37, detail);
    }
    // Asynchronous Message (§11.9); its times are seconds.
    BhsWriter& async_event(unsigned event) { return set8(36, event); }
    BhsWriter& async_parameters(uint16_t first, uint16_t second, uint16_t third) {
        return set16(38, first).set16(40, second).set16(42, third);
    }

  private:
    BhsWriter& set8(size_t at, unsigned value) {
        bytes_[at] = static_cast<uint8_t>(value);
        return *this;
    }
    BhsWriter& set16(size_t at, uint32_t value) {
        return set8(at, value >> 8 & 0xff).set8(at + 1, value & 0xff);
    }
    BhsWriter& set32(size_t at, uint32_t value) {
        store_be32(bytes_.data() + at, value);
        return *this;
    }

    std::array<uint8_t, bhs_length> bytes_{};
};

}  // namespace sanscope
