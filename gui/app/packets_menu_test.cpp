// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QSettings>
#include <QStatusBar>
#include <QTemporaryDir>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/name_resolution.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/follow_stream/follow_stream_dialog.h"
#include "gui/views/tables/find_bar.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/ingest/capture_builder.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::sample;
using testing_gui::wait_until;

class PacketsMenuTest : public testing::Test {
  protected:
    PacketsMenuTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->show();
        EXPECT_TRUE(window->open({sample("nop-logout.pcap")}));
        EXPECT_TRUE(wait_until([&] { return capture().document().has_loaded(); }));
    }
    ~PacketsMenuTest() override {
        window.reset();
        QSettings().clear();
    }
    CaptureWindow& capture() const { return *window->current(); }
    RowsView& packets() const { return *qobject_cast<RowsView*>(capture().view("packets")); }
    void choose(const char* action) { action_of(*window, QString::fromUtf8(action))->trigger(); }
    void select(PacketNumber packet) {
        capture().state().select({Selection::Kind::packet, packet});
        EXPECT_TRUE(wait_until([&] { return capture().state().selected().packet == packet; }));
    }

    std::unique_ptr<MainWindow> window;
};

TEST_F(PacketsMenuTest, TheStreamOfTheSelectedPacketIsFollowedAndFiltered) {
    choose("Follow TCP stream");
    EXPECT_EQ(capture().findChild<FollowStreamDialog*>(), nullptr);
    EXPECT_FALSE(capture().statusBar()->currentMessage().isEmpty());
    const uint32_t connection = capture().document().data()->read().store().segment(4).connection;
    ASSERT_NE(connection, 0u);
    select(4);
    choose("Follow TCP stream");
    ASSERT_NE(capture().findChild<FollowStreamDialog*>(), nullptr);
    const auto& dialog = *capture().findChild<FollowStreamDialog*>();
    EXPECT_EQ(dialog.connection(), connection);
    EXPECT_TRUE(dialog.isVisible());
    EXPECT_TRUE(wait_until([&] { return dialog.settled() && capture().state().filter() != nullptr; }));
    choose("Follow TCP stream");
    EXPECT_EQ(capture().findChildren<FollowStreamDialog*>().size(), 1);
}

TEST_F(PacketsMenuTest, TheTimeReferenceIsSetMovedAndTakenAway) {
    choose("Set or unset time reference");
    EXPECT_EQ(packets().time_reference_packet(), 0u);
    EXPECT_FALSE(capture().statusBar()->currentMessage().isEmpty());
    select(4);
    choose("Set or unset time reference");
    EXPECT_EQ(packets().time_reference_packet(), 4u);
    select(6);
    choose("Set or unset time reference");
    EXPECT_EQ(packets().time_reference_packet(), 6u);
    choose("Set or unset time reference");
    EXPECT_EQ(packets().time_reference_packet(), 0u);
}

TEST_F(PacketsMenuTest, APacketIsFoundFromTheMenu) {
    choose("Find packet");
    FindBar& bar = *packets().find_bar();
    ASSERT_TRUE(wait_until([&] { return bar.isVisible() && packets().settled(); }));
    bar.line().setText(QStringLiteral("login response"));
    choose("Find next");
    ASSERT_TRUE(wait_until([&] { return !bar.searching(); }));
    EXPECT_EQ(capture().state().selection(), (Selection{Selection::Kind::packet, 8}));
    bar.line().setText(QStringLiteral("login request"));
    choose("Find previous");
    ASSERT_TRUE(wait_until([&] { return !bar.searching(); }));
    EXPECT_EQ(capture().state().selection(), (Selection{Selection::Kind::packet, 6}));
}

TEST_F(PacketsMenuTest, NamesOfAHostsFileStandInTheTablesUntilAddressesAreWanted) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("hosts"));
    const auto write = [&](const char* text) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    capture().show_view("packets");
    ASSERT_TRUE(wait_until([&] { return packets().settled() && packets().model().rowCount() > 6; }));
    const auto columns = packets().model().access().columns();
    const auto source = [&] {
        return packets().model().text(5, static_cast<int>(*find_column(columns, "source"))).toStdString();
    };
    EXPECT_EQ(source(), "192.0.2.1:50440");
    write("no address here\n");
    EXPECT_FALSE(window->names().set_file(path).isEmpty());
    EXPECT_FALSE(window->names().set_file(folder.filePath(QStringLiteral("none"))).isEmpty());
    EXPECT_TRUE(
        window->names().set_file(QStringLiteral("/dev/null")).contains(QStringLiteral("regular file")));
    EXPECT_TRUE(window->names().set_file(folder.path()).contains(QStringLiteral("regular file")));
    EXPECT_EQ(source(), "192.0.2.1:50440");
    write("192.0.2.1 host1\n");
    testing_gui::answer_file_dialog(path);
    choose("Names from a hosts file");
    EXPECT_EQ(source(), "host1:50440");
    choose("Addresses only");
    EXPECT_EQ(source(), "192.0.2.1:50440");
}

