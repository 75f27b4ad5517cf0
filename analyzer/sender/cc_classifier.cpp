// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/cc_classifier.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr uint64_t enough_bursts = 20;
// Below this round trip, whether a burst follows an acknowledgement cannot be told.
constexpr int64_t least_rtt_us = 400;
// Shorter pauses are within what a timer and a processor add.
constexpr int64_t least_pacing_us = 100;
// So many round trips that only one window explains are no chance.
constexpr uint64_t enough_stops = 3;

}  // namespace

// The kernel gives half of a delay that its timer made back (tcp_update_skb_after_send).
void CcClassifier::on_pause(int64_t pause_us, int64_t pacing_us) {
    constexpr int64_t early_us = 50;
    constexpr int64_t late_us = 100;
    if (pacing_us < least_pacing_us) return;
    ++pauses_;
    if (pause_us >= pacing_us / 2 - early_us && pause_us <= pacing_us * 6 / 5 + late_us) ++on_pace_;
}

void CcClassifier::on_burst_end(const SenderState& state) {
    if (round_bursts_ == 0 || !state.snd_una.before(round_end_)) {
        if (round_bursts_ > 1) ++rounds_;
        round_bursts_ = 0;
        round_end_ = state.snd_nxt;
    }
    ++round_bursts_;
}

void CcClassifier::on_stop(const SenderState& state, bool at_cubic, bool at_reno) {
    if (!stops_.any || !state.snd_una.before(stops_end_)) {
        if (stops_.at_cubic && !stops_.at_reno) ++only_cubic_;
        if (stops_.at_reno && !stops_.at_cubic) ++only_reno_;
        stops_ = {};
        stops_end_ = state.snd_nxt;
    }
    stops_.any = true;
    stops_.at_cubic = stops_.at_cubic || at_cubic;
    stops_.at_reno = stops_.at_reno || at_reno;
}

double CcClassifier::unclocked_share() const {
    const uint64_t bursts = clocked_ + unclocked_;
    return bursts == 0 ? 0 : static_cast<double>(unclocked_) / static_cast<double>(bursts);
}

double CcClassifier::on_pace_share() const {
    return pauses_ == 0 ? 0 : static_cast<double>(on_pace_) / static_cast<double>(pauses_);
}

// A paced sender stops at any other place.
bool CcClassifier::stops_at_a_window() const {
    return std::max(only_cubic_, only_reno_) >= enough_stops;
}

// From afar a paced sender's bursts may seem to follow acknowledgements for long.
bool CcClassifier::goes_by_acknowledgements() const {
    const uint64_t many_bursts = estimated_ ? 300 : 100;
    return clocked_ + unclocked_ >= many_bursts && unclocked_share() <= (estimated_ ? 0.03 : 0.15);
}

bool CcClassifier::paced(const Doubts& doubts, int64_t min_rtt_us) {
    if (clocked_ + unclocked_ < enough_bursts || min_rtt_us < least_rtt_us || stops_at_a_window()) {
        paced_ = false;
        return false;
    }
    const double others = std::min(doubts.cubic, doubts.reno);
    // Once found it stands until it is contradicted; one false round trip in fifty is forgiven.
    const bool stands = paced_ && doubts.bbr < 0.6 * others + 1 + static_cast<double>(rounds_) / 50;
    paced_ = stands || (estimated_ ? looks_paced_from_afar(doubts, others) : looks_paced(doubts, others));
    return paced_;
}

// An application that writes when it likes looks unclocked too: its pauses last as long as they like. Where pauses tell
// nothing, only what contradicts the others again and again and never BBR speaks for it.
bool CcClassifier::looks_paced(const Doubts& doubts, double others) const {
    constexpr uint64_t enough_pauses = 8;
    constexpr double least_contradiction = 0.2;
    const double share = unclocked_share();
    if (share >= 0.4 && others > 2.5 && doubts.bbr < 0.05 * others) return true;
    if (on_pace_ < enough_pauses || others < least_contradiction) return false;
    if (share >= 0.85 && on_pace_share() >= 0.4 && doubts.bbr < 0.3 * others) return true;
    return share >= 0.4 && on_pace_share() >= 0.7 && doubts.bbr <= 1.5 * others + (share > 0.7 ? 1.2 : 0.0);
}

