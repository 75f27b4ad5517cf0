// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/whole_blocks.h"

#include <QTemporaryFile>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

QByteArray block(int payload) {
    const auto length = static_cast<char>(12 + payload);
    return QByteArray("\6\0\0\0", 4) + length + QByteArray(3, '\0') + QByteArray(payload, 'p') + length +
           QByteArray(3, '\0');
}

uint64_t end_of(const QByteArray& bytes, uint64_t from) {
    QTemporaryFile file;
    EXPECT_TRUE(file.open());
    file.write(bytes);
    file.flush();
    return end_of_whole_blocks(file.handle(), from);
}

TEST(WholeBlocks, EndWhereTheNextIsCut) {
    const QByteArray whole = block(0) + block(20) + block(100);
    EXPECT_EQ(end_of(whole, 0), 144u + 12u);
    EXPECT_EQ(end_of(whole, 12), 156u);
    for (qsizetype cut = 1; cut < 112; ++cut) EXPECT_EQ(end_of(whole.chopped(cut), 0), 44u) << cut;
    EXPECT_EQ(end_of(whole, 156), 156u);
    EXPECT_EQ(end_of(whole, 1000), 1000u);
}

TEST(WholeBlocks, AreNotTakenFromWhatIsNone) {
    EXPECT_EQ(end_of(QByteArray(64, '\0'), 0), 0u);
    EXPECT_EQ(end_of(QByteArray(64, '\xff'), 0), 0u);
    QByteArray lengths_that_differ = block(20);
    lengths_that_differ[28] = 40;
    EXPECT_EQ(end_of(block(8) + lengths_that_differ, 0), 20u);
    EXPECT_EQ(end_of_whole_blocks(-1, 7), 7u);
}

}  // namespace
}  // namespace sanscope
