// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/way_result.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/points/receiver_view.h"

namespace sanscope {
namespace {

constexpr uint64_t ever_after = std::numeric_limits<uint64_t>::max();

struct Range {
    int64_t begin;
    int64_t end;
};

// A direction as its sender's side and its receiver's side of the two points.
struct Ends {
    const PointCapture& before;  // nearer to the sender
    const PointCapture& behind;
    const std::vector<Copy>& copies_before;
    const std::vector<Copy>& copies_behind;
};

// Which of the copies at one point lie over which bytes: in order of time, for each copy what was sent of its bytes before
// and after.
class Copies {
  public:
    Copies(const PointCapture& capture, const std::vector<Copy>& copies)
        : capture_(capture), copies_(copies) {
        order_.resize(copies.size());
        for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
        std::ranges::stable_sort(order_, {}, [&](uint32_t i) { return copies[i].begin; });
        for (const Copy& copy : copies) longest_ = std::max(longest_, copy.end - copy.begin);
    }

    // Calls `visit(copy, packet)` for each copy that has bytes of the range.
    template <class Visit>
    void over(const Range& range, Visit visit) const {
        const auto first = std::ranges::lower_bound(order_, range.begin - longest_ + 1, {},
                                                    [&](uint32_t i) { return copies_[i].begin; });
        for (auto i = first; i != order_.end() && copies_[*i].begin < range.end; ++i) {
            if (copies_[*i].end > range.begin) visit(*i, capture_.record(copies_[*i].place).packet);
        }
    }

  private:
    const PointCapture& capture_;
    const std::vector<Copy>& copies_;
    std::vector<uint32_t> order_;
    int64_t longest_ = 0;
};

// The parts of each copy that have no pair at the other point.
std::vector<std::vector<Range>> lacking(const std::vector<Copy>& copies, const std::vector<CopyPair>& pairs,
                                        uint32_t CopyPair::*side) {
    std::vector<std::vector<Range>> result(copies.size());
    std::vector<std::vector<Range>> shared(copies.size());
    for (const CopyPair& pair : pairs) {
        const Copy& copy = copies[pair.*side];
        if (pair.begin != copy.begin || pair.end != copy.end)
            shared[pair.*side].push_back({pair.begin, pair.end});
    }
    for (size_t i = 0; i < copies.size(); ++i) {
        if (copies[i].shared >= copies[i].end - copies[i].begin) continue;
        std::ranges::sort(shared[i], {}, &Range::begin);
        int64_t at = copies[i].begin;
        for (const Range& range : shared[i]) {
            if (range.begin > at) result[i].push_back({at, range.begin});
            at = std::max(at, range.end);
        }
        if (at < copies[i].end) result[i].push_back({at, copies[i].end});
    }
    return result;
}

// The packets of a point between which both captures have the connection.
struct Stretch {
    uint64_t first = ever_after;
    uint64_t last = 0;
    void hold(uint64_t packet) {
        first = std::min(first, packet);
        last = std::max(last, packet);
    }
    bool holds(uint64_t packet) const { return packet >= first && packet <= last; }
};

class Judge {
  public:
    Judge(const Ends& ends, const StreamMatch& match, bool out, const ReceiverView& heard_before,
          const ReceiverView& heard_behind, const Stretch& stretch_before, const Stretch& stretch_behind,
          bool sack, WayResult& result)
        : ends_(ends),
          match_(match),
          out_(out),
          heard_before_(heard_before),
          heard_behind_(heard_behind),
          stretch_before_(stretch_before),
          stretch_behind_(stretch_behind),
          sack_(sack),
          sent_before_(ends.before, ends.copies_before),
          sent_behind_(ends.behind, ends.copies_behind),
          result_(result) {}

    void judge() {
        auto CopyPair::*const before = out_ ? &CopyPair::a : &CopyPair::b;
        auto CopyPair::*const behind = out_ ? &CopyPair::b : &CopyPair::a;
        const auto lacking_behind = lacking(ends_.copies_before, match_.pairs, before);
        for (uint32_t i = 0; i < ends_.copies_before.size(); ++i) {
            for (const Range& range : lacking_behind[i]) lacks_behind(i, range);
        }
        const auto lacking_before = lacking(ends_.copies_behind, match_.pairs, behind);
        for (uint32_t i = 0; i < ends_.copies_behind.size(); ++i) {
            for (const Range& range : lacking_before[i]) lacks_before(i, range);
        }
        for (const CopyPair& pair : match_.pairs)
            seen_by_both(pair.*before, pair.*behind, {pair.begin, pair.end});
    }

