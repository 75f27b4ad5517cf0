// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace sanscope {

// When the next sample of commands may be begun, so that examining them takes a small share of the time that the process uses
// as a whole, or of a processor where it uses hardly any. What is busy is sampled, what is quiet nearly all of the time.
class SamplePace {
  public:
    using Nanoseconds = std::chrono::nanoseconds;
    static constexpr int process_share = 500;     // one part in so many of the process' time
    static constexpr int processor_share = 5000;  // … or of a processor's
    static constexpr Nanoseconds longest{
        std::chrono::seconds(2)};  // a sample takes commands for so long at most

    struct Moment {
        Nanoseconds clock{0};    // that never goes back
        Nanoseconds process{0};  // processor time of the process
        // Of this process now.
        static Moment now();
    };

    bool may_begin(Moment now) const {
        return !running_ && (now.process >= process_due_ || now.clock >= clock_due_);
    }
    void began(Moment now) {
        running_ = true;
        began_ = now.clock;
    }
    bool is_running() const { return running_; }
    bool is_long_enough(Moment now) const { return now.clock - began_ >= longest; }
    // `cost`: processor time that it took to examine it.
    void ended(Moment now, Nanoseconds cost) {
        running_ = false;
        process_due_ = now.process + process_share * cost;
        clock_due_ = now.clock + processor_share * cost;
    }

  private:
    bool running_ = false;
    Nanoseconds began_{0};
    Nanoseconds process_due_{0};
    Nanoseconds clock_due_{0};
};

}  // namespace sanscope
