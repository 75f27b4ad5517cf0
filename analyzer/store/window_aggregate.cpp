// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/window_aggregate.h"

#include <algorithm>
#include <cmath>

namespace sanscope {

void WindowAggregate::pass_to(int64_t time_ns) {
    const int64_t to_ns = std::max(time_ns, from_ns_);
    const int64_t before_ns = at_ns_;
    at_ns_ = std::max(at_ns_, to_ns);
    if (open_ == 0 || to_ns <= before_ns) return;
    const int64_t passed_ns = to_ns - before_ns;
    observed_ns_ += passed_ns;
    if (with_window_ < open_) return;
    const auto weight = static_cast<double>(passed_ns);
    known_ns_ += passed_ns;
    sum_.add(bytes_, weight);
    if (open_ < connections_.size()) return;
    together_ns_ += passed_ns;
    sum_together_.add(bytes_, weight);
}

void WindowAggregate::leave(Connection& connection) {
    if (!connection.has_window) return;
    connection.known.add(connection.bytes, static_cast<double>(at_ns_ - connection.since_ns));
    connection.together.add(connection.bytes,
                            static_cast<double>(together_ns_ - connection.since_together_ns));
    bytes_ -= connection.bytes;
    --with_window_;
    connection.has_window = false;
}

void WindowAggregate::set(int64_t time_ns, size_t connection, std::optional<double> bytes) {
    pass_to(time_ns);
    Connection& one = connections_[connection];
    if (!one.open) ++open_;
    one.open = true;
    leave(one);
    if (!bytes) return;
    one.has_window = true;
    one.bytes = *bytes;
    one.since_ns = at_ns_;
    one.since_together_ns = together_ns_;
    bytes_ += *bytes;
    ++with_window_;
}

void WindowAggregate::end(int64_t time_ns, size_t connection) {
    pass_to(time_ns);
    Connection& one = connections_[connection];
    leave(one);
    if (one.open) --open_;
    one.open = false;
}

void WindowAggregate::finish(int64_t time_ns) {
    for (size_t i = 0; i < connections_.size(); ++i) end(time_ns, i);
}

double WindowAggregate::known_share() const {
    return observed_ns_ > 0 ? static_cast<double>(known_ns_) / static_cast<double>(observed_ns_) : 0;
}

bool WindowAggregate::is_difference_known() const {
    return connections_.size() > 1 && together_ns_ > 0 &&
           static_cast<double>(together_ns_) >= least_known_share * static_cast<double>(observed_ns_);
}

// The squares of the differences of all pairs add up to n times the squares of all less the square of their sum: so do
// the variances, and no pair has to be looked at.
std::optional<double> WindowAggregate::difference_deviation() const {
    if (!is_difference_known()) return std::nullopt;
    const auto count = static_cast<double>(connections_.size());
    double variances = 0;
    for (const Connection& connection : connections_) variances += connection.together.variance();
    const double pairs = count * (count - 1) / 2;
    return std::sqrt(std::max(0.0, count * variances - sum_together_.variance()) / pairs);
}

// Likewise: of the means, that is n² times their variance.
std::optional<double> WindowAggregate::difference_mean() const {
    if (!is_difference_known()) return std::nullopt;
    const auto count = static_cast<double>(connections_.size());
    Moments means;
    for (const Connection& connection : connections_) means.add(connection.together.mean());
    const double pairs = count * (count - 1) / 2;
    return std::sqrt(count * count * means.variance() / pairs);
}

std::optional<double> WindowAggregate::fairness() const {
    std::vector<double> means;
    for (const Connection& connection : connections_) {
        if (connection.known.known()) means.push_back(connection.known.mean());
    }
    return jain_index(means);
}

std::optional<double> jain_index(std::span<const double> shares) {
    double sum = 0;
    double squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    if (shares.size() < 2 || !(squares > 0)) return std::nullopt;
    return sum * sum / (static_cast<double>(shares.size()) * squares);
}

}  // namespace sanscope
