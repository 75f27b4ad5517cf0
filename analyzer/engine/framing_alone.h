// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/iscsi/pdu_framer.h"

namespace sanscope {

// The framers of an iSCSI connection with nobody behind them, to measure what framing costs. Where a header is missing,
// they believe the next that looks like one.
class FramingAlone final : private HeaderWitness {
  public:
    FramingAlone() : framers_{PduFramer(false, *this), PduFramer(true, *this)} {}
    FramingAlone(const FramingAlone&) = delete;
    FramingAlone& operator=(const FramingAlone&) = delete;

    void consume(bool from_target, const StreamPiece& piece) {
        PduFramer::Cursor cursor(piece);
        while (framers_[from_target ? 1 : 0].feed(cursor) != PduFramer::Fed::more) {
        }
    }

  private:
    bool is_plausible_header(const uint8_t*, size_t, uint64_t) const override { return true; }

    PduFramer framers_[2];
};

}  // namespace sanscope
