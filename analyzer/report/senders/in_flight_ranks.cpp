// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/in_flight_ranks.h"

#include <algorithm>
#include <cmath>

#include "analyzer/base/serial32.h"

namespace sanscope {
namespace {

constexpr size_t most_samples = 1 << 16;

// Of what was in flight at each sending an even sample.
class Samples {
  public:
    void add(uint64_t value) {
        if (seen_++ % every_ != 0) return;
        if (values_.size() == most_samples) {
            for (size_t i = 0; i < most_samples / 2; ++i) values_[i] = values_[2 * i];
            values_.resize(most_samples / 2);
            every_ *= 2;
        }
        values_.push_back(value);
    }
    void finish() { std::ranges::sort(values_); }
    bool empty() const { return values_.empty(); }
    // The part of them that is less; of those alike, half.
    double rank_of(uint64_t value) const {
        const auto [first, last] = std::equal_range(values_.begin(), values_.end(), value);
        const auto below = static_cast<double>(first - values_.begin());
        return (below + static_cast<double>(last - first) / 2) / static_cast<double>(values_.size());
    }

  private:
    std::vector<uint64_t> values_;
    uint64_t seen_ = 0;
    uint64_t every_ = 1;
};

struct Sending {
    bool wanted = false;
    bool begun = false;
    uint32_t in_flight = 0;
    uint32_t snd_nxt = 0;
};

size_t place_of(uint32_t connection, Side side) {
    return 2 * (static_cast<size_t>(connection) - 1) + (side == Side::a ? 0 : 1);
}

}  // namespace

bool InFlightRanks::are_of_full_queue() const {
    constexpr uint64_t least_losses = 10;
    constexpr double clearly = 0.62;
    constexpr double deviations = 3;
    if (losses < least_losses) return false;
    // Of ranks that are even over 0 … 1, the mean of as many has this standard deviation.
    const double of_chance = 1 / std::sqrt(12 * static_cast<double>(losses));
    return mean >= clearly && mean >= 0.5 + deviations * of_chance;
}

InFlightRanks in_flight_ranks(const ResultStore& store, std::span<const SenderFacts* const> senders,
                              std::span<const int64_t> loss_times_ns, const Stop& stop) {
    std::vector<Sending> sending(2 * store.connections().size());
    for (const SenderFacts* sender : senders) {
        const Side side = sender->connection->side_of(sender->is_initiator ? Role::initiator : Role::target);
        sending[place_of(sender->number, side)].wanted = true;
    }
    Samples samples;
    std::vector<uint64_t> at_losses;
    uint64_t together = 0;
    size_t number = 0;
    for (const WindowRow& row : store.windows()) {
        if (stop.asked_at(number++)) return {};
        if (row.connection == 0 || place_of(row.connection, row.sender) >= sending.size()) continue;
        Sending& own = sending[place_of(row.connection, row.sender)];
        if (!own.wanted) continue;
        const bool sent = own.begun && Serial32(own.snd_nxt).before(Serial32(row.snd_nxt));
        together += row.in_flight;
        together -= own.in_flight;
        own = {true, true, row.in_flight, row.snd_nxt};
        if (sent) samples.add(together);
        while (at_losses.size() < loss_times_ns.size() && loss_times_ns[at_losses.size()] <= row.time_ns)
            at_losses.push_back(together);
    }
    samples.finish();
    InFlightRanks ranks;
    if (samples.empty()) return ranks;
    double sum = 0;
    for (const uint64_t in_flight : at_losses) sum += samples.rank_of(in_flight);
    ranks.losses = at_losses.size();
    if (ranks.losses > 0) ranks.mean = sum / static_cast<double>(ranks.losses);
    return ranks;
}

}  // namespace sanscope
