// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/points_of_path.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "analyzer/points/connection_matching.h"
#include "analyzer/points/copy_matching.h"

namespace sanscope {
namespace {

// Samples of a clock out of whole captures: past some millions only those stay that bound it most.
class ClockSamples {
  public:
    void add(const ClockSample& sample) {
        ++count_;
        samples_.push_back(sample);
        constexpr size_t most = size_t{1} << 22;
        if (samples_.size() >= most) compact();
    }
    std::vector<ClockSample>& samples() { return samples_; }
    uint64_t count() const { return count_; }

  private:
    void compact() {
        constexpr size_t run = 32;
        std::ranges::stable_sort(samples_, {}, &ClockSample::packet);
        std::vector<ClockSample> kept;
        for (size_t begin = 0; begin < samples_.size(); begin += run) {
            const size_t end = std::min(begin + run, samples_.size());
            const ClockSample* least = nullptr;
            const ClockSample* greatest = nullptr;
            for (size_t i = begin; i < end; ++i) {
                const ClockSample& sample = samples_[i];
                if (sample.from_a && (least == nullptr || sample.difference_ns < least->difference_ns))
                    least = &sample;
                if (!sample.from_a && (greatest == nullptr || sample.difference_ns > greatest->difference_ns))
                    greatest = &sample;
            }
            if (least != nullptr) kept.push_back(*least);
            if (greatest != nullptr) kept.push_back(*greatest);
        }
        samples_ = std::move(kept);
    }
    std::vector<ClockSample> samples_;
    uint64_t count_ = 0;
};

struct WaySample {
    uint64_t packet;
    int64_t time_ns;
    int64_t difference_ns;
    Way way;
};

// The two directions of a connection.
std::array<StreamMatch, 2> match_ways(const ConnectionPlaces& places) {
    std::array<StreamMatch, 2> matches;
    for (const Way way : {Way::out, Way::in}) {
        matches[index_of(way)] = match_streams(places.a, places.connection_a, places.at_a(way), places.b,
                                               places.connection_b, places.at_b(way));
    }
    return matches;
}

ConnectionPlaces places_of(const PointCapture& a, const PointCapture& b, const SharedConnection& shared) {
    return {a, b, shared.a, shared.b, false, shared.turned};
}

std::vector<WaySample> way_samples(const PointCapture& a, const PointCapture& b,
                                   const std::array<StreamMatch, 2>& matches) {
    std::vector<WaySample> samples;
    for (const Way way : {Way::out, Way::in}) {
        const StreamMatch& match = matches[index_of(way)];
        const auto add = [&](uint32_t place_a, uint32_t place_b) {
            const SegmentRecord& at_a = a.record(place_a);
            samples.push_back({at_a.packet, at_a.time_ns, b.record(place_b).time_ns - at_a.time_ns, way});
        };
        for (const CopyPair& pair : match.pairs) {
            if (pair.sure) add(match.a[pair.a].place, match.b[pair.b].place);
        }
        for (const StreamMatch::EmptyPair& pair : match.empty_pairs) add(pair.a, pair.b);
    }
    std::ranges::stable_sort(samples, {}, &WaySample::packet);
    return samples;
}

// A packet out and one in, near each other in time, differ by how long both are on their way together: by more where the
// packets out pass a first, by less where they pass b first.
struct OrderVotes {
    uint64_t a_first = 0;
    uint64_t b_first = 0;

