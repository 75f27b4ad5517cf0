// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace sanscope {
namespace {

constexpr size_t resamples = 400;
constexpr size_t least_blocks = 8;
// What goes on rising or falling over the whole capture is hardly more than one draw, with an error greater than that of a single
// block; of one that rests on so few the t distribution makes little: a change must be some ten times as great.
constexpr double most_correlation = 0.97;
constexpr double least_freedom = 3;

using Blocks = std::vector<size_t>;

// The same numbers on every machine: std::uniform_int_distribution is not.
class BlockDraw {
  public:
    explicit BlockDraw(size_t blocks) : blocks_(blocks) {}
    size_t operator()() { return static_cast<size_t>((uint64_t{random_()} * blocks_) >> 32U); }

  private:
    std::mt19937 random_{20'260'101};
    size_t blocks_;
};

// What blocks next to each other have in common, of the terms by which each moves the figure: their correlation at lag one,
// free of its bias towards none (Kendall 1954), and never below none.
double correlation_of(std::span<const double> terms) {
    double squares = 0;
    double products = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
        squares += terms[i] * terms[i];
        if (i > 0) products += terms[i] * terms[i - 1];
    }
    if (squares <= 0) return 0;
    const double seen = products / squares;
    return std::clamp(seen + (1 + 3 * seen) / static_cast<double>(terms.size()), 0.0, most_correlation);
}

// Sums of two and more neighbours tell of correlation over longer times than lag one: the variance of a mean as the
// greatest that either shows.
double widening_of(std::span<const double> terms) {
    double single = 0;
    for (const double term : terms) single += term * term;
    if (single <= 0) return 1;
    double widest = 1;
    for (const size_t together : {size_t{2}, size_t{3}, size_t{4}}) {
        const size_t groups = terms.size() / together;
        if (groups < least_blocks / 2) break;
        double sum = 0;
        for (size_t group = 0; group < groups; ++group) {
            double term = 0;
            for (size_t i = 0; i < together; ++i) term += terms[group * together + i];
            sum += term * term;
        }
        const double scale = static_cast<double>(terms.size()) / static_cast<double>(groups * together);
        widest = std::max(widest, sum * scale / single);
    }
    return widest;
}

// `statistic(blocks)` of blocks drawn with replacement, each as often as there are blocks; `terms`, one a block.
template <class Statistic>
void find_error(Estimate& estimate, size_t blocks, std::span<const double> terms, Statistic&& statistic) {
    if (blocks < least_blocks) {
        estimate.no_error = NoError::too_few;
        return;
    }
    if (std::ranges::all_of(terms, [](double term) { return term == 0; })) {
        estimate.no_error = NoError::never_moved;
        return;
    }
    BlockDraw draw(blocks);
    Blocks drawn(blocks);
    double sum = 0;
    double squares = 0;
    size_t usable = 0;
    for (size_t i = 0; i < resamples; ++i) {
        std::ranges::generate(drawn, std::ref(draw));
        const double value = statistic(drawn);
        if (!std::isfinite(value)) continue;
        sum += value;
        squares += value * value;
        ++usable;
    }
    if (usable < resamples * 9 / 10) {
        estimate.no_error = NoError::too_few;
        return;
    }
    const auto n = static_cast<double>(blocks);
    const auto many = static_cast<double>(usable);
    const double variance = std::max(0.0, squares / many - sum / many * (sum / many)) * n / (n - 1);
    const double together = correlation_of(terms);
    const double wider = std::max((1 + together) / (1 - together), widening_of(terms));
    estimate.error = std::sqrt(variance * wider);
    estimate.freedom = std::max(n / wider - 1, least_freedom);
    estimate.no_error = NoError::none;
}

double on_scale(double value, Scale scale) {
    if (scale == Scale::ratio) return value > 0 ? std::log(value) : -std::numeric_limits<double>::infinity();
    return value;
}

double quantile_of(std::span<const double> counts, double total, double fraction) {
    double below = 0;
    const double wanted = fraction * total;
    for (size_t bucket = 0; bucket < counts.size(); ++bucket) {
        if (counts[bucket] > 0 && below + counts[bucket] >= wanted) {
            const double low = BlockedDurations::low_end(bucket);
            const double width = BlockedDurations::low_end(bucket + 1) - low;
            return low + width * std::clamp((wanted - below) / counts[bucket], 0.0, 1.0);
        }
        below += counts[bucket];
    }
    return 0;
}

// Where durations lie at two places with nothing between, as those of commands that met a disk's cache and of those that did
// not, resampling finds the quantile at one of them each time, though a little more or less of one kind would put it at the
// other. How sure the fraction is says where else it may lie (Woodruff 1952), looked at as far out as a change is judged.
void widen_by_fraction(Estimate& estimate, const BlockedDurations& durations, double fraction,
                       std::span<const double> terms) {
    if (estimate.no_error != NoError::none) return;
    constexpr double reach = 3;
    // Where nearly all durations are alike, a slow drift by far less than 1 % takes the fraction from one end to the other, and
    // says nothing of the few that are not.
    constexpr double most_widened = 3;
    std::vector<double> counts(durations.buckets());
    double total = 0;
    for (size_t block = 0; block < TimeBlocks::count; ++block) {
        total += static_cast<double>(durations.total(block));
        for (size_t i = 0; i < durations.counts(block).size(); ++i) counts[i] += durations.counts(block)[i];
    }
    double squares = 0;
    for (const double term : terms) squares += term * term;
    const double together = correlation_of(terms);
    const double wider =
        std::min(std::max((1 + together) / (1 - together), widening_of(terms)), most_widened);
    const auto n = static_cast<double>(terms.size());
    const double of_fraction = std::sqrt(squares * wider * n / (n - 1)) / total;
    const double most = quantile_of(counts, total, std::min(1.0, fraction + reach * of_fraction));
    const double least = quantile_of(counts, total, std::max(0.0, fraction - reach * of_fraction));
    for (const double end : {most / estimate.value, estimate.value / least}) {
        if (std::isfinite(end) && end > 0) estimate.error = std::max(estimate.error, std::log(end) / reach);
    }
}

}  // namespace

