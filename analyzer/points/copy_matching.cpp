// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/copy_matching.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

constexpr int64_t wrap = int64_t{1} << 32;

// The segments with payload, and where they begin, wraps counted.
std::vector<Copy> copies_of(const PointCapture& capture, std::span<const uint32_t> places) {
    std::vector<Copy> copies;
    int64_t reference = 0;
    bool begun = false;
    for (const uint32_t place : places) {
        const SegmentRecord& record = capture.record(place);
        const uint32_t seq = record.seq + ((record.flags & tcp_syn) != 0 ? 1 : 0);
        if (!begun) reference = seq;
        begun = true;
        const int64_t begin =
            reference + Serial32(static_cast<uint32_t>(reference)).distance_to(Serial32(seq));
        reference = std::max(reference, begin);
        if (record.length == 0) continue;
        copies.push_back({.begin = begin, .end = begin + record.length, .place = place});
    }
    return copies;
}

// By where they begin, and of those the earlier one first.
std::vector<uint32_t> sorted_by_begin(const std::vector<Copy>& copies) {
    std::vector<uint32_t> order(copies.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto before = [&](uint32_t x, uint32_t y) { return copies[x].begin < copies[y].begin; };
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::stable_sort(order.begin(), order.end(), before);
    return order;
}

bool same_packet(const SegmentRecord& x, const SegmentRecord& y) {
    return x.ip_id != 0 && x.ip_id == y.ip_id && x.seq == y.seq && x.length == y.length &&
           x.tsval == y.tsval && x.ack == y.ack && x.window == y.window && x.flags == y.flags;
}

// A mirror port may deliver each packet twice: the first of the two stands for both.
void leave_out_duplicates(const PointCapture& capture, std::vector<Copy>& copies) {
    constexpr int64_t soon_ns = 100'000'000;  // far less than identifications need to come round
    std::vector<bool> twice(copies.size());
    bool any = false;
    const std::vector<uint32_t> order = sorted_by_begin(copies);
    for (size_t i = 1; i < order.size(); ++i) {
        const SegmentRecord& record = capture.record(copies[order[i]].place);
        for (size_t j = i; j-- > 0 && copies[order[j]].begin == copies[order[i]].begin;) {
            const SegmentRecord& earlier = capture.record(copies[order[j]].place);
            if (!same_packet(record, earlier) || record.time_ns - earlier.time_ns > soon_ns) continue;
            twice[order[i]] = any = true;
            break;
        }
    }
    if (!any) return;
    size_t kept = 0;
    for (size_t i = 0; i < copies.size(); ++i) {
        if (!twice[i]) copies[kept++] = copies[i];
    }
    copies.resize(kept);
}

class Matcher {
  public:
    Matcher(const PointCapture& a, const PointCapture& b, StreamMatch& match)
        : capture_a_(a), capture_b_(b), match_(match) {}

    void match() {
        by_begin_a_ = sorted_by_begin(match_.a);
        for (const Copy& copy : match_.a) longest_a_ = std::max(longest_a_, copy.end - copy.begin);
        if (!align()) return;
        match_.ip_ids_kept = are_ids_kept();
        find_candidates();
        decide();
    }

  private:
    struct Candidate {
        uint32_t a;
        uint32_t b;
        int64_t begin;
        int64_t end;
    };

    const SegmentRecord& record_a(uint32_t index) const { return capture_a_.record(match_.a[index].place); }
    const SegmentRecord& record_b(uint32_t index) const { return capture_b_.record(match_.b[index].place); }

    static bool same_timestamp(const SegmentRecord& x, const SegmentRecord& y) {
        return x.has_tsval == y.has_tsval && x.tsval == y.tsval;
    }

    // The copies at A that may share bytes with [begin, end): a range of by_begin_a_.
    std::pair<size_t, size_t> near_a(int64_t begin, int64_t end) const {
        const auto starts_at = [this](uint32_t index) { return match_.a[index].begin; };
        const auto first = std::ranges::lower_bound(by_begin_a_, begin - longest_a_ + 1, {}, starts_at) -
                           by_begin_a_.begin();
        const auto last = std::ranges::lower_bound(by_begin_a_, end, {}, starts_at) - by_begin_a_.begin();
        return {static_cast<size_t>(first), static_cast<size_t>(last)};
    }

    // By which multiple of 4 GiB the positions at B are off.
    bool align() {
        if (match_.a.empty() || match_.b.empty()) return false;
        const auto range = [](const std::vector<Copy>& copies) {
            int64_t low = std::numeric_limits<int64_t>::max();
            int64_t high = std::numeric_limits<int64_t>::min();
            for (const Copy& copy : copies) {
                low = std::min(low, copy.begin);
                high = std::max(high, copy.end);
            }
            return std::pair{low, high};
        };
        const auto [low_a, high_a] = range(match_.a);
        const auto [low_b, high_b] = range(match_.b);
        const auto wraps = [](int64_t distance) {
            return distance >= 0 ? (distance + wrap - 1) / wrap : -((-distance) / wrap);
        };
        constexpr size_t looked_at = 512;
        const size_t step = std::max<size_t>(match_.b.size() / looked_at, 1);
        size_t best_votes = 0;
        size_t next_votes = 0;
        int64_t best = 0;
        // The streams overlap only for these.
        for (int64_t k = wraps(low_a - high_b); k * wrap + low_b < high_a; ++k) {
            size_t votes = 0;
            for (size_t i = 0; i < match_.b.size(); i += step) {
                const Copy& copy = match_.b[i];
                const int64_t begin = copy.begin + k * wrap;
                const auto [first, last] = near_a(begin, copy.end + k * wrap);
                for (size_t j = first; j < last; ++j) {
                    const Copy& other = match_.a[by_begin_a_[j]];
                    const bool ends_meet = other.begin == begin || other.end == copy.end + k * wrap;
                    if (!ends_meet ||
                        !same_timestamp(capture_a_.record(other.place), capture_b_.record(copy.place)))
                        continue;
                    ++votes;
                    break;
                }
            }
            if (votes > best_votes) {
                next_votes = best_votes;
                best_votes = votes;
                best = k;
            } else {
                next_votes = std::max(next_votes, votes);
            }
        }
        if (best_votes == 0 || next_votes * 2 > best_votes) return false;
        for (Copy& copy : match_.b) {
            copy.begin += best * wrap;
            copy.end += best * wrap;
        }
        return true;
    }

    // Whether what is surely one packet has one identification at both points.
    bool are_ids_kept() const {
        size_t same = 0;
        size_t other = 0;
        for (uint32_t b = 0; b < match_.b.size(); ++b) {
            const Copy& copy = match_.b[b];
            const auto [first, last] = near_a(copy.begin, copy.end);
            uint32_t only = 0;
            size_t found = 0;
            for (size_t j = first; j < last && found < 2; ++j) {
                const Copy& at_a = match_.a[by_begin_a_[j]];
                if (at_a.end <= copy.begin || !same_timestamp(record_a(by_begin_a_[j]), record_b(b)))
                    continue;
                only = by_begin_a_[j];
                ++found;
            }
            if (found != 1 || match_.a[only].begin != copy.begin) continue;
            if (record_a(only).ip_id == 0 && record_b(b).ip_id == 0) continue;
            ++(record_a(only).ip_id == record_b(b).ip_id ? same : other);
        }
        constexpr size_t enough = 8;
        return same >= enough && other * 50 <= same;
    }

    // Offload counts the identification on from segment to segment of one packet.
    bool ids_agree(uint32_t a, uint32_t b) const {
        if (!match_.ip_ids_kept) return true;
        const SegmentRecord& at_a = record_a(a);
        const SegmentRecord& at_b = record_b(b);
        if (at_a.ip_id == 0 || at_b.ip_id == 0) return true;
        const int64_t ahead = match_.b[b].begin - match_.a[a].begin;
        if (ahead == 0) return at_a.ip_id == at_b.ip_id;
        constexpr int64_t least_segment = 64;
        const auto difference =
            static_cast<uint16_t>(ahead > 0 ? at_b.ip_id - at_a.ip_id : at_a.ip_id - at_b.ip_id);
        return difference <= std::abs(ahead) / least_segment + 1;
    }

    void find_candidates() {
        for (uint32_t b = 0; b < match_.b.size(); ++b) {
            const Copy& copy = match_.b[b];
            const auto [first, last] = near_a(copy.begin, copy.end);
            for (size_t j = first; j < last; ++j) {
                const uint32_t a = by_begin_a_[j];
                const int64_t begin = std::max(copy.begin, match_.a[a].begin);
                const int64_t end = std::min(copy.end, match_.a[a].end);
                if (begin >= end || !same_timestamp(record_a(a), record_b(b)) || !ids_agree(a, b)) continue;
                candidates_.push_back({a, b, begin, end});
            }
        }
    }

    // A candidate stands alone where neither of its copies shares these bytes with another one.
    void decide() {
        std::vector<bool> contested(candidates_.size());
        const auto contest = [&](auto side) {
            std::vector<uint32_t> order(candidates_.size());
            for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
            std::ranges::stable_sort(order, [&](uint32_t x, uint32_t y) {
                const Candidate& one = candidates_[x];
                const Candidate& two = candidates_[y];
                return side(one) != side(two) ? side(one) < side(two) : one.begin < two.begin;
            });
            for (size_t i = 0; i < order.size(); ++i) {
                const Candidate& one = candidates_[order[i]];
                for (size_t j = i + 1; j < order.size(); ++j) {
                    const Candidate& two = candidates_[order[j]];
                    if (side(one) != side(two) || two.begin >= one.end) break;
                    contested[order[i]] = contested[order[j]] = true;
                }
            }
        };
        contest([](const Candidate& candidate) { return candidate.a; });
        contest([](const Candidate& candidate) { return candidate.b; });

        std::vector<uint32_t> rest;
        for (uint32_t i = 0; i < candidates_.size(); ++i) {
            if (contested[i]) {
                rest.push_back(i);
            } else {
                accept(candidates_[i], true);
            }
        }
        decide_by_order(rest);
        std::ranges::stable_sort(match_.pairs, {}, &CopyPair::a);
        for (const Copy& copy : match_.a) match_.bytes_a += copy.end - copy.begin;
        for (const Copy& copy : match_.b) match_.bytes_b += copy.end - copy.begin;
    }

    void accept(const Candidate& candidate, bool sure) {
        const int64_t bytes = candidate.end - candidate.begin;
        match_.pairs.push_back({candidate.a, candidate.b, candidate.begin, candidate.end, sure});
        match_.a[candidate.a].shared += bytes;
        match_.b[candidate.b].shared += bytes;
        match_.bytes_shared += bytes;
    }

    // Copies of the same bytes that nothing tells apart: as many at one point as at the other, they are the same ones.
    void decide_by_order(const std::vector<uint32_t>& rest) {
        struct Group {
            std::vector<uint32_t> a;
            std::vector<uint32_t> b;
            bool alike = true;
        };
        std::unordered_map<int64_t, Group> groups;
        const auto add = [](std::vector<uint32_t>& list, uint32_t index) {
            if (std::ranges::find(list, index) == list.end()) list.push_back(index);
        };
        for (const uint32_t i : rest) {
            const Candidate& candidate = candidates_[i];
            const Copy& a = match_.a[candidate.a];
            const Copy& b = match_.b[candidate.b];
            Group& group = groups[candidate.begin];
            constexpr size_t many = 64;
            if (group.a.size() + group.b.size() < many) {
                add(group.a, candidate.a);
                add(group.b, candidate.b);
            } else {
                group.alike = false;
            }
            if (a.begin != b.begin || a.end != b.end || a.begin != match_.a[group.a.front()].begin ||
                a.end != match_.a[group.a.front()].end) {
                group.alike = false;
            }
        }
        for (const uint32_t i : rest) {
            const Candidate& candidate = candidates_[i];
            Group& group = groups[candidate.begin];
            if (group.alike && group.a.size() == group.b.size()) {
                if (group.a.empty()) continue;
                std::ranges::sort(group.a);
                std::ranges::sort(group.b);
                for (size_t k = 0; k < group.a.size(); ++k)
                    accept({group.a[k], group.b[k], candidate.begin, candidate.end}, false);
                group.a.clear();
                group.b.clear();
                continue;
            }
            match_.a[candidate.a].ambiguous = true;
            match_.b[candidate.b].ambiguous = true;
        }
    }

    const PointCapture& capture_a_;
    const PointCapture& capture_b_;
    StreamMatch& match_;
    std::vector<uint32_t> by_begin_a_;
    int64_t longest_a_ = 0;
    std::vector<Candidate> candidates_;
};

// What a segment without payload can be told by.
struct EmptyKey {
    uint32_t seq = 0;
    uint32_t ack = 0;
    uint32_t tsval = 0;
    uint16_t window = 0;
    uint16_t flags = 0;
    uint16_t ip_id = 0;
    uint64_t sack = 0;

    bool operator==(const EmptyKey&) const = default;
};

struct EmptyKeyHash {
    size_t operator()(const EmptyKey& key) const {
        uint64_t hash = (uint64_t{key.seq} << 32 | key.ack) * 0x9e3779b97f4a7c15;
        hash = (hash ^ hash >> 29 ^ (uint64_t{key.tsval} << 32 | uint32_t{key.window} << 16 | key.ip_id)) *
               0x9e3779b97f4a7c15;
        return hash ^ hash >> 32 ^ key.sack ^ key.flags;
    }
};

void match_empty(const PointCapture& a, std::span<const uint32_t> places_a, const PointCapture& b,
                 std::span<const uint32_t> places_b, StreamMatch& match) {
    const auto key_of = [&](const PointCapture& capture, const SegmentRecord& record) {
        EmptyKey key{record.seq,    record.ack,   record.tsval,
                     record.window, record.flags, match.ip_ids_kept ? record.ip_id : uint16_t{0}};
        if (const SackRecord* sack = capture.sack(record)) {
            for (size_t i = 0; i < sack->blocks; ++i)
                key.sack = (key.sack ^ sack->begin[i]) * 0x9e3779b97f4a7c15 + sack->end[i];
        }
        return key;
    };
    constexpr uint32_t several = std::numeric_limits<uint32_t>::max();
    struct Seen {
        uint32_t a = several;
        uint32_t b = several;
        uint32_t count_a = 0;
        uint32_t count_b = 0;
    };
    std::unordered_map<EmptyKey, Seen, EmptyKeyHash> seen;
    for (const uint32_t place : places_a) {
        const SegmentRecord& record = a.record(place);
        if (record.length != 0) continue;
        Seen& entry = seen[key_of(a, record)];
        entry.a = place;
        ++entry.count_a;
    }
    for (const uint32_t place : places_b) {
        const SegmentRecord& record = b.record(place);
        if (record.length != 0) continue;
        const auto found = seen.find(key_of(b, record));
        if (found == seen.end()) continue;
        found->second.b = place;
        ++found->second.count_b;
    }
    for (const auto& [key, entry] : seen) {
        if (entry.count_a == 1 && entry.count_b == 1) match.empty_pairs.push_back({entry.a, entry.b});
    }
    std::ranges::sort(match.empty_pairs, {}, &StreamMatch::EmptyPair::a);
}

}  // namespace

StreamMatch match_streams(const PointCapture& a, size_t connection_a, Way way_a, const PointCapture& b,
                          size_t connection_b, Way way_b) {
    StreamMatch match;
    const auto places_a = a.segments(connection_a, way_a);
    const auto places_b = b.segments(connection_b, way_b);
    match.a = copies_of(a, places_a);
    match.b = copies_of(b, places_b);
    leave_out_duplicates(a, match.a);
    leave_out_duplicates(b, match.b);
    Matcher(a, b, match).match();
    match_empty(a, places_a, b, places_b, match);
    return match;
}

}  // namespace sanscope
