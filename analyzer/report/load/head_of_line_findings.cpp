// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/head_of_line_findings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/time_spans.h"
#include "analyzer/budget/time_budgets.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

constexpr size_t most_connections = 4096;
constexpr size_t most_commands = 1 << 20;  // of a connection
// Size classes: the power of two that a command's bytes do not exceed.
constexpr size_t classes = 40;
constexpr unsigned large_class = 16;  // from more than 32 KiB on, a transfer fills several round trips
constexpr unsigned times_as_large = 3;
constexpr uint64_t least_small = 20;
constexpr uint64_t least_large = 5;
// Less is a wait that no user of a SAN feels.
constexpr int64_t least_behind_ns = 3'000'000;

unsigned class_of(uint64_t bytes) {
    return bytes <= 1 ? 0 : std::min<unsigned>(static_cast<unsigned>(std::bit_width(bytes - 1)), classes - 1);
}

bool is_transfer(const CommandRow& row) {
    return (is_read_opcode(row.opcode) || is_write_opcode(row.opcode)) && row.bytes != 0 &&
           row.bytes != unknown<uint64_t> && !row.inferred && elapsed_ns(row.request_ns, row.response_ns) > 0;
}

// Which commands of a connection are small, and which are large.
struct Sizes {
    unsigned small = 0;  // classes up to here
    unsigned large = 0;  // from here on
};

std::optional<Sizes> sizes_of(const std::array<uint32_t, classes>& counts) {
    uint64_t all = 0;
    for (const uint32_t count : counts) all += count;
    constexpr uint64_t one_in = 20;
    Sizes sizes;
    uint64_t small = 0;
    while (sizes.small < classes) {
        small += counts[sizes.small];
        if (small >= std::max(least_small, all / one_in)) break;
        ++sizes.small;
    }
    sizes.large = std::max(large_class, sizes.small + times_as_large);
    uint64_t large = 0;
    for (unsigned i = sizes.large; i < classes; ++i) large += counts[i];
    if (large < least_large) return std::nullopt;
    return sizes;
}

struct Large {
    int64_t begin_ns;
    int64_t first_ns;  // of its data
    int64_t end_ns;
    uint64_t bytes;
    int64_t latest_end_ns;  // of this one and those before it
};

// The commands of one connection that carries both small and large ones.
struct Mixed {
    Sizes sizes;
    std::vector<uint64_t> small;  // rows, 1-based
    std::vector<uint64_t> large_rows;
    std::vector<Large> large;  // by begin_ns
    TimeSpans large_spans;
    std::vector<std::pair<int64_t, uint64_t>> others;  // not large: when answered, and bytes up to then
    uint64_t slow = 0;  // small ones that took longer than the path alone makes them

    void finish() {
        large_spans.finish();
        std::ranges::sort(large, {}, &Large::begin_ns);
        int64_t latest_ns = no_time;
        for (Large& one : large) one.latest_end_ns = latest_ns = std::max(latest_ns, one.end_ns);
        std::ranges::sort(others);
        uint64_t bytes = 0;
        for (auto& [time_ns, sum] : others) sum = bytes += sum;
    }
    double other_bytes(int64_t begin_ns, int64_t end_ns) const {
        const auto until = [&](int64_t time_ns) {
            const auto after =
                std::ranges::upper_bound(others, time_ns, {}, &std::pair<int64_t, uint64_t>::first);
            return after == others.begin() ? 0.0 : static_cast<double>(std::prev(after)->second);
        };
        return until(end_ns) - until(begin_ns);
    }
    // Of large transfers within that time, if each moves at a steady pace from its first byte on; and how many there were.
    std::pair<double, uint64_t> large_bytes(int64_t begin_ns, int64_t end_ns) const {
        constexpr int most_looked_at = 1024;
        std::pair<double, uint64_t> found{0, 0};
        auto one = std::ranges::lower_bound(large, end_ns, {}, &Large::begin_ns);
        for (int i = 0; i < most_looked_at && one != large.begin(); ++i) {
            --one;
            if (one->latest_end_ns <= begin_ns) break;
            const int64_t moved_ns =
                elapsed_ns(std::max(one->first_ns, begin_ns), std::min(one->end_ns, end_ns));
            const int64_t took_ns = elapsed_ns(one->first_ns, one->end_ns);
            if (moved_ns == 0 || took_ns == 0) continue;
            found.first += static_cast<double>(one->bytes) * share_of(moved_ns, took_ns);
            ++found.second;
        }
        return found;
    }
};

