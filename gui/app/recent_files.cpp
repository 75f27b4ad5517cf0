// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace sanscope {
namespace {

QString key() {
    return QStringLiteral("recent_files");
}

}  // namespace

QStringList recent_files() {
    return QSettings().value(key()).toStringList();
}

void add_recent_file(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    QStringList files = recent_files();
    files.removeAll(whole);
    files.prepend(whole);
    while (files.size() > most_recent_files) files.removeLast();
    QSettings().setValue(key(), files);
}

void clear_recent_files() {
    QSettings().remove(key());
}

}  // namespace sanscope
