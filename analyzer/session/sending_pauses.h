// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Of one direction of a connection: where its sender paused though it had more to send. It had, within a PDU, whose length
// its header had told; and between a read's last data and its status, or a command and its unsolicited data (RFC 7143
// §4.2.5.2), which wait for nobody.
class SendingPauses {
  public:
    // Each PDU of the direction, in order.
    void on_pdu(const Pdu& pdu, uint32_t connection, Role sender, ResultStore& store) {
        const Bhs bhs = pdu.bhs();
        if (pdu.last.packet == 0 || pdu.inferred) {
            before_ = {};
            return;
        }
        const Arrival begun = completes_before(bhs) ? before_.last : pdu.first;
        // Of times that no clock tells the difference may be anything.
        const auto took_ns = static_cast<int64_t>(static_cast<uint64_t>(pdu.last.time_ns) -
                                                  static_cast<uint64_t>(begun.time_ns));
        if (took_ns >= PduPauses::least_ns && pdu.last.packet > begun.packet) [[unlikely]]
            store.add_pdu_pause({connection, sender, begun.packet, pdu.last.packet});
        before_ = {pdu.last, bhs.itt(), bhs.opcode(), bhs.final()};
    }

  private:
    struct Before {
        Arrival last;
        uint32_t itt = 0;
        Opcode opcode = Opcode::nop_out;
        bool final = false;
    };

    bool completes_before(const Bhs& bhs) const {
        if (before_.last.packet == 0 || before_.itt != bhs.itt()) return false;
        if (bhs.opcode() == Opcode::scsi_response)
            return before_.opcode == Opcode::scsi_data_in && before_.final;
        return bhs.opcode() == Opcode::scsi_data_out && bhs.ttt() == reserved_tag &&
               before_.opcode == Opcode::scsi_command;
    }

    Before before_;
};

}  // namespace sanscope
