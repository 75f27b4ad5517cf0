// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/queue_depth.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/base/serial32.h"

namespace sanscope {
namespace {

// A command whose status came, or may have come, nobody knows when: it ends with an unpaired status.
bool ends_unseen(const CommandRow& row) {
    return row.response_packet == 0 && (row.outcome == Outcome::completed || row.outcome == Outcome::unknown);
}

// When a packet passed. Packets of several queues of one interface may be in the file in another order than that of their times;
// where the clock was set, their order alone counts, and every time is 0.
using OrderKey = std::pair<int64_t, PacketNumber>;

class PacketOrder {
  public:
    explicit PacketOrder(const ChunkedRows<CommandRow>& commands) : by_time_(tell_the_order(commands)) {}

    OrderKey of_request(const CommandRow& row) const {
        return {by_time_ ? row.request_ns : 0, row.request_packet};
    }
    // Packet 0 where nothing ended it.
    OrderKey of_end(const CommandRow& row) const {
        if (by_time_ || row.response_packet != 0)
            return {by_time_ ? row.response_ns : 0, row.response_packet};
        return {0, row.aborted_packet};
    }

  private:
    // Whether all times are known, and none is much earlier than that of a packet before.
    static bool tell_the_order(const ChunkedRows<CommandRow>& commands) {
        constexpr int64_t much_ns = 100'000'000;
        PacketNumber packet = 0;
        int64_t latest_ns = std::numeric_limits<int64_t>::min() + much_ns;
        for (const CommandRow& row : commands) {
            if (row.request_packet == 0) continue;
            const bool ends_without_time =
                row.response_packet != 0 ? row.response_ns == no_time : row.aborted_packet != 0;
            if (row.request_ns == no_time || ends_without_time) return false;
            if (row.response_packet > row.request_packet && row.response_ns < row.request_ns) return false;
            if (row.request_packet >= packet && row.request_ns < latest_ns - much_ns) return false;
            packet = std::max(packet, row.request_packet);
            latest_ns = std::max(latest_ns, row.request_ns);
        }
        return true;
    }

    bool by_time_;
};

// The commands under way in one session, as packet after packet passes.
class UnderWay {
  public:
    // Requests in order. Returns how many are under way then.
    uint32_t request(const CommandRow& row, uint64_t number, const PacketOrder& order) {
        while (!ends_.empty() && ends_.top().at <= order.of_request(row)) {
            const auto ended = newest_.find(ends_.top().key);
            if (ended != newest_.end() && ended->second == ends_.top().number) newest_.erase(ended);
            ends_.pop();
        }
        // One of which no tag is known is not ended by another's, nor one that ends with an unpaired status.
        const bool alone = row.itt == unknown<uint32_t> || ends_unseen(row);
        const uint64_t key = alone ? number << 32 | row.itt : row.itt;
        newest_[key] = number;
        const OrderKey end = order.of_end(row);
        if (end.second != 0) ends_.push({end, number, key});
        return static_cast<uint32_t>(newest_.size());
    }

  private:
    struct End {
        OrderKey at;
        uint64_t number;
        uint64_t key;
        bool operator>(const End& other) const { return at > other.at; }
    };
    std::unordered_map<uint64_t, uint64_t> newest_;  // by task tag
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// The statuses of one session that belong to no row, as packet after packet passes.
class Unpaired {
  public:
    void add(const UnpairedStatuses& statuses) { done_.push_back(statuses); }
    // Between the last add() and up_to().
    void begin() {
        begun_ = done_;
        std::ranges::sort(done_, {}, &UnpairedStatuses::last_packet);
        std::ranges::sort(begun_, {}, &UnpairedStatuses::first_packet);
    }
    uint64_t in_all() const {
        uint64_t sum = 0;
        for (const UnpairedStatuses& statuses : done_) sum += statuses.count;
        return sum;
    }
    // How many have come for certain, and how many may have.
    std::pair<uint64_t, uint64_t> up_to(PacketNumber packet) {
        for (; next_done_ < done_.size() && done_[next_done_].last_packet <= packet; ++next_done_)
            certain_ += done_[next_done_].count;
        for (; next_begun_ < begun_.size() && begun_[next_begun_].first_packet <= packet; ++next_begun_)
            possible_ += begun_[next_begun_].count;
        return {certain_, possible_};
    }

