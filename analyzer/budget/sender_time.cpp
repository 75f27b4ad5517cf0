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

// As partition_index over [0, size), in O(log n) of the distance from `near`.
template <class Predicate>
size_t partition_near(size_t near, size_t size, Predicate is_before) {
    size_t begin = 0;
    size_t end = size;
    near = std::min(near, size);
    if (near < size && is_before(near)) {
        begin = near + 1;
        for (size_t step = 1; begin < end; step *= 2) {
            const size_t probe = std::min(near + step, size - 1);
            if (!is_before(probe)) {
                end = probe;
                break;
            }
            begin = probe + 1;
        }
    } else {
        end = near;
        for (size_t step = 1; begin < end; step *= 2) {
            const size_t probe = near >= step ? near - step : 0;
            if (is_before(probe)) {
                begin = probe + 1;
                break;
            }
            end = probe;
        }
    }
    return partition_index(begin, end, is_before);
}

}  // namespace

SenderTime::SenderTime(const SendTrack& track, std::span<const LossRow* const> losses, uint32_t mss)
    : track_(&track), full_segment_(full_segment(mss)), byte_ns_(byte_time_ns(track, mss)) {
    find_timer_waits(losses);
    index();
    find_holes(losses);
    find_missing(losses);
}

void SenderTime::find_missing(std::span<const LossRow* const> losses) {
    for (const LossRow* loss : losses) {
        if (loss->kind != LossKind::not_captured || loss->time_ns == no_time) continue;
        const int64_t begin = position(Serial32(loss->seq), loss->time_ns);
        missing_.push_back({begin, begin + loss->length});
    }
    std::ranges::sort(missing_, {}, &Missing::begin);
    for (size_t i = 1; i < missing_.size(); ++i)
        missing_[i].end = std::max(missing_[i].end, missing_[i - 1].end);
}

bool SenderTime::lacks(int64_t begin, int64_t end) const {
    const auto behind = std::ranges::lower_bound(missing_, end, {}, &Missing::begin);
    return behind != missing_.begin() && std::prev(behind)->end > begin;
}

void SenderTime::index() {
    const auto& steps = track_->steps();
    positions_.reserve(steps.size());
    held_.reserve(steps.size());
    idle_until_ns_.reserve(steps.size());
    held_before_.reserve(steps.size() / stride + 1);
    HeldTimes held{};
    int64_t position = 0;
    int64_t idle_until_ns = no_time;
    int64_t wire_until_ns = no_time;
    bool within_write = false;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (i > 0) {
            position += steps[i - 1].snd_nxt().distance_to(steps[i].snd_nxt());
            of(held, held_[i - 1]) += steps[i].time_ns() - steps[i - 1].time_ns();
            wire_until_ns = on_wire_until(i - 1, wire_until_ns);
            if (is_idle(i - 1, wire_until_ns)) idle_until_ns = steps[i].time_ns();
        }
        if (i % stride == 0) held_before_.push_back(held);
        positions_.push_back(position);
        idle_until_ns_.push_back(idle_until_ns);
        if (added(i) > 0) within_write = added(i) >= static_cast<int32_t>(full_segment_);
        held_.push_back(i + 1 < steps.size() ? found_held(i, within_write) : Held::unknown);
    }
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

int32_t SenderTime::added(size_t step) const {
    const auto& steps = track_->steps();
    return step == 0 ? 0 : steps[step - 1].snd_nxt().distance_to(steps[step].snd_nxt());
}

// An acknowledgement that new data follow at once: in the midst of a write it was a full window that they had waited for, though
// the window's estimate may say otherwise.
bool SenderTime::resumes_on_ack(size_t step) const {
    const auto& steps = track_->steps();
    constexpr size_t most_acks = 16;
    constexpr int64_t at_once_ns = 100'000;
    if (added(step) > 0 || steps[step].outstanding() >= steps[step - 1].outstanding()) return false;
    for (size_t i = step + 1; i < std::min(steps.size(), step + most_acks); ++i) {
        if (steps[i].time_ns() - steps[step].time_ns() > at_once_ns) return false;
        if (added(i) > 0) return true;
    }
    return false;
}

