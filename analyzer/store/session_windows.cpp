// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/session_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "analyzer/store/window_aggregate.h"

namespace sanscope {
namespace {

uint32_t permille(double share) {
    return static_cast<uint32_t>(std::lround(1000 * share));
}

void enter_sum(SessionWindowsRow& row, const Moments& sum, double known_share) {
    if (known_share <= 0) return;
    constexpr double percent = 100;
    row.cwnd_known_percent = static_cast<uint32_t>(percent * known_share);
    if (known_share < least_known_share) return;
    row.cwnd_mean = static_cast<uint64_t>(std::llround(sum.mean()));
    row.cwnd_sd = static_cast<uint64_t>(std::llround(sum.standard_deviation()));
    row.cwnd_sd_percent = static_cast<uint32_t>(std::lround(sum.percent_deviation()));
}

// The windows of one role's end of all connections of a session.
class SessionWindows {
  public:
    // Returns the connection's place among them.
    uint32_t add_connection(const ConnectionRow& row, bool is_initiator) {
        bytes_.push_back(static_cast<double>(is_initiator ? row.bytes_out : row.bytes_in));
        const auto start_ns = static_cast<double>(row.start_ns);
        const auto end_ns = static_cast<double>(row.end_ns);
        first_start_ns_ = std::min(first_start_ns_, start_ns);
        last_start_ns_ = std::max(last_start_ns_, start_ns);
        first_end_ns_ = std::min(first_end_ns_, end_ns);
        last_end_ns_ = std::max(last_end_ns_, end_ns);
        if (row.mss != unknown<uint32_t>)
            mss_ = mss_ == unknown<uint32_t> ? row.mss : std::min(mss_, row.mss);
        return static_cast<uint32_t>(bytes_.size() - 1);
    }
    bool has_several() const { return bytes_.size() > 1; }

    void change(int64_t time_ns, uint32_t place, uint32_t cwnd) {
        changes_.push_back({time_ns, place, cwnd});
    }

    void finish_one(const WindowOverTime& cwnd, SessionWindowsRow& row) const {
        row.mss = mss_;
        enter_sum(row, cwnd.known(), cwnd.known_share());
    }

    void finish_several(SessionWindowsRow& row) {
        const auto evenness = jain_index(bytes_);
        if (evenness && were_together()) row.jain_throughput_permille = permille(*evenness);
        row.mss = mss_;
        std::ranges::stable_sort(changes_, {}, &Change::time_ns);
        WindowAggregate aggregate(bytes_.size());
        for (const Change& change : changes_) apply(change, aggregate);
        std::vector<Change>().swap(changes_);
        enter_sum(row, aggregate.sum(), aggregate.known_share());
        if (!aggregate.is_known()) return;
        if (const auto deviation = aggregate.difference_deviation())
            row.cwnd_difference_sd = static_cast<uint64_t>(std::llround(*deviation));
        if (const auto index = aggregate.fairness()) row.jain_cwnd_permille = permille(*index);
    }

    static constexpr uint32_t ended = unknown<uint32_t> - 1;  // instead of a window: the connection is over

  private:
    struct Change {
        int64_t time_ns;
        uint32_t place;
        uint32_t cwnd;
    };

    // One that came late, or took the place of another, carried less for want of time.
    bool were_together() const {
        return first_end_ns_ - last_start_ns_ >= least_known_share * (last_end_ns_ - first_start_ns_);
    }

    static void apply(const Change& change, WindowAggregate& aggregate) {
        if (change.cwnd == ended) return aggregate.end(change.time_ns, change.place);
        const bool is_known = change.cwnd != unknown<uint32_t>;
        aggregate.set(change.time_ns, change.place,
                      is_known ? std::optional<double>(change.cwnd) : std::nullopt);
    }