std::map<uint32_t, Mixed> find_mixed(const ResultStore& store, const Stop& stop) {
    std::vector<std::array<uint32_t, classes>> counts(std::min(store.connections().size(), most_connections));
    size_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        if (row.connection == 0 || row.connection > counts.size() || !is_transfer(row)) continue;
        ++counts[row.connection - 1][class_of(row.bytes)];
    }
    std::map<uint32_t, Mixed> mixed;
    for (size_t i = 0; i < counts.size(); ++i) {
        if (const auto sizes = sizes_of(counts[i])) mixed[static_cast<uint32_t>(i + 1)].sizes = *sizes;
    }
    return mixed;
}

int64_t round_trip_of(const ConnectionRow& row) {
    return row.rtt_min_ns == no_time ? 0 : round_trip_ns(row.rtt_min_ns);
}

void collect(std::map<uint32_t, Mixed>& mixed, const ResultStore& store, const Stop& stop) {
    std::pair<const uint32_t, Mixed>* latest = nullptr;
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return;
        if (!is_transfer(row)) continue;
        if (latest == nullptr || latest->first != row.connection) {
            const auto found = mixed.find(row.connection);
            if (found == mixed.end()) continue;
            latest = &*found;
        }
        Mixed& of = latest->second;
        if (of.small.size() + of.large.size() >= most_commands) continue;
        const unsigned size = class_of(row.bytes);
        if (size >= of.sizes.large) {
            const int64_t first_ns = row.first_byte_ns == no_time
                                         ? row.request_ns
                                         : std::clamp(row.first_byte_ns, row.request_ns, row.response_ns);
            of.large_rows.push_back(number);
            of.large.push_back({row.request_ns, first_ns, row.response_ns, row.bytes, no_time});
            of.large_spans.add(row.request_ns, row.response_ns);
            continue;
        }
        of.others.emplace_back(row.response_ns, row.bytes);
        if (size > of.sizes.small) continue;
        of.small.push_back(number);
        const int64_t path_ns = round_trip_of(store.connection(row.connection));
        if (elapsed_ns(row.request_ns, row.response_ns) >= path_ns + least_behind_ns) ++of.slow;
    }
}

// What the small commands of a connection show.
struct Waits {
    LogHistogram delayed;  // turnarounds of those that stood behind others most of their time …
    LogHistogram behind;   // … and for how long
    LogHistogram alone;    // with no large transfer under way
    int64_t taken_ns = 0;  // turnarounds of all that had large transfers beside them, of which …
    int64_t behind_ns = 0;
    int64_t target_ns = 0;
    double large_bytes = 0;  // that moved while the delayed ones waited
    double other_bytes = 0;
    uint64_t large_ones = 0;
    TimeSpans spans;  // of the delayed ones
    uint64_t longest_command = 0;
    int64_t longest_ns = 0;
};

Waits find_waits(const Mixed& mixed, const ResultStore& store, const TimeBudgets& budgets) {
    Waits waits;
    for (const uint64_t number : mixed.small) {
        const CommandRow& row = store.command(number);
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        if (mixed.large_spans.overlap_ns(row.request_ns, row.response_ns) == 0) {
            waits.alone.add(took_ns);
            continue;
        }
        const CommandBudget budget = budgets.of(number);
        const int64_t behind_ns = budget[BudgetPart::behind_others];
        waits.taken_ns += took_ns;
        waits.behind_ns += behind_ns;
        waits.target_ns += budget[BudgetPart::target];
        if (behind_ns < least_behind_ns || 2 * behind_ns < took_ns) continue;
        waits.delayed.add(took_ns);
        waits.behind.add(behind_ns);
        waits.spans.add(row.request_ns, row.response_ns);
        const auto [bytes, ones] = mixed.large_bytes(row.request_ns, row.response_ns);
        waits.large_bytes += bytes;
        waits.large_ones += ones;
        waits.other_bytes += std::max(
            0.0, mixed.other_bytes(row.request_ns, row.response_ns) - static_cast<double>(row.bytes));
        if (behind_ns <= waits.longest_ns) continue;
        waits.longest_ns = behind_ns;
        waits.longest_command = number;
    }
    waits.spans.finish();
    return waits;
}

