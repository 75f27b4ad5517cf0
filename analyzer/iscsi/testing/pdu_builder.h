// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/base/crc32c.h"
#include "analyzer/iscsi/bhs.h"

// iSCSI PDUs for tests and fuzzers, written field by field:
//
//     const Bytes pdu = PduBuilder(Opcode::scsi_data_in).flags(0x81).itt(7).data(pattern(512)).bytes();
//
// Lengths, padding and digests are filled in; every other byte of the header stays 0 until set.
namespace sanscope::test {

using Bytes = std::vector<uint8_t>;

// `length` bytes that tell their own place.
inline Bytes pattern(size_t length, uint32_t start = 0) {
    Bytes bytes(length);
    for (size_t i = 0; i < length; ++i) {
        const auto place = static_cast<uint32_t>(i) + start;
        bytes[i] = static_cast<uint8_t>(place * 31 + (place >> 8) * 7 + 1);
    }
    return bytes;
}

// Text keys as a login carries them: each pair ends with a zero byte (RFC 7143 §6.1).
inline Bytes text_keys(std::initializer_list<std::string_view> pairs) {
    Bytes bytes;
    for (const std::string_view pair : pairs) {
        bytes.insert(bytes.end(), pair.begin(), pair.end());
        bytes.push_back(0);
    }
    return bytes;
}

inline Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class PduBuilder {
  public:
    explicit PduBuilder(Opcode opcode) : header_(bhs_length) { header_[0] = static_cast<uint8_t>(opcode); }

    PduBuilder& immediate() { return set8(0, header_[0] | 0x40); }
    PduBuilder& flags(unsigned flags) { return set8(1, flags); }
    PduBuilder& response(unsigned response) { return set8(2, response); }
    PduBuilder& status(unsigned status) { return set8(3, status); }
    PduBuilder& lun(uint8_t number) { return set8(9, number); }  // peripheral addressing
    PduBuilder& isid(uint64_t isid) { return set16(8, isid >> 32).set32(10, isid); }
    PduBuilder& tsih(unsigned tsih) { return set16(14, tsih); }
    PduBuilder& itt(uint32_t itt) { return set32(16, itt); }
    PduBuilder& ttt(uint32_t ttt) { return set32(20, ttt); }
    PduBuilder& referenced_task_tag(uint32_t itt) { return set32(20, itt); }
    PduBuilder& cid(unsigned cid) { return set16(20, cid); }              // requests of login and logout
    PduBuilder& parameter_1(unsigned value) { return set16(38, value); }  // Async Message
    PduBuilder& expected_length(uint32_t bytes) { return set32(20, bytes); }
    PduBuilder& cmd_sn(uint32_t n) { return set32(24, n); }
    PduBuilder& exp_stat_sn(uint32_t n) { return set32(28, n); }
    PduBuilder& stat_sn(uint32_t n) { return set32(24, n); }
    PduBuilder& exp_cmd_sn(uint32_t n) { return set32(28, n).set32(32, n + 31); }  // with MaxCmdSN
    PduBuilder& max_cmd_sn(uint32_t n) { return set32(32, n); }
    PduBuilder& data_sn(uint32_t n) { return set32(36, n); }
    PduBuilder& status_class(unsigned n) { return set8(36, n); }
    PduBuilder& buffer_offset(uint32_t bytes) { return set32(40, bytes); }
    PduBuilder& desired_length(uint32_t bytes) { return set32(44, bytes); }
    PduBuilder& residual(uint32_t bytes) { return set32(44, bytes); }
    PduBuilder& cdb(const Bytes& cdb) {
        std::copy_n(cdb.begin(), std::min<size_t>(cdb.size(), 16), header_.begin() + 32);
        return *this;
    }
    PduBuilder& ahs(Bytes segments) {
        ahs_ = std::move(segments);
        ahs_.resize((ahs_.size() + 3) & ~size_t{3});
        return set8(4, static_cast<unsigned>(ahs_.size() / 4));
    }
    PduBuilder& data(Bytes segment) {
        data_ = std::move(segment);
        return data_length(static_cast<uint32_t>(data_.size()));
    }
    // What the header says, whatever data follow.
    PduBuilder& data_length(uint32_t length) { return set8(5, length >> 16).set16(6, length); }

    Bytes header() const { return header_; }
    Bytes bytes(bool header_digest = false, bool data_digest = false) const {
        Bytes all = header_ + ahs_;
        if (header_digest) append_digest(all, all);
        if (data_.empty()) return all;
        Bytes padded = data_;
        padded.resize((padded.size() + 3) & ~size_t{3});
        all = all + padded;
        if (data_digest) append_digest(all, padded);
        return all;
    }

  private:
    PduBuilder& set8(size_t at, uint64_t value) {
        header_[at] = static_cast<uint8_t>(value);
        return *this;
    }
    PduBuilder& set16(size_t at, uint64_t value) { return set8(at, value >> 8).set8(at + 1, value); }
    PduBuilder& set32(size_t at, uint64_t value) { return set16(at, value >> 16).set16(at + 2, value); }
    static void append_digest(Bytes& to, std::span<const uint8_t> of) {
        const uint32_t crc = crc32c_final(crc32c_update(crc32c_init, of));
        for (const unsigned shift : {0u, 8u, 16u, 24u}) to.push_back(static_cast<uint8_t>(crc >> shift));
    }

    Bytes header_;
    Bytes ahs_;
    Bytes data_;
};

// From security negotiation straight to the Full Feature Phase, as most logins go.
constexpr unsigned login_operational_to_full_feature = 0x87;

inline PduBuilder login_request(const Bytes& keys, uint64_t isid = 0x00023d000001, unsigned tsih = 0) {
    return PduBuilder(Opcode::login_request)
        .immediate()
        .flags(login_operational_to_full_feature)
        .isid(isid)
        .tsih(tsih)
        .cmd_sn(1)
        .data(keys);
}

inline PduBuilder login_response(const Bytes& keys, uint64_t isid = 0x00023d000001, unsigned tsih = 1) {
    return PduBuilder(Opcode::login_response)
        .flags(login_operational_to_full_feature)
        .isid(isid)
        .tsih(tsih)
        .exp_cmd_sn(1)
        .data(keys);
}

enum class Moves : uint8_t { nothing = 0x80, in = 0xc0, out = 0xa0 };

inline PduBuilder scsi_command(uint32_t itt, uint32_t cmd_sn, Moves moves, uint32_t length,
                               const Bytes& cdb) {
    return PduBuilder(Opcode::scsi_command)
        .flags(static_cast<unsigned>(moves))
        .itt(itt)
        .cmd_sn(cmd_sn)
        .expected_length(length)
        .cdb(cdb);
}

// READ(10) and WRITE(10) of blocks of 512 bytes.
inline Bytes cdb_10(uint8_t operation, uint32_t lba, uint16_t blocks) {
    const auto byte = [](uint32_t of, unsigned shift) { return static_cast<uint8_t>(of >> shift); };
    return {operation,    0, byte(lba, 24),   byte(lba, 16),   byte(lba, 8),
            byte(lba, 0), 0, byte(blocks, 8), byte(blocks, 0), 0};
}
inline Bytes read_10(uint32_t lba, uint16_t blocks) {
    return cdb_10(0x28, lba, blocks);
}
inline Bytes write_10(uint32_t lba, uint16_t blocks) {
    return cdb_10(0x2a, lba, blocks);
}

inline PduBuilder data_in(uint32_t itt, uint32_t offset, Bytes data, uint32_t exp_cmd_sn) {
    return PduBuilder(Opcode::scsi_data_in)
        .itt(itt)
        .ttt(reserved_tag)
        .exp_cmd_sn(exp_cmd_sn)
        .buffer_offset(offset)
        .data(std::move(data));
}

inline PduBuilder data_out(uint32_t itt, uint32_t ttt, uint32_t offset, Bytes data, bool final = true) {
    return PduBuilder(Opcode::scsi_data_out)
        .flags(final ? 0x80 : 0)
        .itt(itt)
        .ttt(ttt)
        .buffer_offset(offset)
        .data(std::move(data));
}

inline PduBuilder r2t(uint32_t itt, uint32_t ttt, uint32_t offset, uint32_t length, uint32_t exp_cmd_sn) {
    return PduBuilder(Opcode::r2t)
        .flags(0x80)
        .itt(itt)
        .ttt(ttt)
        .exp_cmd_sn(exp_cmd_sn)
        .buffer_offset(offset)
        .desired_length(length);
}

inline PduBuilder scsi_response(uint32_t itt, unsigned status, uint32_t stat_sn, uint32_t exp_cmd_sn) {
    return PduBuilder(Opcode::scsi_response)
        .flags(0x80)
        .itt(itt)
        .status(status)
        .stat_sn(stat_sn)
        .exp_cmd_sn(exp_cmd_sn);
}

}  // namespace sanscope::test
