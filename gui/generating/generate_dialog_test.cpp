// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/generate_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/generating/target_chooser.h"
#include "gui/testing/fake_generator.h"
#include "gui/testing/shown_markup.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_gui::FakeGenerator;
using testing_gui::wait_until;

const char* const target_url = "iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk";

std::string lun_line(int lun, const char* content) {
    const std::string number = std::to_string(lun);
    return R"~(echo '{"kind":"lun","url":")~" + std::string(target_url) + "/" + number + R"~(","lun":)~" +
           number +
           R"~(,"bytes":1073741824,"blocks":2097152,"block_length":512,"vendor":"ACME","product":"DISK",)~"
           R"~("serial_number":"SER)~" +
           number + R"~(","content":")~" + content +
           R"~(","interface":"lo","filter":"(host 127.0.0.1 and tcp port 3260)"}';)~";
}

// A portal of one target with three LUNs: an empty one, one with a file system, one that is not ready.
std::string portal() {
    return "echo \"$*\" >> $dir/asked\ncase \"$*\" in */iqn*) " + lun_line(0, "") +
           lun_line(1, "an ext4 file system") + R"(echo '{"kind":"lun","url":")" + target_url +
           R"(/2","lun":2,"error":"it is not ready"}';; *) )" +
           R"(echo '{"kind":"target","name":"iqn.2026-11.org.example:disk","url":")" + target_url +
           R"("}';; esac)";
}

class GenerateDialogTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        open();
    }
    void TearDown() override { QSettings().clear(); }

    void open() {
        dialog = std::make_unique<GenerateDialog>();
        dialog->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog.get()));
    }
    template <class Field>
    Field& field(const char* name) const {
        for (Field* const one : dialog->findChildren<Field*>()) {
            if (one->accessibleName() == QString::fromUtf8(name)) return *one;
        }
        ADD_FAILURE() << "no " << name;
        return *dialog->findChild<Field*>();
    }
    QLineEdit& edit(const char* name) const { return field<QLineEdit>(name); }
    QComboBox& combo(const char* name) const { return field<QComboBox>(name); }
    QPushButton& button(const char* text) const {
        for (QPushButton* const one : dialog->findChildren<QPushButton*>()) {
            if (one->text().remove(u'&') == QString::fromUtf8(text)) return *one;
        }
        ADD_FAILURE() << "no " << text;
        return *dialog->findChild<QPushButton*>();
    }
    QCheckBox& check(const char* text) const {
        for (QCheckBox* const one : dialog->findChildren<QCheckBox*>()) {
            if (one->text().remove(u'&') == QString::fromUtf8(text)) return *one;
        }
        ADD_FAILURE() << "no " << text;
        return *dialog->findChild<QCheckBox*>();
    }
    bool startable() const { return button("Start").isEnabled(); }
    std::string command() const {
        return field<QPlainTextEdit>("The same as a command").toPlainText().toStdString();
    }
    bool shows_text(const char* text) const {
        return std::ranges::any_of(dialog->findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(QString::fromUtf8(text));
        });
    }
    void discover(const char* address) {
        edit("Address").setText(QString::fromUtf8(address));
        QTest::mouseClick(&button("Discover"), Qt::LeftButton);
        ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    }
    QTreeWidgetItem* lun(int place) const {
        const auto* const list = dialog->findChild<QTreeWidget*>();
        return list->topLevelItemCount() == 0 ? nullptr : list->topLevelItem(0)->child(place);
    }
    void pick(int place, bool on = true) const {
        ASSERT_NE(lun(place), nullptr);
        lun(place)->setCheckState(0, on ? Qt::Checked : Qt::Unchecked);
    }
    // As a user does.
    void choose(QComboBox& box, const char* text) const {
        const int index = box.findText(QString::fromUtf8(text));
        ASSERT_GE(index, 0) << text;
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
    }

    std::unique_ptr<GenerateDialog> dialog;
};