    std::vector<double> bytes_;  // of each connection
    double first_start_ns_ = std::numeric_limits<double>::infinity();
    double last_start_ns_ = -std::numeric_limits<double>::infinity();
    double first_end_ns_ = std::numeric_limits<double>::infinity();
    double last_end_ns_ = -std::numeric_limits<double>::infinity();
    uint32_t mss_ = unknown<uint32_t>;
    std::vector<Change> changes_;
};

// One end of a connection as its windows come.
struct Sender {
    SessionWindows* session = nullptr;  // nullptr: of none
    SessionWindowsRow* row = nullptr;
    uint32_t place = 0;
    bool begun = false;
    uint32_t cwnd = unknown<uint32_t>;
    int64_t last_ns = no_time;
};

class SessionsWindows {
  public:
    SessionsWindows(const WindowsOfConnections& of, ChunkedRows<SessionRow>& sessions)
        : of_(of),
          sessions_(sessions),
          each_(2 * sessions.size()),
          senders_(2 * of.connections.size()),
          heard_in_part_(sessions.size()) {}

    void fill() {
        find_senders();
        for (const SenderSummary& summary : of_.senders) fill_from(summary);
        if (std::ranges::none_of(each_, &SessionWindows::has_several)) return;
        put_together();
        for (size_t i = 0; i < sessions_.size(); ++i) {
            if (heard_in_part_[i]) continue;
            finish_several(i, Role::initiator, sessions_[i].windows_out);
            finish_several(i, Role::target, sessions_[i].windows_in);
        }
    }

  private:
    void find_senders() {
        for (size_t i = 0; i < of_.connections.size(); ++i) {
            const ConnectionRow& row = of_.connections[i];
            if (row.session == 0 || row.session > sessions_.size()) continue;
            const size_t session = row.session.index();
            if (row.packets_out == 0 || row.packets_in == 0 || !row.tcp_is_judged())
                heard_in_part_.at(session) = true;
            for (const Role role : {Role::initiator, Role::target}) {
                Sender& sender = senders_[2 * i + index_of(row.side_of(role))];
                sender.session = &each_[2 * session + index_of(role)];
                sender.row = role == Role::initiator ? &sessions_[session].windows_out
                                                     : &sessions_[session].windows_in;
                sender.place = sender.session->add_connection(row, role == Role::initiator);
            }
        }
    }

    void fill_from(const SenderSummary& summary) {
        if (summary.connection() == 0 || summary.connection() > of_.connections.size()) return;
        const ConnectionRow& connection = of_.connections[summary.connection() - 1];
        const Sender& sender = senders_[size_t{2} * (summary.connection() - 1) + index_of(summary.side())];
        if (sender.session == nullptr || sender.session->has_several()) return;
        if (heard_in_part_[connection.session.index()]) return;
        sender.session->finish_one(summary.cwnd_until(connection.end_ns), *sender.row);
    }

    void put_together() {
        of_.windows.for_each_run([&](std::span<const WindowRow> rows, size_t) {
            for (const WindowRow& row : rows) take(row);
        });
        for (size_t i = 0; i < senders_.size(); ++i) {
            const Sender& sender = senders_[i];
            if (!sender.begun) continue;
            const int64_t end_ns = std::max(sender.last_ns, of_.connections[i / 2].end_ns);
            sender.session->change(end_ns, sender.place, SessionWindows::ended);
        }
    }

    void take(const WindowRow& row) {
        if (row.connection == 0 || row.connection > of_.connections.size()) return;
        Sender& sender = senders_[2 * row.connection.index() + index_of(row.sender)];
        if (sender.session == nullptr || !sender.session->has_several()) return;
        sender.last_ns = std::max(sender.last_ns, row.time_ns);
        if (sender.begun && row.cwnd == sender.cwnd) return;
        sender.begun = true;
        sender.cwnd = row.cwnd;
        sender.session->change(sender.last_ns, sender.place, row.cwnd);
    }

    void finish_several(size_t session, Role role, SessionWindowsRow& row) {
        SessionWindows& windows = each_[2 * session + index_of(role)];
        if (windows.has_several()) windows.finish_several(row);
    }

    const WindowsOfConnections& of_;
    ChunkedRows<SessionRow>& sessions_;
    std::vector<SessionWindows> each_;
    std::vector<Sender> senders_;
    std::vector<bool> heard_in_part_;
};

}  // namespace

void fill_session_windows(const WindowsOfConnections& of, ChunkedRows<SessionRow>& sessions) {
    SessionsWindows(of, sessions).fill();
}

}  // namespace sanscope
