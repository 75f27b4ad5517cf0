// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// Which congestion control explains a sender best. Two things speak: what contradicts each candidate's window, in round
// trips; and whether the sender's bursts begin as acknowledgements arrive, as those of a window-limited sender do, or
// at moments of their own, as those of a paced one (BBR).
class CcClassifier {
  public:
    // `estimated`: the moments of sending are estimates, made after the acknowledgements', and tell nothing of pacing.
    explicit CcClassifier(bool estimated = false) : estimated_(estimated) {}

    enum class Control : uint8_t { cubic, reno, bbr };

    struct Doubts {
        double cubic = 0;
        double reno = 0;
        double bbr = 0;
    };

    // A burst of new data began while others were in flight; `clocked`: as an acknowledgement had just come.
    void on_burst(bool clocked) { ++(clocked ? clocked_ : unclocked_); }

    // The candidate whose figures are to be shown. `min_rtt_us`: 0 if not known.
    Control best(const Doubts& doubts, int64_t min_rtt_us) const;
    // Its name, "" where the others are explained nearly as well.
    const char* name(const Doubts& doubts, int64_t min_rtt_us) const;

  private:
    bool paced(const Doubts& doubts, int64_t min_rtt_us) const;

    bool estimated_;
    uint64_t clocked_ = 0;
    uint64_t unclocked_ = 0;
};

}  // namespace sanscope