TEST_F(GenerateDialogTest, WhatIsAskedOfTcpIsInTheCommandAndRemembered) {
    const FakeGenerator fake(portal());
    discover("127.0.0.1");
    pick(0);
    EXPECT_THAT(command(), Not(HasSubstr("--mss")));
    combo("Congestion control").setCurrentText(QStringLiteral("reno"));
    edit("MSS").setText(QStringLiteral("1200"));
    edit("Receive buffer").setText(QStringLiteral("64K"));
    edit("Send buffer").setText(QStringLiteral("128 KiB"));
    edit("Window clamp").setText(QStringLiteral("16384"));
    EXPECT_THAT(command(), HasSubstr(" --tcp-congestion reno --receive-buffer 64K --send-buffer 128K "
                                     "--mss 1200 --window-clamp 16K "));
    EXPECT_TRUE(startable());
    edit("MSS").setText(QStringLiteral("80"));
    EXPECT_FALSE(startable());
    EXPECT_TRUE(shows_text("88 to 32767"));
    edit("MSS").setText(QStringLiteral("many"));
    EXPECT_TRUE(shows_text("“many” is no size"));
    edit("MSS").clear();
    EXPECT_TRUE(startable());
    EXPECT_THAT(command(), Not(HasSubstr("--mss")));
    edit("Window clamp").setText(QStringLiteral("1G"));
    EXPECT_FALSE(startable());
    edit("Window clamp").setText(QStringLiteral("8K"));
    button("Start").click();
    open();
    EXPECT_EQ(edit("Receive buffer").text().toStdString(), "64K");
    EXPECT_EQ(edit("MSS").text().toStdString(), "");
    EXPECT_EQ(edit("Window clamp").text().toStdString(), "8K");
    EXPECT_TRUE(edit("Window clamp").isVisible()) << "what is not usual is not hidden";
}

TEST_F(GenerateDialogTest, TabGoesThroughTheFieldsAsTheyStand) {
    const QWidget* const fields[] = {
        &check("Digests of headers"), &check("Digests of data"), &combo("Congestion control"), &edit("MSS"),
        &edit("Receive buffer"),      &edit("Send buffer"),      &edit("Window clamp")};
    std::vector<const QWidget*> order;
    const QWidget* at = fields[0];
    do {
        if (std::ranges::find(fields, at) != std::end(fields)) order.push_back(at);
        at = at->nextInFocusChain();
    } while (at != fields[0]);
    EXPECT_EQ(order, std::vector<const QWidget*>(std::begin(fields), std::end(fields)));
}

TEST_F(GenerateDialogTest, ListsWhatIsThereAndTakesWhatIsPicked) {
    const FakeGenerator fake(portal());
    EXPECT_FALSE(startable());
    EXPECT_TRUE(shows_text("Which LUN?"));
    discover("127.0.0.1");
    ASSERT_NE(lun(2), nullptr);
    EXPECT_EQ(lun(0)->text(1).toStdString(), "1 GiB");
    EXPECT_EQ(lun(0)->text(2).toStdString(), "ACME DISK");
    EXPECT_EQ(lun(0)->text(3).toStdString(), "SER0");
    EXPECT_EQ(lun(1)->text(4).toStdString(), "an ext4 file system");
    EXPECT_EQ(lun(2)->text(0).toStdString(), "LUN 2: it is not ready");
    EXPECT_FALSE(lun(2)->flags().testFlag(Qt::ItemIsUserCheckable));
    EXPECT_FALSE(startable()) << "of several, none is meant by itself";
    pick(0);
    EXPECT_TRUE(startable());
    EXPECT_THAT(command(), testing::EndsWith(std::string(target_url) + "/0"));
    pick(1);
    const LoadRun run = dialog->run();
    EXPECT_EQ(run.settings.luns.size(), 2);
    EXPECT_EQ(run.interfaces, QStringList(QStringLiteral("lo")));
    EXPECT_EQ(run.filter.toStdString(), "(host 127.0.0.1 and tcp port 3260)") << "one portal, once";
    // What was listed is of the address before.
    edit("Address").setText(QStringLiteral("127.0.0.2"));
    EXPECT_FALSE(startable());
}

