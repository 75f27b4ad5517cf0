// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <fstream>
#include <unistd.h>

namespace sanscope::testing_gui {

// As long as this lives, the recorder is run as a user without rights runs it. Where this process is root and has no setpriv to
// be somebody else by, nothing is changed, and it is not usable.
class UnprivilegedRecorder {
  public:
    UnprivilegedRecorder() {
        QString program = QStringLiteral(SANSCOPE_RECORDER);
        if (::geteuid() == 0) {
            if (QStandardPaths::findExecutable(QStringLiteral("setpriv")).isEmpty()) return;
            // Where nobody in particular may execute it.
            const auto for_all = QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ReadOther |
                                 QFile::ExeOther | QFile::ReadGroup | QFile::ExeGroup;
            const QString copy = folder_.filePath(QStringLiteral("sanscope-recorder"));
            if (!QFile::copy(program, copy)) return;
            program = folder_.filePath(QStringLiteral("as-nobody"));
            std::ofstream(program.toStdString()) << "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 "
                                                    "--clear-groups --bounding-set=-all --inh-caps=-all "
                                                 << copy.toStdString() << '\n';
            for (const QString& path : {folder_.path(), copy, program}) QFile::setPermissions(path, for_all);
        }
        qputenv("SANSCOPE_RECORDER", program.toLocal8Bit());
        usable_ = true;
    }
    ~UnprivilegedRecorder() { qunsetenv("SANSCOPE_RECORDER"); }
    UnprivilegedRecorder(const UnprivilegedRecorder&) = delete;
    UnprivilegedRecorder& operator=(const UnprivilegedRecorder&) = delete;

    bool usable() const { return usable_; }

  private:
    QTemporaryDir folder_;
    bool usable_ = false;
};

}  // namespace sanscope::testing_gui
