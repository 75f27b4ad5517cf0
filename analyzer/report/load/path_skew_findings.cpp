// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/path_skew_findings.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/time_spans.h"
#include "analyzer/base/utf8.h"
#include "analyzer/scsi/asymmetric_access.h"
#include "analyzer/scsi/moved_bytes.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using Class = std::pair<uint16_t, unsigned>;  // operation code, size class
constexpr size_t most_paths = 1024;
constexpr size_t most_classes = 32;

// One logical unit in one session.
struct Path {
    uint32_t session = 0;
    uint64_t lun = unknown<uint64_t>;
    uint32_t connection = 0;  // of its first command
    uint64_t commands = 0;    // reads and writes
    uint64_t bytes = 0;
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
    // Its longest command; those that were under way with it are not in `classes`.
    int64_t longest_from_ns = no_time;
    int64_t longest_to_ns = no_time;
    std::map<Class, LogHistogram> classes;
    // Of its connections.
    int64_t rtt_ns = no_time;
    uint64_t lost = 0;       // segments
    int64_t repairs_ns = 0;  // what waited for these, of all its senders
    Vantage vantage = Vantage::unknown;
    AccessReading access;
    bool symmetric = false;  // the unit says that it has no asymmetric access

    bool access_known() const { return access.packet != 0 && access.state != AccessState::unknown; }
    bool access_changed() const { return access.changed_ns != no_time && access.changed_ns > first_ns; }
};

// What paths lead to.
struct Unit {
    std::string initiator;
    std::string name;    // its designator, or the target's name and the LUN
    bool named = false;  // by its designator
    std::vector<Path*> paths;
};

bool is_transfer_of_path(const CommandRow& row) {
    return (is_read_opcode(row.opcode) || is_write_opcode(row.opcode)) && row.session != 0 &&
           row.lun != unknown<uint64_t> && row.bytes != unknown<uint64_t>;
}

std::map<std::pair<uint32_t, uint64_t>, Path> collect(const ResultStore& store, const Stop& stop) {
    std::map<std::pair<uint32_t, uint64_t>, Path> paths;
    size_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        if (!is_transfer_of_path(row)) continue;
        const std::pair<uint32_t, uint64_t> key(row.session, row.lun);
        if (paths.size() >= most_paths && !paths.contains(key)) continue;
        Path& path = paths[key];
        if (path.commands++ == 0) {
            path.session = row.session;
            path.lun = row.lun;
            path.connection = row.connection;
            path.first_ns = row.request_ns;
        }
        if (const uint64_t moved = moved_bytes(row); moved != unknown<uint64_t>) path.bytes += moved;
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        if (took_ns == 0 || row.inferred) continue;
        path.last_ns = std::max(path.last_ns, row.response_ns);
        if (took_ns <= elapsed_ns(path.longest_from_ns, path.longest_to_ns)) continue;
        path.longest_from_ns = row.request_ns;
        path.longest_to_ns = row.response_ns;
    }
    return paths;
}

// A path is slow where it is so again and again: what one moment did to all that was under way, a stall or a clock that was set
// ahead, is left out.
void add_turnarounds(std::map<std::pair<uint32_t, uint64_t>, Path>& paths, const ResultStore& store,
                     const Stop& stop) {
    size_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return;
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        if (!is_transfer_of_path(row) || took_ns == 0 || row.inferred) continue;
        const auto found = paths.find({row.session, row.lun});
        if (found == paths.end()) continue;
        Path& path = found->second;
        if (row.request_ns < path.longest_to_ns && row.response_ns > path.longest_from_ns) continue;
        const Class of_class(row.opcode, static_cast<unsigned>(std::bit_width(row.bytes)));
        if (path.classes.size() < most_classes || path.classes.contains(of_class))
            path.classes[of_class].add(took_ns);
    }
}

