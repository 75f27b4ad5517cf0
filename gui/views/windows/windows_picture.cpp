// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/windows/windows_picture.h"

#include <algorithm>
#include <optional>

#include "gui/senders/kernel_states.h"
#include "gui/views/windows/step_sum.h"

#include "analyzer/report/unjudged_words.h"

namespace sanscope {
namespace {

class SenderPreparation {
  public:
    SenderPreparation(const CaptureData::Reading& reading, SenderId sender, const SenderTrack& track,
                      const WindowIndex& index, const PreparedRange& prepared)
        : store_(reading.store()), track_(track), index_(index), prepared_(prepared) {
        picture_.sender = sender;
        picture_.unjudged = unjudged_words(store_.connection(sender.connection));
        picture_.is_target = is_target(reading, sender);
        picture_.curves = prepare_sender_curves(reading, sender, track, prepared, &index);
        picture_.has_kernel_ca = has_kernel_ca(store_, track);
        picture_.kernel_ca = kernel_ca_band(reading, track, prepared);
    }

    SenderPicture take() {
        ca();
        limit();
        return std::move(picture_);
    }

  private:
    int64_t time_at(size_t position) const {
        return store_.windows().get<&WindowRow::time_ns>(track_.windows[position]);
    }

    // The state to begin with, and its changes in the range: the last change before, and those in it.
    struct Changes {
        size_t first = 0;  // in the range, of `rows`
        size_t last = 0;   // behind it
        std::vector<StateBand::Change> changes;
    };
    template <class Row>
    Changes changes_in_range(const ChunkedRows<Row>& table, const SenderTrack::Rows& rows,
                             std::optional<StateBand::Change> at_first) const {
        const auto time_at = [&](uint32_t i) { return table[i].time_ns; };
        const auto change = [&](uint32_t i) -> StateBand::Change {
            return {table[i].time_ns, static_cast<uint8_t>(table[i].to)};
        };
        Changes found;
        found.first = first_not_before(rows, prepared_.range.begin_ns, time_at);
        found.last = first_not_before(rows, prepared_.range.end_ns, time_at);
        found.changes.reserve(found.last - found.first + 1);
        if (found.first > 0) {
            found.changes.push_back(change(rows[found.first - 1]));
        } else if (at_first) {
            found.changes.push_back(*at_first);
        }
        for (size_t i = found.first; i < found.last; ++i) found.changes.push_back(change(rows[i]));
        return found;
    }

    void ca() {
        if (!picture_.unjudged.empty()) return;
        // A sender is in Open until it is said to leave it, from its first window on.
        std::optional<StateBand::Change> at_first;
        if (!track_.windows.empty())
            at_first = StateBand::Change{time_at(0), static_cast<uint8_t>(CaState::open)};
        const auto& rows = track_.ca_transitions;
        const Changes found = changes_in_range(store_.ca_transitions(), rows, at_first);
        picture_.ca = StateBand::of(prepared_, found.changes, picture_.curves.until_ns);
        if (found.last - found.first > prepared_.columns()) return;
        // One before the range shows how the state at its begin came about.
        for (size_t i = found.first - (found.first > 0 ? 1 : 0); i < found.last; ++i) {
            const CaTransitionRow& transition = store_.ca_transitions()[rows[i]];
            picture_.transitions.push_back(
                {transition.time_ns, transition.packet, transition.cause, transition.from, transition.to});
        }
    }

    void limit() {
        const auto& positions = index_.limit_changes();
        const auto limit_at = [&](size_t i) {
            return store_.windows().get<&WindowRow::limit>(track_.windows[positions[i]]);
        };
        const auto changes_at = [&](size_t i) { return time_at(positions[i]); };
        std::vector<StateBand::Change> changes;
        visit_some(row_columns(prepared_, positions.size(), changes_at), [&](size_t i) {
            changes.push_back({changes_at(i), static_cast<uint8_t>(limit_at(i))});
        });
        picture_.limit = StateBand::of(prepared_, changes, picture_.curves.until_ns);
    }