  private:
    std::vector<UnpairedStatuses> begun_;
    std::vector<UnpairedStatuses> done_;
    size_t next_begun_ = 0;
    size_t next_done_ = 0;
    uint64_t certain_ = 0;
    uint64_t possible_ = 0;
};

// What is known of one session while its requests are gone through in order.
struct SessionPass {
    UnderWay under_way;
    Unpaired ended;
    std::vector<UnlistedRequests> unlisted;
    std::vector<PacketNumber> responses_alone;  // of which no request is known
    size_t next_unlisted = 0;
    uint64_t unlisted_begun = 0;
    bool all_listed_or_counted = true;  // so far
    uint64_t unseen = 0;                // commands that end unseen
    uint64_t unseen_requested = 0;      // of these, requested by now
    PacketNumber last_packet = 0;       // of the request before
    PacketNumber last_alone = 0;        // of these, where they are more than the unlisted
    bool lacks_requests = false;        // by CmdSN, or as the capture began inside the session
    uint32_t cmd_sn = 0;                // of the request before
    bool cmd_sn_known = false;
    bool counted = true;   // how many statuses are unpaired
    uint64_t surplus = 0;  // of unpaired statuses: whose, no row shows
    uint64_t lack = 0;     // of unpaired statuses: some commands end nobody knows where

    // They are those of requests that are not listed, and of others that came nobody knows when.
    void take_responses_alone(uint32_t number) {
        uint64_t listed = 0;  // at most
        for (const UnlistedRequests& requests : unlisted) listed += requests.count;
        if (responses_alone.size() > listed) last_alone = std::ranges::max(responses_alone);
        if (unlisted.empty()) return;
        for (const PacketNumber packet : responses_alone) ended.add({number, 1, packet, packet});
    }
    // The next request.
    void note_gap_before(const CommandRow& row) {
        constexpr uint32_t most = 1;  // immediate ones take no CmdSN (RFC 7143 §4.2.2.1)
        const bool is_first = last_packet == 0;
        const bool is_next = cmd_sn_known && row.cmd_sn_known && row.cmd_sn - cmd_sn <= most;
        lacks_requests = lacks_requests || (!is_first && !is_next);
        note(row);
    }
    void note(const CommandRow& row) {
        cmd_sn = row.cmd_sn;
        cmd_sn_known = row.cmd_sn_known;
        last_packet = row.request_packet;
    }
    // The row before does: of requests in one packet, CmdSN tells which came first.
    bool stands_behind(const CommandRow& row, const PacketOrder& order) const {
        if (last_packet != row.request_packet) return last_packet != 0 && last > order.of_request(row);
        return cmd_sn_known && row.cmd_sn_known && Serial32(row.cmd_sn).before(Serial32(cmd_sn));
    }
    OrderKey last{};  // of the request before, while order is looked at
    void begin() {
        last_packet = 0;
        cmd_sn_known = false;
        std::ranges::sort(unlisted, {}, &UnlistedRequests::packet);
        for (const UnlistedRequests& requests : unlisted) {
            if (requests.count != unknown<uint32_t>) unseen += requests.count;
        }
        ended.begin();
        const uint64_t statuses = ended.in_all();
        surplus = statuses - std::min(statuses, unseen);
        lack = counted ? unseen - std::min(statuses, unseen) : unseen;
    }
    void begin_unlisted(PacketNumber until) {
        for (; next_unlisted < unlisted.size() && unlisted[next_unlisted].packet <= until; ++next_unlisted) {
            const uint32_t count = unlisted[next_unlisted].count;
            all_listed_or_counted = all_listed_or_counted && count != unknown<uint32_t>;
            if (count == unknown<uint32_t>) continue;
            unlisted_begun += count;
            unseen_requested += count;
        }
    }
};

// Whether the requests of each session stand in order, as they mostly do.
bool begin_passes(const ChunkedRows<CommandRow>& commands, const PacketOrder& packets,
                  std::span<const UnpairedStatuses> unpaired, std::span<const UnlistedRequests> unlisted,
                  std::span<const uint32_t> begun_before, std::vector<SessionPass>& sessions) {
    constexpr PacketNumber never = std::numeric_limits<PacketNumber>::max();
    bool in_order = true;
    for (const CommandRow& row : commands) {
        if (row.request_packet == 0) continue;
        if (row.session >= sessions.size()) sessions.resize(row.session + size_t{1});
        SessionPass& session = sessions[row.session];
        session.unseen += ends_unseen(row) ? 1u : 0u;
        in_order = in_order && !session.stands_behind(row, packets);
        session.note(row);
        session.last = packets.of_request(row);
    }
    for (const UnpairedStatuses& statuses : unpaired) {
        if (statuses.session >= sessions.size()) continue;
        sessions[statuses.session].ended.add(statuses);
        if (statuses.last_packet == never) sessions[statuses.session].counted = false;
    }
    for (const UnlistedRequests& requests : unlisted) {
        if (requests.session < sessions.size()) sessions[requests.session].unlisted.push_back(requests);
    }
    for (const CommandRow& row : commands) {
        if (row.request_packet != 0 || row.response_packet == 0 || row.session >= sessions.size()) continue;
        sessions[row.session].responses_alone.push_back(row.response_packet);
    }
    for (const uint32_t session : begun_before) {
        if (session < sessions.size()) sessions[session].lacks_requests = true;
    }
    for (uint32_t i = 0; i < sessions.size(); ++i) {
        sessions[i].take_responses_alone(i);
        sessions[i].begin();
    }
    return in_order;
}

// The commands whose request is known, in order of request: numbers from 0.
std::vector<uint32_t> in_order_of_request(const ChunkedRows<CommandRow>& commands,
                                          const PacketOrder& packets) {
    std::vector<uint32_t> order;
    uint32_t number = 0;
    for (const CommandRow& row : commands) {
        if (row.request_packet != 0) order.push_back(number);
        ++number;
    }
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return packets.of_request(commands[i]); });
    for (auto begin = order.begin(); begin != order.end();) {
        const CommandRow& first = commands[*begin];
        const auto end = std::find_if(begin, order.end(), [&](uint32_t i) {
            return commands[i].request_packet != first.request_packet;
        });
        // Where all of them have one.
        if (std::all_of(begin, end, [&](uint32_t i) { return commands[i].cmd_sn_known; })) {
            std::ranges::stable_sort(begin, end, {}, [&](uint32_t i) {
                return Serial32(first.cmd_sn).distance_to(Serial32(commands[i].cmd_sn));
            });
        }
        begin = end;
    }
    return order;
}

void fill_queue_depth(CommandRow& row, uint64_t number, SessionPass& session, const PacketOrder& packets) {
    session.begin_unlisted(row.request_packet);
    const uint64_t begun = session.under_way.request(row, number, packets) + session.unlisted_begun;
    const auto [certain, possible] = session.ended.up_to(row.request_packet);
    // Of the commands that end unseen, so many have by now. Where statuses are lacking, those that there are may not be theirs.
    const uint64_t at_least = session.lack > 0 ? 0 : certain - std::min(certain, session.surplus);
    const uint64_t at_most = std::min(possible + session.lack, session.unseen_requested);
    session.note_gap_before(row);
    const bool may_be_more = session.lacks_requests && row.request_packet < session.last_alone;
    const bool known =
        session.all_listed_or_counted && !may_be_more && at_least == at_most && at_least < begun;
    row.queue_depth = known ? static_cast<uint32_t>(begun - at_least) : unknown<uint32_t>;
    if (ends_unseen(row)) ++session.unseen_requested;
}

}  // namespace

