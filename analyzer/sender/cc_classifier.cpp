// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/cc_classifier.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr uint64_t enough_bursts = 20;
constexpr uint64_t enough_bursts_to_name = 150;
constexpr double least_contradiction = 0.2;
constexpr double now_and_then = 0.3;
constexpr double mostly = 0.6;
constexpr double nearly_always = 0.7;
constexpr double hardly = 0.3;
// Below this round trip, whether a burst follows an acknowledgement cannot be told.
constexpr int64_t least_rtt_us = 400;

}  // namespace

void CcClassifier::on_stop(const SenderState& state, bool full) {
    if (round_stops_ == 0 || !state.snd_una.before(round_end_)) {
        if (round_stops_ > 1) {
            ++rounds_;
            if (round_full_) ++full_rounds_;
        }
        round_stops_ = 0;
        round_full_ = false;
        round_end_ = state.snd_nxt;
    }
    ++round_stops_;
    round_full_ = round_full_ || full;
}

// An application that writes when it likes looks paced too: then the bursts it writes contradict BBR's rate.
bool CcClassifier::paced(const Doubts& doubts, int64_t min_rtt_us) {
    const uint64_t bursts = clocked_ + unclocked_;
    if (bursts < enough_bursts || min_rtt_us < least_rtt_us) return false;
    const double others = std::min(doubts.cubic, doubts.reno);
    const double share = static_cast<double>(unclocked_) / static_cast<double>(bursts);
    if (paced_) {
        // One false round trip in fifty is forgiven.
        paced_ = doubts.bbr < 0.6 * others + 1 + static_cast<double>(rounds_) / 50;
    } else {
        paced_ =
            estimated_ ? looks_paced_from_afar(doubts, others, share) : looks_paced(doubts, others, share);
    }
    return paced_;
}

// From its first paced burst on, a paced sender contradicts those that are not.
bool CcClassifier::looks_paced(const Doubts& doubts, double others, double share) {
    if (others < least_contradiction || share < now_and_then) return false;
    if (share < mostly) return doubts.bbr < hardly * others;
    return doubts.bbr <= 1.5 * others + (share > nearly_always ? 1.2 : 0.0);
}

// Behind the path it is blurred what released a burst. That it was paced shows at the beginning, before there is a queue; in
// what contradicts the others and not BBR; and in windows of theirs that are seldom full though the sender goes on.
bool CcClassifier::looks_paced_from_afar(const Doubts& doubts, double others, double share) const {
    const bool at_first = share >= 0.5 && others >= 0.3 && doubts.bbr < 0.05 + 0.1 * others;
    const bool alone = share >= 0.2 && others > 4 && doubts.bbr < 0.05 * others;
    const bool many = clocked_ + unclocked_ >= 600 && rounds_ >= 30;
    const bool seldom_full =
        many && full_rounds_ * 20 < rounds_ * 9 && others >= 0.6 && doubts.bbr < 0.1 + 0.35 * others;
    return at_first || alone || seldom_full;
}

CcClassifier::Control CcClassifier::best(const Doubts& doubts, int64_t min_rtt_us) {
    if (paced(doubts, min_rtt_us)) return Control::bbr;
    // CUBIC is what Linux comes with.
    return doubts.reno < 0.7 * doubts.cubic - 0.05 ? Control::reno : Control::cubic;
}

const char* CcClassifier::name(const Doubts& doubts, int64_t min_rtt_us) {
    // Where pacing cannot be seen, a BBR that nothing at all contradicts forbids to name another.
    const auto clear = [&](double best, double other) {
        if (min_rtt_us < least_rtt_us) return other >= 3 * best + 5;
        if (!estimated_) return other >= 1.5 * best + 0.25;
        return other >= 1.5 * best + 1.25 && doubts.bbr > 0.05 * best;
    };
    switch (best(doubts, min_rtt_us)) {
        case Control::bbr: {
            const bool seldom_contradicted = doubts.bbr <= 1 + static_cast<double>(rounds_) / 40;
            return clocked_ + unclocked_ >= enough_bursts_to_name && seldom_contradicted ? "bbr" : "";
        }
        case Control::cubic:
            return clear(doubts.cubic, doubts.reno) ? "cubic" : "";
        case Control::reno:
            return clear(doubts.reno, doubts.cubic) ? "reno" : "";
    }
    return "";
}

}  // namespace sanscope
