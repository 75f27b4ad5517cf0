// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/sender_state.h"

namespace sanscope {

// Which congestion control explains a sender best. Two things speak: what contradicts each candidate's window, in round
// trips; and whether the sender's bursts begin as acknowledgements arrive, as those of a window-limited sender do, or
// at moments of their own, as those of a paced one (BBR).
class CcClassifier {
  public:
    // `estimated`: the moments of sending are estimates, made after the acknowledgements', and tell little of pacing.
    explicit CcClassifier(bool estimated = false) : estimated_(estimated) {}

    enum class Control : uint8_t { cubic, reno, bbr };

    struct Doubts {
        double cubic = 0;
        double reno = 0;
        double bbr = 0;
    };

    // A burst of new data began while others were in flight; `clocked`: as an acknowledgement had just come.
    void on_burst(bool clocked) { ++(clocked ? clocked_ : unclocked_); }

    // A burst has ended in Open; `full`: where a window that is not paced ends.
    void on_stop(const SenderState& state, bool full);

    // The candidate whose figures are to be shown. `min_rtt_us`: 0 if not known.
    Control best(const Doubts& doubts, int64_t min_rtt_us);
    // Its name, "" where the others are explained nearly as well.
    const char* name(const Doubts& doubts, int64_t min_rtt_us);

  private:
    bool paced(const Doubts& doubts, int64_t min_rtt_us);
    static bool looks_paced(const Doubts& doubts, double others, double share);
    bool looks_paced_from_afar(const Doubts& doubts, double others, double share) const;

    bool estimated_;
    uint64_t clocked_ = 0;
    uint64_t unclocked_ = 0;
    Serial32 round_end_;
    uint32_t round_stops_ = 0;
    bool round_full_ = false;
    uint64_t rounds_ = 0;       // round trips of some bursts,
    uint64_t full_rounds_ = 0;  // in which one of them ended where a window does
    bool paced_ = false;
};

}  // namespace sanscope
