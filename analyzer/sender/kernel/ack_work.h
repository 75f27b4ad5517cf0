// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/events/sender_events.h"

namespace sanscope {

// What one acknowledgement was found to do: the FLAG_* bits that tcp_ack() passes on to the functions it calls.
struct AckFlags {
    bool data = false;                 // FLAG_DATA: came with data
    bool window_update = false;        // FLAG_WIN_UPDATE
    bool data_acked = false;           // FLAG_DATA_ACKED
    bool syn_acked = false;            // FLAG_SYN_ACKED
    bool retransmitted_acked = false;  // FLAG_RETRANS_DATA_ACKED
    bool data_sacked = false;          // FLAG_DATA_SACKED
    bool original_acked =
        false;                  // FLAG_ORIG_SACK_ACKED: acknowledged or SACKed, below high_seq, sent but once
    bool ece = false;           // FLAG_ECE
    bool una_advanced = false;  // FLAG_SND_UNA_ADVANCED
    bool dsacking = false;      // FLAG_DSACKING_ACK
    bool dsack_of_probe = false;   // FLAG_DSACK_TLP
    bool reneging = false;         // FLAG_SACK_RENEGING
    bool lost_retransmit = false;  // FLAG_LOST_RETRANS

    bool acked() const { return data_acked || syn_acked; }             // FLAG_ACKED
    bool not_dup() const { return data || window_update || acked(); }  // FLAG_NOT_DUP
    bool ca_alert() const { return data_sacked || ece || dsacking; }   // FLAG_CA_ALERT
};

// What tcp_ack() gathers on its way through one acknowledgement (struct tcp_sacktag_state and struct rate_sample).
struct AckWork {
    const ReceivedAck* ack = nullptr;
    AckFlags flags;
    Serial32 prior_una;
    Serial32 reordered;  // the lowest never retransmitted byte that came after a higher one
    int64_t first_sacked_us = 0;
    uint32_t sack_delivered = 0;
    int64_t rtt_us = -1;
    uint32_t prior_delivered = 0;  // as the newest segment delivered now was sent; 0: none was
    Serial32 newest_end;
    int64_t newest_sent_us = 0;
    int64_t prior_delivered_us = 0;
    bool app_limited = false;
    bool surely_app_limited = false;
    // Not worth zeroing: they hold where first_sacked_us and prior_delivered_us do.
    int64_t last_sacked_us;
    int64_t send_interval_us;
};

}  // namespace sanscope
