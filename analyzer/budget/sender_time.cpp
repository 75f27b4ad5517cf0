// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/sender_time.h"

#include <algorithm>

#include "analyzer/base/partition_index.h"
#include "analyzer/budget/path_rate.h"

namespace sanscope {
namespace {

constexpr size_t none = SIZE_MAX;

// A pause this much longer than what was sent before it takes on the wire is one in which there was nothing to send: chosen.
// The rate is that of the fastest bytes; others take somewhat longer.
constexpr double pause_factor = 2;
constexpr int64_t pause_ns = 20'000;

// tcp_rto_min of Linux: no retransmission timer expires sooner.
constexpr int64_t least_timer_ns = 200'000'000;

int64_t& of(HeldTimes& times, Held held) {
    return times[static_cast<size_t>(held)];
}

}  // namespace

SenderTime::SenderTime(const SendTrack& track, std::span<const LossRow* const> losses, uint32_t mss)
    : track_(&track), full_segment_(full_segment(mss)), byte_ns_(byte_time_ns(track, mss)) {
    const auto& steps = track.steps();
    find_timer_waits(losses);
    checkpoints_.reserve(steps.size() / stride + 1);
    Checkpoint now;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (i > 0) {
            now.position += steps[i - 1].snd_nxt().distance_to(steps[i].snd_nxt());
            of(now.held, held_between(i - 1)) += steps[i].time_ns() - steps[i - 1].time_ns();
            now.wire_until_ns = on_wire_until(i - 1, now.wire_until_ns);
            if (is_idle(i - 1, now.wire_until_ns)) now.idle_until_ns = steps[i].time_ns();
        }
        if (i % stride == 0) checkpoints_.push_back(now);
    }
    find_holes(losses);
}

// What is sent again after so long a silence was waited for by a timer, whatever the capture has of acknowledgements: it may
// be one of them that was lost.
void SenderTime::find_timer_waits(std::span<const LossRow* const> losses) {
    const auto& steps = track_->steps();
    for (const LossRow* loss : losses) {
        if (!is_sent_again(loss->kind) || loss->time_ns == no_time) continue;
        const size_t at = last_step_at(loss->time_ns - 1);
        if (at == none || at + 1 >= steps.size()) continue;
        if (loss->time_ns - steps[at].time_ns() >= least_timer_ns) timer_waits_.push_back(at);
    }
    for (size_t step = 0; step + 1 < steps.size(); ++step) {
        const int64_t silent_ns = steps[step + 1].time_ns() - steps[step].time_ns();
        if (silent_ns >= least_timer_ns && begins_anew(step + 1)) timer_waits_.push_back(step);
    }
    std::ranges::sort(timer_waits_);
}

// One full segment goes alone, and more only when it is acknowledged: a window of one segment, as a retransmission timer that
// expired leaves it (RFC 5681 section 3.1). It is no retransmission to a tap that all of the flight was lost before; after a
// mere pause the window has several segments (RFC 6928).
bool SenderTime::begins_anew(size_t step) const {
    const auto& steps = track_->steps();
    const auto added = [&](size_t i) {
        return i == 0 ? 0 : steps[i - 1].snd_nxt().distance_to(steps[i].snd_nxt());
    };
    const int32_t alone = added(step);
    if (step + 2 >= steps.size() || alone < static_cast<int32_t>(full_segment_)) return false;
    if (alone > static_cast<int32_t>(full_segment_ + full_segment_ / 4)) return false;
    const bool acknowledged = added(step + 1) == 0 && steps[step + 1].outstanding() == 0;
    constexpr int64_t at_once_ns = 100'000;
    return acknowledged && added(step + 2) >= static_cast<int32_t>(full_segment_) &&
           steps[step + 2].time_ns() - steps[step + 1].time_ns() <= at_once_ns;
}

bool SenderTime::waits_for_timer(size_t step) const {
    return !timer_waits_.empty() && std::ranges::binary_search(timer_waits_, step);
}