  private:
    void add(const SegmentRecord& record, const Copy& copy, const Range& range, CopyVerdict verdict,
             bool at_b) {
        result_.fates.push_back({record.packet, record.time_ns,
                                 record.seq + static_cast<uint32_t>(range.begin - copy.begin),
                                 static_cast<uint32_t>(range.end - range.begin), verdict, at_b});
    }

    void lacks_behind(uint32_t index, const Range& range) {
        const Copy& copy = ends_.copies_before[index];
        const SegmentRecord& record = ends_.before.record(copy.place);
        if (!stretch_before_.holds(record.packet)) return;
        add(record, copy, range, copy.ambiguous ? CopyVerdict::unclear : fate(record.packet, range), !out_);
    }

    CopyVerdict fate(uint64_t packet, const Range& range) const {
        size_t copies = 0;
        uint64_t again_before = ever_after;  // the next time they were sent, at the nearer point
        bool earlier = false;
        sent_before_.over(range, [&](uint32_t, uint64_t other) {
            ++copies;
            if (other < packet) earlier = true;
            if (other > packet) again_before = std::min(again_before, other);
        });
        uint64_t first_behind = ever_after;
        sent_behind_.over(range,
                          [&](uint32_t, uint64_t other) { first_behind = std::min(first_behind, other); });
        if (!earlier) {
            // Nothing else can have brought what the receiver has by then.
            const bool got = heard_before_.received(range.begin, range.end, packet, again_before) ||
                             heard_behind_.received(range.begin, range.end, 0, first_behind);
            if (got) return CopyVerdict::not_captured_behind;
        }
        if (again_before == ever_after) return CopyVerdict::unclear;
        if (heard_before_.received(range.begin, range.end, 0, again_before)) return CopyVerdict::unclear;
        if (heard_before_.received_twice(range.begin, range.end, again_before) ||
            heard_behind_.received_twice(range.begin, range.end,
                                         first_behind == ever_after ? 0 : first_behind)) {
            return copies == 2 ? CopyVerdict::not_captured_behind : CopyVerdict::unclear;
        }
        return CopyVerdict::lost_between;
    }

    void lacks_before(uint32_t index, const Range& range) {
        const Copy& copy = ends_.copies_behind[index];
        const SegmentRecord& record = ends_.behind.record(copy.place);
        if (!stretch_behind_.holds(record.packet)) return;
        add(record, copy, range, copy.ambiguous ? CopyVerdict::unclear : CopyVerdict::not_captured_before,
            out_);
    }

    // Both points saw this copy, and later another one of its bytes.
    void seen_by_both(uint32_t index_before, uint32_t index_behind, const Range& range) {
        const Copy& copy = ends_.copies_behind[index_behind];
        const uint64_t packet = ends_.behind.record(copy.place).packet;
        uint64_t again = ever_after;
        bool earlier = false;
        size_t copies = 0;
        sent_behind_.over(range, [&](uint32_t, uint64_t other) {
            ++copies;
            if (other < packet) earlier = true;
            if (other > packet) again = std::min(again, other);
        });
        uint64_t again_before = ever_after;
        const Copy& sent = ends_.copies_before[index_before];
        const SegmentRecord& record = ends_.before.record(sent.place);
        sent_before_.over(range, [&](uint32_t, uint64_t other) {
            if (other > record.packet) again_before = std::min(again_before, other);
        });
        if (again == ever_after && again_before == ever_after) return;
        if (heard_behind_.received(range.begin, range.end, earlier ? 0 : packet, again)) return;
        if (heard_before_.received(range.begin, range.end, earlier ? 0 : record.packet, again_before)) return;
        if (heard_behind_.received_twice(range.begin, range.end, packet) ||
            heard_before_.received_twice(range.begin, range.end, record.packet)) {
            if (copies > 2) add(record, sent, range, CopyVerdict::unclear, !out_);
            return;
        }
        const bool hole = heard_behind_.missed(range.begin, range.end, packet, again);
        const uint64_t told = heard_behind_.acknowledged(range.end);
        const bool filled_by_the_next = sack_ && again != ever_after && told > again;
        add(record, sent, range, hole || filled_by_the_next ? CopyVerdict::lost_beyond : CopyVerdict::unclear,
            !out_);
    }

