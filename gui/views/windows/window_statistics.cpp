// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/windows/window_statistics.h"

#include "gui/views/windows/step_sum.h"

namespace sanscope {
namespace {

// Mean and variance as values come, each weighted with its duration (after West).
class Weighted {
  public:
    void add(int64_t duration_ns, double value) {
        if (std::isnan(value) || duration_ns <= 0) return;
        const auto weight = static_cast<double>(duration_ns);
        weight_ += weight;
        const double distance = value - mean_;
        mean_ += distance * weight / weight_;
        squares_ += weight * distance * (value - mean_);
        least_ = known_ns_ == 0 ? value : std::min(least_, value);
        greatest_ = known_ns_ == 0 ? value : std::max(greatest_, value);
        known_ns_ += duration_ns;
    }
    FigureStatistics take() const {
        const double variance = weight_ > 0 ? squares_ / weight_ : 0;
        return {mean_, std::sqrt(std::max(variance, 0.0)), least_, greatest_, known_ns_};
    }

  private:
    double weight_ = 0;
    double mean_ = 0;
    double squares_ = 0;
    double least_ = 0;
    double greatest_ = 0;
    int64_t known_ns_ = 0;
};

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
    const auto figures_of = [&](uint32_t WindowRow::*figure, Weighted* sum) {
        std::vector<Weighted> figures(with_track.size());
        each_stretch(sources_of(figure), range,
                     [&](TimeRange stretch, double total, const std::vector<double>& values) {
                         if (++stretches % 4096 == 0) stopped = stopped || stop;
                         if (stopped) return;
                         if (sum != nullptr) sum->add(stretch.span_ns(), total);
                         for (size_t i = 0; i < values.size(); ++i)
                             figures[i].add(stretch.span_ns(), values[i]);
                     });
        return figures;
    };
    Weighted sum;
    const auto cwnd = figures_of(&WindowRow::cwnd, &sum);
    const auto in_flight = figures_of(&WindowRow::in_flight, nullptr);
    const auto advertised = figures_of(&WindowRow::advertised_window, nullptr);
    statistics.complete = !stopped;
    statistics.sum = sum.take();
    Extent means;
    double mean_of_means = 0;
    size_t known = 0;
    for (size_t i = 0; i < with_track.size(); ++i) {
        statistics.senders.push_back(
            {with_track[i], cwnd[i].take(), in_flight[i].take(), advertised[i].take()});
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