TEST_F(GenerateDialogTest, EnterInTheAddressAsksThere) {
    const FakeGenerator fake(portal());
    edit("Address").setFocus();
    QTest::keyClicks(&edit("Address"), QStringLiteral("127.0.0.1"));
    QTest::keyClick(&edit("Address"), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    EXPECT_NE(lun(0), nullptr);
    pick(0);
    QTest::keyClick(&edit("Address"), Qt::Key_Return);
    EXPECT_TRUE(dialog->isVisible()) << "it asks again, and starts nothing";
    ASSERT_TRUE(wait_until([&] { return dialog->settled(); }));
    EXPECT_EQ(lun(0)->checkState(0), Qt::Checked) << "what was picked still is";
}

TEST_F(GenerateDialogTest, AWholeUrlPicksItsLun) {
    const FakeGenerator fake(portal());
    discover("iscsi://127.0.0.1:3260/iqn.2026-11.org.example:disk/1");
    EXPECT_EQ(fake.file("asked"), std::string("generate --discover --json -- ") + target_url + "\n");
    ASSERT_NE(lun(1), nullptr);
    EXPECT_EQ(lun(1)->checkState(0), Qt::Checked);
    EXPECT_EQ(lun(0)->checkState(0), Qt::Unchecked);
    EXPECT_TRUE(startable());
}

TEST_F(GenerateDialogTest, WhatGoesWrongStandsInTheDialog) {
    discover("iscsi://me:secret@127.0.0.1");
    EXPECT_TRUE(shows_text("a secret in a URL"));
    const FakeGenerator fake("echo 'sanscope: 127.0.0.1:3260: Connection refused' >&2; exit 1");
    discover("127.0.0.1");
    EXPECT_TRUE(shows_text("127.0.0.1:3260: Connection refused"));
    EXPECT_FALSE(startable());
}

TEST_F(GenerateDialogTest, AskingCanBeGivenUp) {
    const FakeGenerator fake("exec sleep 600");
    edit("Address").setText(QStringLiteral("127.0.0.1"));
    QTest::mouseClick(&button("Discover"), Qt::LeftButton);
    EXPECT_FALSE(dialog->settled());
    QTest::mouseClick(&button("Cancel"), Qt::LeftButton);
    EXPECT_TRUE(dialog->settled());
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_TRUE(button("Discover").isEnabled());
}

TEST_F(GenerateDialogTest, APresetFillsTheFieldsAndAChangeMakesItCustom) {
    const FakeGenerator fake(portal());
    discover("127.0.0.1");
    pick(0);
    EXPECT_EQ(combo("Preset").currentText().toStdString(), "Custom");
    choose(combo("Preset"), "Database 8K");
    EXPECT_EQ(combo("Request size").currentText().toStdString(), "8K");
    EXPECT_EQ(field<QSpinBox>("Queue depth").value(), 32);
    EXPECT_THAT(command(), HasSubstr("--request-size 8K --queue-depth 32 --pattern random"));
    field<QSpinBox>("Queue depth").setValue(33);
    EXPECT_EQ(combo("Preset").currentText().toStdString(), "Custom");
    field<QSpinBox>("Queue depth").setValue(32);
    EXPECT_EQ(combo("Preset").currentText().toStdString(), "Database 8K");
    choose(combo("Preset"), "Founding paper, PDUs of 1 MiB");
    EXPECT_EQ(dialog->run().settings.pdu_bytes, 1u << 20);
    EXPECT_EQ(dialog->run().settings.queue_depth, 1);
}

TEST_F(GenerateDialogTest, WrongValuesAreToldAndStartNothing) {
    const FakeGenerator fake(portal());
    discover("127.0.0.1");
    pick(0);
    ASSERT_TRUE(startable());
    combo("PDU size").setCurrentText(QStringLiteral("8Q"));
    EXPECT_FALSE(startable());
    EXPECT_TRUE(shows_text("“8Q” is no size"));
    EXPECT_EQ(combo("Preset").currentText().toStdString(), "Custom");
    combo("PDU size").setCurrentText(QStringLiteral("32M"));
    EXPECT_TRUE(shows_text("512 bytes to 16 MiB"));
    combo("PDU size").setCurrentText(QStringLiteral("16M"));
    EXPECT_TRUE(startable());
    edit("Stop after").setText(QStringLiteral("soon"));
    EXPECT_TRUE(shows_text("“soon” is no duration"));
    EXPECT_FALSE(startable());
    combo("Stop condition").setCurrentIndex(2);
    EXPECT_TRUE(startable()) << "the field holds commands now";
    EXPECT_THAT(command(), HasSubstr("--commands 100000"));
    edit("Stop after").setText(QStringLiteral("0"));
    EXPECT_FALSE(startable());
    QTest::keyClick(dialog.get(), Qt::Key_Return);
    EXPECT_TRUE(dialog->isVisible());
}

TEST_F(GenerateDialogTest, WritesWantToBeToldTwice) {
    const FakeGenerator fake(portal());
    discover("127.0.0.1");
    pick(0);
    EXPECT_FALSE(edit("Serial number of what may be written to").isVisible());
    field<QSpinBox>("Reads among the commands").setValue(50);
    QLineEdit& serial = edit("Serial number of what may be written to");
    EXPECT_TRUE(serial.isVisible());
    EXPECT_FALSE(startable());
    serial.setText(QStringLiteral("SER1"));
    EXPECT_TRUE(shows_text("is another one than what is typed"));
    EXPECT_FALSE(startable());
    serial.setText(QStringLiteral(" SER0 "));
    EXPECT_TRUE(startable());
    EXPECT_EQ(dialog->run().settings.writable_serials, QStringList(QStringLiteral("SER0")));
    EXPECT_FALSE(dialog->run().settings.really);
    // Another LUN has not been allowed by that, and on this one something lies.
    pick(0, false);
    pick(1);
    EXPECT_EQ(serial.text().toStdString(), "");
    serial.setText(QStringLiteral("SER1"));
    EXPECT_FALSE(startable());
    EXPECT_TRUE(shows_text("Something lies there"));
    QCheckBox& really = field<QCheckBox>("What lies there may be lost");
    EXPECT_THAT(really.text().toStdString(), HasSubstr("an ext4 file system"));
    really.setChecked(true);
    EXPECT_TRUE(startable());
    EXPECT_THAT(command(), HasSubstr("--allow-writes SER1 --really"));
    pick(0);
    EXPECT_FALSE(startable()) << "of two LUNs, both are to be allowed";
    EXPECT_FALSE(really.isChecked());
    serial.setText(QStringLiteral("SER0, SER1"));
    really.setChecked(true);
    EXPECT_TRUE(startable());
    field<QSpinBox>("Reads among the commands").setValue(100);
    EXPECT_TRUE(dialog->run().settings.writable_serials.isEmpty());
    EXPECT_FALSE(dialog->run().settings.really);
}

TEST_F(GenerateDialogTest, SecretsAreNeitherShownNorRemembered) {
    const FakeGenerator fake(portal());
    edit("CHAP user").setText(QStringLiteral("me"));
    discover("127.0.0.1");
    EXPECT_TRUE(shows_text("The CHAP user has a secret"));
    EXPECT_EQ(lun(0), nullptr);
    EXPECT_EQ(edit("Secret").echoMode(), QLineEdit::Password);
    edit("Secret").setText(QStringLiteral("hunter2hunter2"));
    discover("127.0.0.1");
    EXPECT_THAT(fake.file("asked"), HasSubstr("iscsi://me@127.0.0.1"));
    EXPECT_THAT(fake.file("asked"), Not(HasSubstr("hunter2")));
    pick(0);
    EXPECT_THAT(command(), HasSubstr("iscsi://me@127.0.0.1:3260/"));
    EXPECT_THAT(command(), Not(HasSubstr("hunter2")));
    EXPECT_EQ(dialog->run().secrets.initiator, "hunter2hunter2");
    QTest::mouseClick(&button("Start"), Qt::LeftButton);
    EXPECT_FALSE(dialog->isVisible());
    const QSettings store;
    for (const QString& key : store.allKeys()) {
        EXPECT_THAT(store.value(key).toString().toStdString(), Not(HasSubstr("hunter2")))
            << key.toStdString();
    }
}

TEST_F(GenerateDialogTest, ChoosesAgainWhatWasChosenLast) {
    const FakeGenerator fake(portal());
    discover("127.0.0.1");
    pick(1);
    choose(combo("Preset"), "Backup 1M");
    edit("Stop after").setText(QStringLiteral("3s"));
    check("Record the load").setChecked(false);
    QTest::mouseClick(&button("Start"), Qt::LeftButton);
    open();
    EXPECT_EQ(edit("Address").text().toStdString(), "127.0.0.1");
    EXPECT_EQ(combo("Preset").currentText().toStdString(), "Backup 1M");
    EXPECT_EQ(lun(0), nullptr) << "nobody is asked before its user says so";
    EXPECT_FALSE(startable());
    discover("127.0.0.1");
    EXPECT_EQ(lun(1)->checkState(0), Qt::Checked);
    EXPECT_EQ(dialog->run().settings.seconds, 3);
    EXPECT_FALSE(dialog->run().settings.record);
}

// A target that would have the window load files: by its name, by what its LUNs are and hold, and by its complaints.
TEST_F(GenerateDialogTest, NothingThatATargetTellsIsTakenForHtml) {
    const QString hostile = QStringLiteral("<img src=HOSTILE>");
    testing_gui::ShownMarkup markup(hostile);
    const std::string url = "iscsi://127.0.0.1:3260/iqn.2026-11.org.example:refuses";
    const std::string list = R"(echo '{"kind":"target","name":"<img src=HOSTILE>","url":")" + url + "\"}'\n" +
                             R"(echo '{"kind":"target","name":"disk","url":")" + target_url + "\"}'\n";
    const std::string luns =
        R"(echo '{"kind":"lun","url":")" + std::string(target_url) +
        R"(/0","lun":0,"bytes":512,"vendor":"<img src=HOSTILE>","product":"<img src=HOSTILE>",)" +
        R"("serial_number":"<img src=HOSTILE>","content":"<img src=HOSTILE>","interface":"<img src=HOSTILE>"}')" +
        "\n" + R"(echo '{"kind":"lun","url":")" + target_url +
        R"(/1","lun":1,"error":"<img src=HOSTILE>"}')" + "\n";
    const FakeGenerator fake("case \"$*\" in *:refuses) echo '<img src=HOSTILE>' >&2; exit 1;; */iqn*) " +
                             luns + ";; *) " + list + ";; esac");
    discover("127.0.0.1");
    const auto* const targets = dialog->findChild<QTreeWidget*>();
    ASSERT_EQ(targets->topLevelItemCount(), 2);
    const QTreeWidgetItem* const first = targets->topLevelItem(0);
    EXPECT_THAT(first->text(0).toStdString(), HasSubstr("<img src=HOSTILE> at "));
    ASSERT_EQ(first->childCount(), 1) << "its complaint";
    EXPECT_THAT(first->child(0)->text(0).toStdString(), HasSubstr("<img src=HOSTILE>"));
    EXPECT_TRUE(shows_text("<img src=HOSTILE>")) << "what went wrong, below the list";
    QTreeWidgetItem* const disk = targets->topLevelItem(1);
    ASSERT_EQ(disk->childCount(), 2);
    EXPECT_EQ(disk->child(0)->text(2), hostile + u' ' + hostile);
    EXPECT_EQ(disk->child(0)->text(4), hostile);
    EXPECT_EQ(disk->child(1)->text(0), QStringLiteral("LUN 1: ") + hostile);
    // To write, what lies on it is shown, and an asked-for serial number that is another one.
    disk->child(0)->setCheckState(0, Qt::Checked);
    field<QSpinBox>("Reads among the commands").setValue(50);
    EXPECT_THAT(field<QCheckBox>("What lies there may be lost").text().toStdString(),
                HasSubstr("<img src=HOSTILE>"));
    edit("Serial number of what may be written to").setText(QStringLiteral("other"));
    markup.look_at_everything();
    // Tooltips of both targets, of the LUN's content, of the complaint; the labels below.
    EXPECT_GE(markup.seen(), 4) << "the names were not even there";
    EXPECT_TRUE(markup.found().isEmpty()) << markup.found().join(u'\n').toStdString();
}

TEST_F(GenerateDialogTest, AnAddressThatIsHtmlIsShownAsItIs) {
    testing_gui::ShownMarkup markup(QStringLiteral("<img src=HOSTILE>"));
    const FakeGenerator fake("echo 'sanscope: <img src=HOSTILE>: Connection refused' >&2; exit 1");
    discover("127.0.0.1/<img src=HOSTILE>");
    discover("127.0.0.1");
    EXPECT_TRUE(shows_text("<img src=HOSTILE>: Connection refused"));
    edit("CHAP user").setText(QStringLiteral("<img src=HOSTILE>"));
    discover("<img src=HOSTILE>");
    markup.look_at_everything();
    EXPECT_TRUE(markup.found().isEmpty()) << markup.found().join(u'\n').toStdString();
}

}  // namespace
}  // namespace sanscope
