// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/document/time_range.h"
#include "gui/senders/sender_list.h"

namespace sanscope {

// A figure over a stretch of time, each value counting for as long as it held; of the time in which it is known.
struct FigureStatistics {
    double mean = 0;                // bytes
    double standard_deviation = 0;  // bytes
    double least = 0;
    double greatest = 0;
    int64_t known_ns = 0;  // 0: nothing is known, nor do the others hold

    // The standard deviation in percent of the mean.
    double percent() const { return mean > 0 ? 100 * standard_deviation / mean : 0; }
};

// Congestion windows over a stretch of time: of each sender, and of their sum.
struct WindowStatistics {
    TimeRange range;
    struct Sender {
        SenderId sender;
        FigureStatistics cwnd;
        FigureStatistics in_flight;
        FigureStatistics advertised_window;
    };
    std::vector<Sender> senders;
    FigureStatistics sum;  // of the congestion windows
    // The greatest mean of a sender less the least, and that in percent of the mean of these means.
    double difference = 0;
    double difference_percent = 0;
    // Of the time, the share in which the window of every sender is known.
    double known_share = 0;
    // The standard deviation over time of the difference between two senders' windows, bytes; see WindowAggregate.
    std::optional<double> difference_deviation;
    std::optional<double> fairness;    // Jain's index of the mean windows
    uint32_t mss = unknown<uint32_t>;  // the least of the senders' connections
    bool complete = true;              // false: stopped, nothing holds
};

// Visits each window in the range: some tens of nanoseconds each. Any thread.
WindowStatistics window_statistics(const CaptureData::Reading& reading, const std::vector<SenderId>& senders,
                                   TimeRange range, const StopFlag& stop);

}  // namespace sanscope