Estimate estimate_quotient(const BlockedSums& sums, Scale scale) {
    Blocks used;
    double part = 0;
    double whole = 0;
    for (size_t block = 0; block < TimeBlocks::count; ++block) {
        if (sums.whole[block] <= 0) continue;
        used.push_back(block);
        part += sums.part[block];
        whole += sums.whole[block];
    }
    Estimate estimate;
    if (used.empty()) return estimate;
    estimate.known = true;
    estimate.value = part / whole;
    std::vector<double> terms;
    terms.reserve(used.size());
    // What is left of rounding is no movement.
    const double rounding = 1e-9 * std::abs(part);
    for (const size_t block : used) {
        const double term = sums.part[block] - estimate.value * sums.whole[block];
        terms.push_back(std::abs(term) <= rounding ? 0 : term);
    }
    find_error(estimate, used.size(), terms, [&](const Blocks& drawn) {
        double drawn_part = 0;
        double drawn_whole = 0;
        for (const size_t i : drawn) {
            drawn_part += sums.part[used[i]];
            drawn_whole += sums.whole[used[i]];
        }
        return on_scale(drawn_part / drawn_whole, scale);
    });
    return estimate;
}

Estimate estimate_quantile(const BlockedDurations& durations, double fraction) {
    // Beyond the quantile, this many at least: fewer tell little of where it lies.
    constexpr double least_beyond = 10;
    Blocks used;
    std::vector<double> counts(durations.buckets());
    double total = 0;
    for (size_t block = 0; block < TimeBlocks::count; ++block) {
        if (durations.total(block) == 0) continue;
        used.push_back(block);
        total += static_cast<double>(durations.total(block));
        for (size_t i = 0; i < durations.counts(block).size(); ++i) counts[i] += durations.counts(block)[i];
    }
    Estimate estimate;
    if (total == 0) return estimate;
    estimate.known = true;
    estimate.value = quantile_of(counts, total, fraction);
    if (total * std::min(fraction, 1 - fraction) < least_beyond) return estimate;

    std::vector<double> terms;
    terms.reserve(used.size());
    for (const size_t block : used) {
        double within = 0;
        const std::vector<uint32_t>& of_block = durations.counts(block);
        for (size_t i = 0; i < of_block.size(); ++i) {
            const double low = BlockedDurations::low_end(i);
            const double width = BlockedDurations::low_end(i + 1) - low;
            within += of_block[i] * std::clamp((estimate.value - low) / width, 0.0, 1.0);
        }
        terms.push_back(within - fraction * static_cast<double>(durations.total(block)));
    }
    std::vector<double> weights(used.size());
    find_error(estimate, used.size(), terms, [&](const Blocks& drawn) {
        std::ranges::fill(weights, 0.0);
        for (const size_t i : drawn) weights[i] += 1;
        std::ranges::fill(counts, 0.0);
        double all = 0;
        for (size_t i = 0; i < used.size(); ++i) {
            if (weights[i] == 0) continue;
            const std::vector<uint32_t>& of_block = durations.counts(used[i]);
            for (size_t bucket = 0; bucket < of_block.size(); ++bucket)
                counts[bucket] += weights[i] * of_block[bucket];
            all += weights[i] * static_cast<double>(durations.total(used[i]));
        }
        return on_scale(quantile_of(counts, all, fraction), Scale::ratio);
    });
    widen_by_fraction(estimate, durations, fraction, terms);
    return estimate;
}

Estimate estimate_rate(const std::array<double, TimeBlocks::count>& events, double chances) {
    Estimate estimate;
    if (chances <= 0) return estimate;
    double all = 0;
    for (const double number : events) all += number;
    estimate.known = true;
    estimate.value = all / chances;
    const double mean = all / TimeBlocks::count;
    double squares = 0;
    std::array<double, TimeBlocks::count> terms{};
    for (size_t block = 0; block < TimeBlocks::count; ++block) {
        terms[block] = events[block] - mean;
        squares += terms[block] * terms[block];
    }
    // Independent events have a variance like their mean (Poisson); bursts a greater one.
    const double bursts = mean > 0 ? std::max(1.0, squares / (TimeBlocks::count - 1) / mean) : 1;
    const double together = correlation_of(terms);
    const double wider = std::max((1 + together) / (1 - together), widening_of(terms));
    // Var(sqrt(n / c)) is about 1 / (4 c); of no events at all as of one.
    estimate.error = std::sqrt(bursts * wider / (4 * chances));
    estimate.freedom = std::max(TimeBlocks::count / wider - 1, least_freedom);
    estimate.no_error = NoError::none;
    return estimate;
}

}  // namespace sanscope
