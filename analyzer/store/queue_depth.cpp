// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/queue_depth.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace sanscope {
namespace {

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
        // One of which no tag is known is not ended by another's.
        const uint64_t key = row.itt == unknown<uint32_t> ? number << 32 | row.itt : row.itt;
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

}  // namespace

void fill_queue_depths(ChunkedRows<CommandRow>& commands) {
    std::vector<uint32_t> order;
    for (size_t i = 0; i < commands.size(); ++i) {
        if (commands[i].request_packet != 0) order.push_back(static_cast<uint32_t>(i));
    }
    const auto place = [&](uint32_t i) {
        return std::tuple(commands[i].session, commands[i].request_packet, i);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });

    UnderWay under_way;
    uint32_t session = 0;
    for (const uint32_t i : order) {
        CommandRow& row = commands[i];
        if (row.session != session) under_way = {};
        session = row.session;
        row.queue_depth = under_way.request(row, i + uint64_t{1});
    }
}

}  // namespace sanscope
