// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/copy_recording.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

class CopyRecording : public testing::Test {
  protected:
    CopyRecording() {
        write(from, QByteArray("some bytes of a capture ").repeated(200'000));
        write(to, "what was there before");
    }
    static void write(const std::string& path, const QByteArray& bytes) {
        QFile file(QString::fromStdString(path));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    static QByteArray read(const std::string& path) {
        QFile file(QString::fromStdString(path));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }
    qsizetype files() const { return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(); }

    QTemporaryDir folder;
    const std::string from = folder.filePath(QStringLiteral("from.pcapng")).toStdString();
    const std::string to = folder.filePath(QStringLiteral("to.pcapng")).toStdString();
};

TEST_F(CopyRecording, IsTheSameAndTellsHowFarItIs) {
    uint64_t done = 0;
    uint64_t total = 0;
    int times = 0;
    ExportControl control;
    control.progress = [&](uint64_t part, uint64_t whole) {
        EXPECT_GT(part, done);
        done = part;
        total = whole;
        ++times;
    };
    const auto copied = copy_recording(from, to, control);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(*copied);
    EXPECT_EQ(read(to), read(from));
    EXPECT_EQ(done, 4'800'000u);
    EXPECT_EQ(total, 4'800'000u);
    EXPECT_GT(times, 2);
    EXPECT_EQ(files(), 2);
}

TEST_F(CopyRecording, StoppedOrImpossibleChangesNothing) {
    std::atomic<bool> stop = false;
    ExportControl control;
    control.stop = &stop;
    control.progress = [&](uint64_t, uint64_t) { stop = true; };
    const auto stopped = copy_recording(from, to, control);
    ASSERT_TRUE(stopped);
    EXPECT_FALSE(*stopped);
    EXPECT_EQ(read(to), "what was there before");
    EXPECT_FALSE(copy_recording(from, folder.filePath(QStringLiteral("no/such/folder")).toStdString(), {}));
    EXPECT_FALSE(copy_recording(folder.filePath(QStringLiteral("none")).toStdString(), to, {}));
    EXPECT_EQ(read(to), "what was there before");
    EXPECT_EQ(files(), 2);
}

}  // namespace
}  // namespace sanscope
