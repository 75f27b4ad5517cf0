// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/clock_band.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "analyzer/points/line_fit.h"

namespace sanscope {
namespace {

constexpr double nanoseconds = 1e9;
constexpr double most_slope = most_skew_ppm * 1000;  // nanoseconds a second
// The samples that are looked at: of each of so many runs of neighbours the extreme ones. Hulls of fewer points are wider at
// most, never wrong.
constexpr size_t most_runs = 8192;

// Of each run of neighbours the one that bounds the clock most from each side.
std::vector<ClockSample> thinned(std::span<const ClockSample> samples) {
    const size_t run = (samples.size() + most_runs - 1) / most_runs;
    if (run <= 1) return {samples.begin(), samples.end()};
    std::vector<ClockSample> result;
    for (size_t begin = 0; begin < samples.size(); begin += run) {
        const auto part = samples.subspan(begin, std::min(run, samples.size() - begin));
        const ClockSample* least = nullptr;
        const ClockSample* greatest = nullptr;
        for (const ClockSample& sample : part) {
            if (sample.from_a && (least == nullptr || sample.difference_ns < least->difference_ns))
                least = &sample;
            if (!sample.from_a && (greatest == nullptr || sample.difference_ns > greatest->difference_ns))
                greatest = &sample;
        }
        if (least != nullptr && greatest != nullptr && greatest < least) std::swap(least, greatest);
        if (least != nullptr) result.push_back(*least);
        if (greatest != nullptr) result.push_back(*greatest);
    }
    return result;
}

class Estimator {
  public:
    Estimator(std::span<const ClockSample> samples, int64_t error_ns)
        : samples_(samples), error_ns_(error_ns) {}

    ClockEstimate estimate() {
        ClockEstimate result;
        size_t begin = 0;
        while (begin < samples_.size()) {
            const size_t end = longest_even(begin, samples_.size());
            if (end == samples_.size()) {
                add_stretches(result, begin, end, 0);
                break;
            }
            if (result.steps.size() >= most_clock_steps) {
                result.unstable = true;
                break;
            }
            const Step step = find_step(begin, end);
            add_stretches(result, begin, step.before, 0);
            result.steps.push_back(made_step(step.before, step.after, true));
            begin = step.after;
        }
        measure_steps(result);
        return result;
    }

  private:
    struct Step {
        size_t before = 0;  // [begin, before) is certainly before it
        size_t after = 0;   // [after, …) certainly after it
    };
    struct Clouds {
        std::vector<FitPoint> above;
        std::vector<FitPoint> below;
    };

    Clouds hulls(size_t begin, size_t end, int64_t middle_ns, int64_t reference_ns) const {
        Clouds clouds;
        for (size_t i = begin; i < end; ++i) {
            const ClockSample& sample = samples_[i];
            const double t = static_cast<double>(sample.time_ns - middle_ns) / nanoseconds;
            const double x = static_cast<double>(sample.difference_ns - reference_ns);
            if (sample.from_a) {
                clouds.above.push_back({t, x + static_cast<double>(error_ns_)});
            } else {
                clouds.below.push_back({t, x - static_cast<double>(error_ns_)});
            }
        }
        const auto in_order = [](std::vector<FitPoint>& points) {
            const auto earlier = [](const FitPoint& a, const FitPoint& b) { return a.t < b.t; };
            if (!std::is_sorted(points.begin(), points.end(), earlier))
                std::stable_sort(points.begin(), points.end(), earlier);
        };
        in_order(clouds.above);
        in_order(clouds.below);
        return {lower_hull(clouds.above), upper_hull(clouds.below)};
    }

    double strip(size_t begin, size_t end) const {
        if (begin >= end) return std::numeric_limits<double>::infinity();
        const Clouds clouds = hulls(begin, end, samples_[begin].time_ns, samples_[begin].difference_ns);
        return widest_strip(clouds.above, clouds.below, most_slope);
    }
    bool even(size_t begin, size_t end) const { return strip(begin, end) >= 0; }