    const ResultStore& store_;
    const SenderTrack& track_;
    const WindowIndex& index_;
    const PreparedRange& prepared_;
    SenderPicture picture_;
};

// One point a column, or one a change.
class SumSeries {
  public:
    SumSeries(const PreparedRange& prepared, bool near) : prepared_(prepared), near_(near) {}

    void add(TimeRange stretch, double value) {
        if (near_) {
            const bool same = !series_.empty() && (series_.back().last == value ||
                                                   (std::isnan(series_.back().last) && std::isnan(value)));
            if (!same) series_.push_back({stretch.begin_ns, value, value, value, value});
            return;
        }
        // What held when a column began is the last of the one before, to which the line is drawn.
        const int64_t column_ns =
            stretch.begin_ns - (stretch.begin_ns - prepared_.range.begin_ns) % prepared_.ns_per_column;
        if (series_.empty() || series_.back().time_ns != column_ns) {
            series_.push_back({column_ns, value, value, value, value});
            return;
        }
        StepPoint& point = series_.back();
        Extent extent;
        extent.add(point.min);
        extent.add(point.max);
        extent.add(value);
        if (extent.any) {
            point.min = extent.min;
            point.max = extent.max;
        }
        point.last = value;
    }
    StepSeries take() { return std::move(series_); }

