// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/arrival_pattern.h"

#include <algorithm>

namespace sanscope {
namespace {

// A segment that came with so much more than its own length's time to the one before did not queue.
constexpr double pause_ns = 20'000;
constexpr int32_t largest_gap_bytes = 1 << 20;
// The greatest write of segmentation offload.
constexpr uint32_t longest_write = 65'536;
// No longer gap enters the arithmetic.
constexpr int64_t longest_gap_ns = 1'000'000'000;
constexpr uint32_t enough_byte_times = 8;
constexpr int ip_id_most_credit = 64;
constexpr int ip_id_penalty = 8;

}  // namespace

bool ArrivalPattern::continues_write(const SentSegment& segment) const {
    return last_.end == segment.seq && !last_.pushed && last_.timestamp == segment.timestamp &&
           last_.timestamp_echo == segment.timestamp_echo && last_.ack == segment.ack &&
           write_length_ + segment.length <= longest_write;
}

void ArrivalPattern::on_segment(PendingSegment& pending) {
    const SentSegment& segment = pending.segment;
    if (any_) {
        on_ip_id(segment.ip_id);
        const double gap_ns = static_cast<double>(std::min(pending.arrival_ns - last_ns_, longest_gap_ns));
        const bool continues = continues_write(segment);
        if (segment.length >= mss_ / 2) note_byte_time(gap_ns / segment.length, continues);
        // What was lost before the tap took its time on the link.
        const int32_t passed = last_.end.distance_to(end_of(segment));
        const double bytes =
            std::clamp<int32_t>(passed, static_cast<int32_t>(segment.length), largest_gap_bytes);
        pending.spaced = gap_ns > 1.5 * byte_time_ns_ * bytes + pause_ns;
        pending.continues_write = continues && !pending.spaced;
    } else {
        pending.spaced = true;
        on_ip_id(segment.ip_id);
    }
    write_length_ = pending.continues_write ? write_length_ + segment.length : segment.length;
    any_ = true;
    last_.end = end_of(segment);
    last_.ack = segment.ack;
    last_.timestamp = segment.timestamp;
    last_.timestamp_echo = segment.timestamp_echo;
    last_.ip_id = segment.ip_id;
    last_.pushed = (segment.flags & tcp_psh) != 0;
    last_ns_ = pending.arrival_ns;
}

// Segments of one write follow each other as closely as the link lets them: the median. Where there are none, the
// quicker third of all.
void ArrivalPattern::note_byte_time(double byte_ns, bool same_write) {
    if (!same_write && write_seen_) return;
    const bool begins = measured_byte_ns_ == 0 || (same_write && !write_seen_);
    const bool far_off = !same_write && byte_ns < measured_byte_ns_ / 4;
    write_seen_ = same_write;
    const auto step_from = [](double measured_ns) { return std::max(measured_ns / 50, 0.002); };
    if (begins || far_off) {
        measured_byte_ns_ = byte_ns;
        byte_step_ns_ = step_from(byte_ns);
    }
    const double step_ns = byte_step_ns_;
    measured_byte_ns_ += byte_ns > measured_byte_ns_ ? step_ns : same_write ? -step_ns : -2 * step_ns;
    measured_byte_ns_ = std::max(measured_byte_ns_, 0.001);
    byte_step_ns_ = step_from(measured_byte_ns_);  // now, when nothing waits for the division
    if (++byte_times_ >= enough_byte_times) byte_time_ns_ = measured_byte_ns_;
}

void ArrivalPattern::on_ip_id(uint16_t ip_id) {
    const int32_t step = ip_id_step(ip_id);
    const bool counts_up = step > 0 && step < 64;
    ip_id_credit_ = counts_up ? std::min(ip_id_credit_ + 1, ip_id_most_credit)
                              : std::max(ip_id_credit_ - ip_id_penalty, -ip_id_most_credit);
    last_.ip_id = ip_id;
}

}  // namespace sanscope