void SenderTime::find_holes(std::span<const LossRow* const> losses) {
    for (const LossRow* loss : losses) {
        if (!is_sent_again(loss->kind) || loss->kind == LossKind::spurious || loss->time_ns == no_time)
            continue;
        const Serial32 end = Serial32(loss->seq) + loss->length;
        const int64_t sent = sent_ns(position(end, loss->time_ns));
        if (sent == no_time || sent >= loss->time_ns) continue;
        holes_.push_back({sent, loss->time_ns, loss->kind == LossKind::rto});
    }
    std::ranges::sort(holes_, {}, &Hole::sent_ns);
    for (size_t i = 1; i < holes_.size(); ++i) {
        const Hole& before = holes_[i - 1];
        if (before.repaired_ns <= holes_[i].repaired_ns) continue;
        holes_[i].repaired_ns = before.repaired_ns;
        holes_[i].by_timer = before.by_timer;
    }
}

// From a step to the next one.
Held SenderTime::held_between(size_t step) const {
    const auto& steps = track_->steps();
    const SendStep& from = steps[step];
    const CaState state = from.state();
    // The timer expires before the state says so; that the sender waited for it shows that it had more in flight than what
    // was acknowledged, whatever the capture has of acknowledgements.
    if (state != CaState::loss && steps[step + 1].state() == CaState::loss) return Held::timeout;
    if (waits_for_timer(step)) return Held::timeout;
    if (from.limit() == SendLimit::application) {
        const int64_t passed_ns = steps[step + 1].time_ns() - from.time_ns();
        return passed_ns >= least_timer_ns ? Held::silent : Held::application;
    }
    if (state == CaState::loss) return Held::timeout;
    if (from.limit() == SendLimit::receiver) return Held::receiver_window;
    if (state == CaState::recovery) return Held::recovery;
    switch (from.limit()) {
        case SendLimit::congestion:
            return Held::cwnd;
        case SendLimit::pacing:
            return Held::pacing;
        case SendLimit::recovery:
            return Held::recovery;
        default:
            return Held::unknown;
    }
}

// A path that sends one byte after another has what the step added behind what it had before.
int64_t SenderTime::on_wire_until(size_t step, int64_t before_ns) const {
    const auto& steps = track_->steps();
    const int32_t added = step == 0 ? 0 : steps[step - 1].snd_nxt().distance_to(steps[step].snd_nxt());
    const auto wire_ns = static_cast<int64_t>(added * byte_ns_);
    return std::max(before_ns, steps[step].time_ns()) + wire_ns;
}

bool SenderTime::is_idle(size_t step, int64_t wire_until_ns) const {
    const auto& steps = track_->steps();
    const SendStep& from = steps[step];
    const Held held = held_between(step);
    if (held != Held::application && held != Held::silent) return false;
    const int64_t pause = steps[step + 1].time_ns() - from.time_ns();
    const int64_t wire_ns = wire_until_ns - from.time_ns();
    return pause > static_cast<int64_t>(static_cast<double>(wire_ns) * pause_factor) + pause_ns;
}

// The last step at that time or before; `none` if there is none.
size_t SenderTime::last_step_at(int64_t time_ns) const {
    const auto& steps = track_->steps();
    const auto after = std::ranges::upper_bound(steps, time_ns, {}, &SendStep::time_ns);
    return after == steps.begin() ? none : static_cast<size_t>(after - steps.begin()) - 1;
}

int64_t SenderTime::position(Serial32 seq, int64_t about_ns) const {
    const auto& steps = track_->steps();
    if (steps.empty()) return 0;
    const size_t found = last_step_at(about_ns);
    const size_t at = found == none ? 0 : found;
    int64_t sent = checkpoints_[at / stride].position;
    for (size_t i = at / stride * stride; i < at; ++i)
        sent += steps[i].snd_nxt().distance_to(steps[i + 1].snd_nxt());
    return sent + steps[at].snd_nxt().distance_to(seq);
}

int64_t SenderTime::sent_by(int64_t time_ns) const {
    const size_t at = last_step_at(time_ns);
    return at == none ? 0 : position(track_->steps()[at].snd_nxt(), time_ns);
}

int64_t SenderTime::sent_ns(int64_t position) const {
    const auto& steps = track_->steps();
    const size_t after = partition_index(size_t{0}, checkpoints_.size(),
                                         [&](size_t i) { return checkpoints_[i].position < position; });
    if (after == 0) return steps.empty() ? no_time : steps.front().time_ns();
    int64_t sent = checkpoints_[after - 1].position;
    for (size_t i = (after - 1) * stride + 1; i < steps.size(); ++i) {
        sent += steps[i - 1].snd_nxt().distance_to(steps[i].snd_nxt());
        if (sent >= position) return steps[i].time_ns();
    }
    return no_time;
}

int64_t SenderTime::acknowledged_ns(int64_t position) const {
    const auto& steps = track_->steps();
    const auto acknowledged = [&](size_t checkpoint) {
        return checkpoints_[checkpoint].position - steps[checkpoint * stride].outstanding();
    };
    const size_t after =
        partition_index(size_t{0}, checkpoints_.size(), [&](size_t i) { return acknowledged(i) < position; });
    if (after == 0) return steps.empty() ? no_time : steps.front().time_ns();
    int64_t sent = checkpoints_[after - 1].position;
    for (size_t i = (after - 1) * stride + 1; i < steps.size(); ++i) {
        sent += steps[i - 1].snd_nxt().distance_to(steps[i].snd_nxt());
        if (sent - steps[i].outstanding() >= position) return steps[i].time_ns();
    }
    return no_time;
}

HeldTimes SenderTime::held(int64_t begin_ns, int64_t end_ns) const {
    HeldTimes times{};
    if (begin_ns >= end_ns) return times;
    const auto& steps = track_->steps();
    // What there was of each until then.
    const auto until = [&](int64_t time_ns) {
        const size_t at = last_step_at(time_ns);
        if (at == none) return HeldTimes{};
        HeldTimes sums = checkpoints_[at / stride].held;
        for (size_t i = at / stride * stride; i < at; ++i)
            of(sums, held_between(i)) += steps[i + 1].time_ns() - steps[i].time_ns();
        if (at + 1 < steps.size()) of(sums, held_between(at)) += time_ns - steps[at].time_ns();
        return sums;
    };
    const HeldTimes before = until(begin_ns);
    times = until(end_ns);
    int64_t told_ns = 0;
    for (size_t i = 0; i < held_kinds; ++i) told_ns += times[i] -= before[i];
    // Before the first step and behind the last one nothing is known.
    of(times, Held::unknown) += end_ns - begin_ns - told_ns;
    return times;
}

int64_t SenderTime::idle_until(int64_t time_ns) const {
    const auto& steps = track_->steps();
    const size_t at = last_step_at(time_ns);
    if (at == none) return no_time;
    const Checkpoint& checkpoint = checkpoints_[at / stride];
    int64_t idle_until_ns = checkpoint.idle_until_ns;
    int64_t wire_until_ns = checkpoint.wire_until_ns;
    for (size_t i = at / stride * stride + 1; i <= at; ++i) {
        wire_until_ns = on_wire_until(i - 1, wire_until_ns);
        if (is_idle(i - 1, wire_until_ns)) idle_until_ns = steps[i].time_ns();
    }
    return idle_until_ns;
}

SenderTime::Repaired SenderTime::repaired(int64_t sent_ns) const {
    const auto after = std::ranges::upper_bound(holes_, sent_ns, {}, &Hole::sent_ns);
    if (after == holes_.begin()) return {sent_ns, false};
    const Hole& hole = *std::prev(after);
    if (hole.repaired_ns <= sent_ns) return {sent_ns, false};
    return {hole.repaired_ns, hole.by_timer};
}

}  // namespace sanscope
