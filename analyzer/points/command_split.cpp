// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/command_split.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/points/copy_matching.h"
#include "analyzer/points/permission_waits.h"
#include "analyzer/points/receiver_view.h"
#include "analyzer/points/stream_times.h"

namespace sanscope {
namespace {

int64_t unwrapped(int64_t near, uint32_t seq) {
    return near + Serial32(static_cast<uint32_t>(near)).distance_to(Serial32(seq));
}

// The same band seen from the other clock.
TimeBand reversed(const TimeBand& band) {
    return {band.high_ns == no_time ? no_time : -band.high_ns,
            band.low_ns == no_time ? no_time : -band.low_ns};
}

// The clock of a command's far point against that of its near one. `near_is_b`: of those that `estimate` compares.
struct FarClock {
    const ClockEstimate& estimate;
    bool near_is_b;
    TimeBand offset(const ClockStretch& stretch, int64_t time_at_a) const {
        const TimeBand of_b = stretch.offset(time_at_a);
        return near_is_b ? reversed(of_b) : of_b;
    }
};

// One direction of a connection between a command's near point and its far one.
class Crossings {
  public:
    struct Passing {
        int64_t sent_ns = 0;     // by the first point's clock: the first time
        int64_t arrived_ns = 0;  // by the other's: with all before it
        int64_t recovery_ns = no_time;
        uint64_t packet_at_a = 0;  // of the pair of points, whose clock it is told by
        int64_t time_at_a = 0;
    };

    // The match's a is at near. `near_sends`: these bytes pass it first.
    Crossings(const PointCapture& near, const PointCapture& far, StreamMatch match, bool near_sends,
              bool near_is_b, ReceiverView heard)
        : near_(near),
          far_(far),
          match_(std::move(match)),
          near_sends_(near_sends),
          near_is_b_(near_is_b),
          sent_(near_sends ? match_.a : match_.b),
          arrived_(near_sends ? match_.b : match_.a),
          heard_(std::move(heard)),
          pairs_(match_.pairs) {
        std::ranges::stable_sort(pairs_, {}, receiver());
    }

    bool empty() const { return match_.pairs.empty(); }
    int64_t begin() const { return match_.a.front().begin; }
    // When the point that its sender is nearer to first saw the byte at `position`; no_time if it did not.
    int64_t sent_ns(int64_t position) const {
        const auto copy = sent_.first(position);
        return copy ? sender_record(*copy).time_ns : no_time;
    }
    // How the last byte before `end` passed both, with all that its receiver must have had before. nullopt where one of the captures
    // lacks some of it.
    std::optional<Passing> passing(int64_t end) const {
        const auto sent = sent_.first(end - 1);
        const auto arrived = arrived_.first(end - 1);
        const auto complete = arrived_.complete(end);
        if (!sent || !arrived || !complete) return std::nullopt;
        const SegmentRecord& last = receiver_record(*complete);
        // What the receiver had said to have by then came by earlier, and was not captured.
        const uint64_t acknowledged = heard_.acknowledged(end);
        if (acknowledged != 0 && acknowledged < last.packet) return std::nullopt;
        const auto [from, sure] = copy_of(*arrived, end - 1);
        if (!from) return std::nullopt;
        const SegmentRecord& first = sender_record(*sent);
        Passing passing{.sent_ns = first.time_ns, .arrived_ns = last.time_ns};
        if (sure) {
            passing.recovery_ns = sender_record(*from).time_ns - first.time_ns +
                                  (last.time_ns - receiver_record(*arrived).time_ns);
            if (passing.recovery_ns < 0) return std::nullopt;
        }
        const SegmentRecord& at_a = near_sends_ != near_is_b_ ? first : last;
        passing.packet_at_a = at_a.packet;
        passing.time_at_a = at_a.time_ns;
        return passing;
    }

  private:
    uint32_t CopyPair::*receiver() const { return near_sends_ ? &CopyPair::b : &CopyPair::a; }
    uint32_t CopyPair::*sender() const { return near_sends_ ? &CopyPair::a : &CopyPair::b; }
    const SegmentRecord& sender_record(uint32_t copy) const {
        return near_sends_ ? near_.record(match_.a[copy].place) : far_.record(match_.b[copy].place);
    }
    const SegmentRecord& receiver_record(uint32_t copy) const {
        return near_sends_ ? far_.record(match_.b[copy].place) : near_.record(match_.a[copy].place);
    }
    // The copy at the sender's side that arrived as this one, and whether that is sure.
    std::pair<std::optional<uint32_t>, bool> copy_of(uint32_t arrived, int64_t position) const {
        auto pair = std::ranges::lower_bound(pairs_, arrived, {}, receiver());
        for (; pair != pairs_.end() && std::invoke(receiver(), *pair) == arrived; ++pair) {
            if (pair->begin <= position && position < pair->end)
                return {std::invoke(sender(), *pair), pair->sure};
        }
        return {std::nullopt, false};
    }

