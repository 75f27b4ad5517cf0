// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/ack_wait_pass.h"
#include "analyzer/report/senders/bytes_by_time.h"
#include "analyzer/report/senders/clock_jump_pass.h"
#include "analyzer/report/senders/data_flow_pass.h"
#include "analyzer/report/senders/idle_restart_pass.h"
#include "analyzer/report/senders/late_acks.h"
#include "analyzer/report/senders/passed_sender.h"
#include "analyzer/report/senders/path_queue_pass.h"
#include "analyzer/report/senders/receive_window_pass.h"
#include "analyzer/report/senders/round_trip_growth.h"
#include "analyzer/report/senders/timeout_pass.h"
#include "analyzer/store/send_silence.h"

namespace sanscope {

// The rows of the table `windows` of one sender, as they pass. In: its rows and those of the other side, in their order. Out: what
// SenderFacts has of that table, complete when it is finished. Each thing that is looked for has a part of its own.
class WindowPass {
  public:
    // `pauses`: of this sender within what it had begun to send. `jumps`: of all connections.
    WindowPass(SenderFacts& facts, std::vector<PduPause> pauses, std::span<const ClockJump> jumps)
        : sender_(facts), clock_jumps_(jumps), ack_waits_(sender_, std::move(pauses)), flow_(sender_) {
        for (TimeProfile& profile : facts.limited) {
            profile = TimeProfile(facts.connection->start_ns, facts.connection->end_ns);
        }
        facts.queued = TimeProfile(facts.connection->start_ns, facts.connection->end_ns);
        if (facts.is_initiator && facts.connection->vantage != Vantage::target)
            late_acks_ = LateAcks(sender_.rtt_min_ns);
    }

    // A row of the other side.
    void on_answer(const WindowRow& row) {
        if (!late_acks_.wanted()) return;
        if (answered_ && Serial32(answered_to_).before(Serial32(row.snd_nxt)))
            late_acks_.on_answer(row.packet);
        answered_ = true;
        answered_to_ = row.snd_nxt;
    }

    void on_row(const WindowRow& row) {
        sender_.facts->has_windows = true;
        const int64_t passed_ns = begun_ ? elapsed_ns(last_.time_ns, row.time_ns) : 0;
        const bool is_long = passed_ns >= AckWaitPass::least_ns;
        const bool jumped = is_long && ClockJumpPass::clock_jumped(sender_, last_, row, passed_ns);
        if (passed_ns != 0 && !jumped) pass_to(row, passed_ns);
        if (jumped || (is_long && clock_jumps_.holds_jump(sender_, last_, row))) [[unlikely]]
            path_queue_.clock_jumped_behind(last_);
        timeouts_.on_row(sender_, begun_, last_, row);
        receive_window_.stalls(sender_, row);
        if (begun_) {
            timeouts_.repeats_after_ack(sender_, last_, row);
            idle_restarts_.disproved_restart(sender_, row);
            ack_waits_.sent_behind(sender_, last_, row);
            if (is_long && !jumped) [[unlikely]] {
                idle_restarts_.silence(sender_, last_, row, passed_ns);
                ack_waits_.silence(sender_, last_, row, passed_ns);
            }
            flow_.on_row(sender_, last_, row);
            late_acks_.on_row(last_, row);
        }
        receive_window_.note_window(row);
        last_limit_ = limit_of(row);
        if (last_limit_ == SendLimit::receiver) ReceiveWindowPass::note_limit(sender_, row);
        const int64_t latest_ns = begun_ ? std::max(last_.time_ns, row.time_ns) : row.time_ns;
        begun_ = true;
        last_ = row;
        last_.time_ns = latest_ns;  // a clock set back counts no time twice
    }

    void finish() {
        SenderFacts& facts = *sender_.facts;
        timeouts_.finish(sender_, last_.time_ns);
        receive_window_.finish(sender_, last_.time_ns);
        facts.held_back.finish();
        facts.flowing.finish();
        ack_waits_.finish(sender_);
        late_acks_.finish(facts.late_acks, facts.unproven_acks);
        path_queue_.finish(sender_);
        facts.in_flight_p10 = in_flight_.quantile(0.1);
        facts.in_flight_p50 = in_flight_.quantile(0.5);
        facts.in_flight_p90 = in_flight_.quantile(0.9);
        facts.round_trip_growth = round_trip_growth_.correlation();
    }

  private:
    SendLimit limit_of(const WindowRow& row) const {
        const bool open = row.limit == SendLimit::receiver && !ReceiveWindowPass::is_full(sender_, row);
        return open ? SendLimit::application : row.limit;
    }

    // What was so since the row before.
    void pass_to(const WindowRow& row, int64_t passed_ns) {
        if (is_beyond_timers(passed_ns, last_.srtt_ns, last_.in_flight, last_limit_, last_.ca_state)) {
            path_queue_.pause();
            return;
        }
        SenderFacts& facts = *sender_.facts;
        // With so much under way it is busy, even if the capture hides for which command; and while it waits for a retransmission timer or
        // repairs a loss, on which the other end waits, though the status has left.
        const bool is_repairing = last_limit_ == SendLimit::recovery || row.ca_state == CaState::loss;
        const bool is_busy = last_.in_flight >= SenderFacts::queue_segments * sender_.mss ||
                             (last_.in_flight > 0 && is_repairing);
        const int64_t busy_ns =
            facts.busy == nullptr || is_busy ? passed_ns : sender_.busy_ns(last_.time_ns, row.time_ns);
        facts.busy_ns += busy_ns;
        if (last_.in_flight > 0) {
            in_flight_.add(last_.in_flight, busy_ns);
            if (last_.srtt_ns != no_time) round_trip_growth_.add(last_.in_flight, last_.srtt_ns, busy_ns);
        }
        DataFlowPass::pass(sender_, last_, passed_ns);
        const SendLimit limit = last_limit_;
        if (limit != SendLimit::unknown) {
            if (busy_ns > 0) facts.limited[static_cast<size_t>(limit)].add(last_.time_ns, row.time_ns);
            facts.limited_busy_ns[static_cast<size_t>(limit)] += busy_ns;
            if (limit != SendLimit::application) facts.held_back.add(last_.time_ns, row.time_ns);
            if (limit == SendLimit::recovery) facts.repairs.add(last_.time_ns, row.time_ns);
            if (limit == SendLimit::receiver) receive_window_.waited_for(sender_, last_, row, busy_ns);
        } else if (last_.in_flight > 0) {
            facts.limit_unknown_ns += busy_ns;
        }
        path_queue_.pass(sender_, last_, row, busy_ns);
    }

    PassedSender sender_;
    WindowRow last_;
    SendLimit last_limit_ = SendLimit::unknown;  // limit_of() it
    bool begun_ = false;
    BytesByTime in_flight_;
    RoundTripGrowth round_trip_growth_;
    ClockJumpPass clock_jumps_;
    TimeoutPass timeouts_;
    ReceiveWindowPass receive_window_;
    PathQueuePass path_queue_;
    IdleRestartPass idle_restarts_;
    AckWaitPass ack_waits_;
    DataFlowPass flow_;
    LateAcks late_acks_;
    bool answered_ = false;
    uint32_t answered_to_ = 0;
};

}  // namespace sanscope
