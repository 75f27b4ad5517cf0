// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/sender_curves.h"

#include <QCoreApplication>
#include <cmath>

#include "gui/plot/time_axis.h"
#include "gui/senders/kernel_states.h"

namespace sanscope {
namespace {

double known(uint32_t value) {
    return value == unknown<uint32_t> ? no_value : static_cast<double>(value);
}

}  // namespace

SenderCurves prepare_sender_curves(const CaptureData::Reading& reading, SenderId sender,
                                   const SenderTrack& track, const PreparedRange& prepared,
                                   const WindowIndex* index) {
    const ResultStore& store = reading.store();
    const auto time_at = [&](size_t i) { return store.windows().get<&WindowRow::time_ns>(track.windows[i]); };
    const RowColumns columns = row_columns(prepared, track.windows.size(), time_at);
    const auto steps = [&](uint32_t WindowRow::*figure, const LodPyramid<uint32_t>* pyramid) {
        const auto raw = [&](size_t i) { return store.windows().get(track.windows[i], figure); };
        return make_steps(
            columns, time_at, [&](size_t i) { return known(raw(i)); },
            [&](size_t first, size_t last) {
                if (pyramid != nullptr) return pyramid->query(first, last, raw);
                MinMax<uint32_t> at_end;
                if (raw(last - 1) != unknown<uint32_t>) at_end = {raw(last - 1), raw(last - 1), true};
                return at_end;
            });
    };
    SenderCurves curves;
    curves.until_ns = end_of(reading, sender);
    curves.estimated = moments_are_estimated(reading, sender);
    // What was made of the rows while they were read knows nothing of what has been left out since.
    if (store.connection(sender.connection).tcp_is_judged()) {
        curves.cwnd = steps(&WindowRow::cwnd, &track.cwnd);
        curves.cwnd_low = steps(&WindowRow::cwnd_low, index != nullptr ? &index->cwnd_low() : nullptr);
        curves.cwnd_high = steps(&WindowRow::cwnd_high, index != nullptr ? &index->cwnd_high() : nullptr);
        curves.ssthresh = steps(&WindowRow::ssthresh, index != nullptr ? &index->ssthresh() : nullptr);
        curves.in_flight = steps(&WindowRow::in_flight, &track.in_flight);
    }
    curves.advertised_window = steps(&WindowRow::advertised_window, &track.advertised_window);

    const auto kernel_row = [&](size_t i) -> const KernelWindowRow& {
        return store.kernel_windows()[track.kernel_windows[i]];
    };
    const auto kernel_time_at = [&](size_t i) { return kernel_row(i).time_ns; };
    const auto kernel_raw = [&](size_t i) { return kernel_row(i).cwnd; };
    curves.kernel_cwnd = make_steps(
        row_columns(prepared, track.kernel_windows.size(), kernel_time_at), kernel_time_at,
        [&](size_t i) { return known(kernel_raw(i)); },
        [&](size_t first, size_t last) { return track.kernel_cwnd.query(first, last, kernel_raw); });
    curves.kernel_until_ns = end_of_kernel_record(store, track);
    return curves;
}

std::optional<QString> kernel_cwnd_text(const SenderCurves& curves, int64_t time_ns) {
    if (curves.kernel_until_ns == no_time) return std::nullopt;
    if (time_ns >= curves.kernel_until_ns) {
        return QCoreApplication::translate("SenderCurves", "its record ends %1 before")
            .arg(short_duration(time_ns - curves.kernel_until_ns));
    }
    const double value = value_at(curves.kernel_cwnd, time_ns);
    return std::isnan(value) ? std::nullopt : std::optional(short_bytes(value));
}

}  // namespace sanscope
