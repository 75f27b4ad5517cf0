// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/command_facts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/scsi/moved_bytes.h"
#include "analyzer/scsi/opcodes.h"
#include "analyzer/vocabulary/slow_commands.h"

namespace sanscope {
namespace {

constexpr size_t most_sessions = 32;
constexpr size_t most_connections_listed = 1024;
constexpr uint32_t greatest_depth = 4096;

unsigned size_class_of(const CommandRow& row) {
    const uint64_t bytes = row.bytes == unknown<uint64_t> ? 0 : row.bytes;
    return static_cast<unsigned>(bytes == 0 ? 0 : std::bit_width(bytes - 1) + 1);
}

// What half of the commands of a kind took at the most, found by name and size.
class UsualTimes {
  public:
    explicit UsualTimes(const Summary& summary) : groups_(&summary.groups()) {}

    // 0 where the kind has too few.
    int64_t of(const CommandRow& row) {
        const unsigned size = size_class_of(row);
        if (row.name == name_ && size == size_) return usual_ns_;
        name_ = row.name;
        size_ = size;
        for (const Known& known : known_) {
            if (known.name == name_ && known.size == size_) return usual_ns_ = known.usual_ns;
        }
        usual_ns_ = 0;
        const auto found = *row.name == '\0' ? groups_->end() : groups_->find({row.name, size});
        if (found != groups_->end() && found->second.turnaround.count() >= least_of_a_kind) {
            usual_ns_ = found->second.turnaround.percentile_ns(0.5);
        }
        constexpr size_t most_known = 64;
        if (known_.size() < most_known) known_.push_back({name_, size_, usual_ns_});
        return usual_ns_;
    }

