// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

// The buckets of a native histogram of Prometheus, for durations: in its schema 3, bucket `index` holds what is above
// 2^((index-1)/8) seconds and not above 2^(index/8) (github.com/prometheus/client_model, metrics.proto, Histogram). They are kept
// in places: place 0 for what is not above the zero threshold, one for each bucket up to 1024 s, a last one for whatever is longer.
namespace sanscope::exponential_buckets {

constexpr int schema = 3;
constexpr int per_octave = 1 << schema;
constexpr int octaves_below = 20;  // of one second: from .95 µs …
constexpr int octaves_above = 10;  // … to 1024 s
constexpr double zero_threshold_seconds = 1.0 / (1 << octaves_below);
constexpr size_t places = (octaves_below + octaves_above) * per_octave + 2;

// Of a place other than 0; the last one's is that of the bucket above 1024 s.
constexpr int index_of(size_t place) {
    return static_cast<int>(place) - octaves_below * per_octave;
}

// The upper bound of each place, nanoseconds, rounded down: durations are whole ones.
inline constexpr auto upper_bounds_ns = [] {
    // 10^9 2^20 2^(k/8), rounded down.
    constexpr std::array<int64_t, per_octave> second = {
        1'048'576'000'000'000, 1'143'480'236'287'205, 1'246'974'039'821'093, 1'359'834'832'857'737,
        1'482'910'400'378'930, 1'617'125'258'462'956, 1'763'487'599'042'157, 1'923'096'863'214'762};
    std::array<int64_t, places> bounds{};
    for (size_t place = 0; place + 1 < places; ++place) {
        const int shift = 2 * octaves_below - static_cast<int>(place / per_octave);
        bounds[place] = second[place % per_octave] >> shift;
    }
    bounds.back() = std::numeric_limits<int64_t>::max();
    return bounds;
}();

namespace internal {

// The five leading bits of a duration tell its place but for one bound: a sixteenth of an octave holds one at most.
constexpr uint64_t cells_per_octave = 16;
constexpr uint64_t shortest = cells_per_octave;
constexpr uint64_t longest = uint64_t{1} << 40;  // above the last bound
constexpr size_t cell_of(uint64_t value) {
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - std::bit_width(cells_per_octave);
    return shift * cells_per_octave + (value >> shift) - cells_per_octave;
}
inline constexpr auto first_places = [] {
    std::array<uint8_t, cell_of(longest) + 1> first{};
    for (size_t cell = 0; cell < first.size(); ++cell) {
        const auto begin =
            static_cast<int64_t>((cells_per_octave + cell % cells_per_octave) << (cell / cells_per_octave));
        for (const int64_t bound : upper_bounds_ns) {
            if (bound < begin) ++first[cell];
        }
    }
    return first;
}();

}  // namespace internal

// Where a duration belongs; one below 0 counts as 0. Without a branch that depends on it.
inline size_t place_of(int64_t duration_ns) {
    const int64_t value = std::clamp<int64_t>(duration_ns, internal::shortest, internal::longest);
    const size_t first = internal::first_places[internal::cell_of(static_cast<uint64_t>(value))];
    return first + static_cast<size_t>(value > upper_bounds_ns[first]);
}

}  // namespace sanscope::exponential_buckets
