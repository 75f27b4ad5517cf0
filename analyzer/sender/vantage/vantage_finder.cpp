// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/vantage_finder.h"

#include <algorithm>

namespace sanscope {

namespace {

// A probe unanswered for so long is given up: its answer was not captured.
constexpr int64_t probe_life_ns = 10'000'000'000;
// So many samples of each side settle a place that is not clear at once.
constexpr uint64_t enough_samples = 16;
constexpr uint64_t enough_clear_samples = 4;
// After so many, nothing new is expected.
constexpr uint64_t ample_samples = 256;
// One false sample in so many does not carry the minimum.
constexpr uint64_t samples_to_distrust_one = 16;

}  // namespace

int64_t VantageFinder::SideState::round_trip_ns() const {
    return samples < samples_to_distrust_one ? least_ns[0] : least_ns[1];
}

void VantageFinder::SideState::add_sample(int64_t gap_ns) {
    if (gap_ns < 0) return;
    ++samples;
    for (int64_t& least : least_ns) {
        if (least == no_time) {
            least = gap_ns;
            return;
        }
        if (gap_ns < least) std::swap(gap_ns, least);
    }
}

bool VantageFinder::SideState::routed() const {
    return ttl_min != 64 && ttl_min != 128 && ttl_min != 255;
}

void VantageFinder::on_packet(Side from, int64_t time_ns, const DecodedPacket& packet,
                              const TcpOptions& options) {
    if (settled_ && std::min(sides_[0].samples, sides_[1].samples) >= ample_samples) return;
    SideState& self = sides_[index_of(from)];
    SideState& other = sides_[index_of(other_side(from))];
    const uint64_t samples_before = self.samples;
    self.ttl_min = std::min(self.ttl_min, packet.ttl);
    if ((packet.flags & tcp_syn) != 0) self.syn_sent = true;

    if ((packet.flags & tcp_ack) != 0 && (packet.flags & tcp_rst) == 0) {
        const Serial32 ack(packet.ack);
        if (!self.acked_any || self.acked.before(ack)) {
            // Of a side that is heard late, the capture may lack what answered most of it long ago.
            const bool is_late = !self.acked_any && !self.syn_sent;
            answer(self, self.by_ack, ack, is_late, time_ns);
            self.acked = ack;
            self.acked_any = true;
        }
        if (options.has_timestamps) {
            const Serial32 echo(options.timestamp_echo);
            if (!self.echoed_any || self.echoed.before(echo)) {
                answer(self, self.by_timestamp, echo, true, time_ns);
                self.echoed = echo;
                self.echoed_any = true;
            }
        }
    }

    uint32_t length = packet.payload_length;
    if ((packet.flags & tcp_syn) != 0) ++length;
    if ((packet.flags & tcp_fin) != 0) ++length;
    if (length > 0) {
        const Serial32 seq(packet.seq);
        const Serial32 end = seq + length;
        const bool is_new = !self.sent_any || !seq.before(self.sent_end);
        if (is_new && !(other.acked_any && !other.acked.before(end))) {
            ask(other.by_ack, end, time_ns);
        } else if (!is_new) {
            other.by_ack = {};
        }
        if (!self.sent_any || self.sent_end.before(end)) self.sent_end = end;
        self.sent_any = true;
    }
    if (options.has_timestamps) {
        const Serial32 timestamp(options.timestamp);
        if (!self.timestamp_sent || self.sent_timestamp.before(timestamp)) {
            if (!(other.echoed_any && !other.echoed.before(timestamp))) {
                ask(other.by_timestamp, timestamp, time_ns);
            }
            self.sent_timestamp = timestamp;
            self.timestamp_sent = true;
        }
    }
    if (self.samples != samples_before && !settled_) judge();
}

void VantageFinder::answer(SideState& side, Probes& probes, Serial32 value, bool exactly, int64_t time_ns) {
    for (Probe& probe : probes.all) {
        if (probe.time_ns == no_time || value.before(probe.value)) continue;
        if (!exactly || value == probe.value) side.add_sample(time_ns - probe.time_ns);
        probe.time_ns = no_time;
        probes.full = false;
    }
}

void VantageFinder::ask(Probes& probes, Serial32 value, int64_t time_ns) {
    const bool none_free =
        probes.full && time_ns >= probes.newest_ns && time_ns - probes.oldest_ns <= probe_life_ns;
    if (none_free) return;
    for (Probe& probe : probes.all) {
        const bool free =
            probe.time_ns == no_time || time_ns < probe.time_ns || time_ns - probe.time_ns > probe_life_ns;
        if (!free) continue;
        probe = {time_ns, value};
        break;
    }
    const auto [oldest, newest] =
        std::minmax_element(probes.all.begin(), probes.all.end(),
                            [](const Probe& one, const Probe& other) { return one.time_ns < other.time_ns; });
    probes.oldest_ns = oldest->time_ns;
    probes.newest_ns = newest->time_ns;
    probes.full = oldest->time_ns != no_time;
}

void VantageFinder::judge() {
    const int64_t a_ns = sides_[0].round_trip_ns();
    const int64_t b_ns = sides_[1].round_trip_ns();
    if (a_ns == no_time || b_ns == no_time) return;
    // Who was ahead stays ahead unless clearly overtaken: figures of one microsecond's resolution waver.
    bool a_is_nearer = a_ns < b_ns;
    if (place_ == TapPlace::at_a && a_ns - a_ns / 4 <= b_ns) a_is_nearer = true;
    if (place_ == TapPlace::at_b && b_ns - b_ns / 4 <= a_ns) a_is_nearer = false;
    const SideState& nearer = sides_[a_is_nearer ? 0 : 1];
    const int64_t nearer_ns = a_is_nearer ? a_ns : b_ns;
    const int64_t farther_ns = a_is_nearer ? b_ns : a_ns;

    const bool clear = nearer_ns < far_ns && nearer_ns <= farther_ns / 4;
    const bool both_near = farther_ns < near_ns;
    const bool leaning = nearer_ns < near_ns && nearer_ns + nearer_ns / 2 <= farther_ns;
    const bool at_end = (clear || both_near || leaning) && !(nearer.routed() && nearer_ns >= near_ns);
    // Two processors' clocks, and two queues to the tap, do not order what happens within so little.
    const bool ambiguous = both_near && !leaning;
    place_ = !at_end       ? TapPlace::middle
             : ambiguous   ? TapPlace::unknown
             : a_is_nearer ? TapPlace::at_a
                           : TapPlace::at_b;

    // With the first answers of a handshake both kernels answered at once, like for like.
    const bool handshake = sides_[0].syn_sent && sides_[1].syn_sent;
    const uint64_t samples = std::min(sides_[0].samples, sides_[1].samples);
    settled_ = samples >= enough_samples || (at_end && clear && samples >= enough_clear_samples) ||
               (at_end && nearer_ns < near_ns && handshake);
}

}  // namespace sanscope