double large_share(const Waits& waits) {
    const double all = waits.large_bytes + waits.other_bytes;
    return all > 0 ? waits.large_bytes / all : 0;
}

// Whether they stood behind large transfers, and behind little else.
bool is_head_of_line(const Mixed& mixed, const Waits& waits) {
    constexpr uint64_t one_in = 10;
    constexpr double nearly_all = 0.75;
    if (waits.delayed.count() < std::max<uint64_t>(least_small, mixed.small.size() / one_in)) return false;
    // The same commands are slow without: then it is not what they stand behind.
    if (2 * waits.behind_ns < waits.taken_ns || large_share(waits) < nearly_all) return false;
    return true;
}

// Whether TCP held the large transfers back for longer than the path's rate lets them take: whoever mends that shortens the
// wait behind them.
bool are_held_by_tcp(const Mixed& mixed, const TimeBudgets& budgets) {
    using Part = BudgetPart;
    int64_t held_ns = 0;
    int64_t wire_ns = 0;
    for (const uint64_t number : mixed.large_rows) {
        const CommandBudget budget = budgets.of(number);
        for (const Part part :
             {Part::cwnd, Part::recovery, Part::timeout, Part::receiver_window, Part::pacing})
            held_ns += budget[part];
        wire_ns += budget[Part::wire];
    }
    return held_ns / 3 * 4 >= wire_ns;
}

// What is told of TCP on that connection.
const Finding* find_told_of_tcp(const FindingList& list, uint32_t connection) {
    using Kind = Finding::Kind;
    const auto is_one = [&](const Finding& one) {
        const bool same = one.connection == connection ||
                          std::ranges::find(one.connections, connection) != one.connections.end();
        return same && one.severity != Finding::Severity::information && one.kind >= Kind::mtu_black_hole &&
               one.kind <= Kind::pacing;
    };
    const auto found = std::ranges::find_if(list, is_one);
    return found == list.end() ? nullptr : &*found;
}

// Small commands of other connections between the same hosts, which carry no large ones, meanwhile: a queue on the path or
// a slow target would hold them up as well.
LogHistogram elsewhere(uint32_t number, const std::map<uint32_t, Mixed>& mixed, const Waits& waits,
                       const ResultStore& store, const Stop& stop) {
    LogHistogram took;
    const ConnectionRow& own = store.connection(number);
    const Mixed& of = mixed.at(number);
    size_t at = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(at++)) return {};
        if (row.connection == 0 || row.connection == number || !is_transfer(row)) continue;
        if (class_of(row.bytes) > of.sizes.small || mixed.contains(row.connection)) continue;
        const ConnectionRow& other = store.connection(row.connection);
        if (other.target.address != own.target.address || other.initiator.address != own.initiator.address)
            continue;
        if (waits.spans.overlap_ns(row.request_ns, row.response_ns) == 0) continue;
        took.add(elapsed_ns(row.request_ns, row.response_ns));
    }
    return took;
}

bool is_much_less(const LogHistogram& fast, const LogHistogram& slow) {
    constexpr int64_t clearly = 3;
    return fast.percentile_ns(0.5) <= slow.percentile_ns(0.5) / clearly;
}

std::string at_most(unsigned size_class) {
    return human_binary_bytes(uint64_t{1} << size_class);
}