    // Up to where, of `limit` at most, some line fits: with each sample more there are only fewer.
    size_t longest_even(size_t begin, size_t limit) const {
        if (even(begin, limit)) return limit;
        size_t fits = begin + 1;
        size_t too_far = limit;
        for (size_t step = 64; fits + step < too_far; step *= 2) {
            if (!even(begin, fits + step)) {
                too_far = fits + step;
                break;
            }
            fits += step;
        }
        while (too_far - fits > 1) {
            const size_t middle = fits + (too_far - fits) / 2;
            (even(begin, middle) ? fits : too_far) = middle;
        }
        return fits;
    }

    // From where on up to `end` some line fits.
    size_t earliest_even(size_t begin, size_t end) const {
        size_t fits = end - 1;
        size_t too_far = begin;
        if (even(begin, end)) return begin;
        while (fits - too_far > 1) {
            const size_t middle = too_far + (fits - too_far) / 2;
            (even(middle, end) ? fits : too_far) = middle;
        }
        return fits;
    }

    // How long, before this sample, packets are on their way there and back, but for some.
    int64_t longest_way(size_t at) const {
        constexpr size_t looked_at = 256;
        constexpr size_t some =
            10;  // one in so many: they may bear the stamp of a clock that was stepped meanwhile
        std::vector<int64_t> there;
        std::vector<int64_t> back;
        for (size_t i = at > looked_at ? at - looked_at : 0; i < at; ++i)
            (samples_[i].from_a ? there : back).push_back(samples_[i].difference_ns);
        if (there.empty() || back.empty()) return 0;
        std::ranges::sort(there);
        std::ranges::sort(back);
        return std::max<int64_t>(there[there.size() - 1 - there.size() / some] - back[back.size() / some], 0);
    }

    // As far as the clock at A shows no more than so much earlier, or later.
    size_t back(size_t from, size_t begin, int64_t by_ns) const {
        if (from <= begin) return begin;
        const int64_t last = samples_[from - 1].time_ns;
        while (from > begin && last - samples_[from - 1].time_ns <= by_ns) --from;
        return from;
    }
    size_t forth(size_t from, int64_t by_ns) const {
        if (from >= samples_.size()) return samples_.size();
        const int64_t first = samples_[from].time_ns;
        while (from < samples_.size() && samples_[from].time_ns - first <= by_ns) ++from;
        return from;
    }

    // The clock was stepped between `begin` and `end`, before which it still seems to run evenly. What was on its way
    // meanwhile was stamped by the clock before at one point and by that after at the other: it belongs to neither side.
    Step find_step(size_t begin, size_t end) const {
        const int64_t way = longest_way(end);
        size_t after = end;
        size_t next = longest_even(after, samples_.size());
        const size_t beyond = forth(end, way);
        if (next < samples_.size() && next <= forth(end, 8 * way)) {
            const size_t next_beyond = longest_even(beyond, samples_.size());
            if (beyond < samples_.size() && next_beyond > next) {
                after = beyond;
                next = next_beyond;
            }
        }
        // Of what follows, only what surely lies before the next step.
        const size_t sure = next == samples_.size() ? next : after + (next - after + 1) / 2;
        const size_t earliest = after == end ? earliest_even(begin, sure) : end;
        Step step{back(std::min(earliest, end), begin, way), forth(after, way)};
        // A stretch that would be empty is left as it is.
        if (step.after >= samples_.size() || longest_even(step.after, samples_.size()) <= step.after + 1)
            step.after = after;
        return step;
    }

    ClockStep made_step(size_t before, size_t after, bool certain) const {
        ClockStep step;
        const size_t last = before == 0 ? 0 : before - 1;
        const size_t first = std::min(after, samples_.size() - 1);
        step.after_packet = samples_[last].packet;
        step.before_packet = samples_[first].packet;
        step.from_ns = samples_[last].time_ns;
        step.to_ns = samples_[first].time_ns;
        step.certain = certain;
        return step;
    }

