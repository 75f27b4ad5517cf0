// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/base/reachable_time.h"

namespace sanscope {

// From the one to the other; 0 where one is not known, or as far out as a row's time can be, which is made up.
inline int64_t elapsed_ns(int64_t begin_ns, int64_t end_ns) {
    constexpr int64_t far_out = within_reach(std::numeric_limits<int64_t>::max());
    if (begin_ns <= -far_out || end_ns >= far_out || end_ns <= begin_ns) return 0;
    return std::min(end_ns - begin_ns, int64_t{1} << 53);  // 104 days: so that many of them can be added
}

// What is reckoned with as a path's round trip: a longer one than a minute is made up. Not for no_time.
inline int64_t round_trip_ns(int64_t told_ns) {
    constexpr int64_t longest_ns = 60'000'000'000;
    return std::clamp<int64_t>(told_ns, 0, longest_ns);
}

// A set of moments, put together from stretches of time, that shows how much of a given stretch is in it.
class TimeSpans {
  public:
    void add(int64_t begin_ns, int64_t end_ns) {
        if (elapsed_ns(begin_ns, end_ns) == 0) return;
        if (!spans_.empty() && spans_.back().begin_ns <= begin_ns && spans_.back().end_ns >= begin_ns) {
            spans_.back().end_ns = std::max(spans_.back().end_ns, end_ns);
            return;
        }
        spans_.push_back({begin_ns, end_ns, 0});
    }
    void add(const TimeSpans& others) {
        spans_.insert(spans_.end(), others.spans_.begin(), others.spans_.end());
    }

    // To be called between the last add() and the first question.
    void finish() {
        if (!std::ranges::is_sorted(spans_, {}, &Span::begin_ns)) {
            std::ranges::sort(spans_, {}, &Span::begin_ns);
        }
        size_t kept = 0;
        for (const Span& span : spans_) {
            if (kept > 0 && spans_[kept - 1].end_ns >= span.begin_ns) {
                spans_[kept - 1].end_ns = std::max(spans_[kept - 1].end_ns, span.end_ns);
            } else {
                spans_[kept++] = span;
            }
        }
        spans_.resize(kept);
        int64_t before_ns = 0;
        for (Span& span : spans_) {
            span.before_ns = before_ns;
            before_ns += span.end_ns - span.begin_ns;
        }
    }

    size_t size() const { return spans_.size(); }
    bool empty() const { return spans_.empty(); }
    // How much of [begin_ns, end_ns] is in the set.
    int64_t overlap_ns(int64_t begin_ns, int64_t end_ns) const {
        if (elapsed_ns(begin_ns, end_ns) == 0) return 0;
        const auto after_begin = after(begin_ns, spans_.begin(), spans_.end());
        // Most stretches are short: their end is not far.
        constexpr ptrdiff_t near = 16;
        const auto far = spans_.end() - after_begin > near ? after_begin + near : spans_.end();
        const bool ends_near = far == spans_.end() || far->begin_ns > end_ns;
        const auto after_end = ends_near ? after(end_ns, after_begin, far) : after(end_ns, far, spans_.end());
        return until_ns(end_ns, after_end) - until_ns(begin_ns, after_begin);
    }

    // The end of the first stretch that ends behind `after_ns`, if it begins by `by_ns`.
    std::optional<int64_t> end_of_first_ns(int64_t after_ns, int64_t by_ns) const {
        const auto first = after(after_ns, spans_.begin(), spans_.end());
        const auto found =
            first != spans_.begin() && std::prev(first)->end_ns > after_ns ? std::prev(first) : first;
        if (found == spans_.end() || found->begin_ns > by_ns) return std::nullopt;
        return found->end_ns;
    }

    template <typename Visit>
    void for_each(Visit visit) const {
        for (const Span& span : spans_) visit(span.begin_ns, span.end_ns);
    }

    int64_t total_ns() const {
        return spans_.empty() ? 0 : spans_.back().before_ns + spans_.back().end_ns - spans_.back().begin_ns;
    }

  private:
    friend class SpanWalk;
    struct Span {
        int64_t begin_ns;
        int64_t end_ns;
        int64_t before_ns;  // in the set before begin_ns
    };

