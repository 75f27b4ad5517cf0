// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QMenu>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gui/app/capture_window.h"
#include "gui/app/decode_as_dialog.h"
#include "gui/app/live_controls.h"
#include "gui/app/main_window.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/engine/testing/conversation.h"
#include "analyzer/export/annotated_copy.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using testing_gui::action_of;
using testing_gui::sample;
using testing_gui::wait_until;

class DecodeAsTest : public testing::Test {
  protected:
    DecodeAsTest() {
        QSettings().clear();
        begin_anew();
        EXPECT_TRUE(window->open({sample("nop-logout.pcap")}));
        wait_until_loaded();
    }
    ~DecodeAsTest() override {
        window.reset();
        QSettings().clear();
    }
    void begin_anew() {
        window = std::make_unique<MainWindow>();
        window->show();
    }
    CaptureWindow& capture() const { return *window->current(); }
    void wait_until_loaded() const {
        ASSERT_TRUE(wait_until(
            [this] { return capture().document().has_loaded() && !capture().pending().has_value(); }));
    }
    size_t sessions() const { return capture().document().data()->read().store().sessions().size(); }
    DecodeAsDialog* dialog() const { return window->findChild<DecodeAsDialog*>(); }
    static void choose(const DecodeAsDialog& shown, int row, DecodeAs::Protocol protocol) {
        shown.protocol_box(row)->setCurrentIndex(static_cast<int>(protocol));
    }

    std::unique_ptr<MainWindow> window;
};

TEST_F(DecodeAsTest, APortIsNoIscsiUntilItIsByContentAgain) {
    ASSERT_EQ(sessions(), 1u);
    capture().state().select({Selection::Kind::packet, 6});
    ASSERT_TRUE(wait_until([this] { return capture().state().selected().packet == 6; }));
    capture().document().notes().set(5, QStringLiteral("mine"));
    action_of(*window, QStringLiteral("Decode As"))->trigger();
    ASSERT_NE(dialog(), nullptr);
    ASSERT_EQ(dialog()->table().rowCount(), 2);
    EXPECT_EQ(dialog()->table().item(0, 0)->text().toStdString(), "3260");
    EXPECT_EQ(dialog()->table().item(1, 0)->text().toStdString(), "50440");
    EXPECT_EQ(dialog()->table().item(0, 3)->text().toStdString(), "iSCSI");
    choose(*dialog(), 0, DecodeAs::Protocol::data);
    dialog()->accept();
    wait_until_loaded();
    EXPECT_EQ(window->captures(), 1);
    EXPECT_EQ(sessions(), 0u);
    EXPECT_TRUE(wait_until([this] { return capture().state().selected().packet == 6; }));
    EXPECT_EQ(capture().document().notes().all().at(5).toStdString(), "mine");
    EXPECT_TRUE(capture().document().notes().modified());

    delete dialog();
    action_of(*window, QStringLiteral("Decode As"))->trigger();
    ASSERT_NE(dialog(), nullptr);
    EXPECT_EQ(dialog()->table().item(0, 3)->text().toStdString(), "data");
    choose(*dialog(), 0, DecodeAs::Protocol::by_content);
    dialog()->accept();
    wait_until_loaded();
    EXPECT_EQ(sessions(), 1u);
    capture().document().notes().saved();
}

TEST_F(DecodeAsTest, ACommentThatWasRemovedStaysSo) {
    const QTemporaryDir folder;
    const std::string source = QFile::encodeName(sample("nop-logout.pcap")).toStdString();
    const QString path = folder.filePath(QStringLiteral("commented.pcapng"));
    ASSERT_TRUE(write_annotated_copy(std::span(&source, 1), {{5, {"removed"}}, {7, {"stays"}}},
                                     QFile::encodeName(path).toStdString()));
    ASSERT_TRUE(window->open({path}));
    wait_until_loaded();
    ASSERT_TRUE(capture().document().notes().has(5));
    capture().document().notes().remove(5);
    DecodeAs rules;
    rules.add({3260, DecodeAs::Protocol::data});
    window->decode_as(capture(), rules);
    wait_until_loaded();
    const Notes& notes = capture().document().notes();
    ASSERT_TRUE(wait_until([&] { return !notes.has(5); }));
    EXPECT_TRUE(notes.has(7));
    EXPECT_TRUE(notes.modified());
    EXPECT_EQ(notes.changes(), (PacketNotes{{5, {}}}));
    capture().document().notes().saved();
}