    const Ends& ends_;
    const StreamMatch& match_;
    bool out_;
    const ReceiverView& heard_before_;
    const ReceiverView& heard_behind_;
    const Stretch& stretch_before_;
    const Stretch& stretch_behind_;
    bool sack_;
    Copies sent_before_;
    Copies sent_behind_;
    WayResult& result_;
};

// Times by the other point's clock at which a capture surely lacks packets.
void add_lacks(const WayResult& result, bool at_b, CopyVerdict verdict, std::vector<int64_t>& lacks) {
    for (const CopyFate& fate : result.fates) {
        if (fate.verdict == verdict && fate.at_b == at_b) lacks.push_back(fate.time_ns);
    }
}

// Where a capture is known to lack packets, one more that it lacks may have been lost behind it.
void doubt_near(std::vector<int64_t>& lacks, WayResult& result) {
    constexpr int64_t near_ns = 50'000'000;
    std::ranges::sort(lacks);
    for (CopyFate& fate : result.fates) {
        if (fate.verdict != CopyVerdict::lost_between) continue;
        const auto next = std::ranges::lower_bound(lacks, fate.time_ns - near_ns);
        if (next != lacks.end() && *next <= fate.time_ns + near_ns) fate.verdict = CopyVerdict::unclear;
    }
}

struct DelaySample {
    uint64_t packet;  // at a
    int64_t time_ns;
    int64_t difference_ns;
};

std::vector<DelaySample> delay_samples(const ConnectionPlaces& places, const StreamMatch& match) {
    std::vector<DelaySample> samples;
    const auto add = [&](const SegmentRecord& a, const SegmentRecord& b) {
        samples.push_back({a.packet, a.time_ns, b.time_ns - a.time_ns});
    };
    for (const CopyPair& pair : match.pairs) {
        if (pair.sure) add(places.a.record(match.a[pair.a].place), places.b.record(match.b[pair.b].place));
    }
    for (const StreamMatch::EmptyPair& pair : match.empty_pairs)
        add(places.a.record(pair.a), places.b.record(pair.b));
    return samples;
}

int64_t percentile(std::vector<int64_t>& values, double share) {
    const auto rank = static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(rank), values.end());
    return values[rank];
}

// Of each delay it is known between which two it lies: so it is of their least, their median, and so on.
DelayFigures delay_figures(const std::vector<DelaySample>& samples, Way way, const ClockEstimate& clock) {
    DelayFigures figures;
    std::vector<int64_t> low;
    std::vector<int64_t> high;
    for (const DelaySample& sample : samples) {
        const TimeBand offset = clock.offset(sample.packet, sample.time_ns);
        if (!offset.bounded()) continue;
        low.push_back(way == Way::out ? sample.difference_ns - offset.high_ns
                                      : offset.low_ns - sample.difference_ns);
        high.push_back(way == Way::out ? sample.difference_ns - offset.low_ns
                                       : offset.high_ns - sample.difference_ns);
    }
    figures.samples = low.size();
    if (low.empty()) return figures;
    // No packet arrives before it was sent.
    for (int64_t& delay : low) delay = std::max<int64_t>(delay, 0);
    figures.least = {std::ranges::min(low), std::ranges::min(high)};
    figures.most = {std::ranges::max(low), std::ranges::max(high)};
    figures.p50 = {percentile(low, 0.5), percentile(high, 0.5)};
    figures.p99 = {percentile(low, 0.99), percentile(high, 0.99)};

    // Of lines that fit, the offset falls out; what is left depends on the skew.
    for (const double share : {0.5, 0.99}) {
        TimeBand band;
        if (clock.stretches.size() == 1) {
            const ClockStretch& stretch = clock.stretches.front();
            for (const ClockStretch::Line& line : stretch.lines()) {
                std::vector<int64_t> delays;
                delays.reserve(samples.size());
                for (const DelaySample& sample : samples) {
                    const auto offset = static_cast<int64_t>(stretch.offset_of(line, sample.time_ns));
                    delays.push_back(way == Way::out ? sample.difference_ns - offset
                                                     : offset - sample.difference_ns);
                }
                const int64_t queues = percentile(delays, share) - std::ranges::min(delays);
                if (!band.bounded()) band = {queues, queues};
                band = {std::min(band.low_ns, queues), std::max(band.high_ns, queues)};
            }
        }
        (share < 0.9 ? figures.p50_in_queues : figures.p99_in_queues) = band;
    }
    return figures;
}

uint64_t overtaken(const StreamMatch& match, bool out) {
    auto CopyPair::*const before = out ? &CopyPair::a : &CopyPair::b;
    auto CopyPair::*const behind = out ? &CopyPair::b : &CopyPair::a;
    std::vector<std::pair<uint32_t, uint32_t>> arrived;
    for (const CopyPair& pair : match.pairs) {
        if (pair.sure) arrived.emplace_back(pair.*behind, pair.*before);
    }
    std::ranges::sort(arrived);
    uint64_t count = 0;
    uint32_t latest = 0;
    for (const auto& [at, sent] : arrived) {
        count += sent < latest ? 1 : 0;
        latest = std::max(latest, sent);
    }
    return count;
}

}  // namespace

