// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/base/moments.h"

namespace sanscope {

// Figures over less than this share of the time say nothing of all of it.
constexpr double least_known_share = 0.5;

// The congestion windows of several connections together, over time. In: each one's window as it changes, in order of
// time. Out: the sum of all, and how far apart they are, each value counting for as long as it held.
class WindowAggregate {
  public:
    // What is before `from_ns` is known from there on, but takes no time.
    explicit WindowAggregate(size_t connections, int64_t from_ns = std::numeric_limits<int64_t>::min())
        : connections_(connections), from_ns_(from_ns) {}

    // From then on; without a value it is not known.
    void set(int64_t time_ns, size_t connection, std::optional<double> bytes);
    // The connection is over, and nothing is missing where its window is not known.
    void end(int64_t time_ns, size_t connection);
    // Of all. Nothing is set any more.
    void finish(int64_t time_ns);

    // Of the sum, over the time in which the window of every connection that there is then is known; nanoseconds.
    const Moments& sum() const { return sum_; }
    // That time's share of the time in which there is a connection; 0 where there is none.
    double known_share() const;
    bool is_known() const { return known_share() >= least_known_share; }
    // Of one connection, over the time in which its window is known.
    const Moments& window(size_t connection) const { return connections_[connection].known; }
    // Of the difference between two connections' windows over time, bytes: its standard deviation, and how far its mean is
    // from 0; of more than two connections the root mean square over all pairs. Over the time in which all are there and
    // known: nothing where that is too short, or there is one alone.
    std::optional<double> difference_deviation() const;
    std::optional<double> difference_mean() const;
    // Jain's index of the mean windows of those that are known.
    std::optional<double> fairness() const;

  private:
    struct Connection {
        bool open = false;
        bool has_window = false;
        double bytes = 0;
        int64_t since_ns = 0;
        int64_t since_together_ns = 0;
        Moments known;
        Moments together;  // while all were there and known
    };
    void pass_to(int64_t time_ns);
    void leave(Connection& connection);
    bool is_difference_known() const;

    std::vector<Connection> connections_;
    int64_t from_ns_;
    int64_t at_ns_ = std::numeric_limits<int64_t>::min();
    size_t open_ = 0;
    size_t with_window_ = 0;
    double bytes_ = 0;
    int64_t observed_ns_ = 0;
    int64_t known_ns_ = 0;
    int64_t together_ns_ = 0;
    Moments sum_;
    Moments sum_together_;
};

// Jain's index of fairness: 1 where all are equal, 1/n where one has everything; nothing of fewer than two, or of nothing
// but zeros.
std::optional<double> jain_index(std::span<const double> shares);

}  // namespace sanscope
