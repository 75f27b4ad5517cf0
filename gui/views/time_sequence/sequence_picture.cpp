// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_sequence/sequence_picture.h"

#include <algorithm>

#include "analyzer/net/decode_frame.h"
#include "analyzer/net/tcp_options.h"

namespace sanscope {
namespace {

class Preparation {
  public:
    Preparation(const CaptureData::Reading& reading, SenderId sender, const SenderTrack& track,
                const SequenceIndex& index, const PreparedRange& prepared, const FilterResult* filter)
        : reading_(reading), store_(reading.store()), track_(track), index_(index), filter_(filter) {
        picture_.prepared = prepared;
        picture_.sender = sender;
        picture_.is_target = is_target(reading, sender);
        picture_.until_ns = end_of(reading, sender);
        picture_.any = !track.segments.empty();
        columns_ = row_columns(prepared, track.segments.size(), [&](size_t i) { return segment_time(i); });
        picture_.near = columns_.near();
    }

    SequencePicture take() {
        if (picture_.near) {
            segments();
        } else {
            far_segments();
        }
        losses();
        windows();
        throughput();
        if (picture_.near) sacks();
        return std::move(picture_);
    }

  private:
    int64_t segment_time(size_t i) const {
        return reading_.timeline().time_of(track_.segments[i] + uint64_t{1});
    }
    uint32_t payload_of(size_t i) const {
        return store_.segments().get<&SegmentRow::payload_length>(track_.segments[i]);
    }
    SegmentRow segment(size_t i) const { return store_.segments()[track_.segments[i]]; }