Finding told(uint32_t number, const Mixed& mixed, const Waits& waits, const LogHistogram& others,
             const ResultStore& store) {
    const bool alone_known = waits.alone.count() >= least_small;
    const bool others_known = others.count() >= least_small;
    const CommandRow& longest = store.command(waits.longest_command);
    Finding finding;
    finding.kind = Finding::Kind::head_of_line;
    finding.severity = Finding::Severity::notice;
    finding.confidence =
        alone_known || others_known ? Finding::Confidence::likely : Finding::Confidence::possible;
    finding.side = Finding::Side::both;
    finding.connection = number;
    finding.session = longest.session;
    finding.command = waits.longest_command;
    finding.packet = longest.request_packet;
    finding.begin_ns = longest.request_ns;
    finding.end_ns = longest.response_ns;
    finding.cost_ns = static_cast<int64_t>(static_cast<double>(waits.spans.total_ns()) *
                                           share_of(waits.behind_ns, waits.taken_ns));
    const std::string small = at_most(mixed.sizes.small);
    finding.title = fmt::format(
        "Commands of {} and less stand behind large transfers of their own connection: half of {} for {} or "
        "more",
        small, human_count(waits.delayed.count()), human_duration(waits.behind.percentile_ns(0.5)));
    finding.explanation = fmt::format(
        "A connection carries one byte after the other, so that a small answer waits until the data before "
        "it are sent. {} bulk transfers go over another session or "
        "connection (several connections or paths, a portal of their own), or have fewer or smaller ones "
        "under way (request size, queue depth, MaxBurstLength, FirstBurstLength).{}",
        // That small ones are fast alone does not tell whether a slow path makes the large ones take so long.
        others_known ? "Neither the target nor the path is slow: let" : "Let",
        finding.confidence == Finding::Confidence::possible
            ? " No small command ran without large ones: a target that took as long over each of them would "
              "look much the same."
            : "");
    finding.add_sign(fmt::format(
        "{} of {} commands of {} and less took {} in the median, {} of it behind the bytes of other commands",
        human_count(waits.delayed.count()), human_count(mixed.small.size()), small,
        human_duration(waits.delayed.percentile_ns(0.5)),
        human_percent(static_cast<double>(waits.behind.percentile_ns(0.5)) /
                      static_cast<double>(std::max<int64_t>(1, waits.delayed.percentile_ns(0.5))))));
    finding.add_sign(fmt::format(
        "{} of the bytes that went over the connection meanwhile were of transfers of more than {}, some {} "
        "under way beside each",
        human_percent(large_share(waits)), at_most(mixed.sizes.large - 1),
        std::llround(static_cast<double>(waits.large_ones) / static_cast<double>(waits.delayed.count()))));
    if (alone_known) {
        finding.add_sign(fmt::format("with no such transfer under way, {} took {} in the median",
                                     counted(waits.alone.count(), "small command"),
                                     human_duration(waits.alone.percentile_ns(0.5))));
    }
    if (others_known) {
        finding.add_sign(
            fmt::format("on other connections between the same hosts, {} meanwhile took {} in the median",
                        counted(others.count(), "small command"), human_duration(others.percentile_ns(0.5))));
    }
    return finding;
}

}  // namespace

void add_head_of_line(FindingList& list, const ResultStore& store, const Stop& stop) {
    if (!store.finished() || !store.keeps_budgets()) return;
    std::map<uint32_t, Mixed> mixed = find_mixed(store, stop);
    if (mixed.empty()) return;
    collect(mixed, store, stop);
    if (stop.asked()) return;
    const auto worth_it = [](const auto& one) { return one.second.slow >= least_small; };
    if (std::ranges::none_of(mixed, worth_it)) return;
    const TimeBudgets budgets(store);
    for (auto& one : mixed) {
        auto& [number, of] = one;
        if (stop.asked()) return;
        if (!worth_it(one)) continue;
        of.finish();
        const Waits waits = find_waits(of, store, budgets);
        if (!is_head_of_line(of, waits)) continue;
        if (waits.alone.count() >= least_small && !is_much_less(waits.alone, waits.delayed)) continue;
        const LogHistogram others = elsewhere(number, mixed, waits, store, stop);
        if (others.count() >= least_small && !is_much_less(others, waits.delayed)) continue;
        const Finding* const cause = are_held_by_tcp(of, budgets) ? find_told_of_tcp(list, number) : nullptr;
        Finding finding = told(number, of, waits, others, store);
        if (cause != nullptr) {
            finding.severity = Finding::Severity::information;
            finding.explanation +=
                fmt::format(" TCP held the large ones back. It follows from: {}.", cause->title);
        }
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope
