// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QSettings>
#include <QStatusBar>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/app/name_resolution.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/tables/find_bar.h"
#include "gui/views/tables/rows_view.h"

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

}  // namespace
}  // namespace sanscope
