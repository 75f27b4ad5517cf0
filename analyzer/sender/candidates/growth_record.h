// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// How a candidate's window grew in congestion avoidance by its own law, and by how much it had to be moved to where the sender
// was seen to stop or to send. In segments, added up over the connection: of a large window a whole segment in each round trip
// contradicts little by itself, but a law of growth that is taken back each time is not the sender's.
struct GrowthRecord {
    uint64_t reductions = 0;  // begun: undone ones and the first of a series of timeouts too
    uint64_t grown = 0;
    uint64_t raised = 0;   // the sender sent more
    uint64_t lowered = 0;  // it stopped before that

    // Congestion controls differ by how much they reduce: without a few reductions they are told apart by slow start alone, which
    // many share.
    bool shows_reductions() const { return reductions >= least_reductions; }
    // Of 11 senders with Reno or CUBIC seen at their own host a 25th was taken back at most, of 10 at a remote tap two
    // thirds; of simulated ones that grow by a quarter of Reno's two thirds and more.
    bool is_taken_back(bool estimated) const {
        const double most_share = estimated ? 0.7 : 0.25;
        return lowered >= least_segments &&
               static_cast<double>(lowered) > most_share * static_cast<double>(grown);
    }
    // Of those with Reno at most a third of it, at a remote tap nine tenths. CUBIC's clock has a phase that nobody sees: of it
    // this says nothing.
    bool is_outrun(bool estimated) const {
        return raised >= least_segments && raised > (estimated ? 2 : 1) * grown;
    }

  private:
    static constexpr uint64_t least_reductions = 3;
    static constexpr uint64_t least_segments = 8;  // fewer may be the first after each reduction
};

}  // namespace sanscope