    const PointCapture& near_;
    const PointCapture& far_;
    StreamMatch match_;
    bool near_sends_;
    bool near_is_b_;
    StreamTimes sent_;
    StreamTimes arrived_;
    ReceiverView heard_;
    std::vector<CopyPair> pairs_;  // by the receiver's copy
};

// Both directions of a connection between two points.
class Splitter {
  public:
    // `out` is the direction, at each point, from the initiator.
    Splitter(const PointCapture& near, size_t connection_near, Way out_near, const PointCapture& far,
             size_t connection_far, Way out_far, FarClock clock)
        : clock_(clock),
          out_(crossings(near, connection_near, out_near, far, connection_far, out_far, true)),
          in_(crossings(near, connection_near, other_way(out_near), far, connection_far, other_way(out_far),
                        false)),
          last_out_(out_.empty() ? 0 : out_.begin()),
          last_in_(in_.empty() ? 0 : in_.begin()) {}

    struct Streams {
        uint32_t out_begin;  // sequence numbers of the streams' first bytes
        uint32_t in_begin;
    };

    // Of commands in the order of the connection.
    void split(const CommandMarks& marks, std::span<const PermissionWait> waits, Streams streams,
               CommandSplit& row) {
        row.lack = measure(marks, waits, streams, row);
        if (row.lack != SplitLack::none) {
            row = {.command = row.command,
                   .pair = row.pair,
                   .at = row.at,
                   .near_is_b = row.near_is_b,
                   .lack = row.lack};
        }
    }

  private:
    Crossings crossings(const PointCapture& near, size_t connection_near, Way way_near,
                        const PointCapture& far, size_t connection_far, Way way_far, bool near_sends) const {
        StreamMatch match = match_streams(near, connection_near, way_near, far, connection_far, way_far);
        const auto& arriving = near_sends ? match.b : match.a;
        const int64_t begin = arriving.empty() ? 0 : arriving.front().begin;
        const PointCapture& receiving = near_sends ? far : near;
        const auto answers = near_sends ? far.segments(connection_far, other_way(way_far))
                                        : near.segments(connection_near, other_way(way_near));
        return {near,
                far,
                std::move(match),
                near_sends,
                clock_.near_is_b,
                ReceiverView(receiving, answers, begin)};
    }

    SplitLack measure(const CommandMarks& marks, std::span<const PermissionWait> waits, Streams streams,
                      CommandSplit& row) {
        if (out_.empty() || in_.empty()) return SplitLack::bytes;
        // No more than 2 GiB from one command to the next.
        last_out_ = unwrapped(last_out_, streams.out_begin + marks.request_end);
        last_in_ = unwrapped(last_in_, streams.in_begin + marks.answer_begin);
        const auto out = [&](uint32_t offset) { return unwrapped(last_out_, streams.out_begin + offset); };
        const auto in = [&](uint32_t offset) { return unwrapped(last_in_, streams.in_begin + offset); };
        const int64_t request_ns = out_.sent_ns(out(marks.request_end) - 1);
        if (request_ns == no_time) return SplitLack::bytes;
        Sum sum;
        int64_t at_ns = request_ns;  // at near: it is the initiator's turn
        for (const PermissionWait& wait : waits) {
            const auto there = out_.passing(out(wait.permitted_end));
            const auto back = in_.passing(in(wait.r2t_end));
            if (!there || !back) return SplitLack::bytes;
            const int64_t before_ns = in_.sent_ns(in(wait.r2t_end) - int64_t{bhs_length} - 1);
            const SplitLack lack = sum.add(clock_, *there, {before_ns, back->sent_ns}, *back, at_ns);
            if (lack != SplitLack::none) return lack;
        }
        const auto there = out_.passing(out(marks.has_data_out ? marks.data_out_end : marks.request_end));
        const int64_t before_ns = in_.sent_ns(in(marks.answer_begin) - 1);
        const int64_t answered_ns = in_.sent_ns(in(marks.answer_begin));
        const auto back = in_.passing(in(marks.answer_end));
        if (!there || !back || answered_ns == no_time) return SplitLack::bytes;
        const SplitLack lack = sum.add(clock_, *there, {before_ns, answered_ns}, *back, at_ns);
        if (lack != SplitLack::none) return lack;
        row.round_trips = sum.round_trips;
        row.turnaround_ns = at_ns - request_ns;
        row.initiator_ns = sum.initiator_ns;
        row.target_ns = sum.target_ns;
        row.behind_others_ns = sum.behind_others_ns;
        row.answer_ns = back->sent_ns - answered_ns;
        row.paths_ns = row.turnaround_ns - row.initiator_ns - row.target_ns - row.answer_ns;
        row.recovery_out_ns = sum.recovery_out_ns;
        row.recovery_back_ns = sum.recovery_back_ns;
        if (row.answer_ns < 0) return SplitLack::overlapping;
        if (row.paths_ns < 0) return SplitLack::clock;
        if (!sum.bounded) return SplitLack::none;
        row.out = {std::max<int64_t>(sum.out.low_ns, 0), std::min(sum.out.high_ns, row.paths_ns)};
        row.back = {std::max<int64_t>(sum.back.low_ns, 0), std::min(sum.back.high_ns, row.paths_ns)};
        return row.out.low_ns > row.out.high_ns || row.back.low_ns > row.back.high_ns ? SplitLack::clock
                                                                                      : SplitLack::none;
    }

