// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/turnaround/turnaround_picture.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sanscope {
namespace {

constexpr int64_t cell_columns = 2;     // of a grid's cell
constexpr int64_t slowest_columns = 8;  // of each stretch whose slowest command is a dot
constexpr int64_t mean_columns = 8;     // of a mean's stretch
constexpr int64_t mark_columns = 10;    // between marks of unanswered commands

int bin_of(float log_turnaround) {
    return static_cast<int>(std::floor(log_turnaround * static_cast<float>(DensityGrid::bins_per_decade)));
}

class Preparation {
  public:
    Preparation(const CommandIndex& index, const PreparedRange& prepared, const FilterResult* filter,
                FilteredOut filtered_out)
        : index_(index), filter_(filter), leave_out_(filtered_out == FilteredOut::left_out) {
        picture_.prepared = prepared;
        picture_.commands = index.points().size();
        first_ = index.first_at(prepared.range.begin_ns);
        last_ = index.first_at(prepared.range.end_ns);
    }

    TurnaroundPicture take() {
        picture_.near = last_ - first_ <= most_dots;
        if (picture_.near) {
            dots();
        } else {
            grid();
        }
        unanswered();
        depth();
        return std::move(picture_);
    }

  private:
    bool passes(const CommandPoint& point) const {
        return filter_ == nullptr || filter_->rows.commands.test(point.row);
    }
    bool drawn(const CommandPoint& point) const {
        return point.turnaround_ns != no_time && (!leave_out_ || passes(point));
    }
    CommandDot dot(const CommandPoint& point) const {
        return {point.start_ns, point.turnaround_ns, point.row + uint64_t{1},
                point.kind,     point.failed,        passes(point)};
    }

    void dots() {
        for (size_t i = first_; i < last_; ++i) {
            const CommandPoint& point = index_.points()[i];
            if (drawn(point)) picture_.dots.push_back(dot(point));
        }
    }

    void unanswered() {
        const int64_t apart_ns = picture_.prepared.ns_per_column * mark_columns;
        auto& marks = picture_.unanswered;
        for (size_t i = first_; i < last_; ++i) {
            const CommandPoint& point = index_.points()[i];
            const bool through = passes(point);
            if (!point.unanswered || (leave_out_ && !through)) continue;
            if (marks.empty() || point.start_ns - marks.back().time_ns >= apart_ns)
                marks.push_back({point.start_ns, point.row + uint64_t{1}, 0, point.kind, through});
            ++marks.back().count;
            marks.back().passes = marks.back().passes || through;
        }
    }

    // One pass over all of them: each into its cell, and of each few pixels the slowest as dots.
    void grid() {
        DensityGrid& grid = picture_.grid;
        const int64_t begin_ns = picture_.prepared.range.begin_ns;
        grid.begin_ns = begin_ns;
        grid.cell_ns = picture_.prepared.ns_per_column * cell_columns;
        grid.columns = picture_.prepared.columns() / cell_columns + 1;
        if (index_.least_log() > index_.greatest_log()) return;
        grid.first_bin = bin_of(index_.least_log());
        const int bins = bin_of(index_.greatest_log()) - grid.first_bin + 1;
        grid.bins = static_cast<size_t>(bins);
        grid.cells.resize(grid.columns * grid.bins);
        // Both widths are powers of two.
        const int cell_shift = std::countr_zero(static_cast<uint64_t>(grid.cell_ns));
        const int stretch_shift =
            std::countr_zero(static_cast<uint64_t>(picture_.prepared.ns_per_column * slowest_columns));
        int64_t stretch = -1;
        const CommandPoint* slowest = nullptr;
        const CommandPoint* failed = nullptr;
        const auto flush = [&] {
            if (slowest != nullptr) picture_.dots.push_back(dot(*slowest));
            if (failed != nullptr && failed != slowest) picture_.dots.push_back(dot(*failed));
            slowest = failed = nullptr;
        };
        for (size_t i = first_; i < last_; ++i) {
            const CommandPoint& point = index_.points()[i];
            if (point.turnaround_ns == no_time) continue;
            const bool through = passes(point);
            const int64_t since_ns = point.start_ns - begin_ns;
            // Of what does not pass, nothing is in the cells: a cell has no faint half.
            if (through) {
                const auto column = static_cast<size_t>(since_ns >> cell_shift);
                const auto bin = static_cast<size_t>(bin_of(point.log_turnaround) - grid.first_bin);
                auto& counts = grid.cells[column * grid.bins + bin];
                ++counts[static_cast<size_t>(point.kind)];
                grid.most = std::max(grid.most, counts[0] + counts[1] + counts[2]);
            } else if (leave_out_) {
                continue;
            }
            const int64_t here = since_ns >> stretch_shift;
            if (here != stretch) flush();
            stretch = here;
            const auto is_slower = [&](const CommandPoint* than) {
                return than == nullptr || point.turnaround_ns > than->turnaround_ns;
            };
            if (is_slower(slowest)) slowest = &point;
            if (point.failed && is_slower(failed)) failed = &point;
        }
        flush();
        std::ranges::stable_sort(picture_.dots, {}, &CommandDot::time_ns);
    }

