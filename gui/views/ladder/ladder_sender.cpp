// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_sender.h"

#include <algorithm>

#include "gui/views/ladder/next_not_before.h"

namespace sanscope {
namespace {

class SenderMaker {
  public:
    SenderMaker(const CaptureData::Reading& reading, const LadderRequest& request, const SenderTrack& track,
                LadderSender& sender)
        : store_(reading.store()), track_(track), sender_(sender), range_(request.prepared.range) {
        constexpr int64_t most_bins = 2048;
        const auto columns = static_cast<int64_t>(request.prepared.columns());
        bin_ns_ =
            request.prepared.ns_per_column * std::max<int64_t>(1, (columns + most_bins - 1) / most_bins);
    }

    void make_curves() {
        const auto& rows = track_.windows;
        const auto time_at = [&](uint32_t row) { return store_.windows()[row].time_ns; };
        if (rows.empty()) return;
        sender_.known_to_ns = within_reach(time_at(rows.back()));
        size_t at = first_not_before(rows, range_.begin_ns, time_at);
        const size_t end = first_not_before(rows, range_.end_ns, time_at);
        if (at > 0) add_one(at - 1);
        const auto bins = static_cast<size_t>(range_.span_ns() / bin_ns_) + 1;
        if (end - at <= bins) {
            for (; at < end; ++at) add_one(at);
            return;
        }
        while (at < end) {
            const int64_t bin = (time_at(rows[at]) - range_.begin_ns) / bin_ns_;
            const int64_t bin_end_ns = range_.begin_ns + (bin + 1) * bin_ns_;
            const size_t behind = std::min(end, next_not_before(rows, at, bin_end_ns, time_at));
            add_run(at, behind);
            at = behind;
        }
    }

    void make_states() {
        const auto& rows = track_.ca_transitions;
        const auto& transitions = store_.ca_transitions();
        const auto time_at = [&](uint32_t row) { return transitions[row].time_ns; };
        const size_t first = first_not_before(rows, range_.begin_ns, time_at);
        const size_t end = first_not_before(rows, range_.end_ns, time_at);
        sender_.transitions_in_range = end - first;
        if (track_.windows.empty()) return;
        const int64_t begin_ns = std::max(range_.begin_ns, store_.windows()[track_.windows.front()].time_ns);
        const int64_t known_to_ns =
            std::min(range_.end_ns, store_.windows()[track_.windows.back()].time_ns + 1);
        if (begin_ns >= known_to_ns) return;
        CaState state = first > 0 ? transitions[rows[first - 1]].to : CaState::open;
        int64_t from_ns = begin_ns;
        // What ends within a pixel of its beginning is drawn as the worst of what that pixel holds.
        CaState worst = state;
        for (size_t i = first; i < end; ++i) {
            const CaTransitionRow& row = transitions[rows[i]];
            if (row.time_ns - from_ns >= bin_ns_) {
                add_state(from_ns, worst == state ? row.time_ns : std::min(row.time_ns, from_ns + bin_ns_),
                          worst);
                if (worst != state && from_ns + bin_ns_ < row.time_ns)
                    add_state(from_ns + bin_ns_, row.time_ns, state);
                from_ns = row.time_ns;
                worst = row.to;
            } else {
                worst = std::max(worst, row.to);
            }
            state = row.to;
        }
        if (worst != state) {
            add_state(from_ns, std::min(from_ns + bin_ns_, known_to_ns), worst);
            from_ns += bin_ns_;
        }
        if (from_ns < known_to_ns) add_state(from_ns, known_to_ns, state);
        if (end - first > most_named_transitions) return;
        for (size_t i = first; i < end; ++i) {
            const CaTransitionRow& row = transitions[rows[i]];
            sender_.transitions.push_back({row.time_ns, row.packet, row.cause, row.from, row.to});
        }
    }

  private:
    static void add(std::vector<LadderStep>& steps, int64_t time_ns, const MinMax<uint32_t>& values,
                    uint32_t last) {
        if (values.any) {
            steps.push_back({time_ns, values.min, values.max, last});
        } else {
            steps.push_back({time_ns});
        }
    }
    static void add(std::vector<LadderStep>& steps, int64_t time_ns, uint32_t value) {
        steps.push_back({time_ns, value, value, value});
    }

    void add_interval(const WindowRow& row, int64_t time_ns) {
        if (row.cwnd_low == unknown<uint32_t> || row.cwnd_high == unknown<uint32_t>) {
            sender_.cwnd_interval.push_back({time_ns});
        } else {
            sender_.cwnd_interval.push_back({time_ns, row.cwnd_low, row.cwnd_high, row.cwnd});
        }
    }

    void add_one(size_t position) {
        const WindowRow& row = store_.windows()[track_.windows[position]];
        const int64_t time_ns = within_reach(row.time_ns);
        add(sender_.cwnd, time_ns, row.cwnd);
        add(sender_.in_flight, time_ns, row.in_flight);
        add(sender_.advertised_window, time_ns, row.advertised_window);
        add(sender_.ssthresh, time_ns, row.ssthresh);
        add_interval(row, time_ns);
    }

    void add_run(size_t first, size_t behind) {
        const auto& windows = store_.windows();
        const WindowRow& last = windows[track_.windows[behind - 1]];
        const int64_t time_ns = within_reach(windows[track_.windows[first]].time_ns);
        const auto query = [&](const LodPyramid<uint32_t>& pyramid, uint32_t WindowRow::*member) {
            return pyramid.query(first, behind, [&](size_t i) { return windows[track_.windows[i]].*member; });
        };
        add(sender_.cwnd, time_ns, query(track_.cwnd, &WindowRow::cwnd), last.cwnd);
        add(sender_.in_flight, time_ns, query(track_.in_flight, &WindowRow::in_flight), last.in_flight);
        add(sender_.advertised_window, time_ns,
            query(track_.advertised_window, &WindowRow::advertised_window), last.advertised_window);
        // Of these there is no pyramid: as they are at its end.
        add(sender_.ssthresh, time_ns, last.ssthresh);
        add_interval(last, time_ns);
    }

    void add_state(int64_t begin_ns, int64_t end_ns, CaState state) {
        if (begin_ns >= end_ns) return;
        auto& states = sender_.states;
        if (!states.empty() && states.back().state == state && states.back().end_ns == begin_ns) {
            states.back().end_ns = end_ns;
        } else {
            states.push_back({begin_ns, end_ns, state});
        }
    }

    const ResultStore& store_;
    const SenderTrack& track_;
    LadderSender& sender_;
    TimeRange range_;
    int64_t bin_ns_ = 1;
};

}  // namespace

void add_sender(const CaptureData::Reading& reading, const LadderRequest& request, LadderPicture& picture) {
    const bool initiator_is_a = reading.store().connections()[request.connection - 1].initiator_is_a;
    const ConnectionTrack& track = *reading.timeline().track(request.connection);
    SenderMaker maker(reading, request, track.sender(initiator_is_a != request.sender_is_target),
                      picture.sender);
    maker.make_curves();
    maker.make_states();
}

}  // namespace sanscope
