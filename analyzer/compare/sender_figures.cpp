// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/sender_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

// The senders of one role of all connections of a session.
struct Sender {
    uint64_t bytes = 0;
    double segments = 0;
    BlockedSums cwnd;
    BlockedSums srtt;
    BlockedSums in_flight;
    std::array<BlockedSums, send_limits> limited;
    BlockedSums repairing;
    std::array<double, TimeBlocks::count> lost{};
    std::array<double, TimeBlocks::count> needless{};
};

constexpr size_t roles = 2;
using Senders = std::vector<std::array<Sender, roles>>;

// What the connection's segments held, where its SYNs were not captured: an Ethernet's.
double segment_size(const ConnectionRow& row) {
    constexpr double ethernet_mss = 1448;
    return row.mss == unknown<uint32_t> || row.mss == 0 ? ethernet_mss : row.mss;
}

class Pass {
  public:
    Pass(const ResultStore& store, const SessionGroups& sessions)
        : store_(store),
          sessions_(sessions),
          senders_(sessions.groups.size()),
          last_(2 * store.connections().size()) {
        uint32_t number = 0;
        for (const ConnectionRow& row : store.connections()) {
            const size_t group = sessions.group_of_connection(++number);
            if (group == SessionGroups::none) continue;
            const double segment = segment_size(row);
            const auto add = [&](Role role, uint64_t bytes) {
                Sender& sender = senders_[group][static_cast<size_t>(role)];
                sender.bytes += bytes;
                sender.segments += static_cast<double>(bytes) / segment;
            };
            add(Role::initiator, row.bytes_out);
            add(Role::target, row.bytes_in);
        }
    }

    Senders run() {
        store_.windows().for_each_run([&](std::span<const WindowRow> rows, size_t) {
            for (const WindowRow& row : rows) add(row);
        });
        for (const LossRow& row : store_.losses()) add(row);
        return std::move(senders_);
    }

  private:
    Sender* sender_of(ConnectionNumber connection, Side side, size_t& group) {
        group = sessions_.group_of_connection(connection);
        if (group == SessionGroups::none) return nullptr;
        return &senders_[group][static_cast<size_t>(store_.connection(connection).role_of(side))];
    }

    // A row's figures hold until the next one of its sender.
    void add(const WindowRow& row) {
        size_t group = 0;
        Sender* const sender = sender_of(row.connection, row.sender, group);
        if (sender == nullptr) return;
        std::optional<WindowRow>& before =
            last_[2 * row.connection.index() + (row.sender == Side::b ? 1 : 0)];
        if (before && row.time_ns > before->time_ns) {
            const WindowRow& held = *before;
            sessions_.groups[group].blocks.spread(held.time_ns, row.time_ns, [&](size_t block, double ns) {
                if (held.cwnd != unknown<uint32_t>) sender->cwnd.add(block, held.cwnd * ns, ns);
                if (held.srtt_ns != no_time)
                    sender->srtt.add(block, static_cast<double>(held.srtt_ns) * ns, ns);
                sender->in_flight.add(block, held.in_flight * ns, ns);
                for (size_t limit = 0; limit < send_limits; ++limit)
                    sender->limited[limit].add(block, static_cast<size_t>(held.limit) == limit ? ns : 0, ns);
                const bool repairs = held.ca_state == CaState::recovery || held.ca_state == CaState::loss;
                sender->repairing.add(block, repairs ? ns : 0, ns);
            });
        }
        if (!before || row.time_ns >= before->time_ns) before = row;
    }

    void add(const LossRow& row) {
        size_t group = 0;
        Sender* const sender = sender_of(row.connection, row.sender, group);
        if (sender == nullptr || !is_sent_again(row.kind)) return;
        const double segments =
            std::max(1.0, std::round(row.length / segment_size(store_.connection(row.connection))));
        const size_t block = sessions_.groups[group].blocks.index_of(row.time_ns);
        (row.kind == LossKind::spurious ? sender->needless : sender->lost)[block] += segments;
    }

    const ResultStore& store_;
    const SessionGroups& sessions_;
    Senders senders_;
    std::vector<std::optional<WindowRow>> last_;  // by connection and side
};

// Round trips hold what the hosts' schedulers take, which other programs change; a few segments more or less in flight are the
// application's doing.
constexpr double least_round_trip_ns = 50'000;
constexpr double least_window_bytes = 10 * 1448;

void add_figures(const Sender& sender, const std::string& role, std::vector<Figure>& figures) {
    const FigurePlace place{.command = "", .sender = role};
    const auto add = [&](const std::string& name, Unit unit, Scale scale, const Estimate& estimate,
                         double least_change = 0) {
        if (estimate.known)
            figures.push_back({name, unit, scale, RestsOn::view, place, estimate, least_change});
    };
    add("lost_segment_share", Unit::share, Scale::rare, estimate_rate(sender.lost, sender.segments));
    add("needless_segment_share", Unit::share, Scale::rare, estimate_rate(sender.needless, sender.segments));
    add("cwnd_bytes", Unit::bytes, Scale::ratio, estimate_quotient(sender.cwnd, Scale::ratio),
        least_window_bytes);
    add("in_flight_bytes", Unit::bytes, Scale::ratio, estimate_quotient(sender.in_flight, Scale::ratio),
        least_window_bytes);
    add("srtt_ns", Unit::nanoseconds, Scale::ratio, estimate_quotient(sender.srtt, Scale::ratio),
        least_round_trip_ns);
    for (size_t limit = 0; limit < send_limits; ++limit) {
        add("limited_by_" + std::string(send_limit_names[limit]) + "_share", Unit::share, Scale::difference,
            estimate_quotient(sender.limited[limit], Scale::difference));
    }
    add("recovery_and_loss_share", Unit::share, Scale::difference,
        estimate_quotient(sender.repairing, Scale::difference));
}

}  // namespace

void add_sender_figures(const ResultStore& store, SessionGroups& sessions) {
    // Who sends only commands or acknowledgements has a window that nothing asks for.
    constexpr double least_segments = 200;
    const Senders senders = Pass(store, sessions).run();
    for (size_t i = 0; i < senders.size(); ++i) {
        SessionGroups::Group& group = sessions.groups[i];
        if (group.blocks.empty()) continue;
        for (const Role role : {Role::initiator, Role::target}) {
            const Sender& sender = senders[i][static_cast<size_t>(role)];
            if (sender.segments < least_segments) continue;
            add_figures(sender, role == Role::initiator ? "initiator" : "target", group.figures.figures);
        }
    }
}

}  // namespace sanscope
