// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/stalling_findings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/scsi/opcodes.h"
#include "analyzer/scsi/sense_keys.h"

namespace sanscope {
namespace {

using Severity = Finding::Severity;

// SBC-3 §5, SPC-4 §6.3: what a target may work at for long, by operation code.
constexpr uint16_t extended_copy = 0x83;
constexpr std::array<uint16_t, 5> long_ones = {scsi_op::unmap, scsi_op::write_same_10, scsi_op::write_same_16,
                                               scsi_op::compare_and_write, extended_copy};

// A logical unit as the sessions to its target see it: of two initiators one LUN may be two units.
struct Unit {
    std::string target;  // its name; that of its session where it is not known
    uint64_t lun = unknown<uint64_t>;
    std::string name;  // of its Device Identification page; empty where it is not known
    bool operator==(const Unit&) const = default;
    bool operator<(const Unit& other) const {
        return std::tie(target, lun, name) < std::tie(other.target, other.lun, other.name);
    }
};

// The units by session and LUN.
class Units {
  public:
    explicit Units(const ResultStore& store) : store_(store) {}

    const Unit& of(const CommandRow& row) {
        const auto [found, is_new] = units_.try_emplace({row.session.value(), row.lun});
        if (is_new) found->second = made(row);
        return found->second;
    }

  private:
    std::string target_of(uint32_t session) const {
        if (session == 0 || session > store_.sessions().size()) return {};
        const std::string& name = store_.session(session).target_name;
        return name.empty() ? fmt::format("session {}", session) : name;
    }
    Unit made(const CommandRow& row) const {
        Unit unit{target_of(row.session.value()), row.lun,
                  store_.unit_names().of(row.session.value(), row.lun)};
        if (!unit.name.empty()) return unit;
        // That of the other sessions, where it is the same for all that asked.
        constexpr uint32_t most_asked = 64;
        uint32_t asked = 0;
        for (uint32_t other = 1; other <= store_.sessions().size() && asked < most_asked; ++other) {
            if (other == row.session.value() || target_of(other) != unit.target) continue;
            ++asked;
            const std::string& name = store_.unit_names().of(other, row.lun);
            if (name.empty() || name == unit.name) continue;
            if (!unit.name.empty()) {
                unit.name = fmt::format("session {}", row.session.value());
                return unit;
            }
            unit.name = name;
        }
        return unit;
    }