// From a step to the next one.
Held SenderTime::found_held(size_t step, bool within_write) const {
    const auto& steps = track_->steps();
    const SendStep& from = steps[step];
    const CaState state = from.state();
    // The timer expires before the state says so; that the sender waited for it shows that it had more in flight than what
    // was acknowledged, whatever the capture has of acknowledgements.
    if (state != CaState::loss && steps[step + 1].state() == CaState::loss) return Held::timeout;
    if (waits_for_timer(step)) return Held::timeout;
    if (from.limit() == SendLimit::application) {
        if (within_write && from.outstanding() > 0 && resumes_on_ack(step + 1)) return Held::cwnd;
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
    const auto wire_ns = static_cast<int64_t>(added(step) * byte_ns_);
    return std::max(before_ns, steps[step].time_ns()) + wire_ns;
}

bool SenderTime::is_idle(size_t step, int64_t wire_until_ns) const {
    const auto& steps = track_->steps();
    const SendStep& from = steps[step];
    const Held held = held_[step];
    if (held != Held::application && held != Held::silent) return false;
    const int64_t pause = steps[step + 1].time_ns() - from.time_ns();
    const int64_t wire_ns = wire_until_ns - from.time_ns();
    return pause > static_cast<int64_t>(static_cast<double>(wire_ns) * pause_factor) + pause_ns;
}

// The last step at that time or before; `none` if there is none.
size_t SenderTime::last_step_at(int64_t time_ns) const {
    const auto& steps = track_->steps();
    near_time_ =
        partition_near(near_time_, steps.size(), [&](size_t i) { return steps[i].time_ns() <= time_ns; });
    return near_time_ == 0 ? none : near_time_ - 1;
}

int64_t SenderTime::position(Serial32 seq, int64_t about_ns) const {
    const auto& steps = track_->steps();
    if (steps.empty()) return 0;
    const size_t found = last_step_at(about_ns);
    const size_t at = found == none ? 0 : found;
    return positions_[at] + steps[at].snd_nxt().distance_to(seq);
}

int64_t SenderTime::sent_by(int64_t time_ns) const {
    const size_t at = last_step_at(time_ns);
    return at == none ? 0 : positions_[at];
}

int64_t SenderTime::sent_ns(int64_t position) const {
    near_position_ =
        partition_near(near_position_, positions_.size(), [&](size_t i) { return positions_[i] < position; });
    return near_position_ == positions_.size() ? no_time : track_->steps()[near_position_].time_ns();
}

int64_t SenderTime::acknowledged_ns(int64_t position) const {
    const auto& steps = track_->steps();
    const size_t found = partition_near(near_position_, steps.size(), [&](size_t i) {
        return positions_[i] - steps[i].outstanding() < position;
    });
    return found == steps.size() ? no_time : steps[found].time_ns();
}

HeldTimes SenderTime::held(int64_t begin_ns, int64_t end_ns) const {
    HeldTimes times{};
    if (begin_ns >= end_ns) return times;
    const auto& steps = track_->steps();
    // Adds what there was of each until then; taken away for the beginning.
    const auto add_until = [&](int64_t time_ns, int64_t sign) {
        const size_t at = last_step_at(time_ns);
        if (at == none) return;
        const HeldTimes& before = held_before_[at / stride];
        for (size_t i = 0; i < held_kinds; ++i) times[i] += sign * before[i];
        for (size_t i = at / stride * stride; i < at; ++i)
            of(times, held_[i]) += sign * (steps[i + 1].time_ns() - steps[i].time_ns());
        if (at + 1 < steps.size()) of(times, held_[at]) += sign * (time_ns - steps[at].time_ns());
    };
    add_until(end_ns, 1);
    add_until(begin_ns, -1);
    // Before the first step and behind the last one nothing is known.
    int64_t told_ns = 0;
    for (const int64_t time_ns : times) told_ns += time_ns;
    of(times, Held::unknown) += end_ns - begin_ns - told_ns;
    return times;
}

int64_t SenderTime::idle_until(int64_t time_ns) const {
    const size_t at = last_step_at(time_ns);
    return at == none ? no_time : idle_until_ns_[at];
}

SenderTime::Repaired SenderTime::repaired(int64_t sent_ns) const {
    const auto after = std::ranges::upper_bound(holes_, sent_ns, {}, &Hole::sent_ns);
    if (after == holes_.begin()) return {sent_ns, false};
    const Hole& hole = *std::prev(after);
    if (hole.repaired_ns <= sent_ns) return {sent_ns, false};
    return {hole.repaired_ns, hole.by_timer};
}

}  // namespace sanscope