  private:
    struct Known {
        const char* name;
        unsigned size;
        int64_t usual_ns;
    };
    const std::map<Summary::GroupKey, Summary::Group>* groups_;
    std::vector<Known> known_;
    const char* name_ = nullptr;  // static storage
    unsigned size_ = 0;
    int64_t usual_ns_ = 0;
};

void count_one(CommandsLike& like, uint64_t number, const CommandRow& row) {
    ++like.count;
    like.see(number, row);
}

void count_one(std::map<uint32_t, CommandsLike>& by_connection, uint64_t number, const CommandRow& row) {
    // What is beyond the number listed is counted with the last one.
    const bool full = by_connection.size() >= most_connections_listed;
    const auto found = by_connection.find(row.connection);
    if (found != by_connection.end()) return count_one(found->second, number, row);
    count_one(full ? by_connection.rbegin()->second : by_connection[row.connection], number, row);
}

int64_t unseen_path_ns(const ResultStore& store, uint32_t connection) {
    const bool known = connection != 0 && connection <= store.connections().size();
    return known ? behind_tap_ns(store.connection(connection)) : 0;
}

// Of commands in order of request: how much longer at least one was under way with this one too, which ends `path_ns`
// behind its status.
int64_t add_to_union(int64_t& until_ns, const CommandRow& row, int64_t path_ns) {
    const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
    if (took_ns == 0) return 0;
    const int64_t end_ns = row.response_ns + path_ns;
    const int64_t added_ns = elapsed_ns(std::max(until_ns, row.request_ns), end_ns);
    until_ns = std::max(until_ns, end_ns);
    return added_ns;
}

// Held against its kind: answered in time, and seen to be.
bool is_timed(const CommandRow& row) {
    return row.response_packet != 0 && !row.inferred && elapsed_ns(row.request_ns, row.response_ns) > 0;
}

void on_parts(TimeParts& parts, const CommandRow& row, uint64_t moved) {
    parts.turnaround.add(elapsed_ns(row.request_ns, row.response_ns));
    parts.bytes += moved;
    parts.r2ts += row.r2ts;
    if (row.r2ts > 0) ++parts.with_r2ts;
}

// Of these requests by depth, the depth of the one at that place, from the shallowest on.
uint32_t depth_at(std::span<const uint32_t> depths, double rank) {
    double sum = 0;
    for (size_t i = 0; i < depths.size(); ++i) {
        sum += depths[i];
        if (sum > 0 && sum >= rank) return static_cast<uint32_t>(i);
    }
    return 0;
}

void on_row(SessionFacts& session, const CommandRow& row, int64_t path_ns) {
    if (is_read(row) || is_write(row) || row.opcode == unknown<uint16_t>) ++session.commands;
    if (row.queue_depth != unknown<uint32_t>) {
        const uint32_t depth = std::min(row.queue_depth, greatest_depth);
        if (depth >= session.depths.size()) session.depths.resize(depth + 1);
        ++session.depths[depth];
        ++session.requests;
    } else if (row.request_packet != 0) {
        ++session.depth_unknown;
    }
    if (session.first_ns == no_time) session.first_ns = row.request_ns;
    if (elapsed_ns(row.request_ns, row.response_ns) == 0) return;
    session.last_ns = std::max(session.last_ns, row.response_ns + path_ns);
    session.busy_ns += add_to_union(session.busy_until_ns, row, path_ns);
    const uint64_t moved = moved_bytes(row);
    if (moved == unknown<uint64_t> || moved == 0 || ended_otherwise_than_good(row)) return;
    if (is_read(row)) on_parts(session.reads, row, moved);
    if (is_write(row)) on_parts(session.writes, row, moved);
}

// An initiator that has closed its side reads no more answers.
int64_t given_up_ns(const ConnectionRow& connection) {
    const SentDataRow& sent = connection.out;
    if (sent.fin_ns == no_time || sent.reset_ns == no_time) return std::max(sent.fin_ns, sent.reset_ns);
    return std::min(sent.fin_ns, sent.reset_ns);
}

bool came_too_late(const ResultStore& store, const CommandRow& row) {
    if (row.response_ns == no_time || row.request_ns == no_time) return false;
    if (row.connection == 0 || row.connection > store.connections().size()) return false;
    const int64_t end_ns = given_up_ns(store.connection(row.connection));
    if (end_ns == no_time || row.request_ns >= end_ns || row.response_ns <= end_ns) return false;
    // An initiator that logs out has no more commands under way: then a clock was set back a little.
    return !is_logged_out(store, row.connection);
}

// When commands were rejected, or their tasks terminated by the target, by packet.
std::map<PacketNumber, int64_t> early_ends(const ResultStore& store) {
    std::map<PacketNumber, int64_t> ends;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const Opcode opcode{event.opcode};
        if (opcode == Opcode::reject || opcode == Opcode::async_message) ends[event.packet] = event.time_ns;
    }
    return ends;
}

// When a command was no longer waited for, by its answer, what ended it early, or the end of its connection.
int64_t until_ns(const ResultStore& store, const CommandRow& row,
                 const std::map<PacketNumber, int64_t>& early) {
    if (row.request_ns == no_time || row.response_ns != no_time) return row.response_ns;
    if (row.outcome == Outcome::rejected || row.outcome == Outcome::terminated) {
        const auto end = early.find(row.aborted_packet);
        if (end != early.end()) return end->second;
    }
    // Its answer may have come at any time.
    if (row.outcome == Outcome::unknown) return row.last_data_ns;
    return store.connection(row.connection).end_ns;
}

// The commands of one kind on one logical unit in one session.
struct OfUnit {
    uint32_t session = 0;
    uint64_t lun = unknown<uint64_t>;
    std::string_view name;
    unsigned size = 0;
    uint64_t slow = 0;
    LogHistogram turnaround;

    bool has(const CommandRow& row) const {
        return session == row.session && lun == row.lun && size == size_class_of(row) && name == row.name;
    }
};

// A logical unit that is slower than another is not slow now and then: its commands are held against its own.
void compare_within_units(CommandFacts& facts, const ResultStore& store, const Stop& stop) {
    constexpr size_t most_units = 64;
    std::vector<OfUnit> units;
    OfUnit* latest = nullptr;
    const auto find = [&](const CommandRow& row) -> OfUnit* {
        if (latest != nullptr && latest->has(row)) return latest;
        const auto found = std::ranges::find_if(units, [&](const OfUnit& one) { return one.has(row); });
        return found == units.end() ? nullptr : latest = &*found;
    };
    for (const SlowCommand& slow : facts.slow) {
        OfUnit* unit = find(*slow.row);
        if (unit == nullptr && units.size() < most_units) {
            latest = nullptr;
            const CommandRow& row = *slow.row;
            unit = &units.emplace_back(OfUnit{row.session, row.lun, row.name, size_class_of(row), 0, {}});
        }
        if (unit != nullptr) ++unit->slow;
    }
    latest = nullptr;
    size_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return;
        if (!is_timed(row)) continue;
        OfUnit* const unit = find(row);
        if (unit != nullptr) unit->turnaround.add(elapsed_ns(row.request_ns, row.response_ns));
    }
    for (SlowCommand& slow : facts.slow) {
        const OfUnit* const unit = find(*slow.row);
        if (unit != nullptr && unit->turnaround.count() >= least_of_a_kind)
            slow.usual_ns = unit->turnaround.percentile_ns(0.5);
    }
    facts.leave_out_slow([&](const SlowCommand& slow) {
        const OfUnit* const unit = find(*slow.row);
        if (unit == nullptr) return false;
        if (unit->turnaround.count() < least_of_a_kind)
            return unit->slow > 1 && 2 * unit->slow > unit->turnaround.count();
        const int64_t path_ns = unseen_path_ns(store, slow.row->connection);
        return !is_slow(elapsed_ns(slow.row->request_ns, slow.row->response_ns), slow.usual_ns, path_ns);
    });
}

