// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/session_windows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "analyzer/store/window_aggregate.h"

namespace sanscope {
namespace {

uint32_t permille(double share) {
    return static_cast<uint32_t>(std::lround(1000 * share));
}

// The windows of one role's end of all connections of a session.
class SessionWindows {
  public:
    // Returns the connection's place among them.
    uint32_t add_connection(const ConnectionRow& row, bool is_initiator) {
        bytes_.push_back(static_cast<double>(is_initiator ? row.bytes_out : row.bytes_in));
        if (row.mss != unknown<uint32_t>)
            mss_ = mss_ == unknown<uint32_t> ? row.mss : std::min(mss_, row.mss);
        return static_cast<uint32_t>(bytes_.size() - 1);
    }

    // Those of one connection come in order of time, and of one alone they need not wait for others.
    void change(int64_t time_ns, uint32_t place, uint32_t cwnd) {
        if (bytes_.size() > 1) return changes_.push_back({time_ns, place, cwnd});
        if (aggregate_ == nullptr) aggregate_ = std::make_unique<WindowAggregate>(1);
        apply({time_ns, place, cwnd});
    }

    void finish(SessionWindowsRow& row) {
        if (const auto index = jain_index(bytes_)) row.jain_throughput_permille = permille(*index);
        row.mss = mss_;
        if (!changes_.empty()) {
            std::ranges::stable_sort(changes_, {}, &Change::time_ns);
            aggregate_ = std::make_unique<WindowAggregate>(bytes_.size());
            for (const Change& change : changes_) apply(change);
            std::vector<Change>().swap(changes_);
        }
        if (aggregate_ == nullptr || aggregate_->known_share() <= 0) return;
        constexpr double percent = 100;
        row.cwnd_known_percent = static_cast<uint32_t>(percent * aggregate_->known_share());
        if (!aggregate_->is_known()) return;
        const Moments& sum = aggregate_->sum();
        row.cwnd_mean = static_cast<uint64_t>(std::llround(sum.mean()));
        row.cwnd_sd = static_cast<uint64_t>(std::llround(sum.standard_deviation()));
        row.cwnd_sd_percent = static_cast<uint32_t>(std::lround(sum.percent_deviation()));
        if (const auto deviation = aggregate_->difference_deviation())
            row.cwnd_difference_sd = static_cast<uint64_t>(std::llround(*deviation));
        if (const auto index = aggregate_->fairness()) row.jain_cwnd_permille = permille(*index);
    }

    static constexpr uint32_t ended = unknown<uint32_t> - 1;  // instead of a window: the connection is over

  private:
    struct Change {
        int64_t time_ns;
        uint32_t place;
        uint32_t cwnd;
    };

    void apply(const Change& change) {
        if (change.cwnd == ended) return aggregate_->end(change.time_ns, change.place);
        const bool is_known = change.cwnd != unknown<uint32_t>;
        aggregate_->set(change.time_ns, change.place,
                        is_known ? std::optional<double>(change.cwnd) : std::nullopt);
    }

    std::vector<double> bytes_;  // of each connection
    uint32_t mss_ = unknown<uint32_t>;
    std::vector<Change> changes_;
    std::unique_ptr<WindowAggregate> aggregate_;
};

// One end of a connection as its windows come.
struct Sender {
    SessionWindows* session = nullptr;  // nullptr: of none
    uint32_t place = 0;
    bool begun = false;
    uint32_t cwnd = unknown<uint32_t>;
    int64_t last_ns = no_time;
};

}  // namespace

void fill_session_windows(const ChunkedRows<WindowRow>& windows,
                          const ChunkedRows<ConnectionRow>& connections, ChunkedRows<SessionRow>& sessions) {
    std::vector<SessionWindows> each(2 * sessions.size());
    std::vector<Sender> senders(2 * connections.size());
    std::vector<bool> sessions_heard_in_part(sessions.size());
    for (size_t i = 0; i < connections.size(); ++i) {
        const ConnectionRow& row = connections[i];
        if (row.session == 0 || row.session > sessions.size()) continue;
        if (row.packets_out == 0 || row.packets_in == 0) sessions_heard_in_part.at(row.session.index()) = true;
        for (const Role role : {Role::initiator, Role::target}) {
            SessionWindows& session = each[2 * row.session.index() + index_of(role)];
            Sender& sender = senders[2 * i + index_of(row.side_of(role))];
            sender.session = &session;
            sender.place = session.add_connection(row, role == Role::initiator);
        }
    }
    for (const WindowRow& row : windows) {
        if (row.connection == 0 || row.connection > connections.size()) continue;
        Sender& sender = senders[2 * row.connection.index() + index_of(row.sender)];
        if (sender.session == nullptr) continue;
        sender.last_ns = std::max(sender.last_ns, row.time_ns);
        if (sender.begun && row.cwnd == sender.cwnd) continue;
        sender.begun = true;
        sender.cwnd = row.cwnd;
        sender.session->change(sender.last_ns, sender.place, row.cwnd);
    }
    for (size_t i = 0; i < senders.size(); ++i) {
        const Sender& sender = senders[i];
        if (!sender.begun) continue;
        const int64_t end_ns = std::max(sender.last_ns, connections[i / 2].end_ns);
        sender.session->change(end_ns, sender.place, SessionWindows::ended);
    }
    for (size_t i = 0; i < sessions.size(); ++i) {
        if (sessions_heard_in_part[i]) continue;
        each[2 * i + index_of(Role::initiator)].finish(sessions[i].windows_out);
        each[2 * i + index_of(Role::target)].finish(sessions[i].windows_in);
    }
}

}  // namespace sanscope
