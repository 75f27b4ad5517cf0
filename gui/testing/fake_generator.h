// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QTemporaryDir>
#include <string>

namespace sanscope::testing_gui {

// The end of a script that runs until one of its traps, or a signal, ends it. It waits for a child in the background, which ends
// with it: while dash starts one in the foreground by vfork(), it loses signals.
inline const std::string runs_on =
    "(while kill -0 $$; do sleep 0.05; done) >/dev/null 2>&1 &\nwhile :; do wait $!; done";

// As long as this lives, a script of the shell stands in for the program `sanscope`. In it, `$dir` is a folder of its own.
class FakeGenerator {
  public:
    explicit FakeGenerator(const std::string& script) {
        const QString path = folder_.filePath(QStringLiteral("sanscope"));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) {
            file.write("#!/bin/sh\ndir=" + folder_.path().toLocal8Bit() + "\n" +
                       QByteArray::fromStdString(script) + "\n");
        }
        file.close();
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("SANSCOPE_PROGRAM", path.toLocal8Bit());
    }
    ~FakeGenerator() { qunsetenv("SANSCOPE_PROGRAM"); }
    FakeGenerator(const FakeGenerator&) = delete;
    FakeGenerator& operator=(const FakeGenerator&) = delete;

    // What the script put into a file of its folder; empty: nothing.
    std::string file(const char* name) const {
        QFile file(folder_.filePath(QString::fromUtf8(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    }

  private:
    QTemporaryDir folder_;
};

}  // namespace sanscope::testing_gui