std::vector<SessionFacts> busiest_sessions(const Summary& summary) {
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (size_t i = 0; i < summary.sessions().size(); ++i) {
        const uint64_t commands = summary.sessions()[i].commands;
        if (commands > 0) order.emplace_back(commands, static_cast<uint32_t>(i + 1));
    }
    const auto most = std::min(order.size(), most_sessions);
    std::ranges::partial_sort(order, order.begin() + static_cast<ptrdiff_t>(most), std::greater());
    order.resize(most);
    std::vector<SessionFacts> sessions;
    for (const auto& [commands, number] : order) sessions.emplace_back().session = number;
    std::ranges::sort(sessions, {}, &SessionFacts::session);
    return sessions;
}

void take_from_summary(CommandFacts& facts, const Summary& summary) {
    for (const auto& [kind, count] : summary.errors()) facts.statuses[kind].count = count;
    for (const auto& [number, row] : summary.not_good()) {
        facts.statuses[ending_of(row)].see(0, row);
    }
    for (const auto& [number, row] : summary.unanswered()) {
        if (ended_without_answer(row.outcome)) {
            count_one(row.outcome == Outcome::aborted ? facts.aborted : facts.ended_by_target, 0, row);
            continue;
        }
        count_one(facts.unanswered, 0, row);
        count_one(facts.never_answered, 0, row);
    }
    if (!summary.slowest().empty()) facts.longest_ns = summary.slowest().front().row.turnaround_ns();
}

}  // namespace

bool is_read(const CommandRow& row) {
    return is_read_opcode(row.opcode);
}

bool is_write(const CommandRow& row) {
    return is_write_opcode(row.opcode);
}

void CommandsLike::see(uint64_t number, const CommandRow& another) {
    if (seen++ == 0) {
        command = number;
        row = another;
    }
    if (another.lun == unknown<uint64_t>) {
        lun_missing = true;
    } else if (row.lun != unknown<uint64_t> && another.lun != row.lun) {
        several_luns = true;
    }
    if (another.queue_depth != unknown<uint32_t>) most_depth = std::max(most_depth, another.queue_depth);
    constexpr size_t most_nexuses = 1024;
    const std::pair nexus{another.session, another.lun};
    if (nexuses.size() < most_nexuses || nexuses.contains(nexus)) ++nexuses[nexus];
    constexpr uint16_t persistent_reserve_out = 0x5f;
    if (another.opcode == persistent_reserve_out) ++reservations;
    if (!is_read(another) && !is_write(another)) return;
    if (transfers++ > 0) return;
    transfer_command = number;
    transfer = another;
}

uint64_t CommandsLike::most_of_one_nexus() const {
    uint64_t most = 0;
    for (const auto& [nexus, of_nexus] : nexuses) most = std::max(most, of_nexus);
    return most;
}

uint32_t SessionFacts::depth(double fraction) const {
    const auto known = static_cast<double>(requests);
    const auto missing = static_cast<double>(depth_unknown);
    const double rank = fraction * (known + missing);
    if (rank > known) return 0;
    constexpr double much_less = 0.75;
    const uint32_t with_all_deeper = depth_at(depths, rank);
    const uint32_t with_all_shallower = rank > missing ? depth_at(depths, rank - missing) : 0;
    return with_all_shallower < much_less * with_all_deeper ? 0 : depth_at(depths, fraction * known);
}

void CommandFacts::recount_slow_time() {
    slow_time_ns = 0;
    int64_t until_ns = no_time;
    for (const SlowCommand& one : slow) slow_time_ns += add_to_union(until_ns, *one.row, 0);
}

const SessionFacts* CommandFacts::session(uint32_t number) const {
    const auto found = std::ranges::lower_bound(sessions, number, {}, &SessionFacts::session);
    return found != sessions.end() && found->session == number ? &*found : nullptr;
}

