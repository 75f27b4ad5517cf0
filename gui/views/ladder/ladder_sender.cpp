// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_sender.h"

#include <algorithm>

#include "gui/senders/kernel_states.h"

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

    void make_states() {
        const auto& rows = track_.ca_transitions;
        const auto& transitions = store_.ca_transitions();
        const auto time_at = [&](uint32_t row) { return transitions[row].time_ns; };
        const size_t first = first_not_before(rows, range_.begin_ns, time_at);
        const size_t end = first_not_before(rows, range_.end_ns, time_at);
        sender_.transitions_in_range = end - first;
        if (track_.windows.empty()) return;
        sender_.judged = store_.windows().get<&WindowRow::ca_state_known>(track_.windows.front());
        if (!sender_.judged) return;
        const int64_t begin_ns =
            std::max(range_.begin_ns, store_.windows().get<&WindowRow::time_ns>(track_.windows.front()));
        const int64_t known_to_ns =
            std::min(range_.end_ns, store_.windows().get<&WindowRow::time_ns>(track_.windows.back()) + 1);
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
    const ConnectionRow& connection = reading.store().connection(request.connection);
    const ConnectionTrack& track = *reading.timeline().track(request.connection);
    const Side side = connection.side_of(request.sender_is_target ? Role::target : Role::initiator);
    picture.sender.curves =
        prepare_sender_curves(reading, {request.connection, side}, track.sender(side), request.prepared);
    picture.sender.kernel_ca = kernel_ca_band(reading, track.sender(side), request.prepared);
    picture.sender.has_kernel_ca = has_kernel_ca(reading.store(), track.sender(side));
    SenderMaker maker(reading, request, track.sender(side), picture.sender);
    maker.make_states();
}

}  // namespace sanscope