    void depth() {
        const PreparedRange& prepared = picture_.prepared;
        const auto& starts = index_.starts();
        const auto& ends = index_.ends();
        const int64_t begin_ns = prepared.range.begin_ns;
        const int64_t end_ns = prepared.range.end_ns;
        auto start = std::lower_bound(starts.begin(), starts.end(), begin_ns);
        auto end = std::lower_bound(ends.begin(), ends.end(), begin_ns);
        const auto last_start = std::lower_bound(start, starts.end(), end_ns);
        const auto last_end = std::lower_bound(end, ends.end(), end_ns);
        int64_t depth = (start - starts.begin()) - (end - ends.begin());
        const bool near =
            static_cast<size_t>((last_start - start) + (last_end - end)) <= 2 * prepared.columns();
        const auto push = [&](int64_t time_ns) {
            const auto value = static_cast<double>(depth);
            picture_.depth.push_back({time_ns, value, value, value, value});
        };
        push(begin_ns);
        const int64_t mean_ns = prepared.ns_per_column * mean_columns;
        TimeRange stretch{begin_ns, begin_ns + mean_ns};
        double spent = 0;
        int64_t at = begin_ns;
        const auto pass = [&](int64_t until_ns) {
            while (at < until_ns) {
                const int64_t next = std::min(until_ns, stretch.end_ns);
                spent += static_cast<double>(depth) * static_cast<double>(next - at);
                at = next;
                if (at < stretch.end_ns) continue;
                picture_.depth_means.push_back({stretch, spent / static_cast<double>(mean_ns)});
                stretch = {stretch.end_ns, stretch.end_ns + mean_ns};
                spent = 0;
            }
        };
        while (start != last_start || end != last_end) {
            // Of what happens at one moment only the outcome counts.
            const int64_t moment = start == last_start                ? *end
                                   : end == last_end || *start < *end ? *start
                                                                      : *end;
            pass(moment);
            for (; start != last_start && *start == moment; ++start) ++depth;
            for (; end != last_end && *end == moment; ++end) --depth;
            if (near) {
                if (picture_.depth.back().time_ns == moment) picture_.depth.pop_back();
                push(moment);
                continue;
            }
            const int64_t column_ns = moment - ((moment - begin_ns) & (prepared.ns_per_column - 1));
            if (picture_.depth.back().time_ns != column_ns) push(column_ns);
            StepPoint& point = picture_.depth.back();
            point.last = static_cast<double>(depth);
            point.min = std::min(point.min, point.last);
            point.max = std::max(point.max, point.last);
        }
        pass(end_ns);
    }

    const CommandIndex& index_;
    const FilterResult* filter_;
    bool leave_out_;
    size_t first_ = 0;
    size_t last_ = 0;
    TurnaroundPicture picture_;
};

}  // namespace

TurnaroundPicture prepare_turnaround(const CommandIndex& index, const PreparedRange& prepared,
                                     const FilterResult* filter, FilteredOut filtered_out) {
    return Preparation(index, prepared, filter, filtered_out).take();
}

const CommandDot* dot_at(const TurnaroundPicture& picture, const TimeViewport& time, const ValueScale& scale,
                         double x, double y, double reach) {
    const int64_t last_ns = time.time_at(x + reach + 1);
    auto dot = std::lower_bound(picture.dots.begin(), picture.dots.end(), time.time_at(x - reach - 1),
                                [](const CommandDot& one, int64_t at) { return one.time_ns < at; });
    const CommandDot* nearest = nullptr;
    double distance = reach;
    for (; dot != picture.dots.end() && dot->time_ns <= last_ns; ++dot) {
        const double away =
            std::hypot(time.x_of(dot->time_ns) - x, scale.y_of(static_cast<double>(dot->turnaround_ns)) - y);
        if (away > distance) continue;
        distance = away;
        nearest = &*dot;
    }
    return nearest;
}

const UnansweredMark* unanswered_at(const TurnaroundPicture& picture, const TimeViewport& time, double x,
                                    double reach) {
    const UnansweredMark* nearest = nullptr;
    for (const UnansweredMark& mark : picture.unanswered) {
        const double away = std::abs(time.x_of(mark.time_ns) - x);
        if (away > reach) continue;
        reach = away;
        nearest = &mark;
    }
    return nearest;
}

uint64_t command_within(const CommandIndex& index, TimeRange range, int64_t low_ns, int64_t high_ns) {
    const CommandPoint* slowest = nullptr;
    const size_t last = index.first_at(range.end_ns);
    for (size_t i = index.first_at(range.begin_ns); i < last; ++i) {
        const CommandPoint& point = index.points()[i];
        if (point.turnaround_ns == no_time || point.turnaround_ns < low_ns ||
            point.turnaround_ns >= high_ns) {
            continue;
        }
        if (slowest == nullptr || point.turnaround_ns > slowest->turnaround_ns) slowest = &point;
    }
    return slowest == nullptr ? 0 : slowest->row + uint64_t{1};
}

}  // namespace sanscope
