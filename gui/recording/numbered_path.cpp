// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/numbered_path.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace sanscope {

QString numbered_path(const QString& path) {
    const QFileInfo file(path);
    QString stem = file.completeBaseName();
    int number = 2;
    static const QRegularExpression numbered(QStringLiteral("^(.+)-([1-9][0-9]{0,2})$"));
    if (const auto match = numbered.match(stem); match.hasMatch()) {
        stem = match.captured(1);
        number = match.captured(2).toInt() + 1;
    }
    const QString ending = file.suffix().isEmpty() ? QString() : QLatin1Char('.') + file.suffix();
    const QDir folder = file.dir();
    while (folder.exists(QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(ending))) ++number;
    return folder.filePath(QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(ending));
}

}  // namespace sanscope
