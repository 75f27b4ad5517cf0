// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/cc_classifier.h"

#include <algorithm>

namespace sanscope {
namespace {

// Thresholds are set between what the two kinds of sender showed in 17 loads that captures/lab/record_matrix.py drew
// (those of 100 bursts, 20 round trips and 0.4 ms or more; 33 senders seen at their own host and 34 at a remote tap):
//
//                                      at the sender                     at a remote tap
//                                  BBR            CUBIC, Reno        BBR            CUBIC, Reno
//   bursts not clocked             0.21 - 0.99    0.01 - 0.19        0.07 - 0.84    0.03 - 0.94
//   their pauses on BBR's pace     0.47 - 1.00    0.00 - 0.48        0.03 - 0.83    0.01 - 0.54
//   stops at only one's window     0 - 1          0 - 194            0 - 23         0 - 132
//   doubt of the true one a round  0.00 - 0.01    0.00 - 0.03        0.00 - 0.08    0.00 - 0.08
//
// At a remote tap they overlap in each: there all of them have to agree for a name.

// Fewer give a share that one burst moves by more than a twentieth.
constexpr uint64_t enough_bursts = 20;
// Below this round trip, ten times what a burst may come after its acknowledgement (clocked_within_ns of SenderReplay),
// most bursts follow one by chance.
constexpr int64_t least_rtt_us = 400;
// Of a paced sender seen at its own host one round trip at most was explained by one window only.
constexpr uint64_t enough_stops = 3;
// One contradiction in few round trips says little: a share of them is taken as if there had been so many more.
constexpr double prior_rounds = 5;

}  // namespace

void CcClassifier::on_burst_end(const SenderState& state) {
    if (bursts_round_trip_.next(state)) {
        if (round_bursts_ > 1) ++rounds_;
        round_bursts_ = 0;
    }
    ++round_bursts_;
}

void CcClassifier::on_stop(const SenderState& state, bool at_cubic, bool at_reno) {
    if (stops_round_trip_.next(state)) {
        ++stopping_rounds_;
        if (stops_.at_cubic && !stops_.at_reno) ++only_cubic_;
        if (stops_.at_reno && !stops_.at_cubic) ++only_reno_;
        stops_ = {};
    }
    stops_.at_cubic = stops_.at_cubic || at_cubic;
    stops_.at_reno = stops_.at_reno || at_reno;
}

double CcClassifier::unclocked_share() const {
    const uint64_t bursts = clocked_ + unclocked_;
    return bursts == 0 ? 0 : static_cast<double>(unclocked_) / static_cast<double>(bursts);
}

// A paced sender stops at any other place. A window that is contradicted in more round trips than it explains stops of
// explains none: of BBR senders 3 stops stood against 34 round trips and more, 10 against 17, of others 4 against 0.3 at
// the least, 68 against 5.
bool CcClassifier::stops_at_a_window(const Scores& scores) const {
    // At a remote tap the order of events contradicts any window: there pauses must speak against it besides.
    const bool paces = !estimated_ || may_pause_so(pace_) || may_pause_so(other_pace_);
    const auto explains = [paces](uint64_t stops, double mismatch) {
        return stops >= enough_stops && !(paces && static_cast<double>(stops) < mismatch);
    };
    return explains(only_cubic_, scores.cubic) || explains(only_reno_, scores.reno);
}

// At a remote tap hardly anything contradicts it: there some pauses must speak for one of the two (of CUBIC senders 3 in ten
// did).
bool CcClassifier::other_is_possible(Control shown) const {
    const auto speaks = [](const PaceRecord& pace) {
        return pace.on_pace() >= enough_bursts && pace.on_pace_share() >= 0.45;
    };
    return !estimated_ || shown == Control::bbr || speaks(pace_) || speaks(other_pace_);
}

bool CcClassifier::pauses_as_other() const {
    const double share = other_pace_.on_pace_share();
    return other_pace_.on_pace() >= enough_bursts && share >= 0.6 && share > 1.25 * pace_.on_pace_share();
}

// Of BBR's bursts 21 % and more were not clocked over round trips of a millisecond and more (that least behind a deep
// queue), 5 % over shorter ones; of nine in ten others' 8 % at most. At a remote tap a paced sender's bursts may seem
// to follow acknowledgements for long (7 % unclocked), so it takes more of them, and fewer exceptions.
bool CcClassifier::goes_by_acknowledgements(int64_t min_rtt_us) const {
    constexpr int64_t meaningful_rtt_us = 1000;
    const uint64_t many_bursts = estimated_ ? 300 : 100;
    return min_rtt_us >= meaningful_rtt_us && clocked_ + unclocked_ >= many_bursts &&
           unclocked_share() <= (estimated_ ? 0.03 : 0.08);
}

// More of its pauses are on BBR's pace than of any other sender that did not stop at a window (67 % of 43 at its own
// host).
bool CcClassifier::pauses_as_bbr() const {
    constexpr uint64_t enough_pauses = 60;
    return pace_.on_pace() >= enough_pauses && pace_.on_pace_share() >= 0.75;
}

// As many of them as of no other sender that did not stop at a window, but for two of few pauses.
bool CcClassifier::may_pause_so(const PaceRecord& pace) {
    return pace.pauses() >= enough_bursts && pace.on_pace_share() >= 0.55;
}

bool CcClassifier::paced(const Scores& scores, int64_t min_rtt_us) {
    // There a window of CUBIC or Reno is contradicted often, and its stops are few.
    const bool stops =
        estimated_ ? std::max(only_cubic_, only_reno_) >= enough_stops : stops_at_a_window(scores);
    if (clocked_ + unclocked_ < enough_bursts || min_rtt_us < least_rtt_us || stops) {
        paced_ = false;
        return false;
    }
    const double others = std::min(scores.cubic, scores.reno);
    // Once found it stands until it is contradicted; one false round trip in fifty is forgiven (of BBR's own, seen at
    // the sender, one in a hundred was false), and the first of all. 0.6: it must still explain clearly more.
    const bool stands = paced_ && scores.bbr < 0.6 * others + 1 + static_cast<double>(rounds_) / 50;
    paced_ = estimated_ ? looks_paced_at_remote_tap(scores, others, stands)
                        : stands || looks_paced(scores, others);
    return paced_;
}

// BBR senders of captures/lab/record_matrix.py that were shown with a window far too small: those that the application
// held back stopped so in 5 to 17 % of their round trips, where CUBIC and Reno that fill their windows do in 30 % and more; of the
// others, CUBIC was contradicted more than ten times as often as BBR.
bool CcClassifier::windows_hardly_show(const Scores& scores) const {
    const double others = std::min(scores.cubic, scores.reno);
    // One command at a time makes no round trip of some bursts. From afar that says nothing, since bursts are estimated, too.
    const bool seldom = estimated_ ? 5 * stopping_rounds_ < rounds_ : 5 * stopping_rounds_ <= rounds_;
    return seldom || (others > 4 && scores.bbr < 0.1 * others);
}

// An application that writes when it likes looks unclocked too: its pauses last as long as they like. Where pauses show
// nothing, only what contradicts the others again and again and never BBR speaks for it. The shares: the more bursts
// are unclocked, the fewer pauses have to be on pace, and the other way round (the table above). MismatchScore is in
// round trips, and what BBR's own may be beyond the others' stands for rate samples of the sender's own moments, which
// it cannot know.
bool CcClassifier::looks_paced(const Scores& scores, double others) const {
    constexpr uint64_t enough_pauses = 8;
    constexpr double least_contradiction = 0.2;
    const double share = unclocked_share();
    if (share >= 0.4 && others > 2.5 && scores.bbr < 0.05 * others) return true;
    // Behind a deep queue acknowledgements come so evenly that most bursts follow one, and BBR's window hardly differs
    // from one that grows.
    constexpr double most_of_a_true_one = 0.03;
    if (pauses_as_bbr() && mismatch_per_round(Control::bbr, scores) < most_of_a_true_one) return true;
    if (pace_.on_pace() < enough_pauses || others < least_contradiction) return false;
    if (share >= 0.85 && pace_.on_pace_share() >= 0.4 && scores.bbr < 0.3 * others) return true;
    return share >= 0.4 && pace_.on_pace_share() >= 0.7 &&
           scores.bbr <= 1.5 * others + (share > 0.7 ? 1.2 : 0.0);
}

// Behind the path it is blurred what released a burst, and when: few need to be unclocked (7 % were in one case), but
// pauses on pace were 54 % at most of what was not BBR.
bool CcClassifier::looks_paced_at_remote_tap(const Scores& scores, double others, bool stands) const {
    constexpr uint64_t enough_pauses = 12;
    constexpr double least_contradiction = 0.3;
    constexpr double most_of_a_true_one = 0.08;
    const double share = unclocked_share();
    const double others_a_round = others / (prior_rounds + static_cast<double>(rounds_));
    const bool others_refuted = others_a_round > 2 * most_of_a_true_one;
    if (share >= 0.4 && others > 4 && others_refuted && scores.bbr < 0.05 * others) return true;
    if (stands && (others_refuted || pace_.on_pace_share() >= 0.55)) return true;
    return share >= 0.2 && pace_.on_pace() >= enough_pauses && pace_.on_pace_share() >= 0.6 &&
           others >= least_contradiction && scores.bbr <= 0.75 * others + 0.1;
}

CcClassifier::Control CcClassifier::best(const Scores& scores, int64_t min_rtt_us) {
    if (paced(scores, min_rtt_us)) return Control::bbr;
    // CUBIC is what Linux comes with: Reno has to be contradicted clearly less.
    return scores.reno < 0.7 * scores.cubic - 0.05 ? Control::reno : Control::cubic;
}

bool CcClassifier::bbr_is_sure(const Scores& scores) const {
    const double others = std::min(scores.cubic, scores.reno);
    // Half a round trip of contradiction, and for shares and counts between those of the table: more than any sender
    // other than BBR showed, of pauses on pace (48 % of 28 at most; at a remote tap 54 % of 386).
    if (others < 0.5 || only_cubic_ + only_reno_ >= enough_stops) return false;
    if (estimated_)
        return pace_.on_pace() >= 150 && pace_.on_pace_share() >= 0.7 && scores.bbr <= 0.5 * others;
    const bool seldom_contradicted = scores.bbr <= 1 + static_cast<double>(rounds_) / 40;
    return pace_.on_pace() >= 60 && pace_.on_pace_share() >= 0.8 && unclocked_share() >= 0.4 &&
           seldom_contradicted;
}

// That neither the other of the two nor BBR is it.
bool CcClassifier::is_sure(double best, Contradicted other, uint64_t stops_at_best, uint64_t stops_at_other,
                           double bbr, int64_t min_rtt_us) const {
    if (stops_at_other >= enough_stops && stops_at_other > stops_at_best) return false;
    // What is contradicted in one round trip of ten explains little, even if the others explain less: the true one was
    // in 3 % at the sender and 8 % at a remote tap at most.
    if (best > 0.5 + static_cast<double>(rounds_) / 10) return false;
    // Stops at the wrong window alone were 2 round trips at most at the sender, 6 at a remote tap, where the right one
    // had 132.
    const bool pinned =
        stops_at_best >= enough_stops && stops_at_best >= (estimated_ ? 3 : 2) * stops_at_other;
    if (min_rtt_us < least_rtt_us) return pinned && other.in_all >= 3 * best + 5;
    // Windows that were never reached differ by little but the starts and ends of slow start, which BBR's may pass for:
    // it must be refuted too, by its window and by its pauses, and the other one by more. (In 90 recordings that no
    // threshold had been set by, nine senders that stopped at no window had a false name before that.)
    if (!pinned) {
        const bool unpaced = goes_by_acknowledgements(min_rtt_us) || bbr >= 1.5 * best + 1;
        // From afar what is in flight is estimated too high now and then, which adds up against the one that grows less: it must have
        // been exceeded by half of its window within a round trip, too.
        const bool exceeded = !estimated_ || other.at_once >= 0.5;
        return unpaced && !may_pause_so(pace_) && exceeded &&
               other.in_all >= 3 * best + (estimated_ ? 1.25 : 1);
    }
    // Half as much mismatch again, and a quarter of a round trip more: what two windows that grow alike may differ by
    // through the phase of a tick. At a remote tap a whole round trip more, which is what one misplaced burst may add.
    return other.in_all >= 1.5 * best + (estimated_ ? 1.25 : 0.25);
}

bool CcClassifier::is_sure(Control control, const Scores& scores, int64_t min_rtt_us) const {
    switch (control) {
        case Control::bbr:
            return bbr_is_sure(scores);
        case Control::cubic:
            return is_sure(scores.cubic, {scores.reno, scores.reno_at_once}, only_cubic_, only_reno_,
                           scores.bbr, min_rtt_us);
        case Control::reno:
            return is_sure(scores.reno, {scores.cubic, scores.cubic_at_once}, only_reno_, only_cubic_,
                           scores.bbr, min_rtt_us);
    }
    return false;
}

// Vegas, or one that shares a window among connections, holds still where Reno and CUBIC grow; others grow faster.
bool CcClassifier::grows_so(Control control, const GrowthRecord& growth) const {
    if (control == Control::bbr) return true;
    if (!growth.shows_reductions() || growth.is_taken_back(estimated_)) return false;
    return control != Control::reno || !growth.is_outrun(estimated_);
}

const char* CcClassifier::name(const Scores& scores, int64_t min_rtt_us, const GrowthRecord& cubic,
                               const GrowthRecord& reno) {
    const Control shown = best(scores, min_rtt_us);
    return grows_so(shown, shown == Control::reno ? reno : cubic) ? name(scores, min_rtt_us) : "";
}

const char* CcClassifier::name(const Scores& scores, int64_t min_rtt_us) {
    const Control shown = best(scores, min_rtt_us);
    if (!is_sure(shown, scores, min_rtt_us)) return "";
    // At a remote tap slow start's bursts are so blurred that BBR's own contradict BBR's window: enough to take its
    // figures for another's, but not for a name.
    if (estimated_ && shown != Control::bbr && !stops_at_a_window(scores) &&
        !goes_by_acknowledgements(min_rtt_us))
        return "";
    return shown == Control::bbr ? "bbr" : shown == Control::cubic ? "cubic" : "reno";
}

double CcClassifier::mismatch_per_round(Control control, const Scores& scores) const {
    const double mismatch = control == Control::bbr     ? scores.bbr
                            : control == Control::cubic ? scores.cubic
                                                        : scores.reno;
    return mismatch / (prior_rounds + static_cast<double>(rounds_));
}

// A candidate other than the one shown is left out only if it is refuted, and Reno or CUBIC besides only if the one
// shown has a name: growing alike, one is hardly ever contradicted much more than the other (0.9 to 11 times, of those
// that were not it). BBR itself was never contradicted more than the others where it was the sender's.
bool CcClassifier::is_possible(Control control, Control shown, const Scores& scores,
                               int64_t min_rtt_us) const {
    if (control == shown) return true;
    const bool sure = is_sure(shown, scores, min_rtt_us);
    if (control != Control::bbr && !sure) return true;
    const auto refuted = [&](double score, double least) {
        return score > 1.5 * least + (estimated_ ? 1.25 : 0.25);
    };
    if (control == Control::bbr) {
        // At a remote tap BBR seems to stop at one window as others do, in 23 round trips of one recording.
        if ((sure || !estimated_) && (stops_at_a_window(scores) || goes_by_acknowledgements(min_rtt_us)))
            return false;
        // At a remote tap more contradicts it, in each burst that seems to have been sent at once.
        if (pauses_as_bbr() || (estimated_ && may_pause_so(pace_))) return true;
        return !refuted(scores.bbr, std::min(scores.cubic, scores.reno));
    }
    const double least = shown == Control::bbr ? scores.bbr : std::min(scores.cubic, scores.reno);
    return !refuted(control == Control::cubic ? scores.cubic : scores.reno, least);
}

}  // namespace sanscope
