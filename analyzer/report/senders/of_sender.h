// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// One sender, what was found of it so far, and what the findings about it have in common: their thresholds, their doubts and the
// figures that several of them name.
struct OfSender {
    // Less of a sender's time nobody would notice.
    static constexpr double noticeable_share = 0.10;
    // What costs less than this share of the time, and less than this at once, is not the answer to "why is it slow".
    static constexpr double small_share = 0.01;
    static constexpr int64_t long_silence_ns = 100'000'000;  // an application sees that
    static constexpr double serious_share = 0.25;
    // One segment in so many lost halves what Reno gets through a path of a few milliseconds at 1 Gbit/s.
    static constexpr double serious_loss_rate = 1e-3;
    static constexpr uint64_t least_losses = 10;  // make a rate
    // What a link of 1 Gbit/s carries: a sender that moves as much is not to be called slow.
    static constexpr double plenty = 125e6;

    int64_t in_state_ns(CaState state) const { return facts.summary->in_state_ns(state); }
    uint64_t count(LossKind kind) const { return facts.losses[static_cast<size_t>(kind)]; }
    bool captured_at_sender() const { return facts.captured_at_sender(); }
    const SentDataRow& sent() const;
    // Copies that come late enough look like other packets.
    bool is_doubled() const;
    bool lacks_much() const;

    // A finding of the path.
    Finding begin(Finding::Kind kind, Finding::Severity severity, int64_t cost_ns) const;
    // What was lost, or came, unseen may be what it waited for, and for less long.
    void doubt_if_much_is_missing(Finding& finding) const;
    std::string missing_sign() const;

    // "of its busy time": while commands were under way, where these are known.
    std::string_view of_its_time() const;
    std::string share(SendLimit limit) const;
    std::string round_trip() const;  // "a round trip (SRTT 2.00 ms)"

    FindingList& list;  // of this sender alone
    const SenderFacts& facts;
};

// When, and in which packet.
void place_at(Finding& finding, const Spell& spell);
// Where most of it lies.
void place_at(Finding& finding, const TimeProfile& profile);

}  // namespace sanscope
