// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace sanscope {

// The greatest value of the last so many rounds, from the three best kept of its parts: Linux's lib/minmax.c, whose
// answer differs from the exact one in which of several old values it forgets.
class WindowedMax {
  public:
    uint64_t max() const { return best_[0].value; }

    void reset(uint32_t round, uint64_t value) { best_.fill({round, value}); }

    void add(uint32_t window, uint32_t round, uint64_t value) {
        const Sample sample{round, value};
        if (value >= best_[0].value || round - best_[2].round > window) {
            best_.fill(sample);
            return;
        }
        if (value >= best_[1].value) {
            best_[1] = best_[2] = sample;
        } else if (value >= best_[2].value) {
            best_[2] = sample;
        }
        age(window, sample);
    }

  private:
    struct Sample {
        uint32_t round = 0;
        uint64_t value = 0;
    };

    void age(uint32_t window, const Sample& sample) {
        const uint32_t passed = sample.round - best_[0].round;
        if (passed > window) {
            best_[0] = best_[1];
            best_[1] = best_[2];
            best_[2] = sample;
            if (sample.round - best_[0].round > window) {
                best_[0] = best_[1];
                best_[1] = best_[2];
                best_[2] = sample;
            }
        } else if (best_[1].round == best_[0].round && passed > window / 4) {
            best_[1] = best_[2] = sample;
        } else if (best_[2].round == best_[1].round && passed > window / 2) {
            best_[2] = sample;
        }
    }

    std::array<Sample, 3> best_{};
};

}  // namespace sanscope
