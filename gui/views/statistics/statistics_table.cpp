// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/statistics/statistics_table.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "gui/plot/time_axis.h"

namespace sanscope {

QString StatisticsTable::Cell::text() const {
    if (format == Format::words || !value) return words;
    switch (format) {
        case Format::words:
            break;
        case Format::number:
            return QLocale().toString(static_cast<qulonglong>(*value));
        case Format::bytes:
            return short_bytes(*value);
        case Format::bytes_a_second:
            return short_rate(*value);
        case Format::nanoseconds:
            // The longest that can be told is no double, but the next one is.
            return short_duration(static_cast<int64_t>(std::clamp(*value, -9.2e18, 9.2e18)));
        case Format::percent:
            return QCoreApplication::translate("StatisticsView", "%1 %")
                .arg(*value, 0, 'f', *value < 10 ? 2 : 0);
    }
    return words;
}

}  // namespace sanscope