// Sessions side by side, so that rows are read as they stand in memory.
void fill_queue_depths(ChunkedRows<CommandRow>& commands, std::span<const UnpairedStatuses> unpaired,
                       std::span<const UnlistedRequests> unlisted, std::span<const uint32_t> begun_before) {
    std::vector<SessionPass> sessions;
    const PacketOrder packets(commands);
    if (begin_passes(commands, packets, unpaired, unlisted, begun_before, sessions)) {
        uint64_t number = 0;
        for (CommandRow& row : commands) {
            ++number;
            if (row.request_packet != 0) fill_queue_depth(row, number, sessions[row.session], packets);
        }
        return;
    }
    for (const uint32_t i : in_order_of_request(commands, packets))
        fill_queue_depth(commands[i], i + uint64_t{1}, sessions[commands[i].session], packets);
}

ImpossibleDepths clear_impossible_depths(ChunkedRows<CommandRow>& commands,
                                         const ChunkedRows<SessionRow>& sessions,
                                         std::span<const UnpairedStatuses> unpaired) {
    std::vector<bool> doubtful(sessions.size() + 1, false);
    const auto doubt = [&](uint32_t session) {
        if (session < doubtful.size()) doubtful[session] = true;
    };
    for (const UnpairedStatuses& statuses : unpaired) doubt(statuses.session);
    for (const CommandRow& row : commands) {
        if (row.inferred) doubt(row.session);
    }
    ImpossibleDepths cleared;
    if (std::ranges::find(doubtful, true) == doubtful.end()) return cleared;
    for (CommandRow& row : commands) {
        if (row.queue_depth == unknown<uint32_t> || row.session == 0 || row.session >= doubtful.size() ||
            !doubtful[row.session])
            continue;
        const uint32_t window = sessions[row.session - 1].command_window;
        if (window == unknown<uint32_t> || window == 0 || row.queue_depth <= window) continue;
        row.queue_depth = unknown<uint32_t>;
        if (++cleared.count == 1) cleared.first_packet = row.request_packet;
    }
    return cleared;
}

}  // namespace sanscope