bool CommandFacts::all_too_late(uint32_t connection) const {
    const auto late = answered_too_late.find(connection);
    return late != answered_too_late.end() && late->second.count == unanswered.at(connection).count;
}

const CommandsLike& CommandFacts::left_unanswered(uint32_t connection) const {
    const auto left = never_answered.find(connection);
    return left != never_answered.end() ? left->second : unanswered.at(connection);
}

CommandFacts find_command_facts(const ResultStore& store, bool in_order, const Stop& stop) {
    CommandFacts facts;
    facts.of_connection.resize(store.connections().size());
    facts.last_answer_ns.resize(store.connections().size(), no_time);
    facts.first_transfer_ns.resize(store.connections().size(), no_time);
    if (store.commands().empty()) {
        take_from_summary(facts, store.summary());
        return facts;
    }
    facts.busy.resize(store.connections().size());
    facts.sessions = busiest_sessions(store.summary());
    UsualTimes usual_times(store.summary());
    const std::map<PacketNumber, int64_t> early = early_ends(store);
    SessionFacts* session = nullptr;
    int64_t slow_until_ns = no_time;
    uint64_t lun_compared = unknown<uint64_t>;
    uint32_t session_compared = 0;
    bool several_units = false;
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        if (row.connection != 0 && row.connection <= facts.of_connection.size()) {
            ++facts.of_connection[row.connection - 1];
            int64_t& last_ns = facts.last_answer_ns[row.connection - 1];
            last_ns = std::max(last_ns, row.response_ns);
            int64_t& first_ns = facts.first_transfer_ns[row.connection - 1];
            const bool transfer = (is_read(row) || is_write(row)) && row.response_ns != no_time;
            if (transfer)
                first_ns = first_ns == no_time ? row.response_ns : std::min(first_ns, row.response_ns);
            // At the target half of the path is before what is seen of a command, half behind it.
            const int64_t half_path_ns = unseen_path_ns(store, row.connection) / 2;
            const int64_t busy_until_ns = until_ns(store, row, early);
            if (busy_until_ns != no_time && row.request_ns != no_time) {
                facts.busy[row.connection - 1].add(row.request_ns - half_path_ns,
                                                   busy_until_ns + half_path_ns);
            }
        }
        if (session == nullptr || session->session != row.session) {
            const auto found =
                std::ranges::lower_bound(facts.sessions, row.session.value(), {}, &SessionFacts::session);
            session = found != facts.sessions.end() && found->session == row.session ? &*found : nullptr;
        }
        const int64_t path_ns = unseen_path_ns(store, row.connection);
        if (session != nullptr) on_row(*session, row, path_ns);

        const bool too_late = in_order && came_too_late(store, row);
        if (too_late) count_one(facts.answered_too_late, number, row);
        const bool never = row.outcome == Outcome::unanswered && !too_late;
        if (never) count_one(facts.never_answered, number, row);
        if (never || too_late) count_one(facts.unanswered, number, row);
        if (ended_without_answer(row.outcome))
            count_one(row.outcome == Outcome::aborted ? facts.aborted : facts.ended_by_target, number, row);
        if (row.response_packet == 0) continue;
        if (!ending_is_known(row)) ++facts.unknown_statuses;
        if (ended_otherwise_than_good(row)) {
            constexpr size_t most_kinds = 256;
            const CommandEnding kind = ending_of(row);
            if (facts.statuses.size() < most_kinds || facts.statuses.contains(kind)) {
                count_one(facts.statuses[kind], number, row);
            }
        }
        // Of what is inferred, the time is too.
        if (too_late || row.inferred) continue;
        const int64_t took_ns = elapsed_ns(row.request_ns, row.response_ns);
        facts.longest_ns = std::max(facts.longest_ns, took_ns);
        const int64_t usual_ns = took_ns == 0 ? 0 : usual_times.of(row);
        if (usual_ns == 0) continue;
        ++facts.compared;
        if (lun_compared == unknown<uint64_t>) {
            lun_compared = row.lun;
            session_compared = row.session;
        }
        several_units = several_units || row.lun != lun_compared || row.session != session_compared;
        if (!is_slow(took_ns, usual_ns, path_ns)) continue;
        facts.slow.push_back({number, &row, usual_ns});
        facts.slow_time_ns += add_to_union(slow_until_ns, row, 0);
    }
    for (TimeSpans& busy : facts.busy) busy.finish();
    if (several_units) compare_within_units(facts, store, stop);
    return facts;
}

}  // namespace sanscope
