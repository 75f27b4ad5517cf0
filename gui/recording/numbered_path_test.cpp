// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/numbered_path.h"

#include <QFile>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(NumberedPath, CountsOnAndReplacesNothing) {
    const QTemporaryDir folder;
    const auto next = [&](const char* name) {
        const QString path = numbered_path(folder.filePath(QString::fromUtf8(name)));
        EXPECT_TRUE(path.startsWith(folder.path()));
        return path.mid(folder.path().size() + 1).toStdString();
    };
    EXPECT_EQ(next("san.pcapng"), "san-2.pcapng");
    EXPECT_EQ(next("san-2.pcapng"), "san-3.pcapng");
    EXPECT_EQ(next("san-999.pcapng"), "san-1000.pcapng");
    EXPECT_EQ(next("san-20261122.pcapng"), "san-20261122-2.pcapng");
    EXPECT_EQ(next("a.b.pcapng"), "a.b-2.pcapng");
    EXPECT_EQ(next("san"), "san-2");
    EXPECT_EQ(next("-2.pcapng"), "-2-2.pcapng");
    QFile there(folder.filePath(QStringLiteral("san-2.pcapng")));
    ASSERT_TRUE(there.open(QIODevice::WriteOnly));
    EXPECT_EQ(next("san.pcapng"), "san-3.pcapng");
}

}  // namespace
}  // namespace sanscope
