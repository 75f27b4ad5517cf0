// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/partition_index.h"
#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Up to which status the initiator had acknowledged by which packet, as its requests say in ExpStatSN (RFC 7143
// §4.2.2.2). What was acknowledged had come: a packet behind that, which seems to bring it, does not bring it for the
// first time.
class AcknowledgedStatuses {
  public:
    static constexpr size_t remembered = 256;  // times the number rose

    void on_request(Serial32 exp_stat_sn, const Arrival& arrival) {
        if (count_ > 0) {
            const int32_t rise = latest().exp_stat_sn.distance_to(exp_stat_sn);
            if (rise <= 0 && rise > -near) return;
            // One of the two is no number of this connection.
            if (rise <= -near || rise >= near) count_ = 0;
        }
        if (steps_.empty()) steps_.resize(remembered);
        steps_[count_++ % remembered] = {exp_stat_sn, arrival};
    }

    // Whether the status with that number had been acknowledged before that packet came: by the order in the file and by its
    // times, which an interface of several queues may write in another order. Initiators acknowledge the
    // status of a Data-In PDU while its data are still coming, and some the StatSN of an R2T, which is the next
    // status's: one ahead of what came.
    bool before(Serial32 stat_sn, const Arrival& arrival) const {
        const Serial32 enough = stat_sn + 1;
        if (count_ == 0 || !enough.before(latest().exp_stat_sn)) return false;
        if (enough.distance_to(latest().exp_stat_sn) >= near) return false;
        const uint64_t oldest = count_ - std::min<uint64_t>(count_, remembered);
        const uint64_t first = partition_index(
            oldest, count_ - 1, [&](uint64_t i) { return !enough.before(step(i).exp_stat_sn); });
        const Arrival& acknowledged = step(first).arrival;
        return acknowledged.packet < arrival.packet && acknowledged.time_ns <= arrival.time_ns;
    }

  private:
    static constexpr int32_t near = 1 << 16;
    struct Step {
        Serial32 exp_stat_sn;
        Arrival arrival;
    };
    const Step& step(uint64_t number) const { return steps_[number % remembered]; }
    const Step& latest() const { return step(count_ - 1); }

    std::vector<Step> steps_;
    uint64_t count_ = 0;
};

}  // namespace sanscope