std::array<WayResult, 2> judge_ways(const ConnectionPlaces& places, const std::array<StreamMatch, 2>& matches,
                                    const ClockEstimate& clock) {
    const PointConnection& seen_a = places.a.connections()[places.connection_a];
    const PointConnection& seen_b = places.b.connections()[places.connection_b];
    std::array<WayResult, 2> results;
    for (const Way way : {Way::out, Way::in}) {
        const bool out = way == Way::out;
        const StreamMatch& match = matches[index_of(way)];
        WayResult& result = results[index_of(way)];
        const Ends ends{out ? places.a : places.b, out ? places.b : places.a, out ? match.a : match.b,
                        out ? match.b : match.a};
        result.segments_before = ends.copies_before.size();
        result.segments_behind = ends.copies_behind.size();
        result.bytes_before = static_cast<uint64_t>(out ? match.bytes_a : match.bytes_b);
        result.bytes_behind = static_cast<uint64_t>(out ? match.bytes_b : match.bytes_a);
        result.bytes_shared = static_cast<uint64_t>(match.bytes_shared);
        result.delay = delay_figures(delay_samples(places, match), way, clock);
        result.reordered = overtaken(match, out);
        if (match.pairs.empty()) continue;
        // Of this direction alone: what follows the last segment that both saw may have passed behind the end of a capture, although
        // an answer to what was before was still on its way.
        Stretch stretch_a;
        Stretch stretch_b;
        for (const CopyPair& pair : match.pairs) {
            stretch_a.hold(places.a.record(match.a[pair.a].place).packet);
            stretch_b.hold(places.b.record(match.b[pair.b].place).packet);
        }
        for (const StreamMatch::EmptyPair& pair : match.empty_pairs) {
            stretch_a.hold(places.a.record(pair.a).packet);
            stretch_b.hold(places.b.record(pair.b).packet);
        }
        const auto said_a = places.a.segments(places.connection_a, places.at_a(other_way(way)));
        const auto said_b = places.b.segments(places.connection_b, places.at_b(other_way(way)));
        const ReceiverView heard_a(places.a, said_a, match.a.front().begin);
        const ReceiverView heard_b(places.b, said_b, match.b.front().begin);
        const bool sack = seen_a.sack_permitted[index_of(places.at_a(other_way(way)))] ||
                          seen_b.sack_permitted[index_of(places.at_b(other_way(way)))] || seen_a.sack_seen ||
                          seen_b.sack_seen;
        Judge(ends, match, out, out ? heard_a : heard_b, out ? heard_b : heard_a, out ? stretch_a : stretch_b,
              out ? stretch_b : stretch_a, sack, result)
            .judge();
    }
    // Where each capture lacks packets: of what goes there, and of what comes from there.
    std::vector<int64_t> lacks_a;
    std::vector<int64_t> lacks_b;
    add_lacks(results[index_of(Way::out)], false, CopyVerdict::not_captured_behind, lacks_b);
    add_lacks(results[index_of(Way::in)], false, CopyVerdict::not_captured_before, lacks_b);
    add_lacks(results[index_of(Way::in)], true, CopyVerdict::not_captured_behind, lacks_a);
    add_lacks(results[index_of(Way::out)], true, CopyVerdict::not_captured_before, lacks_a);
    doubt_near(lacks_b, results[index_of(Way::out)]);
    doubt_near(lacks_a, results[index_of(Way::in)]);
    for (WayResult& result : results) {
        std::ranges::stable_sort(result.fates, {}, &CopyFate::packet);
        for (const CopyFate& fate : result.fates) {
            ++result.ranges[static_cast<size_t>(fate.verdict)];
            result.bytes[static_cast<size_t>(fate.verdict)] += fate.length;
        }
    }
    return results;
}

}  // namespace sanscope
