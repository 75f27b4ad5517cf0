// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/kernel_states.h"

#include <vector>

#include "gui/senders/sender_curves.h"

namespace sanscope {
namespace {

using Changes = std::vector<StateBand::Change>;

// A kernel that was only asked told its state with its windows.
Changes changes_of_windows(const ResultStore& store, const SenderTrack& track,
                           const PreparedRange& prepared) {
    const auto row = [&](size_t i) -> const KernelWindowRow& {
        return store.kernel_windows()[track.kernel_windows[i]];
    };
    Changes changes;
    const auto add = [&](size_t i) {
        const auto state = static_cast<uint8_t>(row(i).ca_state);
        const bool is_new = changes.empty() || changes.back().state != state;
        if (row(i).ca_state_known && is_new) changes.push_back({row(i).time_ns, state});
    };
    visit_some(row_columns(prepared, track.kernel_windows.size(), [&](size_t i) { return row(i).time_ns; }),
               add);
    return changes;
}

// The last transition before the range, and those in it; before the first of all, what windows told.
Changes changes_of_transitions(const ResultStore& store, const SenderTrack& track,
                               const PreparedRange& prepared) {
    const TimeRange& range = prepared.range;
    const auto row = [&](size_t i) -> const KernelCaTransitionRow& {
        return store.kernel_ca_transitions()[track.kernel_ca_transitions[i]];
    };
    const auto time_at = [&](uint32_t i) { return store.kernel_ca_transitions()[i].time_ns; };
    const size_t first = first_not_before(track.kernel_ca_transitions, range.begin_ns, time_at);
    const size_t last = first_not_before(track.kernel_ca_transitions, range.end_ns, time_at);
    Changes changes;
    if (first > 0) {
        changes.push_back({row(first - 1).time_ns, static_cast<uint8_t>(row(first - 1).to)});
    } else {
        changes = changes_of_windows(store, track, prepared);
        const int64_t until_ns = row(0).time_ns;
        std::erase_if(changes, [&](const StateBand::Change& change) { return change.time_ns >= until_ns; });
    }
    for (size_t i = first; i < last; ++i)
        changes.push_back({row(i).time_ns, static_cast<uint8_t>(row(i).to)});
    return changes;
}

}  // namespace

int64_t end_of_kernel_record(const ResultStore& store, const SenderTrack& track) {
    int64_t last_ns = no_time;
    const auto take = [&](int64_t time_ns) {
        if (last_ns == no_time || time_ns > last_ns) last_ns = time_ns;
    };
    if (!track.kernel_windows.empty()) take(store.kernel_windows()[track.kernel_windows.back()].time_ns);
    if (!track.kernel_ca_transitions.empty())
        take(store.kernel_ca_transitions()[track.kernel_ca_transitions.back()].time_ns);
    return last_ns == no_time ? no_time : last_ns + 1;
}

bool has_kernel_ca(const ResultStore& store, const SenderTrack& track) {
    if (!track.kernel_ca_transitions.empty()) return true;
    return !track.kernel_windows.empty() &&
           store.kernel_windows()[track.kernel_windows.back()].ca_state_known;
}

StateBand kernel_ca_band(const CaptureData::Reading& reading, const SenderTrack& track,
                         const PreparedRange& prepared) {
    const ResultStore& store = reading.store();
    const Changes changes = track.kernel_ca_transitions.empty()
                                ? changes_of_windows(store, track, prepared)
                                : changes_of_transitions(store, track, prepared);
    return StateBand::of(prepared, changes, end_of_kernel_record(store, track));
}

}  // namespace sanscope