void add_tcp(Path& path, const ResultStore& store, std::span<const SenderFacts> senders) {
    for (const SenderFacts& sender : senders) {
        if (sender.connection->session != path.session) continue;
        path.lost += sender.repaired();
        path.repairs_ns += sender.repairs.total_ns() + sender.timeouts.total_ns;
    }
    if (path.connection != 0 && path.connection <= store.connections().size())
        path.vantage = store.connection(path.connection).vantage;
    for (const ConnectionRow& row : store.connections()) {
        if (row.session != path.session || row.rtt_min_ns == no_time) continue;
        const int64_t rtt_ns = round_trip_ns(row.rtt_min_ns);
        path.rtt_ns = path.rtt_ns == no_time ? rtt_ns : std::min(path.rtt_ns, rtt_ns);
    }
}

AccessReading later(const AccessReading& a, const AccessReading& b) {
    AccessReading of = a.packet == 0 || (b.packet != 0 && b.time_ns > a.time_ns) ? b : a;
    of.changed_ns = std::max(a.changed_ns, b.changed_ns);
    return of;
}

// The state of the path's own group. Of a unit that names itself each path tells of all its groups.
void add_access(Path& path, const Unit& unit, const AccessStates& states) {
    const AccessStates::Path own{path.session, path.lun};
    path.symmetric = states.tpgs_of(own) == 0;
    path.access = states.told_of(own);
    const std::optional<uint16_t> group = states.group_of(own);
    if (!group) return;
    path.access = later(path.access, states.reading_of(own, *group));
    if (!unit.named) return;
    for (const Path* other : unit.paths)
        path.access = later(path.access, states.reading_of({other->session, other->lun}, *group));
}

std::vector<Unit> units_of(std::map<std::pair<uint32_t, uint64_t>, Path>& paths, const ResultStore& store) {
    std::map<std::pair<std::string, std::string>, Unit> units;
    for (auto& [key, path] : paths) {
        const SessionRow& session = store.session(path.session);
        if (session.initiator_name.empty()) continue;
        const std::string& designator = store.unit_names().of(path.session, path.lun);
        if (designator.empty() && session.target_name.empty()) continue;
        const std::string name =
            designator.empty() ? fmt::format("{}, LUN {}", session.target_name, path.lun) : designator;
        Unit& unit = units[{session.initiator_name, name}];
        unit.initiator = session.initiator_name;
        unit.name = name;
        unit.named = !designator.empty();
        unit.paths.push_back(&path);
    }
    std::vector<Unit> several;
    for (auto& [key, unit] : units) {
        if (unit.paths.size() > 1) several.push_back(std::move(unit));
    }
    return several;
}

// Paths that follow each other are one that came back.
bool at_the_same_time(const Path& a, const Path& b) {
    const int64_t both_ns = elapsed_ns(std::max(a.first_ns, b.first_ns), std::min(a.last_ns, b.last_ns));
    return 2 * both_ns >= std::max(elapsed_ns(a.first_ns, a.last_ns), elapsed_ns(b.first_ns, b.last_ns));
}

// Sessions between the same addresses are no several paths: what one of them waits for is its own TCP's or the queue's matter.
bool lead_the_same_way(const Path& a, const Path& b, const ResultStore& store) {
    const auto known = [&](const Path& path) {
        return path.connection != 0 && path.connection <= store.connections().size();
    };
    if (!known(a) || !known(b)) return false;
    const ConnectionRow& one = store.connection(a.connection);
    const ConnectionRow& other = store.connection(b.connection);
    return one.initiator.address == other.initiator.address && one.target == other.target;
}

struct Skew {
    const Path* slow = nullptr;
    const Path* fast = nullptr;
    Class of_class;
    double slow_ns = 0;  // the mean of that class
    double fast_ns = 0;
    uint64_t count = 0;

    double excess_ns() const { return (slow_ns - fast_ns) * static_cast<double>(count); }
    bool round_trips_known() const { return slow->rtt_ns != no_time && fast->rtt_ns != no_time; }
};

// At a target's end a command's time lacks the path, which at an initiator's is in it.
bool are_seen_alike(const Path& a, const Path& b) {
    return a.vantage == b.vantage || a.vantage == Vantage::unknown || b.vantage == Vantage::unknown;
}