// Behind the path it is blurred what released a burst, and when.
bool CcClassifier::looks_paced_from_afar(const Doubts& doubts, double others) const {
    constexpr uint64_t enough_pauses = 12;
    constexpr double least_contradiction = 0.3;
    const double share = unclocked_share();
    if (share >= 0.4 && others > 4 && doubts.bbr < 0.05 * others) return true;
    return share >= 0.2 && on_pace_ >= enough_pauses && on_pace_share() >= 0.6 &&
           others >= least_contradiction && doubts.bbr <= 0.75 * others + 0.1;
}

CcClassifier::Control CcClassifier::best(const Doubts& doubts, int64_t min_rtt_us) {
    if (paced(doubts, min_rtt_us)) return Control::bbr;
    // CUBIC is what Linux comes with.
    return doubts.reno < 0.7 * doubts.cubic - 0.05 ? Control::reno : Control::cubic;
}

bool CcClassifier::bbr_is_sure(const Doubts& doubts) const {
    const double others = std::min(doubts.cubic, doubts.reno);
    if (others < 0.5 || only_cubic_ + only_reno_ >= enough_stops) return false;
    if (estimated_) return on_pace_ >= 150 && on_pace_share() >= 0.7 && doubts.bbr <= 0.5 * others;
    const bool seldom_contradicted = doubts.bbr <= 1 + static_cast<double>(rounds_) / 40;
    return on_pace_ >= 60 && on_pace_share() >= 0.8 && unclocked_share() >= 0.4 && seldom_contradicted;
}

// That neither the other of the two nor BBR is it.
bool CcClassifier::is_sure(double best, double other, uint64_t stops_at_best, uint64_t stops_at_other,
                           double bbr, int64_t min_rtt_us) const {
    if (stops_at_other >= enough_stops && stops_at_other > stops_at_best) return false;
    // What is contradicted in one round trip of ten explains little, even if the others explain less.
    if (best > 0.5 + static_cast<double>(rounds_) / 10) return false;
    const bool pinned =
        stops_at_best >= enough_stops && stops_at_best >= (estimated_ ? 3 : 2) * stops_at_other;
    if (min_rtt_us < least_rtt_us) return pinned && other >= 3 * best + 5;
    const bool unpaced = pinned || goes_by_acknowledgements() || bbr >= 1.5 * best + 1;
    return unpaced && other >= 1.5 * best + (estimated_ ? 1.25 : 0.25);
}

const char* CcClassifier::name(const Doubts& doubts, int64_t min_rtt_us) {
    switch (best(doubts, min_rtt_us)) {
        case Control::bbr:
            return bbr_is_sure(doubts) ? "bbr" : "";
        case Control::cubic:
            return is_sure(doubts.cubic, doubts.reno, only_cubic_, only_reno_, doubts.bbr, min_rtt_us)
                       ? "cubic"
                       : "";
        case Control::reno:
            return is_sure(doubts.reno, doubts.cubic, only_reno_, only_cubic_, doubts.bbr, min_rtt_us)
                       ? "reno"
                       : "";
    }
    return "";
}

double CcClassifier::doubt_a_round(Control control, const Doubts& doubts) const {
    constexpr double at_first = 5;  // one contradiction in few round trips says little
    const double doubt = control == Control::bbr     ? doubts.bbr
                         : control == Control::cubic ? doubts.cubic
                                                     : doubts.reno;
    return doubt / (at_first + static_cast<double>(rounds_));
}

bool CcClassifier::is_possible(Control control, Control shown, const Doubts& doubts) const {
    if (control == shown) return true;
    const auto refuted = [&](double doubt, double least) {
        return doubt > 1.5 * least + (estimated_ ? 1.25 : 0.25);
    };
    if (control == Control::bbr) {
        if (stops_at_a_window() || goes_by_acknowledgements()) return false;
        return !refuted(doubts.bbr, std::min(doubts.cubic, doubts.reno));
    }
    const double least = shown == Control::bbr ? doubts.bbr : std::min(doubts.cubic, doubts.reno);
    return !refuted(control == Control::cubic ? doubts.cubic : doubts.reno, least);
}

}  // namespace sanscope
