// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Where the facts of a sender are, by its connection and side; mostly there are none.
class SenderPlaces {
  public:
    explicit SenderPlaces(size_t connections) : places_(2 * connections, 0) {}
    bool take(uint32_t connection, Side side, size_t index) {
        uint32_t& place = places_[place_of(connection, side)];
        if (place != 0) return false;
        place = static_cast<uint32_t>(index + 1);
        return true;
    }
    // SIZE_MAX where there are none.
    size_t of(uint32_t connection, Side side) const {
        if (connection == 0 || 2 * size_t{connection} > places_.size()) return SIZE_MAX;
        return size_t{places_[place_of(connection, side)]} - 1;
    }
    // Those of a side and of the other one.
    std::pair<size_t, size_t> of_both(uint32_t connection, Side side) const {
        if (connection == 0 || 2 * size_t{connection} > places_.size()) return {SIZE_MAX, SIZE_MAX};
        const size_t own = place_of(connection, side);
        return {size_t{places_[own]} - 1, size_t{places_[own ^ 1]} - 1};
    }

  private:
    static size_t place_of(uint32_t connection, Side side) {
        return 2 * size_t{connection - 1} + index_of(side);
    }
    std::vector<uint32_t> places_;
};

// The senders worth showing: those most held back, those with the most losses, those with the most data, and those of the `wanted`
// connections (numbers). In the order of connections, with what their summaries tell; where each stands is written into `places`.
std::vector<SenderFacts> chosen_senders(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                        SenderPlaces& places);

}  // namespace sanscope
