// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/service_times.h"

#include <algorithm>
#include <tuple>

#include "analyzer/budget/budget_parts.h"
#include "analyzer/scsi/moved_bytes.h"

namespace sanscope {
namespace {

constexpr size_t most_groups = 256;
// A command that found no more than this part of the usual number under way saw little of a queue at the target.
constexpr uint32_t little_of_depth = 4;

bool is_of(const HostPairSpans& flow, const ConnectionRow& row) {
    return flow.initiator == row.initiator.address && flow.target == row.target.address;
}

// Of a read's time before its data, beyond the round trip: that in which nothing at all came from its target's host. What a
// queue on a shared path holds back, comes as a flow.
int64_t undisturbed_ns(const CommandRow& row, const ConnectionWaits& waits) {
    const int64_t first_ns = first_data_began_ns(row);
    if (!is_read(row) || first_ns == no_time || waits.beside == nullptr) return 0;
    return served_ns(row.request_ns, first_ns, waits, *waits.beside);
}

// nullptr where the capture does not tell.
const PermissionWaitRow* first_permission_wait(const ResultStore& store, CommandNumber number) {
    if (!store.keeps_budgets()) return nullptr;
    const CommandMarks& marks = store.command_marks()[number.index()];
    if (marks.doubtful || marks.last_wait == 0) return nullptr;
    const PermissionWaitRow* wait = &store.permission_waits()[marks.last_wait - 1];
    while (wait->previous != 0) wait = &store.permission_waits()[wait->previous - 1];
    return wait;
}

// Over whichever connection they come, a target carries commands out in the order of their CmdSNs (RFC 7143 §4.2.2.1): one
// that came over a short path may wait for those that are still on a longer one, or were lost there.
void join_connections(std::span<const SenderFacts> senders,
                      std::map<uint32_t, ConnectionWaits>& by_connection) {
    std::map<uint32_t, std::vector<const SenderFacts*>> initiators;  // by session
    for (const SenderFacts& sender : senders) {
        if (sender.is_initiator && sender.connection->session != 0)
            initiators[sender.connection->session].push_back(&sender);
    }
    for (const auto& [session, of_session] : initiators) {
        int64_t longest_ns = 0;
        for (const SenderFacts* sender : of_session)
            longest_ns = std::max(longest_ns, by_connection[sender->number].rtt_ns);
        for (const SenderFacts* sender : of_session) {
            ConnectionWaits& waits = by_connection[sender->number];
            waits.longer_rtt_ns = longest_ns - waits.rtt_ns;
            for (const SenderFacts* other : of_session) {
                if (other == sender) continue;
                for (TimeSpans* all : {&waits.before_read_data, &waits.before_write_data}) {
                    all->add(other->timeouts.spans);
                    all->add(other->repairs);
                    all->add(other->stalls.spans);
                }
            }
        }
    }
}

TimeSpans& of_hosts(std::vector<HostPairSpans>& all, const ConnectionRow& row) {
    auto found = std::ranges::find_if(all, [&](const HostPairSpans& one) { return is_of(one, row); });
    if (found == all.end())
        found = all.insert(found, {row.initiator.address, row.target.address, TimeSpans()});
    return found->spans;
}

}  // namespace

std::vector<HostPairSpans> shared_flows(std::span<const SenderFacts> senders) {
    std::vector<HostPairSpans> flows;
    for (const SenderFacts& sender : senders) {
        if (!sender.is_initiator) of_hosts(flows, *sender.connection).add(sender.flowing);
    }
    for (HostPairSpans& flow : flows) flow.spans.finish();
    return flows;
}

std::vector<HostPairSpans> shared_clock_jumps(std::span<const SenderFacts> senders) {
    std::vector<HostPairSpans> jumps;
    for (const SenderFacts& sender : senders) {
        if (sender.clock_jumps.count > 0) of_hosts(jumps, *sender.connection).add(sender.clock_jumps.spans);
    }
    for (HostPairSpans& jump : jumps) jump.spans.finish();
    return jumps;
}

const TimeSpans* spans_between(std::span<const HostPairSpans> all, const ConnectionRow& connection) {
    const auto found =
        std::ranges::find_if(all, [&](const HostPairSpans& one) { return is_of(one, connection); });
    return found == all.end() ? nullptr : &found->spans;
}

std::map<uint32_t, ConnectionWaits> waits_of(std::span<const SenderFacts> senders,
                                             std::span<const HostPairSpans> flows,
                                             std::span<const HostPairSpans> jumps,
                                             const TimeBudgets* budgets) {
    std::map<uint32_t, ConnectionWaits> by_connection;
    for (const SenderFacts& sender : senders) {
        ConnectionWaits& waits = by_connection[sender.number];
        waits.budgets = budgets;
        (sender.is_initiator ? waits.initiator : waits.target) = &sender;
        if (const TimeSpans* const flow = spans_between(flows, *sender.connection)) waits.beside = flow;
        const TimeSpans* const jumped = spans_between(jumps, *sender.connection);
        waits.timeouts.add(sender.timeouts.spans);
        waits.repairs.add(sender.repairs);
        waits.stalls.add(sender.stalls.spans);
        waits.stood_still.add(sender.silences);
        waits.stood_still.add(sender.clock_jumps.spans);
        for (TimeSpans* all :
             {&waits.before_read_data, &waits.before_write_data, &waits.before_write_status}) {
            all->add(sender.timeouts.spans);
            all->add(sender.repairs);
            all->add(sender.stalls.spans);
            all->add(sender.ack_waits.spans);
            if (jumped != nullptr) all->add(*jumped);
        }
        // An answer stands in the target's socket behind the read data before it.
        if (sender.is_initiator) {
            waits.before_write_data.add(sender.flowing);
            waits.before_write_data.add(sender.held_back);
            for (TimeSpans* all :
                 {&waits.before_read_data, &waits.before_write_data, &waits.before_write_status})
                all->add(sender.late_acks);
            waits.unproven.add(sender.unproven_acks);
            if (sender.rtt_min_ns() != no_time) waits.least_rtt_ns = round_trip_ns(sender.rtt_min_ns());
            waits.silences.add(sender.silences);
            // Captured before the path, the last data of a write may still wait behind others where these are many.
            constexpr uint32_t many_segments = 8;
            const bool is_flow = sender.in_flight_p50 >= many_segments * sender.mss();
            if (is_flow && sender.connection->vantage != Vantage::target)
                waits.before_write_status.add(sender.flowing);
        } else {
            waits.silences.add(sender.silences);
            waits.unseen_losses.add(sender.unseen_losses);
            for (TimeSpans* all : {&waits.before_read_data, &waits.before_write_status}) {
                all->add(sender.flowing);
                all->add(sender.held_back);
            }
        }
        constexpr uint64_t least_losses = 3;
        if (sender.connection->vantage != Vantage::target) {
            waits.losses_before_tap += sender.repaired();
            if (sender.repaired() >= least_losses) waits.loses_before_tap = true;
        }
        const int64_t rtt_ns = sender.loaded_rtt_ns();
        if (rtt_ns != no_time) waits.rtt_ns = std::max(waits.rtt_ns, rtt_ns);
        waits.is_at_initiator = sender.connection->vantage == Vantage::initiator;
        if (sender.connection->vantage == Vantage::target) waits.rtt_behind_tap_ns = waits.rtt_ns;
        if (sender.connection->vantage == Vantage::target || (sender.is_initiator && sender.has_windows))
            waits.request_times_known = true;
    }
    join_connections(senders, by_connection);
    for (auto& [number, waits] : by_connection) {
        for (TimeSpans* spans :
             {&waits.timeouts, &waits.repairs, &waits.stalls, &waits.stood_still, &waits.before_read_data,
              &waits.before_write_data, &waits.before_write_status, &waits.unproven, &waits.silences,
              &waits.unseen_losses})
            spans->finish();
    }
    return by_connection;
}

int64_t unproven_ns(int64_t sent_ns, int64_t answered_ns, const ConnectionWaits& waits) {
    if (sent_ns == no_time || elapsed_ns(sent_ns, answered_ns) == 0) return 0;
    // An acknowledgement is late from a round trip behind what it acknowledges on.
    const auto late_until_ns = waits.unproven.end_of_first_ns(sent_ns, sent_ns + (2 * waits.least_rtt_ns));
    const int64_t had_ns = std::min(late_until_ns.value_or(sent_ns), answered_ns);
    return elapsed_ns(sent_ns, had_ns) + waits.silences.overlap_ns(had_ns, answered_ns);
}

int64_t served_ns(int64_t begin_ns, int64_t end_ns, const ConnectionWaits& waits, const TimeSpans& others,
                  int64_t not_before_ns) {
    const int64_t wait_ns =
        elapsed_ns(begin_ns, end_ns) - (waits.rtt_ns - waits.rtt_behind_tap_ns) - not_before_ns;
    return wait_ns <= 0 ? 0 : wait_ns - others.overlap_ns(begin_ns, begin_ns + wait_ns);
}

int64_t in_order_ns(CommandNumber number, const CommandRow& row, const ConnectionWaits& waits) {
    const CommandOrder::Wait* const order = waits.order_of(number);
    return order == nullptr ? row.request_ns : row.request_ns + order->late_ns;
}

ServiceTime service_time(const ResultStore& store, CommandNumber number, const CommandRow& row,
                         const ConnectionWaits& waits) {
    ServiceTime time;
    time.retried = store.keeps_budgets() && store.command_marks()[number.index()].retried;
    if (time.retried) return time;
    const int64_t from_ns = in_order_ns(number, row, waits);
    if (is_read(row)) {
        int64_t first_ns = first_data_began_ns(row);
        if (first_ns == no_time) first_ns = row.response_ns;
        time.status_ns = served_ns(from_ns, first_ns, waits, waits.before_read_data, waits.longer_rtt_ns);
        time.unproven_ns = sanscope::unproven_ns(row.request_ns, row.response_ns, waits);
        return time;
    }
    if (!is_write(row)) {
        time.unproven_ns = sanscope::unproven_ns(row.request_ns, row.response_ns, waits);
        return time;
    }
    // Each R2T was answered by a Data-Out PDU at least; the request and the response are two more.
    const bool data_unseen =
        row.r2ts > 0 && (row.last_data_ns == no_time || row.pdus < 2 + 2 * uint64_t{row.r2ts});
    const int64_t last_ns = row.last_data_ns != no_time ? row.last_data_ns : row.request_ns;
    time.unproven_ns = sanscope::unproven_ns(last_ns, row.response_ns, waits);
    if (data_unseen) return time;
    time.status_ns = served_ns(std::max(last_ns, from_ns), row.response_ns, waits, waits.before_write_status);
    if (row.r2ts > 0 && row.first_data_ns != no_time) {
        if (const PermissionWaitRow* const wait = first_permission_wait(store, number)) {
            time.first_r2t_ns = served_ns(std::max(wait->begin_ns, from_ns), wait->end_ns, waits,
                                          waits.before_write_data, waits.longer_rtt_ns);
            const int64_t first_ns = first_data_began_ns(row);
            const int64_t behind_ns =
                elapsed_ns(wait->end_ns, first_ns) - (waits.is_at_initiator ? 0 : waits.rtt_ns);
            time.r2t_answered = first_ns >= wait->end_ns;
            if (behind_ns > 0) {
                time.initiator_ns =
                    behind_ns - waits.before_write_data.overlap_ns(wait->end_ns, wait->end_ns + behind_ns);
            }
            time.unproven_ns += sanscope::unproven_ns(wait->begin_ns, wait->end_ns, waits);
        }
    }
    return time;
}

int64_t data_pauses_ns(CommandNumber number, const CommandRow& row, const ConnectionRow& connection,
                       const ConnectionWaits& waits) {
    constexpr int64_t least_data_ns = 2'000'000;  // sooner than that there is nothing to ask for
    const int64_t first_ns = first_data_began_ns(row);
    if (waits.budgets == nullptr || first_ns == no_time ||
        elapsed_ns(first_ns, row.response_ns) < least_data_ns)
        return 0;
    // Until then the target served the command: longest where the way was the shortest.
    const int64_t way_ns = connection.vantage == Vantage::initiator ? connection.rtt_min_ns
                           : connection.vantage == Vantage::middle  ? connection.rtt_to_target_ns
                                                                    : 0;
    const int64_t served_ns = elapsed_ns(row.request_ns, first_ns) - std::max<int64_t>(0, way_ns);
    return std::max<int64_t>(0,
                             waits.budgets->of(number)[BudgetPart::target] - std::max<int64_t>(0, served_ns));
}

std::string_view write_service_words(int64_t first_r2t_ns, int64_t whole_ns) {
    constexpr int64_t little = 10;
    if (first_r2t_ns <= whole_ns / little) return "from the last data to the status";
    if (first_r2t_ns >= whole_ns - (whole_ns / little)) return "from the request to the first R2T";
    return "to the first R2T, and from the last data to the status";
}

bool answer_may_have_been_lost(const CommandRow& row, const ConnectionWaits& waits) {
    const int64_t first_ns = is_read(row) ? first_data_began_ns(row) : no_time;
    const int64_t answer_ns = first_ns != no_time ? first_ns : row.response_ns;
    return waits.unseen_losses.overlap_ns(row.request_ns, answer_ns + 1) > 0;
}

std::vector<ServiceTimes> find_service_times(const ResultStore& store, const CommandFacts& commands,
                                             const std::map<uint32_t, ConnectionWaits>& waits,
                                             const Stop& stop) {
    std::map<std::tuple<uint32_t, uint64_t, bool>, ServiceTimes> groups;
    uint64_t number = 0;
    uint32_t session = 0;
    uint32_t little = 1;
    ServiceTimes* group = nullptr;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return {};
        const bool write = is_write(row);
        const uint64_t moved = row.status == 0 ? moved_bytes(row) : 0;
        if ((!write && !is_read(row)) || moved == 0 || moved == unknown<uint64_t> ||
            elapsed_ns(row.request_ns, row.response_ns) == 0)
            continue;
        const auto found = waits.find(row.connection);
        if (found == waits.end()) continue;
        const ServiceTime time = service_time(store, CommandNumber(number), row, found->second);
        const int64_t service_ns = time.whole_ns();
        if (service_ns == no_time) continue;
        if (group == nullptr || group->session != row.session || group->lun != row.lun ||
            group->writes != write) {
            const std::tuple key(row.session, row.lun, write);
            if (groups.size() >= most_groups && !groups.contains(key)) continue;
            group = &groups[key];
            group->session = row.session;
            group->lun = row.lun;
            group->writes = write;
            if (group->connection == 0) group->connection = row.connection;
        }
        if (session != row.session) {
            session = row.session;
            const SessionFacts* facts = commands.session(session);
            little = facts == nullptr ? 1 : std::max(facts->depth(0.5) / little_of_depth, 1u);
        }
        if (group->first_ns == no_time) group->first_ns = row.request_ns;
        group->last_ns = std::max(group->last_ns, row.response_ns);
        group->service.add(service_ns);
        group->undisturbed.add(std::min(service_ns, undisturbed_ns(row, found->second)));
        if (found->second.request_times_known && 2 * time.unproven_ns <= service_ns) ++group->proven;
        if (row.queue_depth <= little) group->alone.add(service_ns);
        group->turnaround.add(elapsed_ns(row.request_ns, row.response_ns) + found->second.rtt_behind_tap_ns);
        group->service_sum_ns += static_cast<double>(service_ns);
        group->first_r2t_sum_ns += static_cast<double>(time.first_r2t_ns);
        group->turnaround_sum_ns += static_cast<double>(elapsed_ns(row.request_ns, row.response_ns) +
                                                        found->second.rtt_behind_tap_ns);
        if (write && time.r2t_answered) {
            if (time.initiator_ns >= group->by_initiator.max_ns()) {
                group->latest_answer = &row;
                group->latest_answer_command = number;
            }
            group->by_initiator.add(time.initiator_ns);
            group->by_initiator_sum_ns += static_cast<double>(time.initiator_ns);
        }
        if (!write) {
            const int64_t pauses_ns =
                data_pauses_ns(CommandNumber(number), row, store.connection(row.connection), found->second);
            if (pauses_ns > group->data_pauses.max_ns()) {
                group->longest_pauses = &row;
                group->longest_pauses_command = number;
            }
            group->data_pauses.add(pauses_ns);
            group->data_pauses_sum_ns += static_cast<double>(pauses_ns);
        }
        group->bytes += moved;
        if (service_ns >= group->service.max_ns()) {
            group->slowest = &row;
            group->slowest_command = number;
        }
    }
    std::vector<ServiceTimes> times;
    times.reserve(groups.size());
    for (auto& [key, one] : groups) times.push_back(std::move(one));
    return times;
}

}  // namespace sanscope
