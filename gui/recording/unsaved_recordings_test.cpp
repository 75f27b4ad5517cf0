// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/unsaved_recordings.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

void write(const QString& path) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("something");
}

TEST(UnsavedRecordings, NamesEachRecordingAnew) {
    const QTemporaryDir folder;
    const UnsavedRecordings unsaved(folder.filePath(QStringLiteral("made/when/needed")));
    const QString first = unsaved.new_path(QStringLiteral("eth0"));
    write(first);
    const QString second = unsaved.new_path(QStringLiteral("eth0"));
    EXPECT_NE(first, second);
    EXPECT_TRUE(QFileInfo(first).fileName().startsWith(QStringLiteral("eth0_")));
    EXPECT_TRUE(unsaved.holds(first));
    EXPECT_FALSE(unsaved.holds(QStringLiteral("/tmp/eth0.pcapng")));
    // Nobody else may look into it.
    const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::ExeOther;
    EXPECT_FALSE(QFileInfo(QFileInfo(first).absolutePath()).permissions() & others);
}

TEST(UnsavedRecordings, WhatNobodyHasOpenWasLeftBehind) {
    const QTemporaryDir folder;
    const UnsavedRecordings unsaved(folder.path());
    EXPECT_TRUE(unsaved.left_behind().isEmpty());
    const QString path = unsaved.new_path(QStringLiteral("eth0"));
    write(path);
    write(folder.filePath(QStringLiteral("else.txt")));
    {
        const UnsavedRecordings::Claim claim(path);
        EXPECT_TRUE(unsaved.left_behind().isEmpty());
        const UnsavedRecordings::Claim another(path);
    }
    EXPECT_EQ(unsaved.left_behind(), QStringList(path));
    UnsavedRecordings::Claim moved;
    moved = UnsavedRecordings::Claim(path);
    EXPECT_TRUE(unsaved.left_behind().isEmpty());
}

}  // namespace
}  // namespace sanscope
