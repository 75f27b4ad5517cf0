// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_axis.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <array>

#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

constexpr int64_t us = 1'000;
constexpr int64_t ms = 1'000'000;
constexpr int64_t second = 1'000'000'000;
constexpr int64_t minute = 60 * second;
constexpr int64_t hour = 60 * minute;
constexpr int64_t day = 24 * hour;

struct Step {
    int64_t major_ns;
    int64_t minor_ns;
};

// The first round step of at least so much.
Step step_of(double least_ns) {
    for (int64_t decade = 1; decade <= second; decade *= 10) {
        for (const int64_t factor : {1, 2, 5}) {
            const int64_t step = decade * factor;
            if (step >= minute / 6) break;
            if (static_cast<double>(step) >= least_ns) {
                return {step, std::max<int64_t>(1, factor == 2 ? step / 4 : step / 5)};
            }
        }
    }
    constexpr std::array<Step, 16> steps{{{10 * second, 2 * second},
                                          {15 * second, 5 * second},
                                          {30 * second, 10 * second},
                                          {minute, 10 * second},
                                          {2 * minute, 30 * second},
                                          {5 * minute, minute},
                                          {10 * minute, 2 * minute},
                                          {15 * minute, 5 * minute},
                                          {30 * minute, 10 * minute},
                                          {hour, 10 * minute},
                                          {2 * hour, 30 * minute},
                                          {6 * hour, hour},
                                          {12 * hour, 3 * hour},
                                          {day, 6 * hour},
                                          {7 * day, day},
                                          {30 * day, 10 * day}}};
    for (const Step& step : steps) {
        if (static_cast<double>(step.major_ns) >= least_ns) return step;
    }
    int64_t years = 365 * day;
    while (static_cast<double>(years) < least_ns && years < INT64_MAX / 20) years *= 10;
    return {years, years / 5};
}

int64_t floor_to(int64_t value, int64_t step) {
    const int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

// As many digits behind the point as the step needs.
int decimals_of(int64_t step_ns, int64_t unit_ns) {
    int decimals = 0;
    while (unit_ns > step_ns && decimals < 9) {
        unit_ns /= 10;
        ++decimals;
    }
    return decimals;
}

QString in_unit(int64_t value_ns, int64_t step_ns) {
    struct Unit {
        int64_t ns;
        const char* name;
    };
    constexpr std::array<Unit, 4> units{{{second, "s"}, {ms, "ms"}, {us, "µs"}, {1, "ns"}}};
    const int64_t size = std::abs(value_ns);
    for (const Unit& unit : units) {
        if (size < unit.ns && unit.ns != 1) continue;
        return QLocale::c().toString(static_cast<double>(value_ns) / static_cast<double>(unit.ns), 'f',
                                     decimals_of(step_ns, unit.ns)) +
               QChar(0xa0) + QString::fromUtf8(unit.name);
    }
    return QStringLiteral("0");
}

QString relative_label(int64_t value_ns, int64_t step_ns) {
    if (value_ns == 0) return QStringLiteral("0");
    if (step_ns >= second && std::abs(value_ns) >= minute) {
        const QString sign = value_ns < 0 ? QStringLiteral("-") : QString();
        const int64_t seconds = std::abs(value_ns) / second;
        const auto two = [](int64_t n) { return QStringLiteral("%1").arg(n, 2, 10, QLatin1Char('0')); };
        if (seconds >= 3600) {
            return sign + QStringLiteral("%1:%2:%3")
                              .arg(seconds / 3600)
                              .arg(two(seconds / 60 % 60), two(seconds % 60));
        }
        return sign + QStringLiteral("%1:%2").arg(seconds / 60).arg(two(seconds % 60));
    }
    return in_unit(value_ns, step_ns);
}

QDateTime date_time(int64_t time_ns, TimeFormat format) {
    const int64_t ms_since_epoch = floor_to(time_ns, ms) / ms;
    return format == TimeFormat::utc ? QDateTime::fromMSecsSinceEpoch(ms_since_epoch, QTimeZone::utc())
                                     : QDateTime::fromMSecsSinceEpoch(ms_since_epoch);
}

QString fraction(int64_t time_ns, int decimals) {
    const int64_t part = time_ns - floor_to(time_ns, second);
    return decimals == 0
               ? QString()
               : QLatin1Char('.') + QStringLiteral("%1").arg(part, 9, 10, QLatin1Char('0')).left(decimals);
}

// Parts of a second as watches and logs have them.
int clock_decimals(int64_t step_ns) {
    return step_ns >= second ? 0 : step_ns >= ms ? 3 : step_ns >= us ? 6 : 9;
}

QString clock_label(int64_t time_ns, int64_t step_ns, TimeFormat format) {
    const QDateTime moment = date_time(time_ns, format);
    if (step_ns >= day) return moment.toString(QStringLiteral("yyyy-MM-dd"));
    if (step_ns >= 2 * hour) return moment.toString(QStringLiteral("MM-dd HH:mm"));
    if (step_ns >= minute) return moment.toString(QStringLiteral("HH:mm"));
    return moment.toString(QStringLiteral("HH:mm:ss")) + fraction(time_ns, clock_decimals(step_ns));
}

// Below which steps labels say what is to be added to a base, which is a whole number of these; 0: they are moments.
int64_t base_step(int64_t step_ns, int64_t farthest_ns) {
    if (step_ns < us && farthest_ns >= ms) return us;
    if (step_ns < ms && farthest_ns >= second) return ms;
    return 0;
}

// As short as the base is round.
QString base_label(int64_t time_ns, int64_t capture_begin_ns, TimeFormat format) {
    const int64_t exact = format == TimeFormat::relative ? time_ns - capture_begin_ns : time_ns;
    const int decimals = exact % ms == 0 ? 3 : exact % us == 0 ? 6 : 9;
    return full_time(time_ns, capture_begin_ns, format)
        .replace(fraction(exact, 9), fraction(exact, decimals));
}

}  // namespace

