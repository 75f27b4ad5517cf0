// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/interface_activity.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using test::second;

class InterfaceActivityTest : public testing::Test {
  protected:
    void count(const char* name, uint64_t in, uint64_t out) {
        const QString statistics = folder.filePath(QString::fromUtf8(name)) + QStringLiteral("/statistics");
        QDir().mkpath(statistics);
        for (const auto& [file, value] : {std::pair{"rx_bytes", in}, std::pair{"tx_bytes", out}}) {
            QFile counter(statistics + QLatin1Char('/') + QString::fromUtf8(file));
            ASSERT_TRUE(counter.open(QIODevice::WriteOnly));
            counter.write(QByteArray::number(static_cast<qulonglong>(value)) + '\n');
        }
    }
    QTemporaryDir folder;
    InterfaceActivity activity{folder.path()};
};

TEST_F(InterfaceActivityTest, TellsWhatWasCarriedFromLookToLook) {
    count("eth0", 1000, 500);
    count("eth1", 7, 7);
    activity.look(0);
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), IsEmpty());
    count("eth0", 3000, 1500);
    activity.look(2 * second);
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), ElementsAre(1500));
    count("eth1", 17, 7);
    activity.look(3 * second);
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), ElementsAre(1500, 0));
    EXPECT_THAT(activity.rates(QStringLiteral("any")), ElementsAre(1500, 10));
    EXPECT_THAT(activity.rates(QStringLiteral("none")), IsEmpty());
}

TEST_F(InterfaceActivityTest, CountersThatBeginAnewAreNoTraffic) {
    count("eth0", 1'000'000, 0);
    activity.look(0);
    count("eth0", 10, 0);
    activity.look(second);
    count("eth0", 20, 0);
    activity.look(2 * second);
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), ElementsAre(0, 10));
}

TEST_F(InterfaceActivityTest, KeepsTheLastSamplesAndForgetsWhatIsGone) {
    for (int i = 0; i < 100; ++i) {
        count("eth0", static_cast<uint64_t>(i) * 10, 0);
        if (i == 50) count("eth1", 1, 1);
        activity.look(i * second);
    }
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), SizeIs(InterfaceActivity::samples));
    EXPECT_THAT(activity.rates(QStringLiteral("any")), SizeIs(InterfaceActivity::samples));
    QDir(folder.filePath(QStringLiteral("eth0"))).removeRecursively();
    activity.look(101 * second);
    EXPECT_THAT(activity.rates(QStringLiteral("eth0")), IsEmpty());
}

}  // namespace
}  // namespace sanscope
