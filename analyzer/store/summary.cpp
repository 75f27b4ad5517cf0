// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/summary.h"

#include <algorithm>
#include <bit>

#include "analyzer/scsi/moved_bytes.h"

namespace sanscope {
namespace {

std::string_view group_name(const CommandRow& row) {
    if (*row.name != '\0') return row.name;
    if (row.opcode != unknown<uint16_t>) return "(unknown operation code)";
    return row.cmd_sn_known && !row.inferred ? "(CDB not captured)" : Summary::request_not_seen;
}

// Exact however far apart they are; `later` is not before `earlier`.
double elapsed(int64_t earlier, int64_t later) {
    return static_cast<double>(static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier));
}

}  // namespace

double Summary::SessionLoad::mean_depth() const {
    if (first_ns == no_time || last_ns <= first_ns) return max_depth;
    return depth_times_ns / elapsed(first_ns, last_ns);
}

void Summary::SessionLoad::move_to(int64_t time_ns) {
    if (time_ns == no_time) return;
    if (first_ns == no_time) first_ns = last_ns = time_ns;
    if (time_ns <= last_ns) return;
    depth_times_ns += static_cast<double>(depth) * elapsed(last_ns, time_ns);
    last_ns = time_ns;
}

void Summary::SessionLoad::peak() {
    peak_since = std::max(peak_since, depth);
    max_depth = std::max(settled_max, peak_since);
}

void Summary::on_request(const CommandRow& row) {
    if (row.session == 0 || row.session > max_sessions) return;
    if (row.session > sessions_.size()) sessions_.resize(row.session);
    SessionLoad& load = sessions_[row.session - 1];
    load.move_to(row.request_ns);
    ++load.commands;
    ++load.depth;
    load.peak();
}

void Summary::on_answer(const CommandRow& row) {
    if (row.session == 0 || row.session > sessions_.size()) return;
    SessionLoad& load = sessions_[row.session - 1];
    load.move_to(row.response_ns);
    if (load.depth > 0) --load.depth;
}

void Summary::on_ended_early(const CommandRow& row, int64_t time_ns) {
    if (row.session == 0 || row.session > sessions_.size()) return;
    SessionLoad& load = sessions_[row.session - 1];
    load.move_to(time_ns);
    if (load.depth > 0) --load.depth;
}

void Summary::on_going_on(const CommandRow& row) {
    if (row.session == 0 || row.session > sessions_.size()) return;
    ++sessions_[row.session - 1].depth;
}

void Summary::on_counted(uint32_t session, uint32_t unseen, int64_t from_ns, int64_t to_ns) {
    if (session == 0 || session > sessions_.size()) return;
    SessionLoad& load = sessions_[session - 1];
    if (unseen > 0) {
        // They are taken off from the middle of that time on, and from what was reached in it at the earliest.
        load.move_to(to_ns);
        const uint32_t known = std::min(unseen, load.depth);
        if (from_ns != no_time && to_ns > from_ns)
            load.depth_times_ns = std::max(0.0, load.depth_times_ns - known * elapsed(from_ns, to_ns) / 2);
        load.depth -= known;
        load.peak_since -= std::min(unseen, load.peak_since);
    }
    load.settled_max = std::max(load.settled_max, load.peak_since);
    load.max_depth = load.settled_max;
    load.peak_since = load.depth;
}

void Summary::on_unpaired(uint32_t session, uint32_t statuses) {
    if (session != 0 && session <= sessions_.size()) sessions_[session - 1].unpaired += statuses;
}

void Summary::on_hidden_requests(uint32_t session, uint32_t count) {
    if (session == 0 || session > sessions_.size()) return;
    SessionLoad& load = sessions_[session - 1];
    if (count == unknown<uint32_t>) {
        load.may_hide = true;
    } else {
        load.hidden += count;
    }
    load.all_bytes_known = false;
}

