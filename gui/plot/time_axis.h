// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "gui/document/view_state.h"
#include "gui/plot/time_viewport.h"

namespace sanscope {

struct TimeTick {
    int64_t time_ns = 0;
    double x = 0;   // in the viewport's pixels
    QString label;  // empty on minor ticks
};

// The ticks of a time axis: at round moments, not closer than `least_pixels` for those with a label, with minor ones
// between. Where the labels would be long (far into the capture, near in zoom), `base` is reported once and labels say what is
// to be added to it: base "12.345 s", labels "+20 µs", "+40 µs".
struct TimeTicks {
    std::vector<TimeTick> major;
    std::vector<TimeTick> minor;
    QString base;
};
TimeTicks time_ticks(const TimeViewport& viewport, int64_t capture_begin_ns, TimeFormat format,
                     double least_pixels);

// A moment in full: "12.345678901 s", "2026-11-21 10:33:56.123456789" (local or UTC).
QString full_time(int64_t time_ns, int64_t capture_begin_ns, TimeFormat format);
// A duration for people, three or four digits: "1.24 ms", "3 min 20 s"; "-1.24 ms".
QString short_duration(int64_t duration_ns);
// "1.24 MB" (powers of 1000), "12.4 k".
QString short_bytes(double bytes);
QString short_count(double count);
// "1 PDU", "12.4 k PDUs".
QString counted(uint64_t count, const QString& one, const QString& many);

// What rates are shown in, in all of the program. Any thread may ask.
enum class RateUnit : uint8_t { bytes, bits };
RateUnit rate_unit();
void set_rate_unit(RateUnit unit);
// "1.24 MB/s", or "9.92 Mbit/s".
QString short_rate(double bytes_per_second);

}  // namespace sanscope
