// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/queue_depth.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

// A command whose status came, or may have come, nobody knows when: it ends with an unpaired status.
bool ends_unseen(const CommandRow& row) {
    return row.response_packet == 0 && (row.outcome == Outcome::completed || row.outcome == Outcome::unknown);
}

// The commands under way in one session, as packet after packet passes.
class UnderWay {
  public:
    // Requests in order. Returns how many are under way then.
    uint32_t request(const CommandRow& row, uint64_t number) {
        while (!ends_.empty() && ends_.top().packet <= row.request_packet) {
            const auto ended = newest_.find(ends_.top().key);
            if (ended != newest_.end() && ended->second == ends_.top().number) newest_.erase(ended);
            ends_.pop();
        }
        // One of which no tag is known is not ended by another's, nor one that ends with an unpaired status.
        const bool alone = row.itt == unknown<uint32_t> || ends_unseen(row);
        const uint64_t key = alone ? number << 32 | row.itt : row.itt;
        newest_[key] = number;
        const PacketNumber end = row.response_packet != 0 ? row.response_packet : row.aborted_packet;
        if (end != 0) ends_.push({end, number, key});
        return static_cast<uint32_t>(newest_.size());
    }

  private:
    struct End {
        PacketNumber packet;
        uint64_t number;
        uint64_t key;
        bool operator>(const End& other) const { return packet > other.packet; }
    };
    std::unordered_map<uint64_t, uint64_t> newest_;  // by task tag
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// The statuses of one session that belong to no row, as packet after packet passes.
class Unpaired {
  public:
    explicit Unpaired(std::vector<UnpairedStatuses> of_session)
        : begun_(of_session), done_(std::move(of_session)) {
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

// The commands whose request is known, session by session; within each in order of request, which is mostly how they stand.
std::vector<uint32_t> in_order_of_request(const ChunkedRows<CommandRow>& commands) {
    std::vector<uint32_t> ends;  // by session; first how many each has, then where the next of each goes
    for (const CommandRow& row : commands) {
        if (row.request_packet == 0) continue;
        if (row.session >= ends.size()) ends.resize(row.session + size_t{1});
        ++ends[row.session];
    }
    uint32_t sum = 0;
    for (uint32_t& end : ends) sum += std::exchange(end, sum);
    std::vector<uint32_t> order(sum);
    uint32_t number = 0;
    for (const CommandRow& row : commands) {
        if (row.request_packet != 0) order[ends[row.session]++] = number;
        ++number;
    }
    const auto packet_of = [&](uint32_t i) { return commands[i].request_packet; };
    auto begin = order.begin();
    for (const uint32_t end : ends) {
        const auto until = order.begin() + end;
        if (!std::ranges::is_sorted(begin, until, {}, packet_of))
            std::ranges::stable_sort(begin, until, {}, packet_of);
        begin = until;
    }
    return order;
}

}  // namespace

void fill_queue_depths(ChunkedRows<CommandRow>& commands, std::span<const UnpairedStatuses> unpaired) {
    const std::vector<uint32_t> order = in_order_of_request(commands);
    std::vector<UnpairedStatuses> by_session(unpaired.begin(), unpaired.end());
    std::ranges::sort(by_session, {}, &UnpairedStatuses::session);
    const auto of_session = [&](uint32_t session) {
        // Not ranges::equal_range(): clang before 16 does not compile libstdc++'s subrange.
        const auto begin = std::ranges::lower_bound(by_session, session, {}, &UnpairedStatuses::session);
        const auto end = std::ranges::upper_bound(by_session, session, {}, &UnpairedStatuses::session);
        return Unpaired({begin, end});
    };
    UnderWay under_way;
    Unpaired ended({});
    uint32_t session = 0;
    // Of commands that end unseen: more of them than unpaired statuses, so that some end nobody knows where.
    bool too_many = false;
    bool any_yet = false;
    for (size_t at = 0; at < order.size(); ++at) {
        const uint32_t i = order[at];
        CommandRow& row = commands[i];
        if (row.session != session) {
            under_way = {};
            ended = of_session(row.session);
            uint64_t unseen = 0;
            for (size_t k = at; k < order.size() && commands[order[k]].session == row.session; ++k)
                unseen += ends_unseen(commands[order[k]]) ? 1u : 0u;
            too_many = unseen > ended.in_all();
            any_yet = false;
        }
        session = row.session;
        any_yet = any_yet || ends_unseen(row);
        const uint32_t begun = under_way.request(row, i + uint64_t{1});
        const auto [certain, possible] = ended.up_to(row.request_packet);
        const bool known = certain == possible && certain < begun && !(too_many && any_yet);
        row.queue_depth = known ? begun - static_cast<uint32_t>(certain) : unknown<uint32_t>;
    }
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
