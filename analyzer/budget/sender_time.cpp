// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/sender_time.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "analyzer/base/partition_index.h"
#include "analyzer/budget/path_rate.h"

namespace sanscope {
namespace {

constexpr size_t none = SIZE_MAX;

// A pause this much longer than what was sent before it takes on the wire is one in which there was nothing to send: chosen.
// The rate is that of the fastest bytes; others take somewhat longer.
constexpr double pause_factor = 2;
constexpr int64_t pause_ns = 20'000;
constexpr double longest_queue_ns = 60e9;  // a longer one is made up

constexpr int64_t least_timer_ns = SendTrack::long_silence_ns;

// Whether nothing moved for longer than what had been sent before takes on the wire.
bool is_pause(int64_t silent_ns, int64_t wire_ns) {
    return silent_ns > static_cast<int64_t>(static_cast<double>(wire_ns) * pause_factor) + pause_ns;
}

int64_t& of(HeldTimes& times, Held held) {
    return times[static_cast<size_t>(held)];
}

// As partition_index over [0, size), in O(log n) of the distance from `near`; the nearest are looked at one after another, which
// a processor foresees better.
template <class Predicate>
size_t partition_near(size_t near, size_t size, Predicate is_before) {
    constexpr size_t nearest = 12;
    size_t begin = 0;
    size_t end = size;
    near = std::min(near, size);
    if (near < size && is_before(near)) {
        begin = near + 1;
        for (const size_t until = std::min(size, begin + nearest); begin < until; ++begin) {
            if (!is_before(begin)) return begin;
        }
        for (size_t step = nearest; begin < end; step *= 2) {
            const size_t probe = std::min(near + step, size - 1);
            if (!is_before(probe)) {
                end = probe;
                break;
            }
            begin = probe + 1;
        }
    } else {
        end = near;
        for (const size_t until = end - std::min(end, nearest); end > until; --end) {
            if (is_before(end - 1)) return end;
        }
        for (size_t step = nearest; begin < end; step *= 2) {
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

SenderPath sender_path(const ConnectionRow& connection) {
    return {connection.mss == unknown<uint32_t> ? 0 : connection.mss, connection.rtt_min_ns};
}

SenderTime::SenderTime(const SendTrack& track, std::span<const LossRow* const> losses, const SenderPath& path)
    : track_(&track),
      full_segment_(full_segment(path.mss)),
      rtt_ns_(path.rtt_ns),
      byte_ns_(byte_time_ns(track, path.mss, path.rtt_ns)) {
    small_window_ = find_small_window();
    captured_out_of_order_ = find_captured_out_of_order(losses);
    find_timer_waits(losses);
    index();
    find_holes(losses);
    find_unseen(losses);
    find_silences();
    find_missing(losses);
}

bool SenderTime::find_small_window() {
    constexpr uint32_t few_segments = 8;
    constexpr int64_t much = 10;  // one in so many nanoseconds
    int64_t limited_ns = 0;
    int64_t all_ns = 0;
    SendStep from;
    bool is_first = true;
    return track_->all_of([&](const SendStep& to) {
        most_outstanding_ = std::max(most_outstanding_, to.outstanding());
        if (most_outstanding_ > few_segments * full_segment_) return false;
        const bool is_limited = from.limit() == SendLimit::receiver || from.limit() == SendLimit::congestion;
        if (!is_first && from.outstanding() > 0) {
            const int64_t passed_ns = to.time_ns() - from.time_ns();
            all_ns += passed_ns;
            if (is_limited) limited_ns += passed_ns;
        }
        from = to;
        is_first = false;
        return true;
    }) && limited_ns > 0 &&
           limited_ns >= all_ns / much;
}

bool SenderTime::find_captured_out_of_order(std::span<const LossRow* const> losses) const {
    constexpr size_t many = 100;  // one in so many steps
    const auto at_tap = static_cast<size_t>(std::ranges::count_if(
        losses, [](const LossRow* loss) { return loss->reordering == Reordering::tap; }));
    return at_tap * many > track_->size();
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
    if (too_far_apart_) return true;
    const auto behind = std::ranges::lower_bound(missing_, end, {}, &Missing::begin);
    return behind != missing_.begin() && std::prev(behind)->end > begin;
}

bool SenderTime::lacks_most(int64_t from_ns, int64_t end) const {
    if (missing_.empty()) return false;
    const size_t at = last_step_at(from_ns);
    const int64_t begin = at == none ? std::min<int64_t>(0, missing_.front().begin) : position_at(at);
    int64_t seen_to = begin;
    int64_t lacking = 0;
    for (auto missing = std::ranges::upper_bound(missing_, begin, {}, &Missing::end);
         missing != missing_.end() && missing->begin < end; ++missing) {
        const int64_t from = std::max(missing->begin, seen_to);
        seen_to = std::max(seen_to, std::min(missing->end, end));
        lacking += std::max<int64_t>(0, seen_to - from);
    }
    return lacking > 0 && 2 * lacking >= end - begin;
}

void SenderTime::index() {
    const SendTrack& steps = *track_;
    if (steps.empty()) return;
    positions_.reserve(steps.size() / step_stride + 1);
    positions_.push_back(0);
    int64_t position = 0;
    int64_t wire_until_ns = no_time;
    bool within_write = false;
    int32_t added = 0;
    uint32_t outstanding_before = 0;
    auto timer_wait = timer_waits_.begin();
    SendStep from;
    size_t number = 0;  // of `from`
    const auto pass = [&](const SendStep& to) {
        while (timer_wait != timer_waits_.end() && *timer_wait < number) ++timer_wait;
        const bool waited = timer_wait != timer_waits_.end() && *timer_wait == number;
        const Held held = waited ? Held::timeout : found_held(number, from, to, within_write);
        begin_run(from.time_ns(), held);
        carry(wire_until_ns, from, added, outstanding_before);
        if (number % step_stride == 0) wire_until_ns_.push_back(wire_until_ns);
        if ((held == Held::application || held == Held::silent) &&
            is_pause(to.time_ns() - from.time_ns(), wire_until_ns - from.time_ns()))
            idle_ends_ns_.push_back(to.time_ns());
        added = from.snd_nxt().distance_to(to.snd_nxt());
        if (added > 0) within_write = added >= static_cast<int32_t>(full_segment_);
        position += added;
        outstanding_before = from.outstanding();
        from = to;
        ++number;
        if (number % step_stride != 0) return;
        too_far_apart_ |= position - positions_.back() > UINT32_MAX;
        positions_.push_back(position);
    };
    bool is_first = true;
    steps.for_each([&](const SendStep& step) {
        if (is_first) {
            from = step;
            is_first = false;
        } else {
            pass(step);
        }
    });
    too_far_apart_ |= position - positions_.back() > UINT32_MAX;
    begin_run(from.time_ns(), Held::unknown);
    sum_runs();
}

// A path that sends one byte after another has what the step added behind what it had before.
void SenderTime::carry(int64_t& wire_until_ns, const SendStep& step, int32_t added,
                       uint32_t outstanding_before) const {
    wire_until_ns = std::max(wire_until_ns, step.time_ns()) + static_cast<int64_t>(added * byte_ns_);
    if (added == 0 && step.outstanding() < outstanding_before)
        wire_until_ns = std::max(wire_until_ns, in_queue_until(step));
}

void SenderTime::begin_run(int64_t time_ns, Held held) {
    if (!runs_.empty() && runs_.back().begin_ns == time_ns) runs_.pop_back();
    if (runs_.empty() || runs_.back().held != held) runs_.push_back({time_ns, held});
}

void SenderTime::sum_runs() {
    held_before_.reserve(runs_.size() / run_stride + 1);
    HeldTimes sum{};
    for (size_t run = 0; run < runs_.size(); ++run) {
        if (run > 0) of(sum, runs_[run - 1].held) += runs_[run].begin_ns - runs_[run - 1].begin_ns;
        if (run % run_stride == 0) held_before_.push_back(sum);
    }
}

// What is sent again after so long a silence was waited for by a timer, whatever the capture has of acknowledgements: it may
// be one of them that was lost.
void SenderTime::find_timer_waits(std::span<const LossRow* const> losses) {
    const SendTrack& steps = *track_;
    for (const LossRow* loss : losses) {
        if (!is_sent_again(loss->kind) || loss->time_ns == no_time) continue;
        const size_t at = last_step_at(loss->time_ns - 1);
        if (at == none || at + 1 >= steps.size()) continue;
        if (loss->time_ns - steps.time_ns(at) >= least_timer_ns) timer_waits_.push_back(at);
    }
    for (const size_t step : steps.silences()) {
        if (begins_anew(step + 1)) timer_waits_.push_back(step);
    }
    std::ranges::sort(timer_waits_);
}

// One full segment goes alone, and more only when it is acknowledged: a window of one segment, as a retransmission timer that
// expired leaves it (RFC 5681 section 3.1). It is no retransmission to a tap that all of the flight was lost before; after a
// mere pause the window has several segments (RFC 6928).
bool SenderTime::begins_anew(size_t step) const {
    const SendTrack& steps = *track_;
    const int32_t alone = added(step);
    if (step + 2 >= steps.size() || alone < static_cast<int32_t>(full_segment_)) return false;
    if (alone > static_cast<int32_t>(full_segment_ + full_segment_ / 4)) return false;
    const bool acknowledged = added(step + 1) == 0 && steps.outstanding(step + 1) == 0;
    constexpr int64_t at_once_ns = 100'000;
    return acknowledged && added(step + 2) >= static_cast<int32_t>(full_segment_) &&
           steps.time_ns(step + 2) - steps.time_ns(step + 1) <= at_once_ns;
}

void SenderTime::find_holes(std::span<const LossRow* const> losses) {
    for (const LossRow* loss : losses) {
        if (!is_sent_again(loss->kind) || loss->kind == LossKind::spurious || loss->time_ns == no_time)
            continue;
        const Serial32 end = Serial32(loss->seq) + loss->length;
        const int64_t end_position = position(end, loss->time_ns);
        const int64_t sent = sent_ns(end_position);
        if (sent == no_time || sent >= loss->time_ns) continue;
        holes_.push_back({end_position - loss->length, sent, loss->time_ns, loss->kind == LossKind::rto});
    }
    std::ranges::stable_sort(holes_, {}, &Hole::begin);
    for (size_t i = 1; i < holes_.size(); ++i) {
        const Hole& before = holes_[i - 1];
        if (before.repaired_ns <= holes_[i].repaired_ns) continue;
        holes_[i].repaired_ns = before.repaired_ns;
        holes_[i].by_timer = before.by_timer;
    }
}

void SenderTime::find_unseen(std::span<const LossRow* const> losses) {
    for (const LossRow* loss : losses) {
        const bool repairs = is_sent_again(loss->kind) && loss->kind != LossKind::spurious;
        if (repairs && loss->time_ns != no_time && loss->delay_ns == no_time)
            unseen_ns_.push_back(loss->time_ns);
    }
    std::ranges::sort(unseen_ns_);
}

bool SenderTime::repaired_unseen(int64_t begin_ns, int64_t end_ns) const {
    const auto first = std::ranges::lower_bound(unseen_ns_, begin_ns);
    return first != unseen_ns_.end() && *first <= end_ns;
}

int32_t SenderTime::added(size_t step) const {
    const SendTrack& steps = *track_;
    return step == 0 ? 0 : steps.snd_nxt(step - 1).distance_to(steps.snd_nxt(step));
}

// Whether new data follow an acknowledgement at once: in the midst of a write it was a full window that they had waited for,
// though the window's estimate may say otherwise.
bool SenderTime::resumes_after(size_t step) const {
    const SendTrack& steps = *track_;
    constexpr size_t most_acks = 16;
    constexpr int64_t at_once_ns = 100'000;
    for (size_t i = step + 1; i < std::min(steps.size(), step + most_acks); ++i) {
        if (steps.time_ns(i) - steps.time_ns(step) > at_once_ns) return false;
        if (added(i) > 0) return true;
    }
    return false;
}

// Less than a segment follows at once when all before it is acknowledged after as long as a receiver delays that: Nagle's algorithm
// (RFC 9293 section 3.7.4) may have held it, since the application wrote it at an unknown moment.
bool SenderTime::nagle_may_hold(size_t step, const SendStep& from, const SendStep& to) const {
    constexpr int64_t least_delayed_ack_ns = 30'000'000;
    const int64_t passed_ns = to.time_ns() - from.time_ns();
    if (passed_ns < least_delayed_ack_ns || (rtt_ns_ != no_time && passed_ns / 2 < rtt_ns_)) return false;
    if (from.outstanding() == 0 || to.outstanding() != 0 || to.snd_nxt() != from.snd_nxt()) return false;
    const SendTrack& steps = *track_;
    constexpr int64_t at_once_ns = 1'000'000;
    const size_t next = step + 2;
    return next < steps.size() && steps.time_ns(next) - to.time_ns() <= at_once_ns && added(next) > 0 &&
           added(next) < static_cast<int32_t>(full_segment_);
}

// From a step to the next one.
Held SenderTime::found_held(size_t step, const SendStep& from, const SendStep& to, bool within_write) const {
    const CaState state = from.state();
    // The timer expires before the state says so; that the sender waited for it shows that it had more in flight than what
    // was acknowledged, whatever the capture has of acknowledgements.
    if (state != CaState::loss && to.state() == CaState::loss) return Held::timeout;
    const bool in_doubt = from.limit() == SendLimit::unknown && !captured_out_of_order_;
    if (from.limit() == SendLimit::application || in_doubt) {
        if (nagle_may_hold(step, from, to)) return Held::unclear;
        const bool acknowledged = to.snd_nxt() == from.snd_nxt() && to.outstanding() < from.outstanding();
        if (within_write && acknowledged && resumes_after(step + 1)) {
            // In Recovery and Loss it is what the repair leaves of the window.
            if (state == CaState::loss) return Held::timeout;
            return state == CaState::recovery ? Held::recovery : Held::cwnd;
        }
    }
    if (from.limit() == SendLimit::application) {
        const int64_t passed_ns = to.time_ns() - from.time_ns();
        // No TCP waits so long for an acknowledgement without a timer that expires: a host, the path or the clock stood still.
        constexpr int64_t no_delayed_ack_ns = 250'000'000;
        const bool stood_still = passed_ns > no_delayed_ack_ns && from.outstanding() > 0 &&
                                 (rtt_ns_ == no_time || passed_ns / 4 >= rtt_ns_);
        if (stood_still) return Held::unknown;
        const uint32_t flow = std::min(2 * full_segment_, most_outstanding_ / 2);
        if (small_window_ && from.outstanding() > 0 && from.outstanding() >= flow) return Held::unknown;
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
            return Held::unclear;
    }
}

// SND.NXT after the step, from the first step's on.
int64_t SenderTime::position_at(size_t step) const {
    const Serial32 base = track_->snd_nxt(step / step_stride * step_stride);
    const auto behind = static_cast<uint32_t>(base.distance_to(track_->snd_nxt(step)));
    return positions_[step / step_stride] + behind;
}

// What was acknowledged just now left the bottleneck's queue no more than the least round trip ago, and what is outstanding was
// behind it. The rate of the fastest bytes alone lets a long queue look empty too soon.
int64_t SenderTime::in_queue_until(const SendStep& acknowledged) const {
    if (rtt_ns_ == no_time) return no_time;
    return acknowledged.time_ns() - rtt_ns_ + static_cast<int64_t>(acknowledged.outstanding() * byte_ns_);
}

// The last step at that time or before; `none` if there is none.
size_t SenderTime::last_step_at(int64_t time_ns) const {
    const SendTrack& steps = *track_;
    const auto away_ns = [&](const Near& near) {
        return near.time_ns < time_ns ? time_ns - near.time_ns : near.time_ns - time_ns;
    };
    Near& near = away_ns(near_times_[0]) < away_ns(near_times_[1]) ? near_times_[0] : near_times_[1];
    near.step =
        partition_near(near.step, steps.size(), [&](size_t i) { return steps.time_ns(i) <= time_ns; });
    near.time_ns = time_ns;
    return near.step == 0 ? none : near.step - 1;
}

// Likewise, of the runs.
size_t SenderTime::last_run_at(int64_t time_ns) const {
    near_run_ =
        partition_near(near_run_, runs_.size(), [&](size_t i) { return runs_[i].begin_ns <= time_ns; });
    return near_run_ == 0 ? none : near_run_ - 1;
}

int64_t SenderTime::position(Serial32 seq, int64_t about_ns) const {
    const SendTrack& steps = *track_;
    if (steps.empty()) return 0;
    // So soon no path carries 2 GiB.
    constexpr int64_t soon_ns = 100'000'000;
    size_t at = std::min(near_position_, steps.size() - 1);
    if (std::abs(steps.time_ns(at) - about_ns) > soon_ns) {
        const size_t found = last_step_at(about_ns);
        at = found == none ? 0 : found;
    }
    return position_at(at) + steps.snd_nxt(at).distance_to(seq);
}

int64_t SenderTime::sent_by(int64_t time_ns) const {
    const size_t at = last_step_at(time_ns);
    return at == none ? 0 : position_at(at);
}

int64_t SenderTime::sent_ns(int64_t position) const {
    near_position_ =
        partition_near(near_position_, track_->size(), [&](size_t i) { return position_at(i) < position; });
    return near_position_ == track_->size() ? no_time : track_->time_ns(near_position_);
}

int64_t SenderTime::acknowledged_ns(int64_t position) const {
    const SendTrack& steps = *track_;
    near_acknowledged_ = partition_near(near_acknowledged_, steps.size(), [&](size_t i) {
        return position_at(i) - steps.outstanding(i) < position;
    });
    return near_acknowledged_ == steps.size() ? no_time : steps.time_ns(near_acknowledged_);
}

int64_t SenderTime::off_wire_before(int64_t position) const {
    const SendTrack& steps = *track_;
    near_position_ =
        partition_near(near_position_, steps.size(), [&](size_t i) { return position_at(i) <= position; });
    // Behind the last step nothing is carried on.
    if (near_position_ == 0 || near_position_ == steps.size()) return no_time;
    const size_t last = near_position_ - 1;
    size_t step = last / step_stride * step_stride;
    int64_t wire_until_ns = wire_until_ns_[step / step_stride];
    for (++step; step <= last; ++step)
        carry(wire_until_ns, steps[step], added(step), steps[step - 1].outstanding());
    return wire_until_ns;
}

bool SenderTime::sent_between(int64_t begin_ns, int64_t end_ns) const {
    constexpr size_t most_steps = 64;
    if (begin_ns >= end_ns) return false;
    const SendTrack& steps = *track_;
    const size_t from = std::min(near_position_, steps.size());
    if (from == steps.size() || steps.time_ns(from) >= end_ns) {
        for (size_t i = from; i > from - std::min(from, most_steps); --i) {
            const int64_t step_ns = steps.time_ns(i - 1);
            if (step_ns < begin_ns) return false;
            if (step_ns < end_ns && added(i - 1) > 0) return true;
        }
        if (from <= most_steps) return false;
    }
    return sent_by(end_ns - 1) > sent_by(begin_ns - 1);
}

HeldTimes SenderTime::held_before(size_t run) const {
    HeldTimes times = held_before_[run / run_stride];
    for (size_t i = run / run_stride * run_stride; i < run; ++i)
        of(times, runs_[i].held) += runs_[i + 1].begin_ns - runs_[i].begin_ns;
    return times;
}

HeldTimes SenderTime::held(int64_t begin_ns, int64_t end_ns) const {
    HeldTimes times{};
    if (begin_ns >= end_ns) return times;
    size_t first = last_run_at(begin_ns);
    const size_t last = last_run_at(end_ns);
    if (last == none) {
        of(times, Held::unknown) = end_ns - begin_ns;
        return times;
    }
    if (first == none) {
        first = 0;
        of(times, Held::unknown) = runs_.front().begin_ns - begin_ns;
        begin_ns = runs_.front().begin_ns;
    }
    if (last - first > 2 * run_stride) {
        const HeldTimes until = held_before(last);
        const HeldTimes before = held_before(first + 1);
        for (size_t i = 0; i < held_kinds; ++i) times[i] += until[i] - before[i];
        of(times, runs_[first].held) += runs_[first + 1].begin_ns - begin_ns;
        begin_ns = runs_[last].begin_ns;
        first = last;
    }
    for (size_t run = first; run <= last; ++run) {
        const int64_t until_ns = run < last ? runs_[run + 1].begin_ns : end_ns;
        of(times, runs_[run].held) += until_ns - begin_ns;
        begin_ns = until_ns;
    }
    return times;
}

int64_t SenderTime::idle_until(int64_t time_ns) const {
    near_idle_end_ = partition_near(near_idle_end_, idle_ends_ns_.size(),
                                    [&](size_t i) { return idle_ends_ns_[i] <= time_ns; });
    return near_idle_end_ == 0 ? no_time : idle_ends_ns_[near_idle_end_ - 1];
}

// By how much so many bytes take longer on the path than the least round trip, which is known.
double SenderTime::queued_ns(int64_t outstanding) const {
    return static_cast<double>(outstanding) * byte_ns_ - static_cast<double>(rtt_ns_);
}

int64_t SenderTime::queued_before_ns(int64_t position, int64_t time_ns) const {
    const size_t at = last_step_at(time_ns);
    if (at == none || rtt_ns_ == no_time) return 0;
    const int64_t behind = std::max<int64_t>(0, position_at(at) - position);
    const double queued = queued_ns(track_->outstanding(at) - behind);
    return queued > static_cast<double>(pause_ns) ? static_cast<int64_t>(std::min(queued, longest_queue_ns))
                                                  : 0;
}

bool SenderTime::queues_at(int64_t time_ns) const {
    return queued_before_ns(std::numeric_limits<int64_t>::max(), time_ns) > 0;
}

std::vector<SenderTime::Queued> SenderTime::queues(int64_t least_ns) const {
    std::vector<Queued> queues;
    if (rtt_ns_ == no_time || byte_ns_ <= 0) return queues;
    bool is_queueing = false;
    track_->for_each([&](const SendStep& step) {
        const auto queued = static_cast<int64_t>(std::min(queued_ns(step.outstanding()), longest_queue_ns));
        if (is_queueing) queues.back().end_ns = step.time_ns();
        if (queued < least_ns) {
            is_queueing = false;
            return;
        }
        if (!is_queueing) queues.push_back({step.time_ns(), step.time_ns(), 0});
        is_queueing = true;
        queues.back().longest_ns = std::max(queues.back().longest_ns, queued);
    });
    return queues;
}

void SenderTime::find_silences() {
    if (rtt_ns_ == no_time) return;
    const auto note = [&](int64_t from_ns, int64_t until_ns) {
        // RFC 8985 section 7.2: so long a tail loss probe waits at least.
        if (until_ns - from_ns >= 2 * rtt_ns_) silences_.push_back({from_ns, until_ns, 0});
    };
    for (const Hole& hole : holes_) {
        const int64_t before_ns = sent_ns(sent_by(hole.sent_ns - 1));
        if (before_ns != no_time) note(before_ns, hole.sent_ns);
        const int64_t next_ns = sent_ns(sent_by(hole.sent_ns) + 1);
        if (next_ns != no_time && next_ns < hole.repaired_ns) note(hole.sent_ns, next_ns);
    }
    // Each is between a step and the next one, so that two are the same or apart.
    std::ranges::sort(silences_, {}, &Silence::until_ns);
    const auto same = std::unique(silences_.begin(), silences_.end(), [](const Silence& a, const Silence& b) {
        return a.until_ns == b.until_ns;
    });
    silences_.erase(same, silences_.end());
    int64_t sum_ns = 0;
    for (Silence& silence : silences_) {
        sum_ns += silence.until_ns - silence.from_ns;
        silence.sum_ns = sum_ns;
    }
}

int64_t SenderTime::silent_amid_losses(int64_t begin_ns, int64_t end_ns) const {
    const auto first = std::ranges::upper_bound(silences_, begin_ns, {}, &Silence::until_ns);
    const auto behind = std::ranges::upper_bound(silences_, end_ns, {}, &Silence::until_ns);
    if (first >= behind) return 0;
    const int64_t before_ns = first->sum_ns - (first->until_ns - std::max(begin_ns, first->from_ns));
    return std::prev(behind)->sum_ns - before_ns;
}

SenderTime::Repaired SenderTime::repaired(int64_t end, int64_t sent_ns) const {
    const auto after = std::ranges::lower_bound(holes_, end, {}, &Hole::begin);
    if (after == holes_.begin()) return {sent_ns, false};
    const Hole& hole = *std::prev(after);
    if (hole.repaired_ns <= sent_ns) return {sent_ns, false};
    return {hole.repaired_ns, hole.by_timer};
}

}  // namespace sanscope