    void add_stretches(ClockEstimate& result, size_t begin, size_t end, int depth) {
        if (begin >= end) return;
        size_t split = 0;
        if (depth < 4 && result.steps.size() < most_clock_steps && (split = hidden_step(begin, end)) != 0) {
            // What is on its way when the clock is stepped, and for how long that may go unseen.
            const int64_t way = 4 * longest_way(split);
            const size_t before = back(split, begin, way);
            const size_t after = std::min(forth(split, way), end);
            if (before > begin && after < end) {
                add_stretches(result, begin, before, depth + 1);
                result.steps.push_back(made_step(before, after, false));
                add_stretches(result, after, end, depth + 1);
                return;
            }
        }
        result.stretches.push_back(stretch(begin, end));
    }

    // A step smaller than packets are on their way there and back leaves lines that fit; but both clouds are then put the same
    // way, which no queue does, and either side alone leaves more room. 0: none.
    size_t hidden_step(size_t begin, size_t end) const {
        constexpr size_t least_samples = 64;
        if (end - begin < 2 * least_samples) return 0;
        const double whole = strip(begin, end);
        if (!std::isfinite(whole)) return 0;
        constexpr double more = 1.02;
        const int64_t way = longest_way(begin + (end - begin) / 2);
        const auto room_before = [&](size_t at) { return strip(begin, back(at, begin, way)); };
        const auto room_behind = [&](size_t at) { return strip(forth(at, way), end); };
        // The later a place, the less room is before it and the more behind it: they are alike where the step is.
        size_t low = begin + least_samples;
        size_t high = end - least_samples;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            (room_before(middle) >= room_behind(middle) ? low : high) = middle;
        }
        size_t best = 0;
        double best_room = whole * more + 4 * static_cast<double>(error_ns_);
        for (const size_t at : {low, high}) {
            const double room = std::min(room_before(at), room_behind(at));
            if (room <= best_room || !std::isfinite(room)) continue;
            best = at;
            best_room = room;
        }
        return best != 0 && shifted_together(begin, back(best, begin, way), forth(best, way), end) ? best : 0;
    }

    bool shifted_together(size_t begin, size_t left_end, size_t right_begin, size_t end) const {
        if (left_end <= begin || right_begin >= end) return false;
        const TimeBand before = stretch(begin, left_end).offset(samples_[left_end - 1].time_ns);
        const TimeBand after = stretch(right_begin, end).offset(samples_[right_begin].time_ns);
        if (!before.bounded() || !after.bounded()) return false;
        const int64_t low = after.low_ns - before.low_ns;
        const int64_t high = after.high_ns - before.high_ns;
        return (low > 0) == (high > 0) && std::min(std::abs(low), std::abs(high)) > 4 * error_ns_;
    }

    ClockStretch stretch(size_t begin, size_t end) const {
        ClockStretch result;
        result.first_packet = samples_[begin].packet;
        result.last_packet = samples_[end - 1].packet;
        result.first_ns = samples_[begin].time_ns;
        result.last_ns = samples_[end - 1].time_ns;
        result.middle_ns = result.first_ns + (result.last_ns - result.first_ns) / 2;
        result.reference_ns = samples_[begin].difference_ns;
        const Clouds clouds = hulls(begin, end, result.middle_ns, result.reference_ns);
        result.has_high = !clouds.above.empty();
        result.has_low = !clouds.below.empty();
        if (result.has_high && result.has_low) {
            result.least_round_trip_ns =
                static_cast<int64_t>(widest_strip(clouds.above, clouds.below, most_slope));
        }
        constexpr double far = 1e13;
        for (const FitLine& line : fitting_lines(clouds.above, clouds.below, most_slope, far))
            result.lines_.push_back({line.offset, line.slope});
        return result;
    }

    // With no stretch between them, steps can only be told together.
    static void join_steps(ClockEstimate& result) {
        std::vector<ClockStep> joined;
        for (const ClockStep& step : result.steps) {
            const bool apart =
                joined.empty() || std::ranges::any_of(result.stretches, [&](const auto& stretch) {
                    return stretch.first_packet >= joined.back().before_packet &&
                           stretch.last_packet <= step.after_packet;
                });
            if (apart) {
                joined.push_back(step);
                continue;
            }
            joined.back().before_packet = step.before_packet;
            joined.back().to_ns = step.to_ns;
            joined.back().certain = joined.back().certain && step.certain;
        }
        result.steps = std::move(joined);
    }