  private:
    const PreparedRange& prepared_;
    bool near_;
    StepSeries series_;
};

StepSeries sum_of(const CaptureData::Reading& reading, const WindowsPicture& picture,
                  uint32_t WindowRow::*figure, size_t rows, bool sampled) {
    const PreparedRange& prepared = picture.prepared;
    std::vector<StepSource> sources;
    for (const SenderPicture& sender : picture.senders) {
        sources.push_back({&reading.store().windows(), &track_of(reading, sender.sender)->windows, figure,
                           sender.curves.until_ns});
    }
    SumSeries series(prepared, rows <= 2 * prepared.columns());
    if (!sampled) {
        each_stretch(sources, prepared.range, [&](TimeRange stretch, double sum, const std::vector<double>&) {
            series.add(stretch, sum);
        });
        return series.take();
    }
    std::vector<size_t> places(sources.size(), 0);
    for (size_t c = 0; c < prepared.columns(); ++c) {
        const TimeRange column = prepared.column(c);
        double sum = 0;
        bool any = false;
        for (size_t i = 0; i < sources.size(); ++i) {
            const StepSource& source = sources[i];
            places[i] = gallop_to(places[i], source.windows->size(), column.end_ns,
                                  [&](size_t position) { return source.time_at(position); });
            if (places[i] == 0 || source.until_ns <= column.begin_ns) continue;
            const double value = source.value_at(places[i] - 1);
            if (std::isnan(value)) continue;
            sum += value;
            any = true;
        }
        series.add(column, any ? sum : no_value);
    }
    return series.take();
}

void prepare_sum(const CaptureData::Reading& reading, WindowsPicture& picture) {
    size_t rows = 0;
    for (const SenderPicture& sender : picture.senders) {
        picture.sum.curves.until_ns = std::max(picture.sum.curves.until_ns, sender.curves.until_ns);
        const auto& windows = track_of(reading, sender.sender)->windows;
        const auto time_at = [&](uint32_t row) {
            return reading.store().windows().get<&WindowRow::time_ns>(row);
        };
        rows += first_not_before(windows, picture.prepared.range.end_ns, time_at) -
                first_not_before(windows, picture.prepared.range.begin_ns, time_at);
    }
    WindowsPicture::Sum& sum = picture.sum;
    sum.sampled = rows * picture.senders.size() > most_summed_steps;
    sum.curves.cwnd = sum_of(reading, picture, &WindowRow::cwnd, rows, sum.sampled);
    sum.curves.cwnd_low = sum_of(reading, picture, &WindowRow::cwnd_low, rows, sum.sampled);
    sum.curves.cwnd_high = sum_of(reading, picture, &WindowRow::cwnd_high, rows, sum.sampled);
    sum.curves.in_flight = sum_of(reading, picture, &WindowRow::in_flight, rows, sum.sampled);
    sum.curves.advertised_window = sum_of(reading, picture, &WindowRow::advertised_window, rows, sum.sampled);
}

}  // namespace

int gravity(LossKind kind) {
    switch (kind) {
        case LossKind::rto:
            return 8;
        case LossKind::fast_retransmit:
            return 7;
        case LossKind::tlp:
            return 6;
        case LossKind::spurious:
            return 5;
        case LossKind::zero_window_probe:
            return 4;
        case LossKind::not_captured:
            return 3;
        case LossKind::out_of_order:
            return 2;
        case LossKind::duplicate:
            return 1;
        case LossKind::keep_alive:
            break;
    }
    return 0;
}

std::vector<LossMark> prepare_losses(const CaptureData::Reading& reading, const SenderTrack& track,
                                     const PreparedRange& prepared, const FilterResult* filter) {
    // Marks are some nine pixels wide, and a pixel is one column or two.
    const int64_t apart_ns = prepared.ns_per_column * 9;
    const auto& losses = reading.store().losses();
    const auto time_at = [&](uint32_t row) { return reading.timeline().time_of_loss(row); };
    std::vector<LossMark> marks;
    for (size_t i = first_not_before(track.losses, prepared.range.begin_ns, time_at); i < track.losses.size();
         ++i) {
        const uint32_t row = track.losses[i];
        const LossRow& loss = losses[row];
        const int64_t time_ns = time_at(row);
        if (time_ns >= prepared.range.end_ns) break;
        const bool passes = filter == nullptr || filter->rows.losses.test(row);
        if (marks.empty() || time_ns - marks.back().time_ns >= apart_ns) {
            marks.push_back({time_ns, time_ns, row + uint64_t{1}, loss.kind, 0, {}, passes});
        }
        LossMark& mark = marks.back();
        if (gravity(loss.kind) > gravity(mark.kind)) {
            mark.kind = loss.kind;
            mark.row = row + uint64_t{1};
        }
        mark.last_ns = time_ns;
        mark.passes = mark.passes || passes;
        ++mark.count;
        ++mark.kinds[static_cast<size_t>(loss.kind)];
    }
    return marks;
}

std::vector<SenderId> senders_of_session(const CaptureData::Reading& reading, uint32_t session, bool target) {
    std::vector<SenderId> senders;
    uint32_t number = 0;
    for (const ConnectionRow& row : reading.store().connections()) {
        ++number;
        if (row.session == 0 || (session != all_sessions && row.session != session)) continue;
        if (senders.size() == most_senders) break;
        const SenderId sender = sender_of(reading, number, target);
        const SenderTrack* track = track_of(reading, sender);
        if (track != nullptr && !track->windows.empty()) senders.push_back(sender);
    }
    return senders;
}

WindowsPicture prepare_windows(const CaptureData::Reading& reading, const std::vector<SenderId>& senders,
                               const PreparedRange& prepared, const FilterResult* filter,
                               WindowIndexes& indexes) {
    WindowsPicture picture;
    picture.prepared = prepared;
    for (const SenderId& sender : senders) {
        const SenderTrack* track = track_of(reading, sender);
        const WindowIndex* index = indexes.of(reading, sender);
        if (track == nullptr || index == nullptr || track->windows.empty()) continue;
        picture.senders.push_back(SenderPreparation(reading, sender, *track, *index, prepared).take());
        picture.senders.back().losses = prepare_losses(reading, *track, prepared, filter);
    }
    if (picture.senders.size() > 1) prepare_sum(reading, picture);
    return picture;
}

}  // namespace sanscope