    const ResultStore& store_;
    std::map<std::pair<uint32_t, uint64_t>, Unit> units_;
};

// The reads and writes of one unit, operation code and size, during a long command and without one.
struct Compared {
    LogHistogram during;
    LogHistogram without;
};

// One operation code on one unit.
struct LongCommands {
    TimeSpans spans;
    uint64_t count = 0;
    uint64_t longest_command = 0;  // row
    CommandRow longest;
    uint64_t good = 0;  // ended with the status GOOD
    uint64_t miscompares = 0;
    uint64_t first_miscompare = 0;  // row
    CommandRow miscompare;
    std::map<std::pair<uint16_t, unsigned>, Compared> compared;
    // Those of other initiators are compared, whose LUN is not known to be the same logical unit.
    bool units_in_doubt = false;
};

using Found = std::map<std::pair<Unit, uint16_t>, LongCommands>;
constexpr size_t most_found = 256;
constexpr size_t most_classes = 64;

bool is_long_one(uint16_t opcode) {
    return std::ranges::find(long_ones, opcode) != long_ones.end();
}

// "MISCOMPARE DURING VERIFY OPERATION", what COMPARE AND WRITE tells where the values differ (SBC-3 §5.2).
bool is_miscompare(const CommandRow& row) {
    return row.opcode == scsi_op::compare_and_write && row.sense_key == sense_key::miscompare &&
           !row.sense_deferred && row.asc == 0x1d && row.ascq == 0;
}

// What TCP or the path did to a command is not the long command's doing.
bool waited_for_tcp(const CommandRow& row, const std::map<uint32_t, ConnectionWaits>& waits) {
    const auto found = waits.find(row.connection);
    if (found == waits.end()) return false;
    const ConnectionWaits& own = found->second;
    int64_t waited_ns = 0;
    for (const TimeSpans* spans : {&own.timeouts, &own.repairs, &own.stalls, &own.stood_still})
        waited_ns += spans->overlap_ns(row.request_ns, row.response_ns);
    return waited_ns >= elapsed_ns(row.request_ns, row.response_ns) / 4;
}

Found find_long_ones(const ResultStore& store, Units& units, const std::map<uint32_t, ConnectionWaits>& waits,
                     const Stop& stop) {
    Found found;
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        if (!is_long_one(row.opcode) || row.lun == unknown<uint64_t>) continue;
        const std::pair key(units.of(row), row.opcode);
        if (found.size() >= most_found && !found.contains(key)) continue;
        LongCommands& alike = found[key];
        ++alike.count;
        if (row.status == 0) ++alike.good;
        if (is_miscompare(row) && alike.miscompares++ == 0) {
            alike.first_miscompare = number;
            alike.miscompare = row;
        }
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        if (took_ns == 0 || row.inferred || waited_for_tcp(row, waits)) continue;
        alike.spans.add(row.request_ns, row.response_ns);
        if (alike.longest_command != 0 && took_ns <= alike.longest.turnaround_ns()) continue;
        alike.longest_command = number;
        alike.longest = row;
    }
    for (auto& [key, alike] : found) alike.spans.finish();
    return found;
}

std::string_view initiator_of(const ResultStore& store, const CommandRow& row) {
    if (row.session == 0 || row.session > store.sessions().size()) return {};
    return store.session(row.session).initiator_name;
}

void compare(Found& found, const ResultStore& store, Units& units,
             const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop) {
    size_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return;
        const bool moves = is_read_opcode(row.opcode) || is_write_opcode(row.opcode);
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        if (!moves || took_ns == 0 || row.inferred || row.bytes == unknown<uint64_t>) continue;
        const Unit& unit = units.of(row);
        const std::pair of_class(row.opcode, static_cast<unsigned>(std::bit_width(row.bytes)));
        for (auto one = found.lower_bound({unit, 0}); one != found.end() && one->first.first == unit; ++one) {
            LongCommands& alike = one->second;
            if (alike.compared.size() >= most_classes && !alike.compared.contains(of_class)) continue;
            const bool during = alike.spans.overlap_ns(row.request_ns, row.response_ns) > 0;
            if (during && waited_for_tcp(row, waits)) continue;
            if (during && unit.name.empty() && row.session != alike.longest.session &&
                alike.longest_command != 0) {
                alike.units_in_doubt |= initiator_of(store, row) != initiator_of(store, alike.longest);
            }
            Compared& compared = alike.compared[of_class];
            (during ? compared.during : compared.without).add(took_ns);
        }
    }
}

struct Judged {
    const Compared* worst = nullptr;
    uint16_t opcode = 0;
    int64_t during_ns = 0;   // the median
    int64_t without_ns = 0;  // likewise
    uint64_t stood = 0;      // commands that were under way meanwhile
};

// Many times as long, and never so without: a unit that is slow now and then has the same without the long command.
Judged judge(const LongCommands& alike) {
    constexpr uint64_t least_during = 5;
    constexpr uint64_t least_without = 20;
    constexpr int64_t clearly = 5;
    constexpr int64_t least_longer_ns = 5'000'000;
    Judged judged;
    for (const auto& [of_class, compared] : alike.compared) {
        if (compared.during.count() < least_during || compared.without.count() < least_without) continue;
        const int64_t during_ns = compared.during.percentile_ns(0.5);
        const int64_t without_ns = compared.without.percentile_ns(0.5);
        if (during_ns / clearly < without_ns || during_ns - without_ns < least_longer_ns) continue;
        if (compared.without.percentile_ns(0.95) > during_ns / 2) continue;
        judged.stood += compared.during.count();
        if (judged.worst != nullptr && during_ns <= judged.during_ns) continue;
        judged.worst = &compared;
        judged.opcode = of_class.first;
        judged.during_ns = during_ns;
        judged.without_ns = without_ns;
    }
    return judged;
}

std::string name_of(const CommandRow& row) {
    return row.name[0] == '\0' ? fmt::format("operation code 0x{:02x}", row.opcode) : row.name;
}

std::string_view advice_for(uint16_t opcode) {
    switch (opcode) {
        case scsi_op::unmap:
            return "Let the initiator discard in smaller pieces or at quiet hours (fstrim instead of the "
                   "mount "
                   "option discard, discard_max_bytes), or update the target.";
        case scsi_op::compare_and_write:
            return "Locks of a cluster's hosts hold up the data: spread them over more logical units.";
        case extended_copy:
            return "Copies within the target take its disks' time: let them run at quiet hours or in smaller "
                   "pieces.";
        default:
            return "Let it write fewer blocks at a time (max_write_same_blocks), or at quiet hours.";
    }
}

