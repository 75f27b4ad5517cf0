// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/capture_times.h"

namespace sanscope {

RepeatsCame how_repeats_came(const SenderFacts& facts, const Spell& stall, const CaptureTimes& times) {
    constexpr int64_t of_a_timer_ns = 150'000'000;  // TCP_RTO_MIN is 200 ms
    if (facts.captured_at_sender() || stall.length_ns() < of_a_timer_ns) return RepeatsCame::unknown;
    const int64_t middle_ns = stall.begin_ns + stall.length_ns() / 2;
    bool held = false;
    bool in_time = false;
    for (const NeedlessRepeat& repeat : facts.repeats) {
        if (repeat.original == 0) continue;
        const int64_t not_before_ns = times.of(repeat.original).first;
        const int64_t not_after_ns = times.of(repeat.original).second;
        const int64_t again_not_before_ns = times.of(repeat.packet).first;
        // Sent again by a timer, the first must have been sent long before the two came.
        if (not_before_ns != no_time && not_before_ns > middle_ns && repeat.delay_ns >= of_a_timer_ns)
            held = true;
        const bool apart =
            not_after_ns != no_time && elapsed_ns(not_after_ns, again_not_before_ns) >= of_a_timer_ns;
        if (apart && not_after_ns <= middle_ns) in_time = true;
    }
    if (held == in_time) return RepeatsCame::unknown;
    return held ? RepeatsCame::held : RepeatsCame::in_time;
}

}  // namespace sanscope
