// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/command_figures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/scsi/cdb.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

using GroupKey = std::tuple<size_t, uint64_t, std::string_view, unsigned>;  // session, LUN, name, size class

// As Summary::GroupKey.
unsigned size_class_of(const CommandRow& row) {
    return row.bytes == unknown<uint64_t> || row.bytes == 0
               ? 0
               : static_cast<unsigned>(std::bit_width(row.bytes - 1) + 1);
}

class Directions {
  public:
    DataDirection of(uint16_t opcode) {
        if (opcode >= known_.size()) return DataDirection::unknown;
        std::optional<DataDirection>& direction = known_[opcode];
        if (!direction) {
            const std::array<uint8_t, 16> cdb{static_cast<uint8_t>(opcode)};
            direction = decode_cdb(cdb).direction;
        }
        return *direction;
    }

  private:
    std::array<std::optional<DataDirection>, 256> known_;
};

struct Group {
    uint64_t count = 0;
    uint64_t untimed = 0;
    BlockedDurations turnarounds;
    BlockedSums mean;  // turnarounds and their number
    std::array<double, TimeBlocks::count> requests{};
};

struct Load {
    std::array<double, TimeBlocks::count> requests{};
    std::array<double, TimeBlocks::count> read{};
    std::array<double, TimeBlocks::count> written{};
    std::array<double, TimeBlocks::count> under_way_ns{};
    BlockedSums not_good;
    bool depths_are_known = true;
    bool all_bytes_known = true;
};

// How many commands each group has; those worth measuring.
std::map<GroupKey, Group> find_groups(const ResultStore& store, const SessionGroups& sessions) {
    // A hostile capture has a LUN for each command.
    constexpr size_t most = 65536;
    std::map<GroupKey, uint64_t> counts;
    for (const CommandRow& row : store.commands()) {
        const size_t session = sessions.group_of_session(row.session);
        if (session == SessionGroups::none || *row.name == '\0') continue;
        const GroupKey key{session, row.lun, row.name, size_class_of(row)};
        if (const auto at = counts.find(key); at != counts.end()) {
            ++at->second;
        } else if (counts.size() < most) {
            counts.emplace(key, 1);
        }
    }
    std::vector<std::pair<uint64_t, GroupKey>> order;
    for (const auto& [key, count] : counts) {
        if (count >= CaptureFigures::least_commands) order.emplace_back(count, key);
    }
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::map<size_t, size_t> taken;
    std::map<GroupKey, Group> groups;
    for (const auto& [count, key] : order) {
        if (++taken[std::get<0>(key)] <= CaptureFigures::most_groups) groups.try_emplace(key);
    }
    return groups;
}

void add_command(const CommandRow& row, const TimeBlocks& blocks, Group& group) {
    ++group.count;
    if (row.request_ns != no_time) group.requests[blocks.index_of(row.request_ns)] += 1;
    const int64_t turnaround_ns = row.turnaround_ns();
    if (turnaround_ns == no_time) {
        // Those that the end of the capture cut off are no slower than others.
        const bool at_end = row.outcome == Outcome::unanswered && row.request_ns != no_time &&
                            blocks.index_of(row.request_ns) == TimeBlocks::count - 1;
        if (!at_end) ++group.untimed;
        return;
    }
    const size_t block = blocks.index_of(row.request_ns);
    group.turnarounds.add(block, turnaround_ns);
    group.mean.add(block, static_cast<double>(turnaround_ns), 1);
}

void add_command(const CommandRow& row, const TimeBlocks& blocks, Directions& directions, Load& load) {
    if (row.request_ns != no_time) load.requests[blocks.index_of(row.request_ns)] += 1;
    if (row.turnaround_ns() != no_time) {
        blocks.spread(row.request_ns, row.response_ns,
                      [&](size_t block, double ns) { load.under_way_ns[block] += ns; });
    }
    if (row.response_ns == no_time || row.outcome != Outcome::completed) return;
    const size_t block = blocks.index_of(row.response_ns);
    if (ending_is_known(row)) load.not_good.add(block, ended_otherwise_than_good(row) ? 1 : 0, 1);
    if (row.bytes == unknown<uint64_t>) return;
    const DataDirection direction = directions.of(row.opcode);
    if (direction == DataDirection::in) load.read[block] += static_cast<double>(row.bytes);
    if (direction == DataDirection::out) load.written[block] += static_cast<double>(row.bytes);
}

double sum_of(const std::array<double, TimeBlocks::count>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
}

