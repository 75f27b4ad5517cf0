// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/stream_times.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace sanscope {

StreamTimes::StreamTimes(const std::vector<Copy>& copies) {
    std::vector<uint32_t> order(copies.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return copies[i].begin; });
    // Of the copies that hold a byte the earliest is on top; those behind their end are left in until they get there.
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> over;
    size_t next = 0;
    int64_t at = order.empty() ? 0 : copies[order.front()].begin;
    while (next < order.size() || !over.empty()) {
        if (over.empty()) at = std::max(at, copies[order[next]].begin);
        while (next < order.size() && copies[order[next]].begin <= at) over.push(order[next++]);
        while (!over.empty() && copies[over.top()].end <= at) over.pop();
        if (over.empty()) continue;
        int64_t end = copies[over.top()].end;
        if (next < order.size()) end = std::min(end, copies[order[next]].begin);
        add(at, end, over.top());
        at = end;
    }
    uint32_t latest = 0;
    for (Piece& piece : pieces_) piece.latest = latest = std::max(latest, piece.copy);
}

void StreamTimes::add(int64_t begin, int64_t end, uint32_t copy) {
    if (!pieces_.empty() && pieces_.back().copy == copy && pieces_.back().end == begin) {
        pieces_.back().end = end;
        return;
    }
    pieces_.push_back({begin, end, copy, copy});
}

std::optional<uint32_t> StreamTimes::first(int64_t position) const {
    const auto piece = std::ranges::upper_bound(pieces_, position, {}, &Piece::end);
    if (piece == pieces_.end() || piece->begin > position) return std::nullopt;
    return piece->copy;
}

std::optional<uint32_t> StreamTimes::complete(int64_t end) const {
    const auto behind = std::ranges::lower_bound(pieces_, end, {}, &Piece::begin);
    if (behind == pieces_.begin()) return std::nullopt;
    return std::prev(behind)->latest;
}

}  // namespace sanscope
