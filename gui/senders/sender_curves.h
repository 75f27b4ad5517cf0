// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "gui/plot/step_series.h"
#include "gui/senders/sender_list.h"
#include "gui/senders/window_index.h"

namespace sanscope {

// The windows of one sender's TCP over time, prepared to be drawn by a SenderCurvePainter in any view; bytes.
struct SenderCurves {
    int64_t until_ns = 0;  // the last figures hold until then
    // Their moments are those at the sender, which the capture was not taken at; but the kernel's are its own.
    bool estimated = false;
    StepSeries cwnd;
    StepSeries cwnd_low;  // bounds of its interval
    StepSeries cwnd_high;
    StepSeries ssthresh;
    StepSeries in_flight;
    StepSeries advertised_window;
    StepSeries kernel_cwnd;  // as the sender's kernel reported it, of captures that hold that; else empty
    int64_t kernel_until_ns = no_time;  // behind the last it said, see end_of_kernel_record()
    bool empty() const { return in_flight.empty(); }
};

// Any thread. `track` is the sender's. Without its `index`, ssthresh and the interval are, where there are more changes than
// columns, those at a column's end.
SenderCurves prepare_sender_curves(const CaptureData::Reading& reading, SenderId sender,
                                   const SenderTrack& track, const PreparedRange& prepared,
                                   const WindowIndex* index = nullptr);

// What is to be said of the kernel's congestion window at a moment; beyond its record, that this is so.
std::optional<QString> kernel_cwnd_text(const SenderCurves& curves, int64_t time_ns);

}  // namespace sanscope