    // When the last byte that stands before the target's answer left far, and when the answer's first did.
    struct Turn {
        int64_t before_ns;
        int64_t answered_ns;
    };
    struct Sum {
        uint32_t round_trips = 0;
        int64_t initiator_ns = 0;
        int64_t target_ns = 0;
        int64_t behind_others_ns = 0;
        TimeBand out{0, 0};
        TimeBand back{0, 0};
        bool bounded = true;
        int64_t recovery_out_ns = 0;
        int64_t recovery_back_ns = 0;
        const ClockStretch* stretch = nullptr;

        // `at_ns`: since when it was the initiator's turn, at near; then since when it is again.
        SplitLack add(const FarClock& clock, const Crossings::Passing& there, Turn turn,
                      const Crossings::Passing& back_again, int64_t& at_ns) {
            // A step meanwhile would be part of what one clock alone measured.
            for (const Crossings::Passing* passing : {&there, &back_again}) {
                const ClockStretch* now = clock.estimate.at(passing->packet_at_a);
                if (now == nullptr || (stretch != nullptr && now != stretch)) return SplitLack::clock;
                stretch = now;
            }
            const int64_t sending_ns = there.sent_ns - at_ns;
            const int64_t serving_ns = turn.answered_ns - there.arrived_ns;
            if (sending_ns < 0 || serving_ns < 0 || back_again.arrived_ns < there.sent_ns)
                return SplitLack::overlapping;
            ++round_trips;
            initiator_ns += sending_ns;
            target_ns += serving_ns;
            const int64_t stream_busy_ns =
                turn.before_ns == no_time
                    ? no_time
                    : std::clamp<int64_t>(turn.before_ns - there.arrived_ns, 0, serving_ns);
            add_known(behind_others_ns, stream_busy_ns);
            at_ns = back_again.arrived_ns;
            add_known(recovery_out_ns, there.recovery_ns);
            add_known(recovery_back_ns, back_again.recovery_ns);
            const TimeBand then = clock.offset(*stretch, there.time_at_a);
            const TimeBand later = clock.offset(*stretch, back_again.time_at_a);
            bounded = bounded && then.bounded() && later.bounded();
            if (!bounded) return SplitLack::none;
            const int64_t difference_ns = there.arrived_ns - there.sent_ns;
            out.low_ns += difference_ns - then.high_ns;
            out.high_ns += difference_ns - then.low_ns;
            const int64_t difference_back_ns = back_again.arrived_ns - back_again.sent_ns;
            back.low_ns += difference_back_ns + later.low_ns;
            back.high_ns += difference_back_ns + later.high_ns;
            return SplitLack::none;
        }
        static void add_known(int64_t& sum_ns, int64_t more_ns) {
            sum_ns = sum_ns == no_time || more_ns == no_time ? no_time : sum_ns + more_ns;
        }
    };