void compare(Skew& worst, const Path& slow, const Path& fast) {
    constexpr uint64_t least = 50;
    constexpr double clearly = 2;
    constexpr double least_longer_ns = 1e6;
    // What is asked for more takes longer by that alone.
    if (2 * slow.commands > 3 * fast.commands || !at_the_same_time(slow, fast)) return;
    if (!are_seen_alike(slow, fast)) return;
    for (const auto& [of_class, took] : slow.classes) {
        const auto other = fast.classes.find(of_class);
        if (other == fast.classes.end() || took.count() < least || other->second.count() < least) continue;
        const Skew skew{&slow, &fast, of_class, took.mean_ns(), other->second.mean_ns(), took.count()};
        if (skew.slow_ns < clearly * skew.fast_ns || skew.slow_ns - skew.fast_ns < least_longer_ns) continue;
        if (worst.slow == nullptr || skew.excess_ns() > worst.excess_ns()) worst = skew;
    }
}

std::string ends_of(const Path& path, const ResultStore& store) {
    if (path.connection == 0 || path.connection > store.connections().size())
        return fmt::format("session {}", path.session);
    const ConnectionRow& row = store.connection(path.connection);
    return fmt::format("session {} ({} -> {})", path.session, format(row.initiator.address),
                       format_endpoint(row.target.address, row.target.port));
}

// "active/optimized (REPORT TARGET PORT GROUPS in packet 12)"
std::string access_in_words(const Path& path) {
    const AccessReading& access = path.access;
    if (access.packet == 0) {
        return path.symmetric ? "no asymmetric access (TPGS 0 in its INQUIRY data)"
                              : "access state not known";
    }
    if (!path.access_known()) {
        return fmt::format("access state not known since packet {} {} a change", access.packet,
                           access.asked ? "asked for" : "told of");
    }
    return fmt::format("{}{} ({} in packet {})", access_state_name(access.state),
                       access.preferred ? ", preferred" : "",
                       access.by_sense ? "sense data" : "REPORT TARGET PORT GROUPS", access.packet);
}

std::string figures_of(const Path& path, const Class& of_class, uint64_t all_bytes,
                       const ResultStore& store) {
    const auto took = path.classes.find(of_class);
    return fmt::format(
        "{}: {} of the bytes, {} on average, minimum round-trip time {}, {} retransmitted; {}",
        ends_of(path, store),
        human_percent(all_bytes == 0 ? 0 : static_cast<double>(path.bytes) / static_cast<double>(all_bytes)),
        took == path.classes.end() ? "none of that size"
                                   : human_duration(static_cast<int64_t>(took->second.mean_ns())),
        path.rtt_ns == no_time ? "not known" : human_duration(path.rtt_ns), counted(path.lost, "segment"),
        access_in_words(path));
}

// A few lost segments among many commands make none of the others slow.
bool is_by_losses(const Skew& skew) {
    constexpr uint64_t one_in = 100;
    const Path& slow = *skew.slow;
    if (slow.lost <= 3 * (skew.fast->lost + 1)) return false;
    if (slow.lost * one_in >= slow.commands) return true;
    // As many waited at once as Little's law has it.
    const double at_once = skew.slow_ns * static_cast<double>(skew.count) /
                           static_cast<double>(std::max<int64_t>(1, elapsed_ns(slow.first_ns, slow.last_ns)));
    return 2 * std::max(at_once, 1.0) * static_cast<double>(slow.repairs_ns) >= skew.excess_ns();
}

// The part of the difference that the path makes by its length, or by losing.
bool is_the_paths(const Skew& skew) {
    if (is_by_losses(skew)) return true;
    if (!skew.round_trips_known()) return false;
    const auto longer_ns = static_cast<double>(skew.slow->rtt_ns - skew.fast->rtt_ns);
    return longer_ns >= (skew.slow_ns - skew.fast_ns) / 2;
}