    void count(const std::vector<WaySample>& samples, int64_t error_ns) {
        constexpr int64_t near_ns = 1'000'000'000;
        for (size_t i = 1; i < samples.size(); ++i) {
            const WaySample& one = samples[i - 1];
            const WaySample& two = samples[i];
            if (one.way == two.way || std::abs(two.time_ns - one.time_ns) > near_ns) continue;
            const int64_t out = one.way == Way::out ? one.difference_ns : two.difference_ns;
            const int64_t in = one.way == Way::out ? two.difference_ns : one.difference_ns;
            a_first += out - in > error_ns ? 1 : 0;
            b_first += in - out > error_ns ? 1 : 0;
        }
    }
    OrderVotes& operator+=(const OrderVotes& other) {
        a_first += other.a_first;
        b_first += other.b_first;
        return *this;
    }
    // 1: a first; -1: b first; 0: nothing tells.
    int decided() const {
        constexpr uint64_t enough = 4;
        if (a_first + b_first < enough) return 0;
        return a_first > 9 * b_first ? 1 : b_first > 9 * a_first ? -1 : 0;
    }
};

bool has_data(const PointCapture& capture, size_t connection) {
    for (const Way way : {Way::out, Way::in}) {
        for (const uint32_t place : capture.segments(connection, way)) {
            if (capture.record(place).length > 0) return true;
        }
    }
    return false;
}

class PathFollower {
  public:
    PathFollower(std::vector<std::unique_ptr<PointCapture>> captures, const PathPointsOptions& options)
        : captures_(std::move(captures)), options_(options) {}

    Result<PathPoints> follow() {
        const std::vector<size_t> order = along_the_path();
        for (size_t i = 0; i + 1 < order.size() && !stopped(); ++i) {
            PointPair pair = compare(*captures_[order[i]], *captures_[order[i + 1]]);
            pair.a = i;
            pair.b = i + 1;
            if (pair.connections.empty() && !stopped()) {
                return Error{fmt::format("{} and {} have no TCP connection in common",
                                         captures_[order[i]]->name(), captures_[order[i + 1]]->name())};
            }
            path_.pairs.push_back(std::move(pair));
        }
        if (stopped()) return Error{"interrupted"};
        for (const size_t i : order) path_.points.push_back(std::move(captures_[i]));
        return std::move(path_);
    }

  private:
    bool stopped() const {
        return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    }
    void progress() const {
        if (options_.progress) options_.progress();
    }

    void compared(uint64_t done, uint64_t of) const {
        if (options_.compared) options_.compared(done, of);
    }

    static int64_t error_ns(const PointCapture& a, const PointCapture& b) {
        return a.resolution_ns() + b.resolution_ns();
    }

    OrderVotes votes(const PointCapture& a, const PointCapture& b) const {
        OrderVotes all;
        constexpr size_t connections_looked_at = 16;
        size_t looked_at = 0;
        for (const SharedConnection& shared : match_connections(a, b)) {
            if (stopped() || looked_at++ >= connections_looked_at) break;
            OrderVotes one;
            one.count(way_samples(a, b, match_ways(places_of(a, b, shared))), error_ns(a, b));
            // A long connection has no more to say than a short one.
            if (const int decided = one.decided(); decided != 0) ++(decided > 0 ? all.a_first : all.b_first);
            progress();
        }
        return all;
    }

    // From the initiators to the targets; where nothing tells, as given.
    std::vector<size_t> along_the_path() const {
        std::vector<size_t> order{0};
        for (size_t next = 1; next < captures_.size(); ++next) {
            size_t place = order.size();
            for (size_t i = 0; i < order.size(); ++i) {
                const OrderVotes told = votes(*captures_[next], *captures_[order[i]]);
                if (told.a_first <= told.b_first) continue;
                place = i;
                break;
            }
            order.insert(order.begin() + static_cast<ptrdiff_t>(place), next);
        }
        return order;
    }

    PointPair compare(const PointCapture& a, const PointCapture& b) const {
        PointPair pair;
        const std::vector<SharedConnection> shared = match_connections(a, b);
        std::vector<int> orders(shared.size());
        ClockSamples samples;
        uint64_t done = 0;
        for (size_t i = 0; i < shared.size() && !stopped(); ++i) {
            const std::vector<WaySample> seen = way_samples(a, b, match_ways(places_of(a, b, shared[i])));
            OrderVotes told;
            told.count(seen, error_ns(a, b));
            orders[i] = told.decided();
            if (orders[i] != 0) {
                pair.order_known = true;
                for (const WaySample& sample : seen) {
                    const bool from_a = (sample.way == Way::out) == (orders[i] > 0);
                    samples.add({sample.packet, sample.time_ns, sample.difference_ns, from_a});
                }
            }
            progress();
            compared(++done, shared.size() * 2);
        }
        pair.clock_samples = samples.count();
        pair.clock = estimate_clock(samples.samples(), error_ns(a, b));
        for (size_t i = 0; i < shared.size() && !stopped(); ++i) {
            pair.connections.push_back(judge(a, b, shared[i], orders[i], pair.clock));
            progress();
            compared(++done, shared.size() * 2);
        }
        count_unshared(a, b, shared, pair);
        return pair;
    }

