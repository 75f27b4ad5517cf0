// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/unsaved_recordings.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

int open_to_lock(const QString& path) {
    return ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

UnsavedRecordings::UnsavedRecordings(QString folder) : folder_(std::move(folder)) {
    if (folder_.isEmpty()) {
        folder_ =
            QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recordings");
    }
}

QString UnsavedRecordings::new_path(const QString& interface) const {
    const QDir folder(folder_);
    if (!folder.exists()) {
        if (!folder.mkpath(QStringLiteral("."))) return {};
        // What is captured concerns nobody else.
        QFile::setPermissions(folder_, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    const QString stem = interface + QLatin1Char('_') +
                         QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString name = stem + QStringLiteral(".pcapng");
    for (int i = 2; folder.exists(name); ++i) name = QStringLiteral("%1-%2.pcapng").arg(stem).arg(i);
    return folder.filePath(name);
}

bool UnsavedRecordings::holds(const QString& path) const {
    return QFileInfo(path).absolutePath() == QFileInfo(folder_).absoluteFilePath();
}

QStringList UnsavedRecordings::left_behind() const {
    QStringList found;
    const auto files =
        QDir(folder_).entryInfoList({QStringLiteral("*.pcapng")}, QDir::Files | QDir::NoSymLinks, QDir::Time);
    for (const QFileInfo& file : files) {
        const int descriptor = open_to_lock(file.absoluteFilePath());
        if (descriptor < 0) continue;
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) found.append(file.absoluteFilePath());
        ::close(descriptor);
    }
    return found;
}

UnsavedRecordings::Claim::Claim(const QString& path) : descriptor_(open_to_lock(path)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_SH | LOCK_NB);
}

UnsavedRecordings::Claim::Claim(Claim&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

UnsavedRecordings::Claim& UnsavedRecordings::Claim::operator=(Claim&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

UnsavedRecordings::Claim::~Claim() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sanscope