TEST_F(DecodeAsTest, NothingChangesWithCancelNorWithoutARule) {
    const Document* const before = &capture().document();
    action_of(*window, QStringLiteral("Decode As"))->trigger();
    ASSERT_NE(dialog(), nullptr);
    ASSERT_EQ(dialog()->table().rowCount(), 1) << "the port that is served in it";
    EXPECT_EQ(dialog()->table().item(0, 0)->text().toStdString(), "3260");
    dialog()->add_port(3260);
    ASSERT_EQ(dialog()->table().rowCount(), 1);
    choose(*dialog(), 0, DecodeAs::Protocol::data);
    dialog()->reject();
    EXPECT_EQ(&capture().document(), before);
    delete dialog();
    action_of(*window, QStringLiteral("Decode As"))->trigger();
    dialog()->add_port(3261);
    ASSERT_EQ(dialog()->table().rowCount(), 2);
    EXPECT_EQ(dialog()->table().item(1, 3)->text().toStdString(), "no connection");
    dialog()->accept();
    EXPECT_EQ(&capture().document(), before);
}

// A session of iSCSI, two connections to port 8080 with 5 packets, one to port 22 with 8.
test::Bytes capture_of_several_ports() {
    test::Conversation::Options options;
    options.commands = 4;
    const test::Conversation conversation(options, [random = std::mt19937(7)](uint32_t limit) mutable {
        return static_cast<uint32_t>(random() % limit);
    });
    test::PcapngBuilder builder;
    builder.section().interface();
    uint64_t time_us = 1'700'000'000'000'000;
    const auto add = [&](frames::Tcp header, bool from_target, const auto& payload) {
        frames::Ipv4 ip;
        if (from_target) {
            std::swap(ip.source, ip.destination);
            std::swap(header.source_port, header.destination_port);
        }
        builder.enhanced_packet(0, time_us += 100,
                                frames::ethernet(frames::ipv4(ip, frames::tcp(header, payload))).bytes);
    };
    for (const test::SentSegment& segment : conversation.segments)
        add({.seq = segment.seq, .ack = segment.ack, .flags = segment.flags}, segment.from_target,
            segment.payload);
    const auto add_other = [&](uint16_t client, uint16_t server, uint32_t packets) {
        add({.source_port = client, .destination_port = server, .seq = 99, .flags = tcp_syn}, false,
            std::string_view());
        for (uint32_t i = 1; i < packets; ++i)
            add({.source_port = client, .destination_port = server, .seq = 100 + 4 * (i - 1)}, false,
                std::string_view("text"));
    };
    add_other(50001, 8080, 2);
    add_other(50002, 8080, 3);
    add_other(50003, 22, 8);
    return builder.bytes();
}

TEST_F(DecodeAsTest, ListsThePortsThatAreServedWhatNothingClaimedFirst) {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("several.pcapng")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    const test::Bytes bytes = capture_of_several_ports();
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
    file.close();
    ASSERT_TRUE(window->open({file.fileName()}));
    wait_until_loaded();
    ASSERT_EQ(sessions(), 1u);
    action_of(*window, QStringLiteral("Decode As"))->trigger();
    ASSERT_NE(dialog(), nullptr);
    const auto row = [this](int at) {
        QStringList cells;
        for (int column = 0; column < 4; ++column) cells << dialog()->table().item(at, column)->text();
        return cells.join(QLatin1Char(' ')).toStdString();
    };
    ASSERT_EQ(dialog()->table().rowCount(), 3);
    EXPECT_EQ(row(0), "22 8 1 data");
    EXPECT_EQ(row(1), "8080 5 2 data");
    EXPECT_EQ(row(2).substr(0, 5), "3260 ");
    EXPECT_TRUE(row(2).ends_with(" 1 iSCSI")) << row(2);
    // Tab goes through the table before it leaves it.
    std::vector<const QWidget*> order;
    for (const QWidget* at = dialog()->table().nextInFocusChain(); at != &dialog()->port_box();
         at = at->nextInFocusChain()) {
        ASSERT_NE(at, &dialog()->table());
        if (qobject_cast<const QComboBox*>(at) != nullptr) order.push_back(at);
    }
    EXPECT_EQ(order, (std::vector<const QWidget*>{dialog()->protocol_box(0), dialog()->protocol_box(1),
                                                  dialog()->protocol_box(2)}));
    choose(*dialog(), 1, DecodeAs::Protocol::iscsi);
    EXPECT_EQ(format(DecodeAs::Rule{8080, dialog()->rules().rules().at(8080)}), "tcp.port==8080,iscsi");
    EXPECT_EQ(dialog()->rules().rules().size(), 1u);
    dialog()->reject();
}

