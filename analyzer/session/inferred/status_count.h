// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/pdu_framer.h"

namespace sanscope {

// Whether the PDU takes a StatSN of its own (RFC 7143 §11.4 to §11.19).
bool takes_stat_sn(const Bhs& bhs);

// How many statuses a target has sent on one connection, seen or not: StatSN advances by one with each (RFC 7143
// §4.2.2.2). In: each PDU with a status of which a header was captured, in stream order. Out: how many came unseen
// between two of them.
class StatusCount {
  public:
    // What a status that was seen shows of those since the numbered one before.
    struct Group {
        enum class Kind : uint8_t {
            unnumbered,     // its StatSN was not captured: the next one shows
            first,          // no numbered one came before
            out_of_number,  // the number before does not lead to this one
            counted,        // `unseen` is known
        };
        Kind kind = Kind::unnumbered;
        uint32_t unseen = 0;
        Arrival from;  // of the numbered status before
    };
    Group on_status(const Pdu& pdu);

    // Whether a status may bear that number: no more statuses are than StatSN advanced by.
    bool in_number(Serial32 stat_sn) const;
    // All so far.
    uint64_t statuses() const { return statuses_; }
    // Of the latest status whose number was captured.
    Serial32 stat_sn() const { return stat_sn_; }

  private:
    static constexpr int32_t most_between = 1 << 16;  // statuses between two that were seen

    bool known_ = false;
    Serial32 stat_sn_;
    Arrival arrival_;          // that status's
    uint32_t unnumbered_ = 0;  // statuses seen since
    uint64_t statuses_ = 0;
};

}  // namespace sanscope