TimeTicks time_ticks(const TimeViewport& viewport, int64_t capture_begin_ns, TimeFormat format,
                     double least_pixels) {
    TimeTicks ticks;
    if (viewport.range.empty() || viewport.length < 1) return ticks;
    const Step step = step_of(viewport.ns_per_pixel() * least_pixels);
    int64_t zero_ns = capture_begin_ns;
    if (format != TimeFormat::relative) {
        // Round in the day's time.
        zero_ns = format == TimeFormat::utc
                      ? 0
                      : -int64_t{date_time(viewport.range.begin_ns, format).offsetFromUtc()} * second;
    }
    const int64_t first = floor_to(viewport.range.begin_ns - zero_ns, step.major_ns);
    const int64_t last = viewport.range.end_ns - zero_ns;
    const int64_t rounding = base_step(step.major_ns, std::max(std::abs(first), std::abs(last)));
    const bool based = rounding > 0;
    int64_t base = 0;
    if (based) {
        base = floor_to(first + step.major_ns, rounding);
        // Nothing was before the capture.
        const int64_t begin = capture_begin_ns - zero_ns;
        if (base < begin) base = floor_to(std::max(begin, first) + step.major_ns - 1, step.major_ns);
        ticks.base = base_label(base + zero_ns, capture_begin_ns, format);
    }
    for (int64_t at = first; at <= last; at += step.major_ns) {
        const int64_t time_ns = at + zero_ns;
        if (viewport.range.begin_ns <= time_ns && time_ns <= viewport.range.end_ns) {
            QString label = based                            ? (at == base ? QStringLiteral("+0")
                                                                           : (at > base ? QStringLiteral("+") : QString()) +
                                                      in_unit(at - base, step.major_ns))
                            : format == TimeFormat::relative ? relative_label(at, step.major_ns)
                                                             : clock_label(time_ns, step.major_ns, format);
            ticks.major.push_back({time_ns, viewport.x_of(time_ns), std::move(label)});
        }
        for (int64_t minor = at + step.minor_ns; minor < at + step.major_ns; minor += step.minor_ns) {
            const int64_t minor_ns = minor + zero_ns;
            if (viewport.range.begin_ns <= minor_ns && minor_ns <= viewport.range.end_ns) {
                ticks.minor.push_back({minor_ns, viewport.x_of(minor_ns), QString()});
            }
        }
    }
    return ticks;
}

QString full_time(int64_t time_ns, int64_t capture_begin_ns, TimeFormat format) {
    if (format == TimeFormat::relative) {
        const int64_t relative = time_ns - capture_begin_ns;
        const int64_t size = std::abs(relative);
        return (relative < 0 ? QStringLiteral("-") : QString()) +
               QStringLiteral("%1.%2").arg(size / second).arg(size % second, 9, 10, QLatin1Char('0')) +
               QChar(0xa0) + QLatin1Char('s');
    }
    return date_time(time_ns, format).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) + fraction(time_ns, 9) +
           (format == TimeFormat::utc ? QStringLiteral(" UTC") : QString());
}

QString short_duration(int64_t duration_ns) {
    if (duration_ns < 0)
        return QLatin1Char('-') + short_duration(duration_ns == INT64_MIN ? INT64_MAX : -duration_ns);
    return QString::fromStdString(human_duration(duration_ns));
}

QString short_bytes(double bytes) {
    return QString::fromStdString(human_bytes(bytes));
}

namespace {

std::atomic<RateUnit> shown_rate_unit = RateUnit::bytes;

}  // namespace

RateUnit rate_unit() {
    return shown_rate_unit;
}

void set_rate_unit(RateUnit unit) {
    shown_rate_unit = unit;
}

QString short_rate(double bytes_per_second) {
    if (rate_unit() == RateUnit::bytes) return short_bytes(bytes_per_second) + QStringLiteral("/s");
    QString text = short_bytes(8 * bytes_per_second);
    text.chop(1);
    return text + QStringLiteral("bit/s");
}

QString short_count(double count) {
    return QString::fromStdString(human_count(static_cast<uint64_t>(std::max(0.0, count))));
}

QString counted(uint64_t count, const QString& one, const QString& many) {
    return QString::fromStdString(human_count(count)) + QLatin1Char(' ') + (count == 1 ? one : many);
}

}  // namespace sanscope
