// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// When packets passed the capture, as far as the rows of senders at the capture tell: their times are their packets' own.
class CaptureTimes {
  public:
    // First the packets that are asked for, then ready(), the rows, finish(), and the questions.
    void want(PacketNumber packet) { moments_.push_back({packet}); }
    void ready() {
        std::ranges::sort(moments_, {}, &Moment::packet);
        const auto is_same = [](const Moment& a, const Moment& b) { return a.packet == b.packet; };
        moments_.erase(std::unique(moments_.begin(), moments_.end(), is_same), moments_.end());
    }
    bool empty() const { return moments_.empty(); }
    void on_packet(PacketNumber packet, int64_t time_ns) {
        const auto next = std::ranges::lower_bound(moments_, packet, {}, &Moment::packet);
        if (next != moments_.end()) next->not_before_ns = std::max(next->not_before_ns, time_ns);
        const auto after = next != moments_.end() && next->packet == packet ? std::next(next) : next;
        if (after == moments_.begin()) return;
        Moment& before = *std::prev(after);
        before.not_after_ns =
            before.not_after_ns == no_time ? time_ns : std::min(before.not_after_ns, time_ns);
    }
    void finish() {
        for (size_t i = 1; i < moments_.size(); ++i)
            moments_[i].not_before_ns = std::max(moments_[i].not_before_ns, moments_[i - 1].not_before_ns);
        for (size_t i = moments_.size(); i-- > 1;) {
            Moment& earlier = moments_[i - 1];
            if (earlier.not_after_ns == no_time) earlier.not_after_ns = moments_[i].not_after_ns;
        }
    }
    // The packet passed not before the one and not after the other; no_time where that is not known.
    std::pair<int64_t, int64_t> of(PacketNumber packet) const {
        const auto found = std::ranges::lower_bound(moments_, packet, {}, &Moment::packet);
        if (found == moments_.end() || found->packet != packet) return {no_time, no_time};
        return {found->not_before_ns, found->not_after_ns};
    }

  private:
    struct Moment {
        PacketNumber packet = 0;
        int64_t not_before_ns = no_time;
        int64_t not_after_ns = no_time;
    };
    std::vector<Moment> moments_;  // in order of packets
};

// Of a sender far from the capture: when what it sent twice passed that for the first time, by the longest stall of its
// connection.
RepeatsCame how_repeats_came(const SenderFacts& facts, const Spell& stall, const CaptureTimes& times);

}  // namespace sanscope
