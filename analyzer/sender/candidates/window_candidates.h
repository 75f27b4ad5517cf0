// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "analyzer/sender/candidates/cc_classifier.h"
#include "analyzer/sender/candidates/cubic.h"
#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/candidates/recent_flight.h"
#include "analyzer/sender/candidates/reno.h"
#include "analyzer/sender/candidates/window_candidate.h"
#include "analyzer/sender/kernel/congestion_window.h"

namespace sanscope {

// The congestion controls that the sender may have had, each replayed on the same events.
struct WindowCandidates {
    static constexpr size_t other_phases = 3;

    WindowCandidate<Cubic> cubic;
    WindowCandidate<Reno> reno;
    PacedCandidate bbr;
    // CUBIC with the kernel's tick at other moments, from when on it grows by the tick: what is left of small windows
    // after a loss differs by several segments with it.
    std::unique_ptr<std::array<WindowCandidate<Cubic>, other_phases>> shifted;
    // BBR as it is if other rate samples were application-limited, once some seem to be. Whether the application had more when
    // the kernel looked is not on the wire: one that waits for room in a small buffer looks as if it had none.
    std::unique_ptr<PacedCandidate> other_bbr;
    RecentFlight recent_flight;

    template <class Do>
    void each(Do&& act) {
        act(cubic);
        act(reno);
        act(bbr);
        if (other_bbr) act(*other_bbr);
        if (!shifted) return;
        for (auto& candidate : *shifted) act(candidate);
    }
    // `ask` of the candidate that is shown.
    template <class Ask>
    auto of_chosen(CcClassifier::Control chosen, Ask&& ask) const {
        if (chosen == CcClassifier::Control::bbr) return ask(bbr);
        return chosen == CcClassifier::Control::cubic ? ask(cubic) : ask(reno);
    }
    // `cubic` becomes the one that is contradicted clearly less than it.
    void choose_phase() {
        if (!shifted) return begin_phases();
        for (auto& candidate : *shifted) {
            if (candidate.mismatch() < clearly_less * cubic.mismatch() - least_less)
                std::swap(candidate, cubic);
        }
    }
    // `bbr` becomes the other one, if that `explains_more` and is hardly contradicted more. True: it did.
    bool choose_bbr(bool explains_more) {
        if (!explains_more || !other_bbr_is_possible()) return false;
        std::swap(bbr, *other_bbr);
        return true;
    }
    // Whether the other one may be the sender's as well.
    bool other_bbr_is_possible() const {
        return other_bbr && other_bbr->mismatch() <= clearly_more * bbr.mismatch() + least_more;
    }
    // Before an acknowledgement of anything that was sent since `state.app_limited` was set.
    void doubt_application_limit(const SenderState& state) {
        if (other_bbr || state.app_limited == 0) return;
        other_bbr = std::make_unique<PacedCandidate>(bbr);
        other_bbr->doubt_application_limit();
    }
    // Whether that one may be CUBIC's window as well.
    bool may_be_cubic(const WindowCandidate<Cubic>& candidate) const {
        return clearly_less * candidate.mismatch() - least_less <= cubic.mismatch();
    }

  private:
    // Set, not measured: what one or two stops that were judged wrongly may add.
    static constexpr double clearly_less = 0.8;
    static constexpr double least_less = 0.1;
    static constexpr double clearly_more = 1.5;  // of BBR's: its mismatch is small where it is the sender's
    static constexpr double least_more = 3;

    void begin_phases() {
        if (cubic.ssthresh() >= Window::infinite_ssthresh) return;
        shifted = std::make_unique<std::array<WindowCandidate<Cubic>, other_phases>>();
        int64_t phase_us = 0;
        for (auto& candidate : *shifted) {
            candidate = cubic;
            candidate.ops().set_phase(phase_us += Cubic::tick_us / int64_t{other_phases + 1});
        }
    }
};

}  // namespace sanscope
