// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/name_resolution.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>

namespace sanscope {
namespace {

constexpr auto file_key = "settings/hosts_file";
constexpr auto captures_key = "settings/names_of_captures";

// nullptr, and why, where there are none.
std::shared_ptr<const HostNames> read_names(const QString& path, QString& fault) {
    constexpr qint64 most_bytes = 16 << 20;
    const QFileInfo info(path);
    if (info.exists() && !info.isFile()) {
        fault = NameResolution::tr("%1 is not a regular file.").arg(path);
        return nullptr;
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        fault = NameResolution::tr("%1 cannot be read: %2").arg(path, file.errorString());
        return nullptr;
    }
    auto names = std::make_shared<const HostNames>(HostNames::read(QString::fromUtf8(file.read(most_bytes))));
    if (names->size() > 0) return names;
    fault = NameResolution::tr("%1 names no host: each line has an address and a name.").arg(path);
    return nullptr;
}

}  // namespace

NameResolution::NameResolution(QObject* parent)
    : QObject(parent),
      file_(QSettings().value(QLatin1String(file_key)).toString()),
      uses_names_of_captures_(QSettings().value(QLatin1String(captures_key), true).toBool()) {
    QString fault;
    if (!file_.isEmpty()) names_ = read_names(file_, fault);
}

QString NameResolution::set_file(const QString& path) {
    QString fault;
    auto names = path.isEmpty() ? nullptr : read_names(path, fault);
    if (!fault.isEmpty()) return fault;
    file_ = path;
    names_ = std::move(names);
    QSettings().setValue(QLatin1String(file_key), path);
    Q_EMIT changed();
    return {};
}

void NameResolution::set_uses_names_of_captures(bool uses) {
    if (uses == uses_names_of_captures_) return;
    uses_names_of_captures_ = uses;
    QSettings().setValue(QLatin1String(captures_key), uses);
    Q_EMIT changed();
}

}  // namespace sanscope
