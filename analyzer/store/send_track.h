// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a sender had sent, and what kept it from sending more, from one moment to the next: of a WindowRow what time budgets
// need, in a fifth of its room.
class SendStep {
  public:
    // What does not fit is told as the most that does; of a made-up capture only.
    static constexpr uint32_t most_outstanding = (uint32_t{1} << 26) - 1;

    SendStep() = default;
    explicit SendStep(const WindowRow& row)
        : time_ns_(row.time_ns),
          snd_nxt_(row.snd_nxt),
          packed_(std::min(row.snd_nxt - row.snd_una, most_outstanding) << 6 |
                  static_cast<uint32_t>(row.limit) << 3 | static_cast<uint32_t>(row.ca_state)) {}

    int64_t time_ns() const { return time_ns_; }  // at the sender
    Serial32 snd_nxt() const { return Serial32(snd_nxt_); }
    uint32_t outstanding() const { return packed_ >> 6; }  // bytes sent and not acknowledged
    SendLimit limit() const { return static_cast<SendLimit>(packed_ >> 3 & 7); }
    CaState state() const { return static_cast<CaState>(packed_ & 7); }

  private:
    friend class SendTrack;
    int64_t time_ns_ = 0;
    uint32_t snd_nxt_ = 0;
    uint32_t packed_ = 0;
};
static_assert(sizeof(SendStep) == 16);

// One sender's steps, in order of time: a clock that is set back makes none earlier than the one before, and what is sent
// again moves SND.NXT not back.
class SendTrack {
  public:
    SendTrack(ConnectionNumber connection, Side side, std::pmr::memory_resource* memory)
        : steps_(memory), connection_(connection), side_(side) {}

    void add(const WindowRow& row) {
        SendStep step(row);
        if (!steps_.empty()) {
            const SendStep& last = steps_.back();
            step.time_ns_ = std::max(step.time_ns_, last.time_ns_);
            if (step.snd_nxt().before(last.snd_nxt())) step.snd_nxt_ = last.snd_nxt_;
            if (step.snd_nxt_ == last.snd_nxt_ && step.packed_ == last.packed_) return;
        }
        steps_.push_back(step);
    }

    ConnectionNumber connection() const { return connection_; }
    Side side() const { return side_; }
    const std::pmr::vector<SendStep>& steps() const { return steps_; }

  private:
    std::pmr::vector<SendStep> steps_;
    ConnectionNumber connection_;
    Side side_;
};

}  // namespace sanscope
