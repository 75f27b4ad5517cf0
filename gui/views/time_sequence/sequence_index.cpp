// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_sequence/sequence_index.h"

#include "analyzer/net/decoded_packet.h"

namespace sanscope {

void SequenceIndex::follow(const CaptureData::Reading& reading, SenderId sender) {
    const SenderTrack* track = track_of(reading, sender);
    if (track == nullptr) return;
    const ResultStore& store = reading.store();
    if (!begun_ && !track->segments.empty()) {
        begun_ = true;
        const ConnectionRow& connection = store.connections()[sender.connection - 1];
        const size_t side = index_of(sender.side);
        const SegmentRow& first = store.segments()[track->segments.front()];
        zero_ = connection.stream_start_known[side] ? connection.stream_start_seq[side]
                                                    : first.seq + ((first.flags & tcp_syn) != 0 ? 1 : 0);
    }
    for (; segments_ < track->segments.size(); ++segments_) {
        const SegmentRow& row = store.segments()[track->segments[segments_]];
        // A reset's number may be anything; it does not move where the stream is held to be.
        const Sequence begin = unwrap(row.seq, last_segment_);
        if ((row.flags & tcp_rst) == 0) last_segment_ = begin;
        if (segments_ % stride == 0) segment_bases_.push_back(last_segment_);
        const bool counts = row.payload_length > 0;
        begins_.push(counts ? begin : none);
        ends_.push(counts ? begin + row.payload_length : none);
    }
    for (; windows_ < track->windows.size(); ++windows_) {
        const WindowRow& row = store.windows()[track->windows[windows_]];
        last_window_ = unwrap(row.snd_una, last_window_);
        if (windows_ % stride == 0) window_bases_.push_back(last_window_);
        if (row.packet == 0 || row.packet > store.segments().size()) continue;
        if (store.segments().get<&SegmentRow::sender>(row.packet - 1) == sender.side) continue;
        // What another interface captured late is old by then.
        const int64_t told_ns = reading.timeline().time_of(row.packet);
        if (told_ns < last_told_ns_) continue;
        last_told_ns_ = told_ns;
        told_.push_back(static_cast<uint32_t>(windows_));
        srtt_.push(row.srtt_ns);
    }
}

SequenceIndex::Sequence SequenceIndex::begin_of(const ResultStore& store, const SenderTrack& track,
                                                size_t segment) const {
    return near(store.segments().get<&SegmentRow::seq>(track.segments[segment]), segment);
}

SequenceIndex::Sequence SequenceIndex::end_of(const ResultStore& store, const SenderTrack& track,
                                              size_t segment) const {
    const SegmentRow& row = store.segments()[track.segments[segment]];
    return near(row.seq, segment) + row.payload_length;
}

SequenceIndex::Sequence SequenceIndex::acknowledged(const ResultStore& store, const SenderTrack& track,
                                                    size_t window) const {
    return unwrap(store.windows().get<&WindowRow::snd_una>(track.windows[window]),
                  window_bases_[window / stride]);
}

const SequenceIndex* SequenceIndexes::of(const CaptureData::Reading& reading, SenderId sender) {
    if (track_of(reading, sender) == nullptr) return nullptr;
    if (indexes_.size() >= most && !indexes_.contains(sender)) indexes_.clear();
    SequenceIndex& index = indexes_[sender];
    index.follow(reading, sender);
    return &index;
}

}  // namespace sanscope