// Each block's value over the length of a block, in units of it.
BlockedSums over_time(const std::array<double, TimeBlocks::count>& values, double block_length) {
    BlockedSums sums;
    for (size_t i = 0; i < TimeBlocks::count; ++i) sums.add(i, values[i], block_length);
    return sums;
}

void add_figures(const Load& load, const TimeBlocks& blocks, std::vector<Figure>& figures) {
    const double seconds = blocks.block_ns() / 1e9;
    const auto add = [&](const char* name, Unit unit, const std::array<double, TimeBlocks::count>& values,
                         double block_length) {
        if (sum_of(values) <= 0) return;
        figures.push_back({name,
                           unit,
                           Scale::ratio,
                           RestsOn::nothing,
                           {},
                           estimate_quotient(over_time(values, block_length), Scale::ratio)});
    };
    add("commands_per_second", Unit::per_second, load.requests, seconds);
    if (load.all_bytes_known) {
        add("read_bytes_per_second", Unit::bytes_per_second, load.read, seconds);
        add("written_bytes_per_second", Unit::bytes_per_second, load.written, seconds);
    }
    if (load.depths_are_known) {
        add("queue_depth", Unit::commands, load.under_way_ns, blocks.block_ns());
        if (!figures.empty() && figures.back().name == "queue_depth")
            figures.back().rests_on = RestsOn::place;
    }
    if (sum_of(load.not_good.whole) == 0) return;
    figures.push_back({"not_good_share",
                       Unit::share,
                       Scale::rare,
                       RestsOn::nothing,
                       {},
                       estimate_rate(load.not_good.part, sum_of(load.not_good.whole))});
}

void add_figures(const GroupKey& key, const Group& group, double seconds, std::vector<Figure>& figures) {
    const FigurePlace place{std::get<1>(key), std::string(std::get<2>(key)), std::get<3>(key), ""};
    const double untimed = static_cast<double>(group.untimed) / static_cast<double>(group.count);
    // Commands that were never answered, or nobody knows when, may have been the slowest: of each figure so few that they
    // hardly move it.
    const auto add = [&](const char* name, double most_untimed, const Estimate& estimate) {
        if (!estimate.known || untimed > most_untimed) return;
        figures.push_back({name, Unit::nanoseconds, Scale::ratio, RestsOn::place, place, estimate});
    };
    add("turnaround_p50_ns", 0.02, estimate_quantile(group.turnarounds, 0.5));
    add("turnaround_p99_ns", 0.001, estimate_quantile(group.turnarounds, 0.99));
    add("turnaround_mean_ns", 0.002, estimate_quotient(group.mean, Scale::ratio));
    figures.push_back({"commands_per_second", Unit::per_second, Scale::ratio, RestsOn::nothing, place,
                       estimate_quotient(over_time(group.requests, seconds), Scale::ratio)});
}

}  // namespace

void add_command_figures(const ResultStore& store, SessionGroups& sessions) {
    std::vector<Load> loads(sessions.groups.size());
    for (size_t i = 0; i < loads.size(); ++i) {
        for (const uint32_t number : sessions.groups[i].figures.numbers) {
            const Summary::SessionLoad& load = store.summary().sessions()[number - 1];
            loads[i].depths_are_known = loads[i].depths_are_known && load.depths_are_known();
            loads[i].all_bytes_known = loads[i].all_bytes_known && load.all_bytes_known;
        }
    }
    std::map<GroupKey, Group> groups = find_groups(store, sessions);
    Directions directions;
    for (const CommandRow& row : store.commands()) {
        const size_t session = sessions.group_of_session(row.session);
        if (session == SessionGroups::none) continue;
        const TimeBlocks& blocks = sessions.groups[session].blocks;
        add_command(row, blocks, directions, loads[session]);
        if (*row.name == '\0') continue;
        const auto at = groups.find({session, row.lun, row.name, size_class_of(row)});
        if (at != groups.end()) add_command(row, blocks, at->second);
    }
    for (size_t i = 0; i < loads.size(); ++i) {
        SessionGroups::Group& group = sessions.groups[i];
        if (!group.blocks.empty()) add_figures(loads[i], group.blocks, group.figures.figures);
    }
    for (const auto& [key, group] : groups) {
        SessionGroups::Group& of = sessions.groups[std::get<0>(key)];
        if (!of.blocks.empty()) add_figures(key, group, of.blocks.block_ns() / 1e9, of.figures.figures);
    }
}

}  // namespace sanscope
