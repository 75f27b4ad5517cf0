// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/write_file.h"

#include <QFile>
#include <span>

#include "analyzer/export/replacement_file.h"

namespace sanscope {

QString write_file(const QString& path, const QByteArray& bytes) {
    auto file = ReplacementFile::create(QFile::encodeName(path).toStdString());
    if (!file) return QString::fromStdString(file.error().message);
    (*file)->sink().write(std::span(bytes.constData(), static_cast<size_t>(bytes.size())));
    const auto committed = (*file)->commit();
    return committed ? QString() : QString::fromStdString(committed.error().message);
}

}  // namespace sanscope
