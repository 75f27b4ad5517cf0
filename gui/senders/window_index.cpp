// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/window_index.h"

namespace sanscope {

void WindowIndex::follow(const ResultStore& store, const SenderTrack& track) {
    for (; taken_ < track.windows.size(); ++taken_) {
        const WindowRow& row = store.windows()[track.windows[taken_]];
        low_.push(row.cwnd_low);
        high_.push(row.cwnd_high);
        ssthresh_.push(row.ssthresh);
        if (taken_ == 0 || row.limit != limit_) limit_changes_.push_back(static_cast<uint32_t>(taken_));
        limit_ = row.limit;
    }
}

const WindowIndex* WindowIndexes::of(const CaptureData::Reading& reading, SenderId sender) {
    const SenderTrack* track = track_of(reading, sender);
    if (track == nullptr) return nullptr;
    if (indexes_.size() >= most && !indexes_.contains(sender)) indexes_.clear();
    WindowIndex& index = indexes_[sender];
    index.follow(reading.store(), *track);
    return &index;
}

}  // namespace sanscope
