// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

#include "analyzer/sender/candidates/growth_record.h"
#include "analyzer/sender/candidates/pace_record.h"
#include "analyzer/sender/candidates/round_trip_end.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Which congestion control explains a sender best, each weighed against each. Three things speak:
//
//   contradictions   of each candidate's window, in round trips (MismatchScore)
//   stops            where a sender with more to send stopped just where one candidate's window ends and the other's does not.
//                    A sender that only the application holds back has no such stops, and says nothing by its bursts: they
//                    begin when it writes
//   pauses           between bursts that no acknowledgement released, whether they last as long as BBR's pacing asks for
//
// The candidate that is shown is the one that explains more; it is named only where nothing else explains the same, and where
// what it says of its growth and its reductions was seen (GrowthRecord): a sender may have none of the three.
class CcClassifier {
  public:
    // `estimated`: the moments of sending are estimates, made after the acknowledgements'.
    explicit CcClassifier(bool estimated = false) : estimated_(estimated) {}

    enum class Control : uint8_t { cubic, reno, bbr };

    struct Scores {
        double cubic = 0;
        double reno = 0;
        double bbr = 0;
        double cubic_at_once = 0;  // the most of one round trip
        double reno_at_once = 0;
    };

    // A burst of new data began while others were in flight; `clocked`: as an acknowledgement had just come.
    void on_burst(bool clocked) { ++(clocked ? clocked_ : unclocked_); }
    // Before one that was not clocked: since the burst before it began, and how long after that one BBR would wait.
    // `other_us`: the other BBR of WindowCandidates.
    void on_pause(int64_t pause_us, int64_t pacing_us, int64_t other_us = 0) {
        pace_.add(pause_us, pacing_us);
        other_pace_.add(pause_us, other_us);
    }
    // Whether the sender pauses as that one would, and much less as BBR's own.
    bool pauses_as_other() const;
    // Whether it may be the sender's, if BBR may be that.
    bool other_is_possible(Control shown) const;
    // They have changed places.
    void swap_paces() { std::swap(pace_, other_pace_); }
    // A burst has ended.
    void on_burst_end(const SenderState& state);
    // It ended though more waited and the receiver had room: whether just where that candidate's window does.
    void on_stop(const SenderState& state, bool at_cubic, bool at_reno);

    // The candidate whose figures are to be shown. `min_rtt_us`: 0 if not known.
    Control best(const Scores& scores, int64_t min_rtt_us);
    // Its name, "" where another of the candidates may be the sender's.
    const char* name(const Scores& scores, int64_t min_rtt_us);
    // "" as well where it may be one that is no candidate: `cubic` and `reno` did not grow as the sender did.
    const char* name(const Scores& scores, int64_t min_rtt_us, const GrowthRecord& cubic,
                     const GrowthRecord& reno);
    // Whether no other can be the sender's.
    bool is_sure(Control control, const Scores& scores, int64_t min_rtt_us) const;
    // Whether that one may be the sender's although `shown` is shown.
    bool is_possible(Control control, Control shown, const Scores& scores, int64_t min_rtt_us) const;
    // Whether what was in flight says little of a window that is not BBR's: the sender stopped seldom though more waited, or others
    // than BBR are refuted.
    bool windows_hardly_show(const Scores& scores) const;
    // How much contradicts it in a round trip: by so much its window may be off.
    double mismatch_per_round(Control control, const Scores& scores) const;

  private:
    // A candidate's mismatch: over the connection, and the most of one round trip.
    struct Contradicted {
        double in_all;
        double at_once;
    };
    // Round trips in which the sender stopped where one window ends, and never where the other does.
    struct Stops {
        bool at_cubic = false;
        bool at_reno = false;
    };

    bool paced(const Scores& scores, int64_t min_rtt_us);
    bool looks_paced(const Scores& scores, double others) const;
    bool looks_paced_at_remote_tap(const Scores& scores, double others, bool stands) const;
    bool bbr_is_sure(const Scores& scores) const;
    bool is_sure(double best, Contradicted other, uint64_t stops_at_best, uint64_t stops_at_other, double bbr,
                 int64_t min_rtt_us) const;
    bool grows_so(Control control, const GrowthRecord& growth) const;
    bool stops_at_a_window(const Scores& scores) const;
    bool goes_by_acknowledgements(int64_t min_rtt_us) const;
    bool pauses_as_bbr() const;
    static bool may_pause_so(const PaceRecord& pace);
    double unclocked_share() const;

    bool estimated_;
    uint64_t clocked_ = 0;
    uint64_t unclocked_ = 0;
    PaceRecord pace_;        // BBR's
    PaceRecord other_pace_;  // of the one that is not shown
    RoundTripEnd bursts_round_trip_;
    uint32_t round_bursts_ = 0;
    uint64_t rounds_ = 0;  // round trips of some bursts
    RoundTripEnd stops_round_trip_;
    Stops stops_;  // of this round trip
    uint64_t stopping_rounds_ = 0;
    uint64_t only_cubic_ = 0;
    uint64_t only_reno_ = 0;
    bool paced_ = false;
};

}  // namespace sanscope
