// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/sharing/share_dialog.h"
#include "gui/sharing/share_summary.h"

namespace sanscope {
namespace {

using testing::HasSubstr;

QByteArray bytes_of(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll();
}

class Share : public testing::Test {
  protected:
    void SetUp() override {
        capture = folder.filePath(QStringLiteral("san.pcap"));
        ASSERT_TRUE(QFile::copy(QStringLiteral(SANSCOPE_SAMPLES "/login-discovery-inquiry.pcap"), capture));
        QSettings().remove(QStringLiteral("share"));
    }
    ShareRequest request(const char* target) const {
        ShareRequest request;
        request.source = capture.toStdString();
        request.target = folder.filePath(QString::fromLatin1(target)).toStdString();
        return request;
    }

    QTemporaryDir folder;
    QString capture;
};

TEST_F(Share, SuggestsANameThatIsNotThereYet) {
    ShareDialog dialog(capture, nullptr);
    EXPECT_EQ(dialog.request().target,
              folder.filePath(QStringLiteral("san-to-share.pcapng.zst")).toStdString());
    EXPECT_TRUE(dialog.request().anonymize);
    EXPECT_TRUE(dialog.request().mapping.empty());
    EXPECT_EQ(dialog.fault(), QString());
    QFile(folder.filePath(QStringLiteral("san-to-share.pcapng.zst"))).open(QIODevice::WriteOnly);
    EXPECT_EQ(ShareDialog(capture, nullptr).request().target,
              folder.filePath(QStringLiteral("san-to-share-2.pcapng.zst")).toStdString());
}

TEST_F(Share, RefusesWhatCannotBe) {
    ShareDialog dialog(capture, nullptr);
    const auto fault_of = [&](const QString& target) {
        dialog.target().setText(target);
        EXPECT_EQ(dialog.save().isEnabled(), dialog.fault().isEmpty());
        return dialog.fault().toStdString();
    };
    EXPECT_THAT(fault_of({}), HasSubstr("needs a name"));
    EXPECT_THAT(fault_of(folder.filePath(QStringLiteral("copy.pcap"))), HasSubstr(".pcapng"));
    EXPECT_THAT(fault_of(folder.filePath(QStringLiteral("copy.pcapng.gz"))), HasSubstr(".pcapng"));
    EXPECT_THAT(fault_of(folder.filePath(QStringLiteral("none/copy.pcapng"))), HasSubstr("no folder"));
    const QString link = folder.filePath(QStringLiteral("link.pcapng"));
    ASSERT_TRUE(QFile::link(capture, link));
    EXPECT_THAT(fault_of(link), HasSubstr("never overwritten"));
    EXPECT_EQ(fault_of(folder.filePath(QStringLiteral("copy.pcapng"))), "");
    dialog.writes_mapping().setChecked(true);
    EXPECT_EQ(dialog.fault(), QString());
    dialog.mapping().setText(capture);
    EXPECT_THAT(dialog.fault().toStdString(), HasSubstr("never replaces"));
    // Without names to replace, there is no mapping that could be wrong.
    dialog.anonymize().setChecked(false);
    EXPECT_EQ(dialog.fault(), QString());
    EXPECT_TRUE(dialog.request().mapping.empty());
}

TEST_F(Share, ACopyHasNoNamesAndTheMappingHasThem) {
    ShareRequest asked = request("copy.pcapng");
    asked.mapping = folder.filePath(QStringLiteral("mapping.csv")).toStdString();
    const auto copy = write_shared_copy(asked, {});
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_GT(copy->scrubbed.packets, 0U);
    EXPECT_GT(copy->replacements, 0U);
    EXPECT_EQ(copy->file_bytes,
              static_cast<uint64_t>(QFileInfo(folder.filePath(QStringLiteral("copy.pcapng"))).size()));
    // The initiator's name is in the capture and in the mapping alone.
    const QByteArray name = "InitiatorName=iqn";
    const QByteArray original = bytes_of(capture);
    const qsizetype at = original.indexOf(name);
    ASSERT_GE(at, 0);
    const QByteArray iqn = original.mid(at + 14, original.indexOf('\0', at) - at - 14);
    EXPECT_FALSE(bytes_of(QString::fromStdString(asked.target)).contains(iqn));
    EXPECT_TRUE(bytes_of(QString::fromStdString(asked.mapping)).contains(iqn));
    EXPECT_EQ(QFileInfo(QString::fromStdString(asked.mapping)).permissions() &
                  (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
    const std::string words = share_summary(asked, *copy, 7).join(QLatin1Char('\n')).toStdString();
    EXPECT_THAT(words, HasSubstr("TCP connections: 7."));
    EXPECT_THAT(words, HasSubstr("have replacements"));
    EXPECT_THAT(words, HasSubstr("mapping.csv"));
}

TEST_F(Share, WithoutAnonymizingNamesStayAndTheSummarySaysSo) {
    ShareRequest asked = request("copy.pcapng.zst");
    asked.anonymize = false;
    const auto copy = write_shared_copy(asked, {});
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_EQ(bytes_of(QString::fromStdString(asked.target)).left(4), QByteArray("\x28\xb5\x2f\xfd"));
    const std::string words = share_summary(asked, *copy, 1).join(QLatin1Char('\n')).toStdString();
    EXPECT_THAT(words, HasSubstr("Still in it: IP and MAC addresses"));
    EXPECT_THAT(words, testing::Not(HasSubstr("replacements")));
}

TEST_F(Share, NeitherTheSourceNorAMappingIsOverwritten) {
    const QByteArray before = bytes_of(capture);
    ShareRequest asked = request("san.pcap");
    EXPECT_FALSE(write_shared_copy(asked, {}));
    asked = request("copy.pcapng");
    asked.mapping = capture.toStdString();
    EXPECT_FALSE(write_shared_copy(asked, {}));
    EXPECT_EQ(bytes_of(capture), before);
    EXPECT_FALSE(QFileInfo::exists(folder.filePath(QStringLiteral("copy.pcapng"))));
}

TEST_F(Share, AStopLeavesNothing) {
    ShareRequest asked = request("copy.pcapng");
    asked.mapping = folder.filePath(QStringLiteral("mapping.csv")).toStdString();
    const std::atomic<bool> stop = true;
    const auto copy = write_shared_copy(asked, {.stop = &stop});
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_TRUE(copy->stopped);
    EXPECT_FALSE(QFileInfo::exists(QString::fromStdString(asked.target)));
    EXPECT_FALSE(QFileInfo::exists(QString::fromStdString(asked.mapping)));
}

}  // namespace
}  // namespace sanscope
