// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "analyzer/store/send_track.h"
#include "analyzer/store/window_over_time.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What the report says of the data of one side of a connection: bounded, however long it lasted.
class SenderSummary {
  public:
    SenderSummary(uint32_t connection, Side side) : connection_(connection), side_(side) {}

    // Every window is entered there too; it outlives this.
    void set_track(SendTrack& track) { track_ = &track; }
    void on_window(const WindowRow& row);
    void on_transition() { ++transitions_; }
    void on_loss(LossKind kind) { ++losses_[static_cast<size_t>(kind)]; }
    void on_reclassified(LossKind before, LossKind now) {
        --losses_[static_cast<size_t>(before)];
        ++losses_[static_cast<size_t>(now)];
    }
    void on_sent_again(uint32_t segments) { sent_again_ += segments; }
    void on_spurious(uint32_t segments) { spurious_ += segments; }
    void on_reordered(Reordering by) { ++(by == Reordering::path ? path_reordered_ : tap_reordered_); }
    void on_rest_sent_again(LossKind kind) { ++rests_[static_cast<size_t>(kind)]; }
    void on_resent_after_ack() { ++resent_after_ack_; }
    void on_withheld() { ++withheld_; }
    void on_unasked_ack() { ++unasked_acks_; }
    void set_congestion_control(const char* name) { congestion_control_ = name; }
    void set_rtt_min(int64_t rtt_ns) { rtt_min_ns_ = rtt_ns; }

    uint32_t connection() const { return connection_; }
    Side side() const { return side_; }
    // From the first row to the last.
    int64_t observed_ns() const { return observed_ns_; }
    // How much of that the sender stood still for that reason, data or none; what is in none is of unknown reason. A silence
    // that no TCP keeps (send_silence.h) is the capture's or the clock's: of it neither reason nor state is known.
    int64_t limited_ns(SendLimit limit) const { return limited_ns_[static_cast<size_t>(limit)]; }
    int64_t in_state_ns(CaState state) const { return in_state_ns_[static_cast<size_t>(state)]; }
    uint64_t losses(LossKind kind) const { return losses_[static_cast<size_t>(kind)]; }
    // The same without those that bring only the rest of a segment of which another has brought the beginning: with SACK blocks
    // among its options, a segment has less room than it was first sent with.
    uint64_t lost(LossKind kind) const {
        const uint64_t rows = losses(kind);
        return rows - std::min(rows, rests_[static_cast<size_t>(kind)]);
    }
    // Segments sent again, SYN and FIN among them: what the sender's TcpRetransSegs counts. A packet of segmentation
    // offload, which has one row, may hold several.
    uint64_t sent_again() const { return sent_again_; }
    // Of these, segments whose bytes the receiver had, as D-SACK (RFC 3708) or timestamps (RFC 3522) show.
    uint64_t spurious() const { return std::min(spurious_, sent_again_); }
    // Segments, sent but once, that the receiver had after later ones, by what it SACKed; that only the capture has late.
    uint64_t path_reordered() const { return path_reordered_; }
    uint64_t tap_reordered() const { return tap_reordered_; }
    // Packets sent again though the tap had seen their bytes acknowledged for longer than a round trip: acknowledgements
    // that did not reach the sender.
    uint64_t resent_after_ack() const { return resent_after_ack_; }
    // Duplicate ACKs behind a retransmission that nothing missing at the receiver explains: as it answers what it has already
    // (RFC 5681 §4.2) where it sends no D-SACK. At most one for each segment sent again.
    uint64_t unasked_acks() const { return std::min(unasked_acks_, sent_again_); }
    // Rows that would have reported something sent again which no packet shows.
    uint64_t withheld() const { return withheld_; }
    uint64_t transitions() const { return transitions_; }
    uint64_t windows() const { return windows_; }
    const char* congestion_control() const { return congestion_control_; }  // static storage; "" where unsure
    int64_t rtt_min_ns() const { return rtt_min_ns_; }
    // The smoothed round trip time: weighted with time, and the greatest.
    int64_t srtt_mean_ns() const {
        return srtt_time_ns_ > 0 ? static_cast<int64_t>(srtt_times_ns_ / static_cast<double>(srtt_time_ns_))
                                 : no_time;
    }
    int64_t srtt_max_ns() const { return srtt_max_ns_; }
    uint32_t cwnd_min() const { return cwnd_min_; }  // bytes; unknown if there was none
    uint32_t cwnd_max() const { return cwnd_max_; }
    uint32_t in_flight_max() const { return in_flight_max_; }
    // The last window counted as held until `end_ns`, or until the last row where that is later.
    WindowOverTime cwnd_until(int64_t end_ns) const {
        WindowOverTime cwnd = cwnd_;
        if (last_ns_ != no_time) cwnd.pass_to(std::max(last_ns_, end_ns));
        return cwnd;
    }

    // What the last row reported.
    struct Moment {
        int64_t srtt_ns = no_time;
        uint32_t cwnd = unknown<uint32_t>;
        uint32_t in_flight = 0;
        SendLimit limit = SendLimit::unknown;
        CaState state = CaState::open;
    };
    const Moment& last() const { return last_; }

  private:
    SendTrack* track_ = nullptr;
    uint32_t connection_;
    Side side_;
    std::array<int64_t, send_limits> limited_ns_{};
    std::array<int64_t, ca_states> in_state_ns_{};
    std::array<uint64_t, loss_kinds> losses_{};
    std::array<uint64_t, loss_kinds> rests_{};
    uint64_t sent_again_ = 0;
    uint64_t spurious_ = 0;
    uint64_t path_reordered_ = 0;
    uint64_t tap_reordered_ = 0;
    uint64_t resent_after_ack_ = 0;
    uint64_t withheld_ = 0;
    uint64_t unasked_acks_ = 0;
    int64_t observed_ns_ = 0;
    uint64_t transitions_ = 0;
    uint64_t windows_ = 0;
    const char* congestion_control_ = "";
    int64_t rtt_min_ns_ = no_time;
    double srtt_times_ns_ = 0;
    int64_t srtt_time_ns_ = 0;
    int64_t srtt_max_ns_ = no_time;
    uint32_t cwnd_min_ = unknown<uint32_t>;
    uint32_t cwnd_max_ = unknown<uint32_t>;
    uint32_t in_flight_max_ = 0;
    WindowOverTime cwnd_;
    int64_t last_ns_ = no_time;
    Moment last_;
};

}  // namespace sanscope