    void segments() {
        for (size_t i = columns_.first(); i < columns_.last(); ++i) {
            const SegmentRow& row = segment(i);
            if (row.payload_length == 0 && (row.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0) continue;
            const uint32_t packet = track_.segments[i];
            const int64_t begin = index_.begin_of(store_, track_, i);
            picture_.segments.push_back({segment_time(i), begin, begin + row.payload_length,
                                         packet + uint64_t{1}, row.flags,
                                         filter_ == nullptr || filter_->rows.packets.test(packet)});
        }
    }

    void far_segments() {
        const auto begin_at = [&](size_t i) {
            return payload_of(i) == 0 ? SequenceIndex::none : index_.begin_of(store_, track_, i);
        };
        const auto end_at = [&](size_t i) {
            return payload_of(i) == 0 ? SequenceIndex::none : index_.end_of(store_, track_, i);
        };
        for (size_t c = 0; c < columns_.columns(); ++c) {
            const size_t first = columns_.begins[c];
            const size_t last = columns_.begins[c + 1];
            if (first == last) continue;
            const auto begins = index_.begins().query(first, last, begin_at);
            const auto ends = index_.ends().query(first, last, end_at);
            if (!begins.any) continue;
            picture_.columns.push_back({columns_.prepared.column(c).begin_ns, begins.min, ends.max,
                                        static_cast<uint32_t>(last - first)});
        }
    }

    // Those whose marks would fall on each other are left out, the gravest kept.
    void losses() {
        const auto& rows = store_.losses();
        const auto time_at = [&](uint32_t row) { return reading_.timeline().time_of_loss(row); };
        const PreparedRange& prepared = picture_.prepared;
        const size_t first = first_not_before(track_.losses, prepared.range.begin_ns, time_at);
        const size_t last = first_not_before(track_.losses, prepared.range.end_ns, time_at);
        const size_t most = 2 * prepared.columns();
        const size_t stride = (last - first) / most + 1;
        for (size_t i = first; i < last; i += stride) {
            const uint32_t row = track_.losses[i];
            const LossRow& loss = rows[row];
            if (track_.segments.empty()) break;
            // The stream is near where it is at that moment.
            const size_t at = first_not_before(track_.segments, time_at(row), [&](uint32_t packet) {
                return reading_.timeline().time_of(packet + uint64_t{1});
            });
            const int64_t begin = index_.near(loss.seq, std::min(at, track_.segments.size() - 1));
            picture_.losses.push_back({time_at(row), begin, begin + loss.length, row + uint64_t{1},
                                       loss.packet, loss.kind, loss.time_ns,
                                       filter_ == nullptr || filter_->rows.losses.test(row)});
        }
    }

    void windows() {
        const std::vector<uint32_t>& told = index_.told();
        const StoredRows<WindowRow>& rows = store_.windows();
        const auto row = [&](size_t i) { return track_.windows[told[i]]; };
        const auto time_at = [&](size_t i) {
            return reading_.timeline().time_of(rows.get<&WindowRow::packet>(row(i)));
        };
        const RowColumns columns = row_columns(picture_.prepared, told.size(), time_at);
        const auto acknowledged_at = [&](size_t i) {
            return static_cast<double>(index_.acknowledged(store_, track_, told[i]));
        };
        const auto edge_at = [&](size_t i) {
            const uint32_t window = rows.get<&WindowRow::advertised_window>(row(i));
            return window == unknown<uint32_t> ? no_value : acknowledged_at(i) + window;
        };
        // Both hardly ever go back: the ends of a column are its extent.
        const auto ends_of = [&](auto value_of) {
            return [value_of](size_t first, size_t last) {
                Extent extent;
                extent.add(value_of(first));
                extent.add(value_of(last - 1));
                return extent;
            };
        };
        picture_.acknowledged = make_steps(columns, time_at, acknowledged_at, ends_of(acknowledged_at));
        picture_.window_edge = make_steps(columns, time_at, edge_at, ends_of(edge_at));
        const auto srtt_at = [&](size_t i) { return rows.get<&WindowRow::srtt_ns>(row(i)); };
        picture_.srtt = make_steps(
            columns, time_at,
            [&](size_t i) { return srtt_at(i) == no_time ? no_value : static_cast<double>(srtt_at(i)); },
            [&](size_t first, size_t last) { return index_.srtt().query(first, last, srtt_at); });
    }

    // Bins begin at multiples of their width from the capture's first packet on.
    void throughput() {
        const PreparedRange& prepared = picture_.prepared;
        picture_.bin_ns = round_bin(prepared.ns_per_column * 8);
        const int64_t bin_ns = picture_.bin_ns;
        const int64_t zero_ns = reading_.timeline().first_ns();
        if (zero_ns == no_time) return;
        const int64_t behind_ns = (prepared.range.begin_ns - zero_ns) % bin_ns;
        int64_t begin_ns = prepared.range.begin_ns - (behind_ns < 0 ? behind_ns + bin_ns : behind_ns);
        const auto time_at = [&](size_t i) { return segment_time(i); };
        const auto payload_at = [&](size_t i) { return uint64_t{payload_of(i)}; };
        size_t at = gallop_to(0, track_.segments.size(), begin_ns, time_at);
        for (; begin_ns < prepared.range.end_ns; begin_ns += bin_ns) {
            const size_t next = gallop_to(at, track_.segments.size(), begin_ns + bin_ns, time_at);
            const uint64_t bytes = track_.payload.query(at, next, payload_at);
            if (bytes > 0) picture_.throughput.push_back({begin_ns, bytes});
            at = next;
        }
    }

    // What the other side's acknowledgements carry as an option is in no table: their packets are read.
    void sacks() {
        const ConnectionTrack* both = reading_.timeline().track(picture_.sender.connection);
        const auto& acks = both->sender(other_side(picture_.sender.side)).segments;
        const auto time_at = [&](uint32_t packet) {
            return reading_.timeline().time_of(packet + uint64_t{1});
        };
        const PreparedRange& prepared = picture_.prepared;
        const size_t first = first_not_before(acks, prepared.range.begin_ns, time_at);
        const size_t last = first_not_before(acks, prepared.range.end_ns, time_at);
        if (last - first > most_sack_packets || track_.segments.empty()) return;
        const auto& interfaces = reading_.packets().source().interfaces();
        for (size_t i = first; i < last; ++i) {
            const PacketNumber packet = acks[i] + uint64_t{1};
            const SegmentRow& segment_row = store_.segments()[acks[i]];
            const uint16_t interface = reading_.index().interface(packet);
            if (interface >= interfaces.size()) continue;
            const auto bytes = reading_.packets().read(packet);
            if (!bytes) continue;
            DecodedPacket decoded;
            decode_frame(interfaces[interface].link_type, bytes->data(), static_cast<uint32_t>(bytes->size()),
                         reading_.index().place<&PacketPlace::wire_length>(packet), decoded);
            if (decoded.kind != DecodedPacket::Kind::tcp || decoded.ack != segment_row.ack) continue;
            TcpOptions options;
            parse_tcp_options(decoded, options);
            const size_t at = first_not_before(track_.segments, time_at(acks[i]), time_at);
            const size_t near = std::min(at, track_.segments.size() - 1);
            for (uint8_t block = 0; block < options.sack_blocks; ++block) {
                const TcpOptions::SackBlock& sack = options.sack[block];
                const int64_t begin = index_.near(sack.begin.value, near);
                const int64_t length = sack.begin.distance_to(sack.end);
                if (length <= 0) continue;
                const int64_t acknowledged = index_.near(decoded.ack, near);
                picture_.sacks.push_back(
                    {time_at(acks[i]), begin, begin + length, packet, begin < acknowledged});
            }
        }
    }

    const CaptureData::Reading& reading_;
    const ResultStore& store_;
    const SenderTrack& track_;
    const SequenceIndex& index_;
    const FilterResult* filter_;
    RowColumns columns_;
    SequencePicture picture_;
};

template <class Bar>
const Bar* bar_at(const std::vector<Bar>& bars, const TimeViewport& time, const ValueScale& scale, double x,
                  double y, double reach) {
    const int64_t first_ns = time.time_at(x - reach - 1);
    const int64_t last_ns = time.time_at(x + reach + 1);
    auto bar = std::lower_bound(bars.begin(), bars.end(), first_ns,
                                [](const Bar& one, int64_t at) { return one.time_ns < at; });
    const Bar* nearest = nullptr;
    double distance = reach;
    for (; bar != bars.end() && bar->time_ns <= last_ns; ++bar) {
        const double top = scale.y_of(static_cast<double>(bar->end));
        const double bottom = scale.y_of(static_cast<double>(bar->begin));
        const double above = std::max({0.0, top - y, y - bottom});
        const double away = std::hypot(time.x_of(bar->time_ns) - x, above);
        if (away > distance) continue;
        distance = away;
        nearest = &*bar;
    }
    return nearest;
}

}  // namespace

const SegmentBar* segment_at(const SequencePicture& picture, const TimeViewport& time,
                             const ValueScale& scale, double x, double y, double reach) {
    return bar_at(picture.segments, time, scale, x, y, reach);
}

const LossBar* loss_at(const SequencePicture& picture, const TimeViewport& time, const ValueScale& scale,
                       double x, double y, double reach) {
    return bar_at(picture.losses, time, scale, x, y, reach);
}

int64_t round_bin(int64_t least_ns) {
    for (int64_t decade = 1;; decade *= 10) {
        for (const int64_t factor : {1, 2, 5}) {
            if (factor * decade >= least_ns || decade > INT64_MAX / 100) return factor * decade;
        }
    }
}

SequencePicture prepare_sequence(const CaptureData::Reading& reading, SenderId sender,
                                 const PreparedRange& prepared, const FilterResult* filter,
                                 SequenceIndexes& indexes) {
    const SenderTrack* track = track_of(reading, sender);
    const SequenceIndex* index = indexes.of(reading, sender);
    if (track == nullptr || index == nullptr) {
        SequencePicture nothing;
        nothing.prepared = prepared;
        nothing.sender = sender;
        return nothing;
    }
    return Preparation(reading, sender, *track, *index, prepared, filter).take();
}

}  // namespace sanscope