    FarClock clock_;
    Crossings out_;
    Crossings in_;
    int64_t last_out_;
    int64_t last_in_;
};

// Which connection of a point, and the direction from the initiator there.
struct AtPoint {
    size_t connection = 0;
    Way out = Way::out;
};

// That of a connection of the store at the first point, by the packet of its first command's request there.
std::vector<std::optional<AtPoint>> at_first_point(const PointCapture& point, const ResultStore& store) {
    std::vector<std::optional<AtPoint>> found(store.connections().size());
    for (const CommandRow& row : store.commands()) {
        if (row.connection.value() == 0 || row.request_packet == 0) continue;
        std::optional<AtPoint>& at = row_of(row.connection, found);
        if (at) continue;
        const auto place = point.place_of(row.request_packet);
        if (!place) continue;
        const SegmentRecord& record = point.record(*place);
        at = AtPoint{point.connection_of(record), point.way_of(record)};
    }
    return found;
}

// What the capture that it is told by lacks.
SplitLack lack_of(const CommandRow& command, const CommandMarks& marks, const ConnectionRow& connection) {
    if (command.request_packet == 0 || command.response_packet == 0) return SplitLack::unanswered;
    const bool known = connection.stream_start_known[0] && connection.stream_start_known[1] &&
                       marks.has_request && marks.has_answer && marks.has_status;
    return command.inferred || marks.doubtful || !known ? SplitLack::headers : SplitLack::none;
}

}  // namespace

ResultStore::Keep rows_for_command_split() {
    ResultStore::Keep keep = ResultStore::Keep::nothing();
    keep.commands = keep.pdus = keep.budgets = true;
    return keep;
}

bool split_commands(const PathPoints& path, const ResultStore& store, const CommandSplitOptions& options,
                    ChunkedRows<CommandSplit>& rows) {
    std::vector<std::vector<uint64_t>> commands(store.connections().size());
    for (uint64_t number = 1; number <= store.commands().size(); ++number) {
        const CommandRow& command = store.command(number);
        if (command.connection.value() != 0) row_of(command.connection, commands).push_back(number);
    }
    PermissionWaits waits(store);
    std::vector<std::optional<AtPoint>> here = at_first_point(*path.points.front(), store);
    uint64_t done = 0;
    const uint64_t all = store.commands().size() * path.pairs.size();
    for (uint32_t p = 0; p < path.pairs.size(); ++p) {
        const PointPair& pair = path.pairs[p];
        std::map<size_t, uint32_t> by_connection;
        for (uint32_t c = 0; c < pair.connections.size(); ++c)
            by_connection[pair.connections[c].connection_a] = c;

        std::vector<std::optional<AtPoint>> next(here.size());
        for (size_t i = 0; i < here.size(); ++i) {
            if (!here[i]) continue;
            const auto found = by_connection.find(here[i]->connection);
            if (found == by_connection.end()) continue;
            const ConnectionAtPoints& at = pair.connections[found->second];
            next[i] = AtPoint{at.connection_b, at.turned ? other_way(here[i]->out) : here[i]->out};

            const ConnectionRow& connection = store.connections()[i];
            const Splitter::Streams streams{
                connection.stream_start_seq[index_of(connection.side_of(Role::initiator))],
                connection.stream_start_seq[index_of(connection.side_of(Role::target))]};
            const bool near_is_b = at.order_known && at.contrary != (here[i]->out == Way::in);
            std::optional<Splitter> splitter;
            if (at.order_known) {
                const AtPoint& near = near_is_b ? *next[i] : *here[i];
                const AtPoint& far = near_is_b ? *here[i] : *next[i];
                splitter.emplace(*path.points[near_is_b ? pair.b : pair.a], near.connection, near.out,
                                 *path.points[near_is_b ? pair.a : pair.b], far.connection, far.out,
                                 FarClock{pair.clock, near_is_b});
            }
            for (const uint64_t number : commands[i]) {
                constexpr uint64_t now_and_then = 4096;
                if (++done % now_and_then == 0) {
                    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
                        return false;
                    if (options.progress) options.progress(done, all);
                }
                CommandSplit row{.command = number, .pair = p, .at = found->second, .near_is_b = near_is_b};
                const CommandMarks& marks = store.command_marks()[number - 1];
                row.lack = lack_of(store.command(number), marks, connection);
                if (row.lack == SplitLack::none && !splitter) row.lack = SplitLack::order;
                if (row.lack == SplitLack::none) splitter->split(marks, waits.of(number), streams, row);
                rows.append(row);
            }
        }
        here = std::move(next);
    }
    return true;
}

}  // namespace sanscope
