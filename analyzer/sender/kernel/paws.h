// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Protection against wrapped sequences (RFC 7323 §5): what comes with an older timestamp than what came before is thrown
// away unread, and with it what an acknowledgement that was overtaken would have said, as a D-SACK.
class Paws {
  public:
    // tcp_validate_incoming(), and tcp_replace_ts_recent(). True: it is thrown away.
    bool discards(const ReceivedAck& ack, const SenderState& tp) {
        if (!tp.timestamps || !ack.has_timestamp || (ack.flags & tcp_rst) != 0) return false;
        if ((ack.flags & tcp_syn) != 0) {
            begin(ack.timestamp, ack.seq + 1);
            return false;
        }
        if (!begun_) begin(ack.timestamp, ack.seq);
        const auto older = static_cast<int32_t>(recent_ - ack.timestamp);
        // What acknowledges new data was sent last, whatever its timestamp says.
        if (older > window && !ack.ack.after(tp.snd_una)) return !is_disordered_ack(ack, tp, older);
        if (!ack.seq.after(next_)) {
            if (older < 0) recent_ = ack.timestamp;
            const Serial32 end = ack.seq + ack.payload_length + ((ack.flags & tcp_fin) != 0 ? 1 : 0);
            if (end.after(next_)) next_ = end;
        }
        return false;
    }

  private:
    static constexpr int32_t window = 1;  // TCP_PAWS_WINDOW

    void begin(uint32_t timestamp, Serial32 next) {
        begun_ = true;
        recent_ = timestamp;
        next_ = next;
    }
    // tcp_disordered_ack(): a duplicate that is not so old that its sequence may have wrapped.
    bool is_disordered_ack(const ReceivedAck& ack, const SenderState& tp, int32_t older) const {
        if (ack.payload_length > 0 || (ack.flags & tcp_fin) != 0) return false;
        if (ack.seq != next_ || ack.ack != tp.snd_una) return false;
        const bool updates_window = !tp.snd_wl1_known || ack.seq.after(tp.snd_wl1) ||
                                    (ack.seq == tp.snd_wl1 && (ack.window > tp.snd_wnd || ack.window == 0));
        return !updates_window && older <= tp.rto_us * 1200 / 1'000'000;
    }

    bool begun_ = false;
    uint32_t recent_ = 0;  // ts_recent
    Serial32 next_;        // rcv_nxt
};

}  // namespace sanscope