// What the access states say to it.
enum class AccessSays : uint8_t {
    nothing,    // that of a path is not known
    symmetric,  // the unit has none
    changed,    // since the commands began
    alike,
    slow_by_state,  // the slow path is non-optimized, the other one optimized
    fast_by_state,  // the other way round
    other,
};

AccessSays access_says(const Path& slow, const Path& fast) {
    if (slow.symmetric && fast.symmetric && slow.access.packet == 0 && fast.access.packet == 0)
        return AccessSays::symmetric;
    if (slow.access_changed() || fast.access_changed()) return AccessSays::changed;
    if (!slow.access_known() || !fast.access_known()) return AccessSays::nothing;
    const AccessState of_slow = slow.access.state;
    const AccessState of_fast = fast.access.state;
    if (of_slow == of_fast) return AccessSays::alike;
    constexpr AccessState optimized = AccessState::active_optimized;
    constexpr AccessState non_optimized = AccessState::active_non_optimized;
    if (of_slow == non_optimized && of_fast == optimized) return AccessSays::slow_by_state;
    if (of_slow == optimized && of_fast == non_optimized) return AccessSays::fast_by_state;
    return AccessSays::other;
}

std::string access_explained(AccessSays says, const Path& slow, const Path& fast) {
    switch (says) {
        case AccessSays::symmetric:
            return "The unit says that all its ports serve it alike (TPGS 0).";
        case AccessSays::changed:
            return "Access states (ALUA) changed since the commands began: these times may be of several "
                   "states.";
        case AccessSays::alike:
            return fmt::format("Both paths are {} (ALUA): the access state does not make the difference.",
                               access_state_name(slow.access.state));
        case AccessSays::slow_by_state:
            return fmt::format(
                "The slow path is active/non-optimized (ALUA), the other active/optimized, and the initiator "
                "uses both alike: let its multipath group paths by priority (Linux dm-multipath: "
                "path_grouping_policy group_by_prio, prio alua).{}",
                slow.access.preferred && !fast.access.preferred
                    ? " The target prefers the slow path's port group: the unit has not gone back to it."
                    : "");
        case AccessSays::fast_by_state:
            return "The slow path is the active/optimized one (ALUA): its access state does not make it "
                   "slow.";
        case AccessSays::other:
            return fmt::format("The slow path is {}, the other {} (ALUA).",
                               access_state_name(slow.access.state), access_state_name(fast.access.state));
        case AccessSays::nothing:
            break;
    }
    const std::string_view whose = slow.access_known()   ? "the other path"
                                   : fast.access_known() ? "the slow path"
                                                         : "both paths";
    return fmt::format("The access state (ALUA) of {} is not known from this capture.", whose);
}

// Whatever else may make the path slow is as on the other one, and the states were told before the commands.
bool is_the_state_alone(const Skew& skew) {
    const auto throughout = [](const Path& path) {
        return !path.access.by_sense && path.access.since_ns <= path.first_ns;
    };
    const Path& slow = *skew.slow;
    const Path& fast = *skew.fast;
    return throughout(slow) && throughout(fast) && slow.lost <= fast.lost && slow.rtt_ns != no_time &&
           fast.rtt_ns != no_time && slow.rtt_ns <= fast.rtt_ns + fast.rtt_ns / 2;
}

Finding::Confidence confidence_of(const Unit& unit, const Skew& skew, AccessSays says) {
    if (!unit.named) return Finding::Confidence::possible;
    return says == AccessSays::slow_by_state && is_the_state_alone(skew) ? Finding::Confidence::firm
                                                                         : Finding::Confidence::likely;
}

