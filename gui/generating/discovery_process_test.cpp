// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/discovery_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/fake_generator.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_gui::FakeGenerator;
using testing_gui::wait_until;

class DiscoveryProcessTest : public testing::Test {
  protected:
    DiscoveryProcessTest() {
        QObject::connect(&discovery, &DiscoveryProcess::target,
                         [this](const QString& name, const QString& url) {
                             targets.push_back(name.toStdString() + " " + url.toStdString());
                         });
        QObject::connect(&discovery, &DiscoveryProcess::lun,
                         [this](const QString&, const DiscoveredLun& lun) { luns.push_back(lun); });
        QObject::connect(&discovery, &DiscoveryProcess::failed,
                         [this](const QString& url, const QString& why) {
                             failures.push_back(url.toStdString() + ": " + why.toStdString());
                         });
        QObject::connect(&discovery, &DiscoveryProcess::finished, [this] { finished = true; });
    }
    void ask(const char* url, const DiscoveryProcess::Account& account = {}) {
        finished = false;
        discovery.ask(QString::fromUtf8(url), account);
        ASSERT_TRUE(wait_until([&] { return finished; }));
        EXPECT_FALSE(discovery.running());
    }

    DiscoveryProcess discovery;
    std::vector<std::string> targets;
    std::vector<DiscoveredLun> luns;
    std::vector<std::string> failures;
    bool finished = false;
};

TEST_F(DiscoveryProcessTest, TellsTargetsAndLuns) {
    const FakeGenerator fake(
        "echo \"$*\" >> $dir/asked\n"
        "case \"$*\" in */iqn*) echo "
        "'{\"kind\":\"lun\",\"url\":\"iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk/1\",\"lun\":1,"
        "\"bytes\":1048576,\"blocks\":2048,\"block_length\":512,\"vendor\":\"ACME    "
        "\",\"product\":\"DISK\",\"serial_number\":\" A1 \","
        "\"content\":\"an ext4 file system\",\"interface\":\"lo\",\"filter\":\"(host 127.0.0.1 and tcp port "
        "3260)\"}'\n"
        "echo "
        "'{\"kind\":\"lun\",\"url\":\"iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk/"
        "2\",\"lun\":2,\"error\":\"not ready\"}';;\n"
        "*) echo "
        "'{\"kind\":\"target\",\"name\":\"iqn.2026-11.org.example:disk\",\"url\":\"iscsi://127.0.0.1:3260/"
        "iqn.2026-11.org.example:disk\"}';;"
        "esac");
    ask("iscsi://127.0.0.1");
    EXPECT_THAT(
        targets,
        ElementsAre("iqn.2026-11.org.example:disk iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk"));
    ask("iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk");
    ASSERT_EQ(luns.size(), 2u);
    EXPECT_EQ(luns[0].url.toStdString(), "iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk/1");
    EXPECT_EQ(luns[0].number, 1u);
    EXPECT_EQ(luns[0].bytes, 1048576u);
    EXPECT_EQ(luns[0].vendor.toStdString(), "ACME");
    EXPECT_EQ(luns[0].serial_number.toStdString(), "A1");
    EXPECT_EQ(luns[0].content.toStdString(), "an ext4 file system");
    EXPECT_EQ(luns[0].interface.toStdString(), "lo");
    EXPECT_EQ(luns[0].filter.toStdString(), "(host 127.0.0.1 and tcp port 3260)");
    EXPECT_EQ(luns[1].error.toStdString(), "not ready");
    EXPECT_THAT(failures, IsEmpty());
    EXPECT_EQ(fake.file("asked"),
              "generate --discover --json -- iscsi://127.0.0.1\n"
              "generate --discover --json -- iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk\n");
}

TEST_F(DiscoveryProcessTest, NamesThatAreNoneArePassedOver) {
    const FakeGenerator fake(
        "echo '{\"kind\":\"target\",\"name\":\"x\",\"url\":\"--really\"}'\n"
        "echo "
        "'{\"kind\":\"target\",\"name\":\"x\",\"url\":\"iscsi://user@127.0.0.1/"
        "iqn.2026-11.org.example:disk\"}'\n"
        "echo "
        "'{\"kind\":\"target\",\"name\":\"x\",\"url\":\"http://127.0.0.1/iqn.2026-11.org.example:disk\"}'\n"
        "echo '{\"kind\":\"lun\",\"url\":\"iscsi://127.0.0.1/iqn.2026-11.org.example:disk\"}'\n"
        "echo '{\"kind\":\"lun\",\"url\":\"iscsi://127.0.0.1/iqn.2026-11.org.example:disk/99999\"}'\n"
        "echo nonsense");
    ask("iscsi://127.0.0.1");
    EXPECT_THAT(targets, IsEmpty());
    EXPECT_THAT(luns, IsEmpty());
}