    // The sizes, once the stretches on both sides are known.
    static void measure_steps(ClockEstimate& result) {
        join_steps(result);
        for (ClockStep& step : result.steps) {
            const ClockStretch* before = nullptr;
            const ClockStretch* after = nullptr;
            for (const ClockStretch& stretch : result.stretches) {
                if (stretch.last_packet <= step.after_packet) before = &stretch;
                if (after == nullptr && stretch.first_packet >= step.before_packet) after = &stretch;
            }
            // What may as well be none is not told as one.
            const bool no_line_fits = std::exchange(step.certain, false);
            if (before == nullptr || after == nullptr) continue;
            // A's own clock may be the one that was stepped: each side is asked for its own time.
            const TimeBand left = before->offset(step.from_ns);
            const TimeBand right = after->offset(step.to_ns);
            if (!left.bounded() || !right.bounded()) continue;
            step.size = {right.low_ns - left.high_ns, right.high_ns - left.low_ns};
            step.certain = no_line_fits && (step.size.low_ns > 0 || step.size.high_ns < 0);
        }
    }

    std::span<const ClockSample> samples_;
    int64_t error_ns_;
};

}  // namespace

double ClockStretch::offset_of(const Line& line, int64_t at_ns) const {
    return static_cast<double>(reference_ns) + line.offset_ns +
           line.skew * static_cast<double>(at_ns - middle_ns) / nanoseconds;
}

TimeBand ClockStretch::offset(int64_t at_ns) const {
    TimeBand band;
    if (lines_.empty()) return band;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Line& line : lines_) {
        const double offset =
            line.offset_ns + line.skew * static_cast<double>(at_ns - middle_ns) / nanoseconds;
        low = std::min(low, offset);
        high = std::max(high, offset);
    }
    if (has_low) band.low_ns = reference_ns + static_cast<int64_t>(std::floor(low));
    if (has_high) band.high_ns = reference_ns + static_cast<int64_t>(std::ceil(high));
    return band;
}

SkewBand ClockStretch::skew() const {
    SkewBand band;
    if (lines_.empty() || !has_low || !has_high) return band;
    band.low_ppm = most_skew_ppm;
    band.high_ppm = -most_skew_ppm;
    for (const Line& line : lines_) {
        band.low_ppm = std::min(band.low_ppm, line.skew / 1000);
        band.high_ppm = std::max(band.high_ppm, line.skew / 1000);
    }
    constexpr double nearly = 0.999 * most_skew_ppm;
    band.known = band.low_ppm > -nearly && band.high_ppm < nearly;
    return band;
}

const ClockStretch* ClockEstimate::at(uint64_t packet) const {
    for (size_t i = 0; i < stretches.size(); ++i) {
        // What lies before the first sample or behind the last one is near enough to its line.
        const bool not_before = i == 0 || packet >= stretches[i].first_packet;
        const bool not_behind =
            (i + 1 == stretches.size() && !unstable) || packet <= stretches[i].last_packet;
        if (not_before && not_behind) return &stretches[i];
    }
    return nullptr;
}

const ClockStretch* ClockEstimate::showing(int64_t at_ns) const {
    const auto found = std::ranges::find_if(stretches, [at_ns](const ClockStretch& stretch) {
        return stretch.first_ns <= at_ns && at_ns <= stretch.last_ns;
    });
    return found == stretches.end() ? nullptr : &*found;
}

TimeBand ClockEstimate::offset(uint64_t packet, int64_t at_ns) const {
    const ClockStretch* stretch = at(packet);
    return stretch == nullptr ? TimeBand{} : stretch->offset(at_ns);
}

ClockEstimate estimate_clock(std::vector<ClockSample>& samples, int64_t error_ns) {
    std::ranges::stable_sort(samples, {}, &ClockSample::packet);
    const std::vector<ClockSample> few = thinned(samples);
    if (few.empty()) return {};
    return Estimator(few, error_ns).estimate();
}

}  // namespace sanscope