// nop-logout.pcap as a pcapng with a name resolution block.
TEST_F(PacketsMenuTest, NamesInTheCaptureStandWhereTheHostsFileHasNone) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("named.pcapng"));
    test::PcapngBuilder builder;
    builder.section().interface();
    {
        const auto reading = capture().document().data()->read();
        for (PacketNumber packet = 1; packet <= reading.index().packets(); ++packet) {
            const auto bytes = reading.packets().read(packet);
            ASSERT_TRUE(bytes);
            builder.enhanced_packet(0, packet, *bytes);
        }
    }
    const auto record = [](char last, const char* name) {
        return std::string("\xc0\x00\x02", 3) + last + name + std::string(1, '\0');
    };
    builder.block(4, builder.options({{1, record(1, "host1")}, {1, record(2, "array")}}));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(reinterpret_cast<const char*>(builder.bytes().data()),
               static_cast<qint64>(builder.bytes().size()));
    file.close();
    ASSERT_TRUE(window->open({path}));
    ASSERT_TRUE(wait_until([&] { return capture().document().has_loaded(); }));
    capture().show_view("packets");
    ASSERT_TRUE(wait_until([&] { return packets().settled() && packets().model().rowCount() > 6; }));
    const auto columns = packets().model().access().columns();
    const auto text = [&](const char* column) {
        return packets().model().text(5, static_cast<int>(*find_column(columns, column))).toStdString();
    };
    EXPECT_EQ(text("source"), "host1:50440");
    EXPECT_EQ(text("destination"), "array:3260");
    QFile hosts(folder.filePath(QStringLiteral("hosts")));
    ASSERT_TRUE(hosts.open(QIODevice::WriteOnly));
    hosts.write("192.0.2.1 of-the-file\n");
    hosts.close();
    EXPECT_EQ(window->names().set_file(hosts.fileName()).toStdString(), "");
    EXPECT_EQ(text("source"), "of-the-file:50440");
    EXPECT_EQ(text("destination"), "array:3260");
    choose("Names in the capture file");
    EXPECT_EQ(text("destination"), "192.0.2.2:3260");
    choose("Names in the capture file");
    EXPECT_EQ(text("destination"), "array:3260");
    choose("Addresses only");
    EXPECT_EQ(text("source"), "192.0.2.1:50440");
    EXPECT_EQ(text("destination"), "192.0.2.2:3260");
    EXPECT_FALSE(action_of(*window, QStringLiteral("Names in the capture file"))->isChecked());
}

TEST_F(PacketsMenuTest, TheNameServiceIsAskedOnlyIfTheUserWantsAndOnlyOnceAnAddressIsInSight) {
    struct Asked {
        std::mutex mutex;
        std::set<std::string> addresses;
    };
    const auto asked = std::make_shared<Asked>();
    const auto addresses = [&] {
        const std::lock_guard lock(asked->mutex);
        return asked->addresses;
    };
    window->names().set_name_service([asked](const QString& address) {
        const std::lock_guard lock(asked->mutex);
        asked->addresses.insert(address.toStdString());
        return address == QStringLiteral("192.0.2.2") ? QStringLiteral("array.example.")
                                                      : QStringLiteral("no name");
    });
    const QTemporaryDir folder;
    QFile hosts(folder.filePath(QStringLiteral("hosts")));
    ASSERT_TRUE(hosts.open(QIODevice::WriteOnly));
    hosts.write("192.0.2.1 of-the-file\n");
    hosts.close();
    EXPECT_EQ(window->names().set_file(hosts.fileName()).toStdString(), "");
    capture().show_view("packets");
    ASSERT_TRUE(wait_until([&] { return packets().settled() && packets().model().rowCount() > 6; }));
    const auto columns = packets().model().access().columns();
    const auto text = [&](const char* column) {
        return packets().model().text(5, static_cast<int>(*find_column(columns, column))).toStdString();
    };
    packets().grab();
    QCoreApplication::processEvents();
    EXPECT_FALSE(action_of(*window, QStringLiteral("Ask the name service"))->isChecked());
    EXPECT_TRUE(addresses().empty());
    choose("Ask the name service");
    packets().grab();
    ASSERT_TRUE(wait_until([&] { return text("destination") == "array.example:3260"; }));
    EXPECT_EQ(text("source"), "of-the-file:50440");
    EXPECT_EQ(addresses(), std::set<std::string>{"192.0.2.2"});
    EXPECT_TRUE(action_of(*window, QStringLiteral("Ask the name service"))->isChecked());
    choose("Ask the name service");
    EXPECT_EQ(text("destination"), "192.0.2.2:3260");
    EXPECT_EQ(addresses().size(), 1u);
}

}  // namespace
}  // namespace sanscope