TEST_F(DiscoveryProcessTest, TellsWhyNothingCame) {
    {
        const FakeGenerator fake("echo 'sanscope: 127.0.0.1:3260: Connection refused' >&2; exit 1");
        ask("iscsi://127.0.0.1");
        EXPECT_THAT(failures, ElementsAre("iscsi://127.0.0.1: 127.0.0.1:3260: Connection refused"));
    }
    failures.clear();
    {
        const FakeGenerator fake("exit 0");
        ask("iscsi://127.0.0.1");
        EXPECT_THAT(failures, ElementsAre("iscsi://127.0.0.1: There is nothing for this initiator."));
    }
    failures.clear();
    qputenv("SANSCOPE_PROGRAM", "/nowhere/sanscope");
    ask("iscsi://127.0.0.1");
    qunsetenv("SANSCOPE_PROGRAM");
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_THAT(failures[0], HasSubstr("/nowhere/sanscope cannot be started"));
}

TEST_F(DiscoveryProcessTest, ProvesItselfByStandardInput) {
    const FakeGenerator fake("cat > $dir/input; echo \"$*\" > $dir/asked");
    ask("iscsi://127.0.0.1:3261", {.user = QStringLiteral("me"),
                                   .mutual_user = QStringLiteral("it"),
                                   .secrets = {.initiator = "one", .target = "two"}});
    EXPECT_EQ(fake.file("input"), "one\ntwo\n");
    EXPECT_EQ(fake.file("asked"),
              "generate --discover --json --secret-file - --mutual-user it --mutual-secret-file - -- "
              "iscsi://me@127.0.0.1:3261\n");
}

TEST_F(DiscoveryProcessTest, WhatIsGivenUpTellsNothing) {
    const FakeGenerator fake("trap '' INT TERM; exec sleep 600");
    discovery.ask(QStringLiteral("iscsi://127.0.0.1"), {});
    discovery.ask(QStringLiteral("iscsi://127.0.0.2"), {});
    EXPECT_TRUE(discovery.running());
    discovery.cancel();
    EXPECT_FALSE(discovery.running());
    EXPECT_THAT(failures, IsEmpty());
    EXPECT_FALSE(finished);
}

TEST(TypedAddress, IsReadAsPeopleTypeIt) {
    const auto url_of = [](const char* text) {
        const TypedAddress read = read_address(QString::fromUtf8(text));
        return read.error.isEmpty() ? read.url.toStdString() : "error: " + read.error.toStdString();
    };
    EXPECT_EQ(url_of(" 192.0.2.7 "), "iscsi://192.0.2.7");
    EXPECT_EQ(url_of("storage:3261/"), "iscsi://storage:3261");
    EXPECT_EQ(url_of("2001:db8::7"), "iscsi://[2001:db8::7]");
    EXPECT_EQ(url_of("iscsi://[2001:db8::7]:3260"), "iscsi://[2001:db8::7]:3260");
    EXPECT_EQ(url_of("iscsi://192.0.2.7/iqn.2026-11.org.example:disk"),
              "iscsi://192.0.2.7/iqn.2026-11.org.example:disk");
    const TypedAddress whole =
        read_address(QStringLiteral("iscsi://me%2Ftoo@192.0.2.7/iqn.2026-11.org.example:disk/3"));
    EXPECT_EQ(whole.url.toStdString(), "iscsi://192.0.2.7/iqn.2026-11.org.example:disk");
    EXPECT_EQ(whole.lun_url.toStdString(), "iscsi://192.0.2.7/iqn.2026-11.org.example:disk/3");
    EXPECT_EQ(whole.user.toStdString(), "me/too");
    for (const char* const wrong :
         {"", "iscsi://", "http://192.0.2.7", "192.0.2.7:99999", "192.0.2.7/disk", "a b",
          "iscsi://me:secret@192.0.2.7", "iscsi://192.0.2.7/iqn.2026-11.org.example:disk/x"})
        EXPECT_THAT(url_of(wrong), testing::StartsWith("error: ")) << wrong;
    EXPECT_THAT(url_of("iscsi://me:hunter2@192.0.2.7"), testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace sanscope