TEST_F(DecodeAsTest, TheMenuOfAPacketFillsItsPortsIn) {
    auto& packets = *qobject_cast<RowsView*>(capture().view("packets"));
    Q_EMIT packets.decode_as_wanted(1);
    ASSERT_NE(dialog(), nullptr);
    ASSERT_EQ(dialog()->table().rowCount(), 2);
    EXPECT_EQ(dialog()->table().item(0, 0)->text().toStdString(), "3260");
    dialog()->reject();
}

TEST_F(DecodeAsTest, AWorkspaceKeepsIt) {
    DecodeAs rules;
    rules.add({3260, DecodeAs::Protocol::data});
    window->decode_as(capture(), rules);
    wait_until_loaded();
    const QTemporaryDir folder;
    const QString workspace = folder.filePath(QStringLiteral("kept.sanscope-workspace"));
    QString error;
    ASSERT_TRUE(window->save_workspace(workspace, error)) << error.toStdString();
    begin_anew();
    ASSERT_TRUE(window->open({workspace}));
    wait_until_loaded();
    EXPECT_EQ(capture().document().data()->decode_as(), rules);
    EXPECT_EQ(sessions(), 0u);
}

TEST_F(DecodeAsTest, HowTablesAreSortedAndTheTimeReferenceSurvive) {
    capture().show_view("packets");
    const auto packets = [this]() -> RowsView& {
        return *qobject_cast<RowsView*>(capture().view("packets"));
    };
    const auto settled = [&] { return packets().settled() && packets().model().rowCount() > 6; };
    ASSERT_TRUE(wait_until(settled));
    const int length = static_cast<int>(*find_column(packets().model().access().columns(), "length"));
    packets().sort(length, Qt::DescendingOrder);
    ASSERT_TRUE(packets().set_time_reference(6));
    capture().filter_line().apply_filter(QStringLiteral("length > 60"), QStringLiteral("packets"));
    capture().state().select({Selection::Kind::connection, 1});
    ASSERT_TRUE(wait_until([&] { return settled() && capture().state().filter() != nullptr; }));
    const int rows = packets().model().rowCount();
    DecodeAs rules;
    rules.add({3260, DecodeAs::Protocol::data});
    window->decode_as(capture(), rules);
    wait_until_loaded();
    ASSERT_TRUE(wait_until([&] { return settled() && capture().state().filter() != nullptr; }));
    EXPECT_EQ(packets().sort_column(), length);
    EXPECT_EQ(packets().sort_order(), Qt::DescendingOrder);
    EXPECT_EQ(packets().table().horizontalHeader()->sortIndicatorSection(), length);
    EXPECT_EQ(packets().time_reference_packet(), 6u);
    EXPECT_EQ(packets().model().rowCount(), rows);
    EXPECT_EQ(capture().state().selection(), (Selection{Selection::Kind::connection, 1}));
}

TEST_F(DecodeAsTest, AMergedCaptureIsDecodedOtherwise) {
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("copy.pcap"));
    ASSERT_TRUE(QFile::copy(sample("nop-logout.pcap"), copy));
    window->merge({sample("nop-logout.pcap"), copy});
    ASSERT_TRUE(wait_until([this] { return window->captures() == 2; }));
    wait_until_loaded();
    const QString merged = capture().document().path();
    ASSERT_GE(sessions(), 1u);
    DecodeAs rules;
    rules.add({3260, DecodeAs::Protocol::data});
    window->decode_as(capture(), rules);
    wait_until_loaded();
    EXPECT_EQ(window->captures(), 2);
    EXPECT_EQ(capture().document().path(), merged);
    EXPECT_EQ(sessions(), 0u);
    EXPECT_TRUE(window->live().unsaved().holds(merged));
    EXPECT_FALSE(window->live().unsaved().left_behind().contains(merged)) << "it is open";
    QFile::remove(merged);
}

}  // namespace
}  // namespace sanscope
