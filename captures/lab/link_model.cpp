// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/lab/link_model.h"

#include <algorithm>

namespace sanscope::lab {

LinkModel::LinkModel(const LinkSettings& settings, uint64_t seed) : settings_(settings), random_(seed) {}

double LinkModel::uniform() {
    constexpr double two_to_minus_53 = 0x1p-53;
    return static_cast<double>(random_() >> 11) * two_to_minus_53;
}

void LinkModel::change() {
    settings_.change_at_ns = 0;
    if (settings_.changed_delay_ns >= 0) settings_.delay_ns = settings_.changed_delay_ns;
    if (settings_.changed_rate_bits_per_second != 0)
        settings_.rate_bits_per_second = settings_.changed_rate_bits_per_second;
}

Verdict LinkModel::offer(int64_t now_ns, uint32_t frame_bytes, bool ecn_capable, bool bare_ack) {
    if (first_packet_ns_ < 0) first_packet_ns_ = now_ns;
    if (settings_.change_at_ns != 0 && now_ns - first_packet_ns_ >= settings_.change_at_ns) change();
    const double loss_draw = uniform();
    const double burst_draw = uniform();
    const double duplicate_draw = uniform();
    const double reorder_draw = uniform();
    const double jitter_draw = uniform();

    constexpr uint32_t ethernet_header = 14;
    if (settings_.mtu != 0 && frame_bytes > settings_.mtu + ethernet_header) return {Fate::too_large, 0};
    Verdict verdict;
    int64_t sent_ns = now_ns;
    if (settings_.rate_bits_per_second != 0) {
        while (!sent_at_ns_.empty() && sent_at_ns_.front() <= now_ns) sent_at_ns_.pop_front();
        if (sent_at_ns_.size() >= settings_.queue_packets) return {Fate::queue_full, 0};
        if (settings_.ecn_mark_at_packets != 0 && ecn_capable &&
            sent_at_ns_.size() >= settings_.ecn_mark_at_packets) {
            verdict.fate = Fate::marked;
        }
        const uint64_t sending_ns =
            uint64_t{frame_bytes} * 8 * 1'000'000'000 / settings_.rate_bits_per_second;
        link_free_at_ns_ = std::max(link_free_at_ns_, now_ns) + static_cast<int64_t>(sending_ns);
        sent_at_ns_.push_back(link_free_at_ns_);
        sent_ns = link_free_at_ns_;
    }

    in_burst_ = in_burst_ ? burst_draw >= settings_.burst_end : burst_draw < settings_.burst_start;
    if (in_burst_) return {Fate::lost_in_burst, 0};
    if (loss_draw < settings_.loss) return {Fate::lost, 0};
    const int64_t outage_start_ns = first_packet_ns_ + settings_.outage_at_ns;
    if (now_ns >= outage_start_ns && now_ns < outage_start_ns + settings_.outage_for_ns)
        return {Fate::lost, 0};
    const bool lose_ack =
        settings_.lose_ack_at_ns != 0 && now_ns - first_packet_ns_ >= settings_.lose_ack_at_ns;
    if (bare_ack && lose_ack && !ack_lost_) {
        ack_lost_ = true;
        return {Fate::lost, 0};
    }

    int64_t arrival_ns = sent_ns + settings_.delay_ns +
                         static_cast<int64_t>(jitter_draw * static_cast<double>(settings_.jitter_ns));
    const int64_t stall_start_ns = first_packet_ns_ + settings_.stall_at_ns;
    const int64_t stall_end_ns = stall_start_ns + settings_.stall_for_ns;
    verdict.stalled = arrival_ns >= stall_start_ns && arrival_ns < stall_end_ns;
    if (verdict.stalled) arrival_ns = stall_end_ns;

    if (reorder_draw < settings_.reorder) {
        verdict.fate = Fate::reordered;
        verdict.deliver_at_ns = arrival_ns + settings_.reorder_by_ns;
        return verdict;
    }
    last_delivery_ns_ = std::max(last_delivery_ns_, arrival_ns);
    verdict.deliver_at_ns = last_delivery_ns_;
    if (duplicate_draw < settings_.duplicate) verdict.fate = Fate::duplicated;
    return verdict;
}

}  // namespace sanscope::lab