    using Place = std::vector<Span>::const_iterator;
    // The first that begins after it, of those between the two.
    static Place after(int64_t time_ns, Place first, Place last) {
        return std::ranges::upper_bound(first, last, time_ns, {}, &Span::begin_ns);
    }
    // How much of the set there is until then. `next`: the first that begins later.
    int64_t until_ns(int64_t time_ns, Place next) const {
        if (next == spans_.begin()) return 0;
        const Span& span = *std::prev(next);
        return span.before_ns + std::min(time_ns, span.end_ns) - span.begin_ns;
    }

    std::vector<Span> spans_;
};

// The same question for stretches that come mostly in order of time, one after another: without a search each.
class SpanWalk {
  public:
    SpanWalk() = default;
    // `spans`, which is finished, must outlive this.
    explicit SpanWalk(const TimeSpans& spans) : spans_(&spans) {}

    int64_t overlap_ns(int64_t begin_ns, int64_t end_ns) {
        if (spans_ == nullptr || elapsed_ns(begin_ns, end_ns) == 0) return 0;
        const auto& spans = spans_->spans_;
        while (at_ > 0 && spans[at_ - 1].end_ns > begin_ns) --at_;
        while (at_ < spans.size() && spans[at_].end_ns <= begin_ns) ++at_;
        int64_t sum_ns = 0;
        for (size_t i = at_; i < spans.size() && spans[i].begin_ns < end_ns; ++i) {
            sum_ns += std::min(end_ns, spans[i].end_ns) - std::max(begin_ns, spans[i].begin_ns);
        }
        return sum_ns;
    }

  private:
    const TimeSpans* spans_ = nullptr;
    size_t at_ = 0;
};

// How much of something there was when, in equal parts of a stretch of time: for finding where it was worst.
class TimeProfile {
  public:
    static constexpr size_t parts = 256;

    TimeProfile() = default;
    TimeProfile(int64_t begin_ns, int64_t end_ns)
        : begin_ns_(begin_ns),
          part_ns_(elapsed_ns(begin_ns, end_ns) / static_cast<int64_t>(parts) + 1),
          sums_(elapsed_ns(begin_ns, end_ns) > 0 ? parts : 0) {}

    // [begin_ns, end_ns] had it; what lies outside of the whole is left out.
    void add(int64_t begin_ns, int64_t end_ns) {
        if (begin_ns >= last_begin_ns_ && end_ns <= last_end_ns_) {  // mostly
            sums_[last_] += end_ns - begin_ns;
            return;
        }
        if (sums_.empty()) return;
        begin_ns = std::max(begin_ns, begin_ns_);
        end_ns = std::min(end_ns, begin_ns_ + part_ns_ * static_cast<int64_t>(parts));
        while (begin_ns < end_ns) {
            const auto part = static_cast<size_t>((begin_ns - begin_ns_) / part_ns_);
            const int64_t part_end_ns = begin_ns_ + part_ns_ * static_cast<int64_t>(part + 1);
            sums_[part] += std::min(end_ns, part_end_ns) - begin_ns;
            last_ = part;
            last_begin_ns_ = part_end_ns - part_ns_;
            last_end_ns_ = part_end_ns;
            begin_ns = part_end_ns;
        }
    }

    // The stretch that holds much more of it than other stretches do: begin and end; an empty one where there is none.
    std::pair<int64_t, int64_t> worst() const {
        const int64_t most = sums_.empty() ? 0 : *std::ranges::max_element(sums_);
        if (most == 0) return {begin_ns_, begin_ns_};
        // The row of parts with the greatest sum of what each has beyond half of the fullest one.
        int64_t sum = 0;
        int64_t best = 0;
        size_t first = 0;
        std::pair<size_t, size_t> found{0, 0};
        for (size_t i = 0; i < parts; ++i) {
            if (sum <= 0) {
                sum = 0;
                first = i;
            }
            sum += sums_[i] - most / 2;
            if (sum > best) {
                best = sum;
                found = {first, i + 1};
            }
        }
        return {begin_ns_ + part_ns_ * static_cast<int64_t>(found.first),
                begin_ns_ + part_ns_ * static_cast<int64_t>(found.second)};
    }

  private:
    int64_t begin_ns_ = 0;
    int64_t part_ns_ = 1;
    std::vector<int64_t> sums_;
    // The part that was added to last.
    size_t last_ = 0;
    int64_t last_begin_ns_ = 0;
    int64_t last_end_ns_ = -1;
};

}  // namespace sanscope