    static ConnectionAtPoints judge(const PointCapture& a, const PointCapture& b,
                                    const SharedConnection& shared, int order, const ClockEstimate& clock) {
        const PointConnection& seen = a.connections()[shared.a];
        ConnectionAtPoints connection;
        connection.initiator = seen.initiator;
        connection.target = seen.target;
        connection.connection_a = shared.a;
        connection.connection_b = shared.b;
        connection.translated = shared.translated;
        connection.turned = shared.turned;
        connection.order_known = order != 0;
        connection.contrary = order < 0;
        // As if the initiator were on the side of a; turned back once it is judged.
        ConnectionPlaces places = places_of(a, b, shared);
        if (order < 0) {
            places.turned_a = !places.turned_a;
            places.turned_b = !places.turned_b;
        }
        const auto matches = match_ways(places);
        connection.ways = order != 0 ? judge_ways(places, matches, clock) : counted_ways(matches);
        if (order < 0) std::swap(connection.ways[0], connection.ways[1]);
        describe_offset(a, shared.a, clock, connection);
        return connection;
    }

    // What can be said although nobody knows which point is before the other.
    static std::array<WayResult, 2> counted_ways(const std::array<StreamMatch, 2>& matches) {
        std::array<WayResult, 2> ways;
        for (const Way way : {Way::out, Way::in}) {
            const StreamMatch& match = matches[index_of(way)];
            WayResult& result = ways[index_of(way)];
            const bool out = way == Way::out;
            result.segments_before = out ? match.a.size() : match.b.size();
            result.segments_behind = out ? match.b.size() : match.a.size();
            result.bytes_before = static_cast<uint64_t>(out ? match.bytes_a : match.bytes_b);
            result.bytes_behind = static_cast<uint64_t>(out ? match.bytes_b : match.bytes_a);
            result.bytes_shared = static_cast<uint64_t>(match.bytes_shared);
        }
        return ways;
    }

    static void describe_offset(const PointCapture& a, size_t index, const ClockEstimate& clock,
                                ConnectionAtPoints& connection) {
        const SegmentRecord* first = nullptr;
        const SegmentRecord* last = nullptr;
        for (const Way way : {Way::out, Way::in}) {
            const auto places = a.segments(index, way);
            if (places.empty()) continue;
            const SegmentRecord& front = a.record(places.front());
            const SegmentRecord& back = a.record(places.back());
            if (first == nullptr || front.packet < first->packet) first = &front;
            if (last == nullptr || back.packet > last->packet) last = &back;
        }
        if (first == nullptr) return;
        connection.middle_ns = first->time_ns + (last->time_ns - first->time_ns) / 2;
        if (const ClockStretch* stretch = clock.showing(connection.middle_ns))
            connection.offset = stretch->offset(connection.middle_ns);
    }

    static void count_unshared(const PointCapture& a, const PointCapture& b,
                               const std::vector<SharedConnection>& shared, PointPair& pair) {
        std::vector<bool> of_a(a.connections().size());
        std::vector<bool> of_b(b.connections().size());
        for (const SharedConnection& one : shared) of_a[one.a] = of_b[one.b] = true;
        for (size_t i = 0; i < of_a.size(); ++i) pair.only_a += !of_a[i] && has_data(a, i) ? size_t{1} : 0;
        for (size_t i = 0; i < of_b.size(); ++i) pair.only_b += !of_b[i] && has_data(b, i) ? size_t{1} : 0;
    }

    std::vector<std::unique_ptr<PointCapture>> captures_;
    PathPointsOptions options_;
    PathPoints path_;
};

}  // namespace

Result<PathPoints> follow_path(std::vector<std::unique_ptr<PointCapture>> captures,
                               const PathPointsOptions& options) {
    return PathFollower(std::move(captures), options).follow();
}

}  // namespace sanscope