std::string where_to_look(const Skew& skew, AccessSays says, bool by_path) {
    std::string access = access_explained(says, *skew.slow, *skew.fast);
    if (by_path) {
        return fmt::format(
            "The round trip or the losses of that path make the difference: look at its links and switches. "
            "{}",
            access);
    }
    if (says == AccessSays::slow_by_state) return access;
    const Path& slow = *skew.slow;
    const Path& fast = *skew.fast;
    if (!skew.round_trips_known()) {
        return fmt::format(
            "The round trips of both paths are not known: whether the path is longer, or the target's port "
            "or "
            "controller behind it slow, the capture does not tell. {}",
            access);
    }
    if (slow.rtt_ns > fast.rtt_ns + fast.rtt_ns / 4 || slow.lost > fast.lost) {
        return fmt::format(
            "That the path is longer or loses more makes less than half of the difference: look at the "
            "target's "
            "port and controller behind it as well. {}",
            access);
    }
    return fmt::format(
        "The path itself is no longer and loses no more: look at the target's port and controller behind it. "
        "{}",
        access);
}

Finding told(const Unit& unit, const Skew& skew, const ResultStore& store) {
    const bool by_path = is_the_paths(skew);
    const AccessSays says = access_says(*skew.slow, *skew.fast);
    const bool by_state = says == AccessSays::slow_by_state && !by_path;
    Finding finding;
    finding.kind = Finding::Kind::path_skew;
    finding.severity = Finding::Severity::notice;
    finding.confidence = confidence_of(unit, skew, says);
    finding.side = by_path                    ? Finding::Side::path
                   : by_state                 ? Finding::Side::initiator
                   : skew.round_trips_known() ? Finding::Side::target
                                              : Finding::Side::none;
    finding.session = skew.slow->session;
    finding.connection = skew.slow->connection;
    finding.lun = skew.slow->lun;
    finding.begin_ns = skew.slow->first_ns;
    finding.end_ns = skew.slow->last_ns;
    // Many commands waited at once, but the time passed once.
    const auto lasted_ns = static_cast<double>(elapsed_ns(skew.slow->first_ns, skew.slow->last_ns));
    finding.cost_ns = static_cast<int64_t>(std::min(skew.excess_ns(), lasted_ns));
    const std::string_view what = is_read_opcode(skew.of_class.first) ? "reads" : "writes";
    finding.title = fmt::format(
        "One of {} paths to LUN {} is slow: {} take {} over {}, {} over another", unit.paths.size(),
        skew.slow->lun, what, human_duration(static_cast<int64_t>(skew.slow_ns)), ends_of(*skew.slow, store),
        human_duration(static_cast<int64_t>(skew.fast_ns)));
    finding.explanation = fmt::format(
        "The same initiator asks the same logical unit for the same. {} {}{}",
        where_to_look(skew, says, by_path),
        by_state ? ""
                 : "Take the path out of the multipath until then, or weight paths by their service time. ",
        unit.named ? "" : "That it is the same unit is told from the target's name and the LUN alone.");
    uint64_t all_bytes = 0;
    for (const Path* path : unit.paths) all_bytes += path->bytes;
    finding.add_sign(figures_of(*skew.slow, skew.of_class, all_bytes, store));
    finding.add_sign(figures_of(*skew.fast, skew.of_class, all_bytes, store));
    finding.add_sign(unit.named
                         ? fmt::format("both name themselves {} (VPD page 83h)", cleaned_line(unit.name))
                         : fmt::format("both are {}", cleaned_line(unit.name)));
    return finding;
}

}  // namespace

void add_path_skew(FindingList& list, const ResultStore& store, std::span<const SenderFacts> senders,
                   const Stop& stop) {
    if (store.sessions().size() < 2) return;
    auto paths = collect(store, stop);
    if (stop.asked()) return;
    add_turnarounds(paths, store, stop);
    if (stop.asked()) return;
    for (Unit& unit : units_of(paths, store)) {
        for (Path* path : unit.paths) {
            add_tcp(*path, store, senders);
            add_access(*path, unit, store.access_states());
        }
        Skew worst;
        for (const Path* slow : unit.paths) {
            for (const Path* fast : unit.paths) {
                if (slow != fast && !lead_the_same_way(*slow, *fast, store)) compare(worst, *slow, *fast);
            }
        }
        if (worst.slow != nullptr) list.push_back(told(unit, worst, store));
    }
}

}  // namespace sanscope
