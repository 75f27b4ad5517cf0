// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/windows/window_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gui/views/windows/step_sum.h"

#include "analyzer/base/moments.h"
#include "analyzer/store/window_aggregate.h"

namespace sanscope {
namespace {

// With the least and the greatest of the values, each counting for as long as it held.
class Weighted {
  public:
    void add(int64_t duration_ns, double value) {
        if (std::isnan(value) || duration_ns <= 0) return;
        moments_.add(value, static_cast<double>(duration_ns));
        least_ = known_ns_ == 0 ? value : std::min(least_, value);
        greatest_ = known_ns_ == 0 ? value : std::max(greatest_, value);
        known_ns_ += duration_ns;
    }
    FigureStatistics take() const {
        return {moments_.mean(), moments_.standard_deviation(), least_, greatest_, known_ns_};
    }

  private:
    Moments moments_;
    double least_ = 0;
    double greatest_ = 0;
    int64_t known_ns_ = 0;
};

// The senders' congestion windows together, each from its first window to its connection's end.
class TogetherOverTime {
  public:
    TogetherOverTime(const CaptureData::Reading& reading, const std::vector<SenderId>& senders)
        : aggregate_(senders.size()) {
        for (const SenderId& sender : senders) {
            const SenderTrack::Rows& rows = track_of(reading, sender)->windows;
            const auto time_at = [&](size_t at) {
                return reading.store().windows().get<&WindowRow::time_ns>(rows[at]);
            };
            One& one = each_.emplace_back();
            if (rows.empty()) continue;
            one.begin_ns = time_at(0);
            one.end_ns = std::max(end_of(reading, sender), time_at(rows.size() - 1) + 1);
        }
    }

    // What holds from then on, NaN where not known; in order of time.
    void take(int64_t time_ns, const std::vector<double>& values) {
        for (size_t i = 0; i < values.size(); ++i) {
            One& one = each_[i];
            if (time_ns < one.begin_ns) continue;
            if (time_ns >= one.end_ns) {
                if (!one.ended) aggregate_.end(time_ns, i);
                one.ended = true;
                continue;
            }
            const bool is_known = !std::isnan(values[i]);
            if (values[i] == one.held || (!is_known && std::isnan(one.held))) continue;
            one.held = values[i];
            aggregate_.set(time_ns, i, is_known ? std::optional<double>(values[i]) : std::nullopt);
        }
    }

    const WindowAggregate& finish(int64_t time_ns) {
        aggregate_.finish(time_ns);
        return aggregate_;
    }

  private:
    struct One {
        int64_t begin_ns = std::numeric_limits<int64_t>::max();
        int64_t end_ns = std::numeric_limits<int64_t>::max();
        double held = -1;
        bool ended = false;
    };

    WindowAggregate aggregate_;
    std::vector<One> each_;
};

// The least maximum segment size of the senders' connections; unknown where none is known.
uint32_t least_mss(const ResultStore& store, const std::vector<SenderId>& senders) {
    uint32_t least = unknown<uint32_t>;
    for (const SenderId& sender : senders) {
        const uint32_t mss = store.connection(sender.connection).mss;
        if (mss > 0) least = std::min(least, mss);
    }
    return least;
}

}  // namespace

WindowStatistics window_statistics(const CaptureData::Reading& reading, const std::vector<SenderId>& senders,
                                   TimeRange range, const StopFlag& stop) {
    WindowStatistics statistics;
    statistics.range = range;
    std::vector<SenderId> with_track;
    for (const SenderId& sender : senders) {
        if (track_of(reading, sender) != nullptr) with_track.push_back(sender);
    }
    const auto sources_of = [&](uint32_t WindowRow::*figure) {
        std::vector<StepSource> sources;
        sources.reserve(with_track.size());
        for (const SenderId& sender : with_track) {
            sources.push_back({&reading.store().windows(), &track_of(reading, sender)->windows, figure,
                               end_of(reading, sender)});
        }
        return sources;
    };
    size_t stretches = 0;
    bool stopped = false;
    TogetherOverTime together(reading, with_track);
    const auto figures_of = [&](uint32_t WindowRow::*figure, Weighted* sum) {
        std::vector<Weighted> figures(with_track.size());
        each_stretch(sources_of(figure), range,
                     [&](TimeRange stretch, double total, const std::vector<double>& values) {
                         if (++stretches % 4096 == 0) stopped = stopped || stop;
                         if (stopped) return;
                         if (sum != nullptr) {
                             sum->add(stretch.span_ns(), total);
                             together.take(stretch.begin_ns, values);
                         }
                         for (size_t i = 0; i < values.size(); ++i)
                             figures[i].add(stretch.span_ns(), values[i]);
                     });
        return figures;
    };
    Weighted sum;
    const auto cwnd = figures_of(&WindowRow::cwnd, &sum);
    const auto in_flight = figures_of(&WindowRow::in_flight, nullptr);
    const auto advertised = figures_of(&WindowRow::advertised_window, nullptr);
    const WindowAggregate& aggregate = together.finish(range.end_ns);
    statistics.complete = !stopped;
    statistics.known_share = aggregate.known_share();
    statistics.difference_deviation = aggregate.difference_deviation();
    statistics.fairness = aggregate.fairness();
    statistics.mss = least_mss(reading.store(), with_track);
    statistics.sum = sum.take();
    Extent means;
    double mean_of_means = 0;
    size_t known = 0;
    for (size_t i = 0; i < with_track.size(); ++i) {
        // Held against acknowledgements, as the window is.
        const bool judged = reading.store().connection(with_track[i].connection).tcp_is_judged();
        statistics.senders.push_back({with_track[i], cwnd[i].take(),
                                      judged ? in_flight[i].take() : FigureStatistics{},
                                      advertised[i].take()});
        const FigureStatistics& figure = statistics.senders.back().cwnd;
        if (figure.known_ns == 0) continue;
        means.add(figure.mean);
        mean_of_means += figure.mean;
        ++known;
    }
    if (known > 1) {
        mean_of_means /= static_cast<double>(known);
        statistics.difference = means.max - means.min;
        statistics.difference_percent = mean_of_means > 0 ? 100 * statistics.difference / mean_of_means : 0;
    }
    return statistics;
}

}  // namespace sanscope