void Summary::on_end(uint64_t number, const CommandRow& row, bool is_read, bool is_write) {
    ++commands_;
    ++outcomes_[static_cast<size_t>(row.outcome)];
    const bool answered = row.response_packet != 0 || row.outcome == Outcome::completed;
    const bool unknown_outcome = row.outcome == Outcome::unknown;
    const uint64_t bytes = row.bytes == unknown<uint64_t> ? 0 : row.bytes;
    const uint64_t moved = moved_bytes(row);
    const uint64_t known_moved = moved == unknown<uint64_t> ? 0 : moved;
    if (row.session != 0 && row.session <= sessions_.size()) {
        SessionLoad& load = sessions_[row.session - 1];
        const bool ended_early = row.outcome == Outcome::rejected || row.outcome == Outcome::terminated;
        if (!answered && !unknown_outcome && !ended_early && load.depth > 0 && row.request_packet != 0)
            --load.depth;
        // How much a bidirectional command reads stands in an AHS (RFC 7143 §11.2.2.4), which no row has.
        const bool bidirectional = is_read && is_write;
        if (answered && is_read && !bidirectional) load.bytes_read += known_moved;
        if (answered && is_write) load.bytes_written += known_moved;
        const bool may_have_moved = (is_read || is_write) && moved == unknown<uint64_t>;
        const bool untold = answered && (row.opcode == unknown<uint16_t> || bidirectional ||
                                         (may_have_moved && row.bytes != unknown<uint64_t>));
        if (unknown_outcome || untold) load.all_bytes_known = false;
    }

    const GroupKey key{group_name(row),
                       static_cast<unsigned>(bytes == 0 ? 0 : std::bit_width(bytes - 1) + 1)};
    if (last_group_ == nullptr || key != last_key_) {
        const auto found = groups_.find(key);
        const GroupKey place =
            found != groups_.end() || groups_.size() < max_groups ? key : GroupKey{"others", 0};
        last_group_ = &groups_[place];
        last_key_ = key;
    }
    Group& group = *last_group_;
    ++group.count;
    constexpr size_t listed = max_listed;
    if (row.ended_nobody_knows_when()) {
        ++group.untimed;
        ++untimed_;
    }
    if (!answered) {
        if (!unknown_outcome && unanswered_.size() < listed) unanswered_.push_back({number, row});
        return;
    }
    group.bytes += known_moved;
    if (ended_otherwise_than_good(row)) {
        ++group.not_good;
        constexpr size_t max_kinds = 256;
        const CommandEnding kind = ending_of(row);
        if (errors_.size() < max_kinds || errors_.contains(kind)) ++errors_[kind];
        if (not_good_.size() < listed) not_good_.push_back({number, row});
    }
    const int64_t turnaround = row.turnaround_ns();
    if (turnaround == no_time) return;
    group.turnaround.add(turnaround);
    if (row.session != 0 && row.session <= sessions_.size())
        sessions_[row.session - 1].turnarounds_ns += static_cast<double>(turnaround);
    if (turnaround <= slow_enough_ns_) return;
    const auto slower = [](const Listed& a, const Listed& b) {
        return a.row.turnaround_ns() > b.row.turnaround_ns();
    };
    const Listed entry{number, row};
    slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), entry, slower), entry);
    if (slowest_.size() > listed) slowest_.pop_back();
    if (slowest_.size() == listed) slow_enough_ns_ = slowest_.back().row.turnaround_ns();
}

void Summary::leave_out_depths(uint32_t session) {
    if (session != 0 && session <= sessions_.size()) sessions_[session - 1].depths_in_doubt = true;
}

bool Summary::leave_out_times_below(int64_t least_ns) {
    bool any = false;
    for (auto& [key, group] : groups_) {
        const uint64_t timed = group.turnaround.count();
        if (timed == 0 || group.turnaround.percentile_ns(0.5) >= least_ns) continue;
        group.untimed += timed;
        untimed_ += timed;
        group.turnaround = {};
        any = true;
    }
    std::erase_if(slowest_, [&](const Listed& listed) { return listed.row.turnaround_ns() < least_ns; });
    return any;
}

}  // namespace sanscope
