// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/moment_literal.h"

#include <QDateTime>
#include <QTimeZone>

namespace sanscope {

QString moment_literal(int64_t time_ns) {
    constexpr int64_t second = 1'000'000'000;
    const int64_t seconds = time_ns / second - (time_ns % second < 0 ? 1 : 0);
    const QDateTime when = QDateTime::fromSecsSinceEpoch(seconds, QTimeZone::utc());
    if (seconds < 0 || !when.isValid()) return QString::number(time_ns);
    return QStringLiteral("\"%1.%2\"")
        .arg(when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")))
        .arg(time_ns - seconds * second, 9, 10, QLatin1Char('0'));
}

}  // namespace sanscope
