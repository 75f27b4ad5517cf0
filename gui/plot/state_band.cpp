// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/state_band.h"

#include <algorithm>

namespace sanscope {
namespace {

template <class Item>
const Item* item_at(const std::vector<Item>& items, int64_t time_ns) {
    const auto behind =
        std::upper_bound(items.begin(), items.end(), time_ns,
                         [](int64_t at, const Item& item) { return at < item.range.begin_ns; });
    if (behind == items.begin() || !std::prev(behind)->range.contains(time_ns)) return nullptr;
    return &*std::prev(behind);
}

}  // namespace

StateBand StateBand::of(const PreparedRange& prepared, const std::vector<Change>& changes, int64_t until_ns) {
    StateBand band;
    band.until_ns = until_ns;
    const TimeRange all{prepared.range.begin_ns, std::min(prepared.range.end_ns, until_ns)};
    const auto each_span = [&](auto take) {
        for (size_t i = 0; i < changes.size(); ++i) {
            const int64_t end_ns = i + 1 < changes.size() ? changes[i + 1].time_ns : all.end_ns;
            const TimeRange range{std::max(changes[i].time_ns, all.begin_ns), std::min(end_ns, all.end_ns)};
            if (!range.empty()) take(range, changes[i].state);
        }
    };
    if (changes.size() <= prepared.columns()) {
        each_span([&](TimeRange range, uint8_t state) {
            if (!band.spans.empty() && band.spans.back().state == state &&
                band.spans.back().range.end_ns == range.begin_ns) {
                band.spans.back().range.end_ns = range.end_ns;
            } else {
                band.spans.push_back({range, state});
            }
        });
        return band;
    }
    std::vector<std::array<int64_t, most_states>> spent(prepared.columns());
    each_span([&](TimeRange range, uint8_t state) {
        auto column = static_cast<size_t>((range.begin_ns - all.begin_ns) / prepared.ns_per_column);
        while (!range.empty()) {
            const int64_t end_ns = std::min(range.end_ns, prepared.column(column).end_ns);
            spent[column++][state] += end_ns - range.begin_ns;
            range.begin_ns = end_ns;
        }
    });
    for (size_t c = 0; c < spent.size(); ++c) {
        Shares shares;
        shares.range = prepared.column(c);
        bool any = false;
        for (size_t state = 0; state < most_states; ++state) {
            any = any || spent[c][state] > 0;
            shares.share[state] =
                static_cast<float>(spent[c][state]) / static_cast<float>(prepared.ns_per_column);
        }
        if (any) band.columns.push_back(shares);
    }
    return band;
}

const StateBand::Span* StateBand::span_at(int64_t time_ns) const {
    return item_at(spans, time_ns);
}

const StateBand::Shares* StateBand::shares_at(int64_t time_ns) const {
    return item_at(columns, time_ns);
}

}  // namespace sanscope