Finding begin(const LongCommands& alike, const Unit& unit, uint64_t command, const CommandRow& row) {
    Finding finding;
    finding.side = Finding::Side::target;
    finding.lun = unit.lun;
    finding.session = row.session;
    finding.connection = row.connection;
    finding.command = command;
    finding.packet = row.request_packet;
    finding.begin_ns = row.request_ns;
    finding.end_ns = row.response_ns;
    finding.cost_ns = alike.spans.total_ns();
    return finding;
}

void add_stall(FindingList& list, const Unit& unit, const LongCommands& alike) {
    const Judged judged = judge(alike);
    if (judged.worst == nullptr) return;
    constexpr uint64_t repeatedly = 3;
    constexpr int64_t seen_by_anyone_ns = 100'000'000;
    const bool repeated = alike.spans.size() >= repeatedly;
    Finding finding = begin(alike, unit, alike.longest_command, alike.longest);
    finding.kind = Finding::Kind::stalling_command;
    finding.severity =
        repeated && judged.during_ns >= seen_by_anyone_ns ? Severity::problem : Severity::notice;
    // Once, whatever else stood still then may have held up this command as well.
    finding.confidence = repeated ? Finding::Confidence::likely : Finding::Confidence::possible;
    const std::string name = name_of(alike.longest);
    const std::string_view what = is_read_opcode(judged.opcode) ? "read" : "write";
    // Commands that come at any time of it, and end only with it, take half of it.
    constexpr int64_t much_of_it = 4;
    const bool stands = judged.during_ns >= alike.longest.turnaround_ns() / much_of_it;
    finding.title = fmt::format("LUN {} {} while {} is under way: {}s take {}, otherwise {}", unit.lun,
                                stands ? "stands still" : "is slow", name, what,
                                human_duration(judged.during_ns), human_duration(judged.without_ns));
    finding.explanation = fmt::format(
        "{} x {}, {} at the longest; {} reads and writes of the same logical unit were under way meanwhile. "
        "{}",
        human_count(alike.count), name, human_duration(alike.longest.turnaround_ns()),
        human_count(judged.stood), advice_for(alike.longest.opcode));
    finding.add_sign(fmt::format("the median of {} during {} is {}",
                                 counted(judged.worst->during.count(), what), name,
                                 human_duration(judged.during_ns)));
    finding.add_sign(fmt::format("without it, of {} of that size, {}; 95 % took no more than {}",
                                 counted(judged.worst->without.count(), what),
                                 human_duration(judged.without_ns),
                                 human_duration(judged.worst->without.percentile_ns(0.95))));
    if (repeated) finding.add_sign(fmt::format("at {} apart", counted(alike.spans.size(), "time")));
    if (alike.units_in_doubt) {
        finding.confidence = Finding::Confidence::possible;
        finding.explanation +=
            " Some are of other initiators: that their LUN is the same logical unit is not in the capture.";
    }
    list.push_back(std::move(finding));
}

// One now and then is how such a lock works.
void add_contention(FindingList& list, const Unit& unit, const LongCommands& alike) {
    constexpr uint64_t least = 3;
    constexpr uint64_t one_in = 10;
    if (alike.miscompares < least || alike.miscompares * one_in < alike.count) return;
    Finding finding = begin(alike, unit, alike.first_miscompare, alike.miscompare);
    finding.kind = Finding::Kind::lock_contention;
    finding.severity = Severity::notice;
    finding.confidence = Finding::Confidence::likely;
    finding.side = Finding::Side::initiator;
    finding.cost_ns = 0;
    finding.title = fmt::format("{} of {} COMPARE AND WRITE on LUN {} found another value (MISCOMPARE)",
                                human_count(alike.miscompares), human_count(alike.count), unit.lun);
    finding.explanation =
        "Hosts that lock with it (VMFS and other cluster file systems) compete for the same locks, and try "
        "again. Let fewer hosts write to the same volume at once, or use more volumes.";
    finding.add_sign(
        fmt::format("sense data MISCOMPARE, 1d/00, in {}", counted(alike.miscompares, "answer")));
    finding.add_sign(fmt::format("{} of these commands ended with GOOD", human_count(alike.good)));
    list.push_back(std::move(finding));
}

}  // namespace

void add_stalling_findings(FindingList& list, const ResultStore& store,
                           const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop) {
    Units units(store);
    Found found = find_long_ones(store, units, waits, stop);
    if (found.empty()) return;
    compare(found, store, units, waits, stop);
    if (stop.asked()) return;
    for (const auto& [key, alike] : found) {
        add_stall(list, key.first, alike);
        add_contention(list, key.first, alike);
    }
}

}  // namespace sanscope
