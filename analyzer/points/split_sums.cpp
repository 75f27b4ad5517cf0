// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/split_sums.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace sanscope {
namespace {

void add(TimeBand& sum, const TimeBand& band) {
    sum.low_ns += band.low_ns;
    sum.high_ns += band.high_ns;
}

}  // namespace

std::vector<SplitSums> sum_splits(const PathPoints& path, const ResultStore& store,
                                  const ChunkedRows<CommandSplit>& splits) {
    std::map<std::tuple<uint32_t, bool, std::string_view>, SplitSums> sums;
    for (const CommandSplit& split : splits) {
        if (split.lack != SplitLack::none) continue;
        const std::string_view name = store.command(split.command).name;
        SplitSums& sum = sums[{split.pair, split.near_is_b, name}];
        ++sum.commands;
        sum.turnaround_ns += split.turnaround_ns;
        sum.initiator_ns += split.initiator_ns;
        sum.paths_ns += split.paths_ns;
        sum.target_ns += split.target_ns;
        sum.answer_ns += split.answer_ns;
        const TimeBand any{0, split.paths_ns};
        add(sum.out, split.out.bounded() ? split.out : any);
        add(sum.back, split.back.bounded() ? split.back : any);
        const bool known = split.behind_others_ns != no_time;
        add(sum.behind_others,
            known ? TimeBand{split.behind_others_ns, split.behind_others_ns} : TimeBand{0, split.target_ns});
    }
    std::vector<SplitSums> rows;
    for (auto& [key, sum] : sums) {
        const auto& [pair, near_is_b, name] = key;
        const PointPair& points = path.pairs[pair];
        sum.near = near_is_b ? points.b : points.a;
        sum.far = near_is_b ? points.a : points.b;
        sum.name = name;
        rows.push_back(sum);
    }
    std::ranges::stable_sort(rows, [](const SplitSums& one, const SplitSums& other) {
        const auto place = [](const SplitSums& row) {
            return std::tuple(std::min(row.near, row.far), row.near > row.far, -row.turnaround_ns);
        };
        return place(one) < place(other);
    });
    return rows;
}

}  // namespace sanscope
