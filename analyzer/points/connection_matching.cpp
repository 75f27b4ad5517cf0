// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/connection_matching.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

namespace sanscope {
namespace {

constexpr size_t none = std::numeric_limits<size_t>::max();
constexpr size_t looked_at = 256;

// What tells a segment with payload from nearly all others: where it begins, and when it was sent.
uint64_t fingerprint(const SegmentRecord& record) {
    return (uint64_t{record.seq} << 32 | record.tsval) * 0x9e3779b97f4a7c15;
}

class Matching {
  public:
    Matching(const PointCapture& a, const PointCapture& b)
        : a_(a), b_(b), of_a_(a.connections().size(), none), of_b_(b.connections().size(), none) {}

    std::vector<SharedConnection> match() {
        by_addresses();
        by_syns();
        by_segments();
        std::ranges::sort(shared_, {}, &SharedConnection::a);
        return std::move(shared_);
    }

  private:
    static Way way_at_b(Way way, bool turned) { return turned ? other_way(way) : way; }

    bool isns_differ(size_t a, size_t b, bool turned) const {
        for (const Way way : {Way::out, Way::in}) {
            const auto& at_a = a_.connections()[a].isn[index_of(way)];
            const auto& at_b = b_.connections()[b].isn[index_of(way_at_b(way, turned))];
            if (at_a && at_b && *at_a != *at_b) return true;
        }
        return false;
    }

    void take(size_t a, size_t b, bool turned, bool translated) {
        of_a_[a] = b;
        of_b_[b] = a;
        shared_.push_back({a, b, translated, turned});
    }

    // How many of some segments at b are at a, by place and timestamp.
    size_t alike(size_t a, size_t b, bool turned) const {
        size_t found = 0;
        for (const Way way : {Way::out, Way::in}) {
            std::unordered_map<uint64_t, bool> seen;
            for (const uint32_t place : a_.segments(a, way))
                seen.emplace(fingerprint(a_.record(place)), true);
            const auto at_b = b_.segments(b, way_at_b(way, turned));
            const size_t step = std::max<size_t>(at_b.size() / looked_at, 1);
            for (size_t i = 0; i < at_b.size(); i += step)
                found += seen.count(fingerprint(b_.record(at_b[i])));
        }
        return found;
    }

    // Ports are used again and again: of several connections between the same ends, the one whose segments these are.
    void by_addresses() {
        std::unordered_multimap<uint64_t, size_t> at_b;
        const auto key = [](const PointConnection& connection) {
            const auto end = [](const Endpoint& endpoint) {
                return (endpoint.address.words[0] * 3 ^ endpoint.address.words[1] ^ endpoint.port) *
                       0x9e3779b97f4a7c15;
            };
            return end(connection.initiator) + end(connection.target);
        };
        for (size_t b = 0; b < of_b_.size(); ++b) at_b.emplace(key(b_.connections()[b]), b);
        for (size_t a = 0; a < of_a_.size(); ++a) {
            const PointConnection& at_a = a_.connections()[a];
            std::vector<std::pair<size_t, bool>> candidates;
            const auto [first, last] = at_b.equal_range(key(at_a));
            for (auto i = first; i != last; ++i) {
                const PointConnection& other = b_.connections()[i->second];
                const bool straight = other.initiator == at_a.initiator && other.target == at_a.target;
                const bool turned = other.initiator == at_a.target && other.target == at_a.initiator;
                if ((straight || turned) && of_b_[i->second] == none && !isns_differ(a, i->second, turned))
                    candidates.emplace_back(i->second, turned);
            }
            size_t best = 0;
            const std::pair<size_t, bool>* chosen = nullptr;
            for (const auto& candidate : candidates) {
                const size_t votes = alike(a, candidate.first, candidate.second);
                if (votes <= best) continue;
                best = votes;
                chosen = &candidate;
            }
            if (chosen != nullptr) take(a, chosen->first, chosen->second, false);
        }
    }

    void by_syns() {
        std::unordered_map<uint64_t, size_t> at_b;
        const auto key = [](const PointConnection& connection) -> std::optional<uint64_t> {
            if (!connection.isn[0] || !connection.isn[1]) return std::nullopt;
            return uint64_t{*connection.isn[0]} << 32 | *connection.isn[1];
        };
        for (size_t b = 0; b < of_b_.size(); ++b) {
            const auto isns = key(b_.connections()[b]);
            if (of_b_[b] != none || !isns) continue;
            const auto [entry, is_new] = at_b.emplace(*isns, b);
            if (!is_new) entry->second = none;
        }
        for (size_t a = 0; a < of_a_.size(); ++a) {
            const auto isns = key(a_.connections()[a]);
            if (of_a_[a] != none || !isns) continue;
            const auto found = at_b.find(*isns);
            if (found == at_b.end() || found->second == none || of_b_[found->second] != none) continue;
            take(a, found->second, false, true);
        }
    }

    void by_segments() {
        std::unordered_map<uint64_t, size_t> at_b;  // fingerprint: connection * 2 + direction
        for (size_t b = 0; b < of_b_.size(); ++b) {
            if (of_b_[b] != none) continue;
            for (const Way way : {Way::out, Way::in}) {
                for (const uint32_t place : b_.segments(b, way)) {
                    const SegmentRecord& record = b_.record(place);
                    if (record.length == 0 || !record.has_tsval) continue;
                    const size_t flow = b * 2 + index_of(way);
                    const auto [entry, is_new] = at_b.emplace(fingerprint(record), flow);
                    if (!is_new && entry->second != flow) entry->second = none;
                }
            }
        }
        if (at_b.empty()) return;
        for (size_t a = 0; a < of_a_.size(); ++a) {
            if (of_a_[a] != none) continue;
            std::unordered_map<size_t, size_t> votes;
            size_t asked = 0;
            for (const Way way : {Way::out, Way::in}) {
                const auto at_a = a_.segments(a, way);
                const size_t step = std::max<size_t>(at_a.size() / (4 * looked_at), 1);
                for (size_t i = 0; i < at_a.size(); i += step) {
                    const SegmentRecord& record = a_.record(at_a[i]);
                    if (record.length == 0 || !record.has_tsval) continue;
                    ++asked;
                    const auto found = at_b.find(fingerprint(record));
                    if (found == at_b.end() || found->second == none) continue;
                    const bool turned = (found->second % 2 == 1) != (way == Way::in);
                    ++votes[found->second / 2 * 2 + (turned ? 1 : 0)];
                }
            }
            constexpr size_t enough = 8;
            size_t best = none;
            for (const auto& [candidate, count] : votes) {
                if (count >= enough && (best == none || count > votes[best])) best = candidate;
            }
            if (best == none || votes[best] * 10 < asked) continue;
            const size_t b = best / 2;
            const bool turned = best % 2 == 1;
            if (of_b_[b] == none && !isns_differ(a, b, turned)) take(a, b, turned, true);
        }
    }

    const PointCapture& a_;
    const PointCapture& b_;
    std::vector<size_t> of_a_;
    std::vector<size_t> of_b_;
    std::vector<SharedConnection> shared_;
};

}  // namespace

std::vector<SharedConnection> match_connections(const PointCapture& a, const PointCapture& b) {
    return Matching(a, b).match();
}

}  // namespace sanscope
