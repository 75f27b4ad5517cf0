// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/sender_replay.h"

#include <algorithm>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/ca_machine.h"

namespace sanscope {

class SenderReplay::Machine {
  public:
    Machine(ResultStore& store, uint32_t connection, bool from_a, const SenderOptions& options)
        : log_(store, connection, from_a), ca_(log_, options) {}

    void on_sent(const SentSegment& segment) {
        const bool new_data = segment.length > 0 && ca_.begun() &&
                              !(segment.seq + segment.length).before(ca_.state().snd_nxt + 1);
        if (burst_ && segment.time_ns - last_sent_ns_ > burst_gap_ns) end_burst();
        if (new_data && !burst_) {
            burst_ = true;
            in_flight_before_ = ca_.state().in_flight();
            clocked_ = segment.time_ns - last_ack_ns_ < clocked_within_ns;
            pause_ns_ = segment.time_ns - last_sent_ns_;
        }
        ca_.on_sent(segment);
        if (new_data) {
            more_waiting_ = (segment.flags & (tcp_psh | tcp_fin)) == 0 && segment.length >= ca_.state().mss;
            last_sent_ns_ = segment.time_ns;
        }
        write(segment.packet, segment.time_ns);
    }

    void on_ack(const ReceivedAck& ack) {
        end_burst();
        last_ack_ns_ = ack.time_ns;
        ca_.on_ack(ack);
        write(ack.packet, ack.time_ns);
    }

    void finish() {
        end_burst();
        log_.summary().set_congestion_control(best().name);
        if (ca_.state().min_rtt_us != SenderState::no_min_rtt)
            log_.summary().set_rtt_min(ca_.state().min_rtt_us * 1000);
    }

  private:
    static constexpr int64_t burst_gap_ns = 1'000'000;
    static constexpr int64_t clocked_within_ns = 40'000;

    struct Best {
        const char* name = "";
        uint32_t cwnd = 0;
        uint32_t ssthresh = 0;
        double contradictions = 0;
    };

    void end_burst() {
        const SenderState& state = ca_.state();
        BurstEnd end;
        end.sent = burst_;
        end.more_waiting = more_waiting_;
        end.clocked = clocked_;
        end.in_flight_before = in_flight_before_;
        end.pause_us = pause_ns_ / 1000;
        burst_ = false;
        if (end.sent || end.more_waiting) {
            ca_.windows().each([&](auto& window) { window.on_burst_end(state, end); });
        }
    }

    Best best() const {
        Best best;
        ca_.windows().each([&](const auto& window) {
            if (best.cwnd == 0 || window.contradictions() < best.contradictions)
                best = {window.name(), window.cwnd(), window.ssthresh(), window.contradictions()};
        });
        return best;
    }

    void write(PacketNumber packet, int64_t time_ns) {
        const SenderState& state = ca_.state();
        if (!ca_.begun()) return;
        const Best candidate = best();
        WindowRow row;
        row.packet = packet;
        row.time_ns = time_ns;
        row.snd_una = state.snd_una.value;
        row.snd_nxt = state.snd_nxt.value;
        row.in_flight = state.in_flight() * state.mss;
        row.cwnd = candidate.cwnd * state.mss;
        row.cwnd_low = row.cwnd;
        row.cwnd_high = row.cwnd;
        if (candidate.ssthresh < Window::infinite_ssthresh) row.ssthresh = candidate.ssthresh * state.mss;
        row.advertised_window = state.snd_wnd;
        if (state.srtt_us != 0) row.srtt_ns = state.srtt_us * 1000;
        row.ca_state = state.ca_state;
        log_.window(row);
    }

    SenderLog log_;
    CaMachine ca_;
    bool burst_ = false;
    bool more_waiting_ = false;
    int64_t last_sent_ns_ = 0;
    int64_t last_ack_ns_ = 0;
    int64_t pause_ns_ = 0;
    uint32_t in_flight_before_ = 0;
    bool clocked_ = false;
};

SenderReplay::SenderReplay(ResultStore& store, uint32_t connection, bool from_a, const SenderOptions& options)
    : machine_(std::make_unique<Machine>(store, connection, from_a, options)) {}
SenderReplay::~SenderReplay() = default;
void SenderReplay::on_sent(const SentSegment& segment) {
    machine_->on_sent(segment);
}
void SenderReplay::on_ack(const ReceivedAck& ack) {
    machine_->on_ack(ack);
}
void SenderReplay::finish() {
    machine_->finish();
}

}  // namespace sanscope
