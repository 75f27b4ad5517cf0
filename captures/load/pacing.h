// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

#include "analyzer/base/result.h"

namespace sanscope {

// When commands are sent. Without any of it, a slot of the queue sends its next command as soon as the one before is
// answered.
struct PacingOptions {
    // Commands a second over all workers, sent at their own times however slowly answers come (an open loop); 0: none.
    double rate = 0;
    // Between a slot's answer and its next command.
    int64_t think_time_ns = 0;
    // Commands of one worker that are due at once; 0: none. With a rate, a burst's commands are all due when its first
    // is. Else the next burst is due `burst_pause_ns` after the last answer to the one before.
    uint32_t burst = 0;
    int64_t burst_pause_ns = 0;
};

// An Error where options contradict each other.
inline Result<std::monostate> check_pacing(const PacingOptions& options) {
    if (!std::isfinite(options.rate) || options.rate < 0 || options.rate > 1e9)
        return Error{"a rate is a number of commands a second, at most 1,000,000,000"};
    if (options.think_time_ns < 0 || options.burst_pause_ns < 0) return Error{"a pause is no less than 0"};
    if (options.rate > 0 && options.think_time_ns > 0)
        return Error{"commands at a rate do not wait for answers: a think time has no meaning for them"};
    if (options.rate > 0 && options.burst_pause_ns > 0)
        return Error{"the rate and the length of a burst tell already how long the pause between bursts is"};
    if (options.burst == 0 && options.burst_pause_ns > 0)
        return Error{"a pause between bursts needs the number of commands of a burst"};
    if (options.burst > 0 && options.rate == 0 && options.burst_pause_ns == 0)
        return Error{"bursts need a pause between them, or a rate"};
    return std::monostate{};
}

// When the slots of one worker may send. Reads no clock: all moments are nanoseconds of the caller's one clock.
//
//     if (int64_t due = pacing.due_ns(slot.free_since_ns); due <= now_ns) { send; slot.due_ns = due; pacing.on_sent(); }
//     … pacing.on_ended(now_ns); slot.free_since_ns = now_ns;
//
// What is due stays due: where no slot was free at that moment, the command goes later, and its turnaround, measured
// from when it was due, has the wait in it (no coordinated omission).
class Pacing {
  public:
    // Later than any moment: only an answer makes a command due.
    static constexpr int64_t not_before_answer = std::numeric_limits<int64_t>::max();

    // Options that check_pacing() accepts; `worker` < `workers`.
    Pacing(const PacingOptions& options, int64_t start_ns, unsigned worker = 0, unsigned workers = 1)
        : options_(options),
          start_ns_(start_ns),
          burst_due_ns_(start_ns),
          worker_(worker),
          workers_(workers) {}

    // When the worker's next command is due, were it sent by a slot that is free since then (from the start on:
    // start_ns).
    int64_t due_ns(int64_t free_since_ns) const {
        if (options_.rate > 0) return scheduled_ns(sent_);
        if (options_.burst > 0 && sent_ > 0 && sent_ % options_.burst == 0 && !burst_begins_) {
            return not_before_answer;
        }
        const int64_t after_answer = free_since_ns + options_.think_time_ns;
        return options_.burst > 0 ? std::max(after_answer, burst_due_ns_) : after_answer;
    }

    void on_sent() {
        ++sent_;
        burst_begins_ = false;
    }

    // A command was answered, or is given up.
    void on_ended(int64_t now_ns) {
        ++ended_;
        if (options_.burst > 0 && ended_ == sent_ && sent_ % options_.burst == 0) {
            burst_begins_ = true;
            burst_due_ns_ = now_ns + options_.burst_pause_ns;
        }
    }

    // How many commands were due at `now_ns` and are not sent: how far behind its rate the load is. 0 without a rate.
    uint64_t overdue(int64_t now_ns) const {
        if (options_.rate <= 0 || now_ns < start_ns_) return 0;
        const double interval = 1e9 / options_.rate;
        const double units =
            static_cast<double>(now_ns - start_ns_) / interval - static_cast<double>(worker_);
        if (units < 0) return 0;
        uint64_t due = static_cast<uint64_t>(units / workers_) + 1;
        if (options_.burst > 0) due = (due + options_.burst - 1) / options_.burst * options_.burst;
        return due > sent_ ? due - sent_ : 0;
    }

  private:
    // The workers' commands alternate, so that together they are as even as those of one.
    int64_t scheduled_ns(uint64_t number) const {
        if (options_.burst > 0) number -= number % options_.burst;
        const double place = static_cast<double>(number) * workers_ + worker_;
        return start_ns_ + static_cast<int64_t>(place * (1e9 / options_.rate));
    }

    PacingOptions options_;
    int64_t start_ns_;
    int64_t burst_due_ns_;
    uint64_t sent_ = 0;
    uint64_t ended_ = 0;
    unsigned worker_;
    unsigned workers_;
    bool burst_begins_ = true;  // the next command is a burst's first, and may be sent
};

}  // namespace sanscope
