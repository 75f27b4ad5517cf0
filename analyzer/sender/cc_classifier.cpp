// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/cc_classifier.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr uint64_t enough_bursts = 20;
constexpr uint64_t enough_bursts_to_name = 150;
constexpr double least_contradiction = 0.2;
constexpr double mostly = 0.6;
constexpr double nearly_always = 0.75;
// Below this round trip, whether a burst follows an acknowledgement cannot be told.
constexpr int64_t least_rtt_us = 400;

}  // namespace

// An application that writes when it likes looks paced too: then the bursts it writes contradict BBR's rate.
bool CcClassifier::paced(const Doubts& doubts, int64_t min_rtt_us) const {
    const uint64_t bursts = clocked_ + unclocked_;
    if (bursts < enough_bursts || min_rtt_us < least_rtt_us) return false;
    const double others = std::min(doubts.cubic, doubts.reno);
    if (estimated_) return others > 4 && doubts.bbr < 0.05 * others;
    const double share = static_cast<double>(unclocked_) / static_cast<double>(bursts);
    if (share < mostly) return false;
    // From its first paced burst on, a paced sender contradicts those that are not.
    if (others < least_contradiction) return false;
    const double allowed = 1.5 * others + (share > nearly_always ? 1.2 : 0.0);
    return doubts.bbr <= allowed;
}

CcClassifier::Control CcClassifier::best(const Doubts& doubts, int64_t min_rtt_us) const {
    if (paced(doubts, min_rtt_us)) return Control::bbr;
    // CUBIC is what Linux comes with.
    return doubts.reno < 0.7 * doubts.cubic - 0.05 ? Control::reno : Control::cubic;
}

const char* CcClassifier::name(const Doubts& doubts, int64_t min_rtt_us) const {
    // Where pacing cannot be seen, a BBR that nothing at all contradicts forbids to name another.
    const auto clear = [&](double best, double other) {
        if (!estimated_) return other >= 1.5 * best + 0.25;
        return other >= 1.5 * best + 1.25 && doubts.bbr > 0.05 * best;
    };
    switch (best(doubts, min_rtt_us)) {
        case Control::bbr:
            return clocked_ + unclocked_ >= enough_bursts_to_name ? "bbr" : "";
        case Control::cubic:
            return clear(doubts.cubic, doubts.reno) ? "cubic" : "";
        case Control::reno:
            return clear(doubts.reno, doubts.cubic) ? "reno" : "";
    }
    return "";
}

}  // namespace sanscope
