// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/vocabulary/digest_error.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A PDU that is no part of a SCSI command's ordinary way: of a login, a logout, task management, an asynchronous
// message, a reject, a digest that is wrong.
struct SessionEvent {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;
    uint64_t command = 0;  // the SCSI command it belongs to
    uint64_t lun = unknown<uint64_t>;
    uint32_t connection = 0;
    uint32_t session = 0;
    // Login: of a request byte 1, with its stages; of a response status class and detail. Else reason, event, function or response.
    uint16_t code = unknown<uint16_t>;
    uint8_t opcode = 0;
    bool bad_digest = false;
    bool bad_header_digest = false;               // of these, that of the header
    uint32_t itt = unknown<uint32_t>;             // of task management, as the next one; of a PDU rejected
    uint32_t referenced_itt = unknown<uint32_t>;  // of the command to be aborted
    // 16 bits: of a login's connection, or that a Logout Request or an Async Message of event 2 names.
    uint32_t cid = unknown<uint32_t>;
    uint16_t rejected = unknown<uint16_t>;  // opcode of the PDU rejected
    DigestError header_error = {};          // of a wrong digest, as far as examined
    DigestError data_error = {};            // likewise
    std::optional<Role> sender = {};        // whose stream it is in, whatever its opcode says
};

// Bytes of a side's PDUs that have digests, and those digests, as far as they were verified.
struct DigestedBytes {
    uint64_t headers = 0;
    uint64_t data = 0;
};

// Those of a whole capture, in bounded memory: the first ones, and how many there were of each opcode.
class SessionEvents {
  public:
    static constexpr size_t most_kept = 4096;

    void add(const SessionEvent& event) {
        ++counts_[event.opcode & 0x3f];
        if (event.bad_digest) ++bad_digests_;
        if (events_.size() < most_kept) events_.push_back(event);
    }
    void add_digested(Role sender, uint64_t header_bytes, uint64_t data_bytes) {
        DigestedBytes& of = digested_[index_of(sender)];
        of.headers += header_bytes;
        of.data += data_bytes;
    }
    const DigestedBytes& digested(Role sender) const { return digested_[index_of(sender)]; }
    const std::vector<SessionEvent>& first_ones() const { return events_; }
    uint64_t count(uint8_t opcode) const { return counts_[opcode & 0x3f]; }
    uint64_t bad_digests() const { return bad_digests_; }

  private:
    std::vector<SessionEvent> events_;
    std::array<uint64_t, 64> counts_{};
    std::array<DigestedBytes, 2> digested_;  // by Role
    uint64_t bad_digests_ = 0;
};

}  // namespace sanscope
